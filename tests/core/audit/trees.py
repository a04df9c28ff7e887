"""Trees over leaf hashes that tests hold in memory."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.audit.merkle import Frontier, Nodes, node_hash


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root over some leaf hashes."""
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root()


def nodes_over(leaves: Sequence[bytes]) -> Nodes:
    """Read nodes from leaf hashes."""

    def read(level: int, index: int) -> bytes:
        if level == 0:
            return leaves[index]
        return node_hash(read(level - 1, 2 * index), read(level - 1, 2 * index + 1))

    return read
