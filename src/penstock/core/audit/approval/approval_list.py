"""Several statements that one touch stands for: the challenge, and each one's place in it.

One statement alone is its own challenge. Several are the leaves of a tree (`merkle`), in the
order of their bytes, and the challenge is the digest of a statement that names root and number.
So an entry of the audit log holds its own place and not the whole list.
Always true: a challenge stands for exactly these statements; each can be checked alone, and one
that was added, left out or changed leads to another challenge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256

from msgspec import Struct

from penstock.core.audit.merkle import Frontier, includes, inclusion_proof, leaf_hash
from penstock.core.proposals.signature import said

DOMAIN = b"penstock approval list v1\n"
MOST = 1 << 16  # statements that one touch may stand for


class ListPlace(Struct, frozen=True, kw_only=True):
    """Where a statement stands in a list, and the hashes that lead from it to the root."""

    index: int
    size: int
    root: bytes
    path: tuple[bytes, ...]

    def challenge(self, statement: bytes) -> bytes | None:
        """Return the challenge of the list, None where the statement does not stand in it."""
        there = includes(
            leaf=leaf_hash(statement),
            index=self.index,
            size=self.size,
            proof=self.path,
            root=self.root,
        )
        return _challenge(self.root, self.size) if there and 1 < self.size <= MOST else None


Places = Mapping[bytes, ListPlace | None]


def challenge_of(statements: Sequence[bytes]) -> tuple[bytes, Places]:
    """Return the challenge for some statements, and each one's place; None where it is alone."""
    known = sorted(set(statements))
    if not 0 < len(known) <= MOST:
        raise ValueError("a challenge needs a statement, and not too many")
    if len(known) == 1:
        return alone(known[0]), {known[0]: None}
    leaves = [leaf_hash(one) for one in known]
    tree = Frontier()
    tree.extend(leaves)
    root, size = tree.root(), len(leaves)

    @cache  # each node is on the way of many leaves
    def node(level: int, index: int) -> bytes:
        part = Frontier()
        part.extend(leaves[index << level : (index + 1) << level])
        return part.root()

    places = {
        one: ListPlace(
            index=at,
            size=size,
            root=root,
            path=tuple(inclusion_proof(node, index=at, size=size)),
        )
        for at, one in enumerate(known)
    }
    return _challenge(root, size), places


def alone(statement: bytes) -> bytes:
    """Return the challenge for one statement."""
    return sha256(statement).digest()


def _challenge(root: bytes, size: int) -> bytes:
    return alone(said(DOMAIN, (("size", str(size)), ("root", root.hex()))))
