"""How far a reader has opened the gaps of a diff: so many lines more above or below a hunk.

A gap is numbered by the hunk behind it, counted from 1; the one behind the last hunk has one number
more. A page carries an expansion in its address, so it has a short text that reads back equal.
Which rows follow from it is `rows`' work, and costs no more however far it is opened.
Always true: an expansion shows more and never less; what does not read as one opens nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

STEP = 20  # lines that one step opens
ALL = 1 << 40  # lines; more than any file has
MOST_GAPS = 1000  # of one expansion
WHOLE = "all"


class Opened(Struct, frozen=True):
    """Lines of one gap that are shown: `down` from the hunk above it, `up` from the one below."""

    down: int = 0
    up: int = 0


SHUT = Opened()


class Expansion(Struct, frozen=True, kw_only=True):
    """The gaps that are opened, by their numbers; `whole` opens every one."""

    gaps: Mapping[int, Opened] = field(default_factory=dict)
    whole: bool = False

    def of(self, gap: int) -> Opened:
        """Return how far a gap is opened."""
        return Opened(ALL, 0) if self.whole else self.gaps.get(gap, SHUT)

    def more(self, gap: int, *, down: int = 0, up: int = 0) -> Expansion:
        """Return this with so many lines more of one gap; beyond a bound nothing is added."""
        if gap not in self.gaps and len(self.gaps) >= MOST_GAPS:
            return self
        now = self.of(gap)
        further = Opened(min(now.down + max(down, 0), ALL), min(now.up + max(up, 0), ALL))
        return replace(self, gaps={**self.gaps, gap: further})

    @property
    def text(self) -> str:
        """Return it as an address carries it: `all`, or `2:20:0,5:all`."""
        if self.whole:
            return WHOLE
        return ",".join(_written(gap, self.gaps[gap]) for gap in sorted(self.gaps))


CLOSED = Expansion()


def read(text: str) -> Expansion:
    """Return the expansion of a text; parts that are none are left out."""
    if text == WHOLE:
        return Expansion(whole=True)
    parts = text[: MOST_GAPS * 40].split(",")[:MOST_GAPS]
    return Expansion(gaps=dict(found for part in parts for found in _gap(part)))


def _written(gap: int, opened: Opened) -> str:
    return (
        f"{gap}:{WHOLE}" if ALL in (opened.down, opened.up) else f"{gap}:{opened.down}:{opened.up}"
    )


def _gap(part: str) -> Iterator[tuple[int, Opened]]:
    number, _, lines = part.partition(":")
    down, _, up = lines.partition(":")
    if lines == WHOLE and _is_count(number):
        yield int(number), Opened(ALL, 0)
    elif all(map(_is_count, (number, down, up))):
        yield int(number), Opened(int(down), int(up))


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 9
