r"""Read content in blocks: what it is made of, where two contents part, a number for each line.

A line ends at `\n` and nowhere else; `\r\n` is the same end. Content without a single `\n` but
with `\r` comes from a system that ended lines so, and is read that way. Counting what two
contents have in common is left to `diff.align`, the words about it to `diff.measure` and
`diff.remarks`.
Always true: no more than a few blocks of a source are held at a time, and two lines have the
same number exactly when they are the same line (the numbers are keyed per process, so that
nobody can make two lines collide).
"""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Callable, Iterator
from itertools import islice

from msgspec import Struct

from penstock.core.errors import StaleError
from penstock.core.model import Bytes, Source

BLOCK = 1 << 18
FIRST_BLOCK = 1 << 13
BOM = b"\xef\xbb\xbf"

# Called with the bytes just read and the lines seen so far.
Progress = Callable[[int, int], None]


class ContentFacts(Struct, frozen=True, kw_only=True):
    r"""What one pass over a content tells.

    `feeds` counts `\n`, `returns` every `\r`, `pairs` the `\r\n`. `text` is false for binary
    and undecodable bytes; `ends` is false when the last line lacks its end.
    """

    size: int = 0
    feeds: int = 0
    returns: int = 0
    pairs: int = 0
    text: bool = True
    bom: bool = False
    ends: bool = True

    @property
    def old_mac(self) -> bool:
        r"""True when lines can only end at `\r`, because there is no `\n` at all."""
        return self.returns > 0 and self.feeds == 0

    @property
    def lines(self) -> int:
        """How many lines there are; a last one without its end counts."""
        return (self.feeds or self.returns) + (not self.ends)


NO_FACTS = ContentFacts()


class OldMac(Struct, frozen=True):
    r"""A source whose `\r` reads as `\n`, at the same offsets."""

    inner: Source

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return self.inner.size

    def read(self, offset: int, length: int) -> bytes:
        r"""Return up to `length` bytes from `offset`, with `\n` for `\r`."""
        return self.inner.read(offset, length).replace(b"\r", b"\n")


def as_source(content: Source | bytes) -> Source:
    """Return something to read in blocks, whatever the content came as."""
    return Bytes(content) if isinstance(content, bytes) else content


def read_exactly(source: Source, offset: int, length: int) -> bytes:
    """Return `length` bytes from `offset`, or raise: a file may shrink while it is measured."""
    block = source.read(offset, length)
    while len(block) < length:
        more = source.read(offset + len(block), length - len(block))
        if not more:
            raise StaleError(
                "changed-while-reading",
                "the content became shorter while it was read",
                because=f"it had {source.size:,} bytes, now {offset + len(block):,}",
                hint="try again when no other program writes to it",
            )
        block += more
    return block


def blocks(source: Source, start: int, end: int) -> Iterator[bytes]:
    """Read from `start` to `end` in blocks."""
    for offset in range(start, end, BLOCK):
        yield read_exactly(source, offset, min(BLOCK, end - offset))


def survey(source: Source, told: Progress | None = None) -> ContentFacts:
    """Read a content once and tell what it is made of."""
    feeds = returns = pairs = 0
    text, decoder, head, last = True, codecs.getincrementaldecoder("utf-8")(), b"", b""
    for block in blocks(source, 0, source.size):
        head += block[: len(BOM) - len(head)]
        feeds += block.count(b"\n")
        # A pair may lie across two blocks.
        pairs += last == b"\r" and block[:1] == b"\n"
        last = block[-1:]
        if b"\r" in block:
            returns += block.count(b"\r")
            pairs += block.count(b"\r\n")
        text = text and _is_text(block, decoder)
        if told:
            told(len(block), feeds)
    return ContentFacts(
        size=source.size,
        feeds=feeds,
        returns=returns,
        pairs=pairs,
        text=text and not decoder.getstate()[0],
        bom=head == BOM,
        ends=last in (b"", b"\n") or (last == b"\r" and not feeds),
    )


def _is_text(block: bytes, decoder: codecs.IncrementalDecoder) -> bool:
    """Tell whether a block goes on as UTF-8 without NUL; the decoder keeps a cut character."""
    if b"\0" in block:
        return False
    if block.isascii() and not decoder.getstate()[0]:
        return True
    try:
        decoder.decode(block)
    except UnicodeDecodeError:
        return False
    return True


def _growing(end: int) -> Iterator[tuple[int, int]]:
    """Yield pieces to compare, small ones first: most contents differ soon."""
    offset, length = 0, min(BLOCK, FIRST_BLOCK)
    while offset < end:
        yield offset, min(length, end - offset)
        offset, length = offset + length, min(BLOCK, 8 * length)


def common_start(one: Source, two: Source, *, end: int) -> int:
    """Return how many bytes two contents share from their beginning, at most `end`."""
    for offset, length in _growing(end):
        x, y = read_exactly(one, offset, length), read_exactly(two, offset, length)
        if x != y:
            return offset + shared_bytes(x, y)
    return end


