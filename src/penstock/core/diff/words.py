"""Which words of a line changed, and which old line a new one stands for.

Only for the eye: what is approved is lines and bytes, never words.
Always true: the work is bounded whatever the lines hold; where it would be more, no words are
marked at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from penstock.core.diff.hunks import hunks

TOKEN = re.compile(r"\u27e6[^\u27e7]*+\u27e7|\w++|[ \t]++|.", re.DOTALL)
MOST_CHARS = 2400
MOST_PAIRS = 900
# Below this share of common words two lines are two lines, and marking words would be confetti.
ALIKE = 0.34

Ranges = tuple[tuple[int, int], ...]
NONE: Ranges = ()


def changed(old: str, new: str) -> tuple[Ranges, Ranges]:
    """Return the half-open character ranges that differ, of each line; none when all do."""
    if len(old) > MOST_CHARS or len(new) > MOST_CHARS:
        return NONE, NONE
    a, b = TOKEN.findall(old), TOKEN.findall(new)
    found = hunks(_column(a), _column(b))
    old_marks = [at for hunk in found for at in hunk.before]
    new_marks = [at for hunk in found for at in hunk.after]
    if _share(a, old_marks, b, new_marks) < ALIKE:
        return NONE, NONE
    return _ranges(a, old_marks), _ranges(b, new_marks)


def _column(tokens: Sequence[str]) -> bytes:
    """Return tokens as lines; whatever a token holds, it stays on its own."""
    return "".join(f"{token!a}\n" for token in tokens).encode("ascii")


def _share(a: Sequence[str], gone: list[int], b: Sequence[str], came: list[int]) -> float:
    """Return which share of the letters, blanks aside, both lines have in common."""
    total = _weight(a, range(len(a))) + _weight(b, range(len(b)))
    differ = _weight(a, gone) + _weight(b, came)
    return 1.0 if total == 0 else 1 - differ / total


def _weight(tokens: Sequence[str], places: Sequence[int]) -> int:
    return sum(len(tokens[at]) for at in places if not tokens[at].isspace())


def _ranges(tokens: Sequence[str], marked: list[int]) -> Ranges:
    """Return the marked tokens as character ranges; those that touch are one."""
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    found: list[tuple[int, int]] = []
    for at in marked:
        begin, end = starts[at], starts[at + 1]
        if found and _only_blank(tokens, starts, found[-1][1], begin):
            begin = found.pop()[0]
        found.append((begin, end))
    return tuple(found)


def _only_blank(tokens: Sequence[str], starts: list[int], end: int, begin: int) -> bool:
    """Two marks with nothing or one blank between them read as one."""
    if end == begin:
        return True
    at = starts.index(end)
    return starts[at + 1] == begin and tokens[at].isspace()


def partners(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Return for lines of a hunk which new line takes an old line's place, in order."""
    if len(old) * len(new) > MOST_PAIRS:
        return {at: at for at in range(len(old))} if len(old) == len(new) else {}
    likeness = [[_likeness(x, y) for y in map(_bag, new)] for x in map(_bag, old)]
    return _best_chain(likeness, len(old), len(new))


def _bag(line: str) -> Counter[str]:
    return Counter(found[0] for found in islice(TOKEN.finditer(line), 400) if found[0].strip())


def _likeness(a: Counter[str], b: Counter[str]) -> float:
    total = sum(a.values()) + sum(b.values())
    if total == 0:
        return 1.0
    share = 2 * sum((a & b).values()) / total
    return share if share >= ALIKE else 0.0


def _best_chain(likeness: list[list[float]], rows: int, columns: int) -> dict[int, int]:
    """Return the pairs, never crossing, that are most alike together."""
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            both = best[i + 1][j + 1] + likeness[i][j] if likeness[i][j] else 0.0
            best[i][j] = max(both, best[i + 1][j], best[i][j + 1])
    found: dict[int, int] = {}
    i = j = 0
    while i < rows and j < columns:
        if likeness[i][j] and best[i][j] == best[i + 1][j + 1] + likeness[i][j]:
            found[i] = j
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
