"""The Merkle tree of RFC 6962 over the lines of the record, and the proofs it allows.

A leaf is one line, its exact bytes without the newline. A root of 32 bytes then stands for the
whole record: an inclusion proof shows that a line is under a root, a consistency proof that
one root only added lines to another. Signing roots is `checkpoint`'s work.
Always true: leaves and inner nodes are hashed apart (0x00 and 0x01 first), so that no line can
pass for a node; a frontier grows by one leaf in at most log2(n) steps.

Theory: a tree of n leaves splits at the largest power of two below n. Its left parts are
therefore perfect trees that never change again; a frontier keeps just their roots, largest
first, one for every 1 bit of n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from penstock.core.errors import AuditError

EMPTY_ROOT = sha256(b"").digest()
HASH_SIZE = 32


def leaf_hash(line: bytes) -> bytes:
    """Return the hash of one line as a leaf."""
    return sha256(b"\0" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees under one node."""
    return sha256(b"\1" + left + right).digest()


class Frontier:
    """The tree so far, as little of it as growing needs."""

    __slots__ = ("_peaks", "size")

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        if len(peaks) != size.bit_count() or any(len(peak) != HASH_SIZE for peak in peaks):
            raise AuditError("bad-tree", f"{len(peaks)} subtrees can't form a tree of {size}")
        self.size = size
        self._peaks = list(peaks)

    @property
    def peaks(self) -> tuple[bytes, ...]:
        """The roots of the perfect subtrees, largest first."""
        return tuple(self._peaks)

    def add(self, leaf: bytes) -> None:
        """Add one leaf hash."""
        peaks, full = self._peaks, self.size
        while full & 1:
            leaf = node_hash(peaks.pop(), leaf)
            full >>= 1
        peaks.append(leaf)
        self.size += 1

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Add many leaf hashes; runs that fill a perfect subtree are hashed level by level."""
        at = 0
        while at < len(leaves):
            room = len(leaves) - at
            # The largest perfect subtree that is aligned here and fits into what is left.
            span = min(self.size & -self.size or 1 << 62, 1 << (room.bit_length() - 1))
            self._add_peak(_perfect_root(leaves[at : at + span]), span)
            at += span

    def _add_peak(self, peak: bytes, span: int) -> None:
        full = self.size // span
        while full & 1:
            peak = node_hash(self._peaks.pop(), peak)
            full >>= 1
        self._peaks.append(peak)
        self.size += span

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self._peaks:
            return EMPTY_ROOT
        found = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            found = node_hash(peak, found)
        return found

    def copy(self) -> Frontier:
        """Return a frontier that grows on its own."""
        return Frontier(self.size, self._peaks)


def _perfect_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root over 2**k leaf hashes."""
    level = list(leaves)
    while len(level) > 1:
        level = [
            sha256(b"\1" + left + right).digest()
            for left, right in zip(level[::2], level[1::2], strict=True)
        ]
    return level[0]


def roots_at(blocks: Iterable[bytes], sizes: Iterable[int]) -> tuple[dict[int, bytes], Frontier]:
    """Return the roots at some sizes, and the whole frontier, of lines that come in blocks.

    Every block ends with a newline. Sizes beyond the last line are left out.
    """
    wanted = sorted(set(sizes))
    frontier = Frontier()
    roots: dict[int, bytes] = {}
    for block in blocks:
        # One replace puts the leaf's first byte before every line but the first.
        lines = (b"\0" + block.replace(b"\n", b"\n\0")).split(b"\n")[:-1]
        leaves = [sha256(line).digest() for line in lines]
        taken = 0
        while wanted and wanted[0] <= frontier.size + len(leaves) - taken:
            upto = taken + wanted[0] - frontier.size
            frontier.extend(leaves[taken:upto])
            roots[wanted.pop(0)] = frontier.root()
            taken = upto
        frontier.extend(leaves[taken:])
    for size in wanted:
        if size == 0:
            roots[0] = EMPTY_ROOT
    return roots, frontier