def common_end(one: Source, two: Source, *, end: int) -> int:
    """Return how many bytes two contents share up to their ends, at most `end`."""
    for done, length in _growing(end):
        x = read_exactly(one, one.size - done - length, length)
        y = read_exactly(two, two.size - done - length, length)
        if x != y:
            return done + _shared(x, y, _from_end)
    return end


def shared_bytes(x: bytes, y: bytes) -> int:
    """Return how many bytes two blocks have in common from their start on."""
    low, high = 0, min(len(x), len(y))
    while low < high:
        middle = (low + high + 1) // 2
        if x[low:middle] == y[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shared(x: bytes, y: bytes, part: Callable[[bytes, int, int], bytes]) -> int:
    """Return how many bytes of two unequal blocks are the same, from one end on."""
    low, high = 0, len(x)
    while high - low > 1:
        middle = (low + high) // 2
        same = part(x, low, middle) == part(y, low, middle)
        low, high = (middle, high) if same else (low, middle)
    return low + (part(x, low, high) == part(y, low, high))


def _from_end(block: bytes, low: int, high: int) -> bytes:
    return block[len(block) - high : len(block) - low]


class ChangeSpan(Struct, frozen=True, kw_only=True):
    """The bytes in which two contents differ, widened to whole lines."""

    start: int
    before_end: int
    after_end: int


def differing(before: Source, after: Source) -> ChangeSpan:
    r"""Return where two contents differ, in whole lines, without holding either."""
    shorter = min(before.size, after.size)
    shared = common_start(before, after, end=shorter)
    if shared == before.size == after.size:
        return ChangeSpan(start=shared, before_end=shared, after_end=shared)
    start = _after_last_feed(before, shared)
    tail = common_end(before, after, end=shorter - start)
    tail -= _up_to_first_feed(before, before.size - tail, tail)
    return ChangeSpan(start=start, before_end=before.size - tail, after_end=after.size - tail)


def _after_last_feed(source: Source, end: int) -> int:
    r"""Return the offset after the last `\n` before `end`, or 0."""
    while end > 0:
        start = max(0, end - BLOCK)
        at = read_exactly(source, start, end - start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _up_to_first_feed(source: Source, start: int, length: int) -> int:
    r"""Return how many bytes from `start` reach to the first `\n`, it included, or `length`."""
    for offset in range(0, length, BLOCK):
        at = read_exactly(source, start + offset, min(BLOCK, length - offset)).find(b"\n")
        if at >= 0:
            return offset + at + 1
    return length


def feeds_between(source: Source, start: int, end: int) -> int:
    r"""Return how many `\n` there are between two offsets."""
    return sum(block.count(b"\n") for block in blocks(source, start, end))


def line_list(source: Source, start: int, end: int, *, pairs: bool) -> list[bytes]:
    r"""Return the lines between two offsets without their ends, for content that is small.

    With `pairs`, a `\r` before `\n` is part of the line end. A last line without its end is
    another line than the same text with one, as for git, so it starts with what no line has.
    """
    content = b"".join(blocks(source, start, end))
    *lines, rest = (content.replace(b"\r\n", b"\n") if pairs else content).split(b"\n")
    return [*lines, b"\n" + rest] if rest else lines


def line_blocks(source: Source, start: int, end: int) -> Iterator[list[bytes]]:
    """Yield the lines between two offsets, a block's at a time, told apart as in `line_list`."""
    rest = b""
    for block in blocks(source, start, end):
        *lines, rest = (rest + block).split(b"\n")
        yield lines
    if rest:
        yield [b"\n" + rest]


def numbers(
    source: Source, start: int, end: int, *, pairs: bool, told: Progress | None = None
) -> array[int]:
    """Return a number for each line between two offsets, told apart as in `line_list`."""
    found = array("q")
    folded, rest = 0, b""
    for block in blocks(source, start, end):
        whole = _normalised(rest, block) if pairs else rest + block
        lines = whole.split(b"\n")
        rest = lines.pop()
        if lines:
            # Only a line that began in an earlier block can be longer than a block.
            found.append(hash(_folded(lines[0], folded)))
            folded = 0
            found.fromlist(list(map(hash, islice(lines, 1, None))))
        folded, rest = _fold(folded, rest, keep=BLOCK + 1)
        if told:
            told(len(block), len(found))
    if rest or folded:
        found.append(hash((b"\n", _folded(rest, folded))))
    return found


def _normalised(rest: bytes, block: bytes) -> bytes:
    r"""Return the unread rest and the next block with `\n` for `\r\n`, also across their seam."""
    if b"\r" not in block and not rest.endswith(b"\r"):
        return rest + block
    return (rest + block).replace(b"\r\n", b"\n")


def _fold(folded: int, rest: bytes, *, keep: int) -> tuple[int, bytes]:
    """Take whole blocks off a long line; the pieces depend on the line alone, not on its place."""
    while len(rest) > keep:
        folded = hash((folded, rest[:BLOCK]))
        rest = rest[BLOCK:]
    return folded, rest


def _folded(line: bytes, folded: int) -> bytes | tuple[int, bytes]:
    """Return what stands for a line: itself, or a short proof of it when it is long."""
    folded, rest = _fold(folded, line, keep=BLOCK)
    return (folded, rest) if folded else rest
