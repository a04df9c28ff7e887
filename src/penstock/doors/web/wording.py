"""Kinds of change and digests as a person reads them, and ranges as a form carries them.

Always true: what a form carries is read back to numbers that exist; all else in it is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from penstock.core.model import ChangeKind

if TYPE_CHECKING:
    from penstock.app import Workspace

KIND_WORDS = {
    ChangeKind.NEW: "create",
    ChangeKind.MODIFY: "modify",
    ChangeKind.REPLACE: "replace",
    ChangeKind.DELETE: "delete",
}


def short(digest: str | None) -> str:
    """Return the beginning of a digest; the whole of it stands beside it in the page."""
    return "none" if digest is None else digest.removeprefix("sha256:")[:12]


def as_ranges(numbers: Collection[int]) -> str:
    """Return numbers as `1-3,7`."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in parts)


def from_ranges(words: str, *, most: int) -> frozenset[int]:
    """Return the numbers from 1 to `most` that `1-3,7` names; what is none of them is dropped."""
    found: set[int] = set()
    reached = 0  # each number is looked at once, however often it is named
    for first, last in sorted(_ends(words)):
        found.update(range(max(first, reached + 1), min(last, most) + 1))
        reached = max(reached, min(last, most))
    return frozenset(found)


def _ends(words: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last number of each range."""
    for part in words.split(","):
        first, _, last = part.strip().partition("-")
        ends = (first, last or first)
        if all(end.isascii() and end.isdecimal() and len(end) < 9 for end in ends):
            yield int(ends[0]), int(ends[1])


def name_of(here: Workspace) -> str:
    """Return the name by which addresses speak of a workspace: that of its state."""
    return os.path.basename(here.state)
