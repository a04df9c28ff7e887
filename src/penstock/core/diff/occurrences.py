"""How often lines come on each side, in little memory: never, once, or more often.

A table of small numbers is indexed by a part of each line's number. Lines that share an index
look like one line that comes more often, so the answers err on the safe side: what is said to
be alone comes at most once on a side, what is said to be on one side is not on both.
Always true: the memory depends on the number of lines alone, with a fixed upper limit.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import compress

# An index holds 4 * (how often in b) + (how often in a), each 0, 1 or 2 for more.
_MORE_IN_A = bytes(4 * (seen // 4) + min(seen % 4 + 1, 2) for seen in range(12))
_MORE_IN_B = bytes(4 * min(seen // 4 + 1, 2) + seen % 4 for seen in range(12))
ALONE = 5
ONLY_ALONE = bytes(seen == ALONE for seen in range(256))
ON_BOTH_SIDES = bytes(seen % 4 > 0 and seen // 4 > 0 for seen in range(256))
# Bits of an index: eight places for each line, as far as the memory goes.
FEWEST_BITS, MOST_BITS = 12, 24
CHUNK = 1 << 16


class LineOccurrences:
    """How often each line comes in `a` and in `b`, which have so many `lines` together."""

    def __init__(self, a: Iterable[int], b: Iterable[int], *, lines: int) -> None:
        bits = (8 * lines).bit_length()
        self.mask = mask = (1 << min(max(bits, FEWEST_BITS), MOST_BITS)) - 1
        self.table = table = bytearray(mask + 1)
        for side, more in ((a, _MORE_IN_A), (b, _MORE_IN_B)):
            for line in side:
                at = line & mask
                table[at] = more[table[at]]

    def seen(self, lines: Iterable[int]) -> bytes:
        """Return for each line how often it comes on each side."""
        return bytes(map(self.table.__getitem__, map(self.mask.__and__, lines)))

    def on_both_sides(self, lines: Iterable[int]) -> bytes:
        """Return a flag for each line that may come on both sides."""
        return self.seen(lines).translate(ON_BOTH_SIDES)

    def alone(self, lines: Iterable[int]) -> bytes:
        """Return a flag for each line of both sides that comes once on each."""
        return self.seen(lines).translate(ONLY_ALONE)

    def reduce(self, lines: array[int]) -> bytes:
        """Take out, in place, lines that the other side lacks; return what is seen of the rest.

        Chunk by chunk, so that no second copy of the lines is ever held.
        """
        kept, parts = 0, []
        for start in range(0, len(lines), CHUNK):
            chunk = lines[start : start + CHUNK]
            seen = self.seen(chunk)
            both = seen.translate(ON_BOTH_SIDES)
            parts.append(bytes(compress(seen, both)))
            lines[kept : kept + len(parts[-1])] = array("q", compress(chunk, both))
            kept += len(parts[-1])
        del lines[kept:]
        return b"".join(parts)