# --- nodes ---------------------------------------------------------------------------------

# Reads the hash of a perfect subtree: (level, index) covers the 2**level leaves from
# index * 2**level on. Level 0 are the leaves themselves.
Nodes = Callable[[int, int], bytes]


def stored_index(level: int, index: int) -> int:
    """Return where a node stands in a file to which every finished subtree is appended.

    Leaf n is followed by the subtrees that it completes, smallest first.
    """
    leaf = ((index + 1) << level) - 1  # the leaf that completes this subtree
    return 2 * leaf - leaf.bit_count() + level


def finished(size: int, leaf: bytes, nodes: Nodes) -> list[bytes]:
    """Return what leaf number `size` appends to such a file: its hash and what it completes."""
    found = [leaf]
    level = 0
    while size >> level & 1:
        left = nodes(level, (size >> level) - 1)
        found.append(node_hash(left, found[-1]))
        level += 1
    return found


def root_over(nodes: Nodes, low: int, high: int) -> bytes:
    """Return the root over leaves `low` to `high`, as it stands in a tree that splits there."""
    parts: list[bytes] = []
    while low < high:
        level = (high - low).bit_length() - 1
        parts.append(nodes(level, low >> level))
        low += 1 << level
    if not parts:
        return EMPTY_ROOT
    found = parts.pop()
    while parts:
        found = node_hash(parts.pop(), found)
    return found


# --- proofs --------------------------------------------------------------------------------


def _split(count: int) -> int:
    """Return the largest power of two below a count of two or more."""
    return 1 << ((count - 1).bit_length() - 1)


def inclusion_proof(nodes: Nodes, *, index: int, size: int) -> list[bytes]:
    """Return the hashes that lead from leaf `index` to the root, nearest first."""
    if not 0 <= index < size:
        raise AuditError("no-such-event", f"there is no entry {index} of {size}")
    found: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            found.append(root_over(nodes, middle, high))
            high = middle
        else:
            found.append(root_over(nodes, low, middle))
            low = middle
    return found[::-1]


def consistency_proof(nodes: Nodes, *, old_size: int, size: int) -> list[bytes]:
    """Return the hashes that show that the tree of `old_size` is the beginning of this one."""
    if not 0 <= old_size <= size:
        raise AuditError("no-such-size", f"a tree of {size} never had size {old_size}")
    if old_size in (0, size):
        return []
    found: list[bytes] = []
    low, high = 0, size
    while old_size != high:
        middle = low + _split(high - low)
        if old_size <= middle:
            found.append(root_over(nodes, middle, high))
            high = middle
        else:
            found.append(root_over(nodes, low, middle))
            low = middle
    if low:
        found.append(root_over(nodes, low, high))
    return found[::-1]


def includes(*, leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Say whether a proof shows that this leaf stands at `index` under `root`."""
    if not 0 <= index < size or len(proof) > 64:
        return False
    at, last, found = index, size - 1, leaf
    for beside in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(beside, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def is_consistent(
    *, old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Say whether a proof shows that the new tree only added leaves to the old one."""
    if not 0 <= old_size <= new_size or len(proof) > 128:
        return False
    if old_size == new_size:
        return old_root == new_root and not proof
    if old_size == 0:
        return old_root == EMPTY_ROOT and not proof
    # A tree whose size is a power of two is itself the first node on the way.
    steps = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    return bool(steps) and _leads_to(steps, old_size, new_size, (old_root, new_root))


def _leads_to(
    steps: Sequence[bytes], old_size: int, new_size: int, roots: tuple[bytes, bytes]
) -> bool:
    """Fold the steps into both roots at once, as RFC 9162 section 2.1.4.2 numbers them."""
    at, last = old_size - 1, new_size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old = new = steps[0]
    for beside in steps[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = node_hash(beside, old), node_hash(beside, new)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            new = node_hash(new, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and (old, new) == roots
