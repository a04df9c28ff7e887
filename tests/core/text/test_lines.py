"""Reading content in blocks: facts, where two contents part, a number for each line."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import StaleError
from penstock.core.model import Bytes
from penstock.core.text import lines
from penstock.core.text.lines import (
    ChangeSpan,
    ContentFacts,
    OldMac,
    differing,
    line_list,
    numbers,
    read_exactly,
    survey,
)

# Few bytes, so that line ends, cut characters and equal stretches come often.
CONTENT = st.lists(
    st.sampled_from([b"a", b"b", b"\n", b"\r", b"\r\n", b"\xc3\xa9", b"\xe2\x82\xac", b"ab\n"]),
    max_size=40,
).map(b"".join)


@pytest.fixture(params=[1, 2, 3, 7, 1 << 18])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Read in blocks of a size at which something always lies across two of them."""
    monkeypatch.setattr(lines, "BLOCK", request.param)
    return int(request.param)


def numbered(content: bytes, *, pairs: bool = False) -> list[int]:
    return list(numbers(Bytes(content), 0, len(content), pairs=pairs))


FACTS = [
    (b"", ContentFacts(), 0, "an empty file has no line"),
    (b"a\nb\n", ContentFacts(size=4, feeds=2), 2, "two lines"),
    (b"a\nb", ContentFacts(size=3, feeds=1, ends=False), 2, "a last line without newline counts"),
    (b"\n\n", ContentFacts(size=2, feeds=2), 2, "empty lines are lines"),
    (b"a\r\nb\r\n", ContentFacts(size=6, feeds=2, returns=2, pairs=2), 2, "CRLF is one end"),
    (b"a\rb\r", ContentFacts(size=4, returns=2), 2, "A17: without any LF, CR ends lines"),
    (b"a\rb", ContentFacts(size=3, returns=1, ends=False), 2, "A17: and the last one counts"),
    (
        b"a\rb\nc\r",
        ContentFacts(size=6, feeds=1, returns=2, ends=False),
        2,
        "otherwise CR is content",
    ),
    (
        b"a\x0bb\x0cc\xe2\x80\xa8d\n",
        ContentFacts(size=10, feeds=1),
        1,
        "VT, FF, U+2028 end nothing",
    ),
    (b"\xef\xbb\xbfa\n", ContentFacts(size=5, feeds=1, bom=True), 1, "a mark is told"),
    (b"a\0b\n", ContentFacts(size=4, feeds=1, text=False), 1, "NUL is no text"),
    (
        b"a\xffb\n",
        ContentFacts(size=4, feeds=1, text=False),
        1,
        "bytes that are not UTF-8 are no text",
    ),
    (b"a\xe2\x82", ContentFacts(size=3, text=False, ends=False), 1, "nor is a character cut short"),
    ("é€\n".encode(), ContentFacts(size=6, feeds=1), 1, "characters of several bytes are text"),
]


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(("content", "facts", "count", "why"), FACTS)
def test_a_survey_tells_what_content_is_made_of(
    content: bytes, facts: ContentFacts, count: int, why: str
) -> None:
    found = survey(Bytes(content))
    assert found == facts, why
    assert found.lines == count, why


def test_progress_is_told_for_each_block() -> None:
    told: list[tuple[int, int]] = []
    content = b"line\n" * 100_000
    survey(Bytes(content), lambda size, seen: told.append((size, seen)))
    numbers(Bytes(content), 0, len(content), pairs=False, told=lambda *step: told.append(step))
    assert sum(size for size, _ in told) == 2 * len(content)
    assert told[1] == (len(content) - lines.BLOCK, 100_000)
    assert told[-1] == (len(content) - lines.BLOCK, 100_000)


@dataclass
class Shrinking:
    """A source that has less than it said."""

    size: int
    there: bytes

    def read(self, offset: int, length: int) -> bytes:
        return self.there[offset : offset + length]


@dataclass
class Slow:
    """A source that gives one byte at a time, as a pipe might."""

    there: bytes

    @property
    def size(self) -> int:
        return len(self.there)

    def read(self, offset: int, length: int) -> bytes:
        return self.there[offset : offset + min(length, 1)]


def test_content_that_shrinks_while_it_is_read_is_stale() -> None:
    with pytest.raises(StaleError) as caught:
        survey(Shrinking(10, b"abc"))
    assert caught.value.code == "changed-while-reading"


def test_short_reads_are_put_together() -> None:
    assert read_exactly(Slow(b"abcdef"), 1, 4) == b"bcde"


@pytest.mark.usefixtures("block")
@given(CONTENT, CONTENT)
@settings(max_examples=60, deadline=None)
def test_what_lies_outside_the_span_is_equal_and_whole_lines(before: bytes, after: bytes) -> None:
    span = differing(Bytes(before), Bytes(after))
    tail = before[span.before_end :]
    assert before[: span.start] == after[: span.start]
    assert tail == after[span.after_end :]
    assert span.start <= min(span.before_end, span.after_end)
    for side, end in ((before, span.before_end), (after, span.after_end)):
        assert span.start in (0, len(side)) or side[span.start - 1 : span.start] == b"\n"
        assert not tail or end == 0 or side[end - 1 : end] == b"\n"
    if before == after:
        assert span == ChangeSpan(start=len(before), before_end=len(before), after_end=len(before))


def feed_lines(content: bytes, *, pairs: bool = False) -> list[bytes]:
    """Split at LF and keep the ends, the slow and simple way."""
    whole = content.replace(b"\r\n", b"\n") if pairs else content
    parts = whole.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("pairs", [False, True])
@given(CONTENT, CONTENT)
@settings(max_examples=60, deadline=None)
def test_lines_have_the_same_number_exactly_when_they_are_the_same(
    pairs: bool, one: bytes, two: bytes
) -> None:
    # Both in one list, so that lines are compared across contents and across blocks.
    found = numbered(one, pairs=pairs) + numbered(two, pairs=pairs)
    expected = feed_lines(one, pairs=pairs) + feed_lines(two, pairs=pairs)
    assert [found.index(x) for x in found] == [expected.index(x) for x in expected]
    listed = [
        line
        for content in (one, two)
        for line in line_list(Bytes(content), 0, len(content), pairs=pairs)
    ]
    assert [listed.index(x) for x in listed] == [expected.index(x) for x in expected]


def test_a_line_longer_than_a_block_is_told_apart_by_any_byte() -> None:
    size = 3 * lines.BLOCK
    content = bytearray(b"x" * size + b"\ny\n")
    first = numbered(bytes(content))
    for at in (0, lines.BLOCK - 1, lines.BLOCK, size - 1):
        content[at] = ord("z")
        changed = numbered(bytes(content))
        assert changed[0] != first[0]
        assert changed[1] == first[1]
        content[at] = ord("x")


@pytest.mark.parametrize("extra", [-1, 0, 1, 2])
def test_a_long_line_has_one_number_wherever_it_stands(extra: int) -> None:
    long = b"q" * (lines.BLOCK + extra)
    at_top = numbered(long + b"\r\n", pairs=True)
    lower = numbered(b"z" * 1000 + b"\n" + long + b"\n", pairs=True)
    assert at_top[0] == lower[1]


def test_only_part_of_a_content_can_be_numbered() -> None:
    content = Bytes(b"a\nb\nc\n")
    assert list(numbers(content, 2, 4, pairs=False)) == numbered(b"b\n")


def test_old_mac_content_reads_as_lines() -> None:
    source = OldMac(Bytes(b"a\rb\r"))
    assert source.size == 4
    assert source.read(0, 4) == b"a\nb\n"
    assert source.read(1, 2) == b"\nb"
