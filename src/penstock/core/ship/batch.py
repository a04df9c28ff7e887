"""What is sent at once: whole entries up to a size, and how far a sink has them.

Always true: entries keep their order, and one that is larger than a batch goes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

LARGEST = 512 * 1024
MOST_ENTRIES = 2000


class ShipCursor(Struct, frozen=True, kw_only=True):
    """How far a sink has the log: the number and hash of the last entry, and where it ends.

    `first` is the number of the first entry of the file in which that is: a file keeps it when it
    is rotated. Nothing was sent where `seq` is -1.
    """

    seq: int = -1
    head: str = ""
    first: int = 0
    at: int = 0


class UnsentEntry(Struct, frozen=True, kw_only=True):
    """One line of the log, and the cursor of a sink that has it."""

    line: bytes
    after: ShipCursor


def batches(
    entries: Iterable[UnsentEntry], *, largest: int = LARGEST, most: int = MOST_ENTRIES
) -> Iterator[list[UnsentEntry]]:
    """Yield entries in groups that can be sent at once."""
    group: list[UnsentEntry] = []
    size = 0
    for one in entries:
        if group and (size + len(one.line) > largest or len(group) >= most):
            yield group
            group, size = [], 0
        group.append(one)
        size += len(one.line) + 1
    if group:
        yield group


def halves(group: list[UnsentEntry]) -> tuple[list[UnsentEntry], list[UnsentEntry]]:
    """Return a batch in two parts; the first is never empty."""
    middle = (len(group) + 1) // 2
    return group[:middle], group[middle:]
