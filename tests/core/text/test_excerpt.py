"""A window of lines: what is shown, what is counted, and the digest of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.digest import digest
from penstock.core.errors import InputError
from penstock.core.model import Bytes
from penstock.core.text import excerpt as module
from penstock.core.text.excerpt import Window, bytes_shown, line_range, window

ABC = b"a\nb\nc\n"


def cut(data: bytes, start: int = 1, end: int | None = None, most: int = 100) -> Window:
    return window(Bytes(data), start=start, end=end, max_bytes=most, shown="x.txt")


@pytest.mark.parametrize(
    ("data", "start", "end", "text", "last", "total"),
    [
        (ABC, 1, None, "a\nb\nc\n", 3, 3),
        (ABC, 2, 2, "b\n", 2, 3),
        (ABC, 2, 99, "b\nc\n", 3, 3),  # a window beyond the end is cut to what is there
        (ABC, 9, 12, "", 8, 3),  # beyond the end: nothing, and the start is kept
        (b"", 1, None, "", 0, 0),
        (b"one", 1, None, "one", 1, 1),  # a last line without its end is a line
        (b"\n\n", 2, 2, "\n", 2, 2),
        ("ä\nö".encode(), 2, 2, "ö", 2, 2),
    ],
)
def test_the_lines_that_were_asked_for_are_shown(
    data: bytes, start: int, end: int | None, text: str, last: int, total: int
) -> None:
    shown = cut(data, start, end)
    assert (shown.text, shown.start_line, shown.end_line) == (text, start, last)
    assert (shown.total_lines, shown.size, shown.digest) == (total, len(data), digest(data))
    assert not shown.truncated


def test_the_cap_cuts_at_a_character_and_says_so() -> None:
    shown = cut("aé\nb".encode(), most=2)
    assert (shown.text, shown.end_line, shown.truncated) == ("a", 1, True)
    assert not cut("aé\nb".encode(), most=5).truncated


def test_the_lines_alone_never_count_as_truncated() -> None:
    assert not cut(ABC, 1, 1, most=2).truncated
    assert cut(ABC, 1, 2, most=2).truncated


@pytest.mark.parametrize("data", [b"a\0b", b"text\n" * 3 + b"\0"])
def test_a_nul_anywhere_makes_it_no_text(data: bytes) -> None:
    with pytest.raises(InputError) as told:
        cut(data, 1, 1)
    assert told.value.code == "not-text"


def test_what_is_no_utf_8_is_no_text_where_it_would_be_shown() -> None:
    with pytest.raises(InputError) as told:
        cut(b"\xff\xfe")
    assert told.value.code == "not-text"
    assert cut(b"a\n\xff", 1, 1).text == "a\n"


def test_a_range_that_ends_before_it_begins_is_refused_and_others_are_put_right() -> None:
    assert line_range(None, None) == (1, None)
    assert line_range(-3, 2) == (1, 2)
    with pytest.raises(InputError) as told:
        line_range(5, 4)
    assert told.value.code == "bad-range"


@pytest.mark.parametrize(("asked", "most"), [(None, 10), (0, 10), (-1, 10), (7, 7), (99, 20)])
def test_what_is_asked_for_stays_within_the_caps(asked: int | None, most: int) -> None:
    assert bytes_shown(asked, default=10, most=20) == most


@settings(deadline=None, max_examples=150)
@given(
    st.text(alphabet="aé\n€", max_size=40),
    st.integers(1, 8),
    st.integers(0, 8),
    st.integers(1, 30),
    st.integers(1, 5),
)
def test_a_window_over_pieces_is_the_window_over_the_whole(
    text: str, start: int, more: int, most: int, piece: int
) -> None:
    data = text.encode()
    whole = cut(data, start, start + more, most)
    lines = data.split(b"\n")
    ended = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    wanted = b"".join(ended[start - 1 : start + more])
    assert whole.text.encode() == wanted[:most].decode("utf-8", "ignore").encode()
    assert whole.truncated == (len(wanted) > most)
    kept, module.PIECE = module.PIECE, piece
    try:
        assert cut(data, start, start + more, most) == whole
    finally:
        module.PIECE = kept
