"""Joining new content to an existing file: append, insert, replace, the way back, chosen hunks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks
from penstock.core.errors import InputError
from penstock.core.merge.strategies import Strategy, combine, line_count, select_hunks

BOM = b"\xef\xbb\xbf"

APPENDED = [
    ("S0-049 the literal formula leaves an empty line", b"a\n", b"b\n", b"a\n\nb\n"),
    ("A10 nothing is glued", b"a", b"b", b"a\nb"),
    ("A10 the ending is that of the new content", b"a\n", b"b", b"a\n\nb"),
    ("an empty file gets the formula too", b"", b"b\n", b"\nb\n"),
    ("nothing new is still the formula", b"a\n", b"", b"a\n\n"),
    ("A10 a CRLF file stays one", b"a\r\nb\r\n", b"c\nd\n", b"a\r\nb\r\n\r\nc\r\nd\r\n"),
    ("CRLF content comes into an LF file as LF", b"a\nb\n", b"c\r\nd\r\n", b"a\nb\n\nc\nd\n"),
    ("content of mixed line ends is left alone", b"a\n", b"c\r\nd\n", b"a\n\nc\r\nd\n"),
    ("a file of one line without an end has no style", b"a", b"c\r\nd\r\n", b"a\nc\r\nd\r\n"),
    (
        "the mark at the top stays, a second one is dropped",
        BOM + b"a\n",
        BOM + b"b",
        BOM + b"a\n\nb",
    ),
    (
        "characters that look like line ends are none",
        b"a\x0b\x0c\xe2\x80\xa8\n",
        b"b",
        b"a\x0b\x0c\xe2\x80\xa8\n\nb",
    ),
    ("NUL is a byte like others", b"\0", b"\0", b"\0\n\0"),
]


@pytest.mark.parametrize(
    ("why", "old", "new", "expected"), APPENDED, ids=[row[0] for row in APPENDED]
)
def test_append_puts_new_content_below_a_line_end(
    why: str, old: bytes, new: bytes, expected: bytes
) -> None:
    merged = combine(old, new, "append")
    assert merged.content == expected
    assert merged.strategy is Strategy.APPEND


INSERTED = [
    ("A11 0 is the top", b"a\nb\n", b"X\n", 0, b"X\na\nb\n"),
    ("A11 1 is after line 1", b"a\nb\n", b"X\n", 1, b"a\nX\nb\n"),
    ("A11 the line count is the end", b"a\nb\n", b"X\n", 2, b"a\nb\nX\n"),
    (
        "S0-052 new content without an end is not glued to the next line",
        b"a\nb\n",
        b"X",
        1,
        b"a\nX\nb\n",
    ),
    ("S0-052 a last line without an end is not glued", b"a\nb", b"X", 2, b"a\nb\nX"),
    ("the end of the file stays as it was", b"a\nb", b"X\n", 1, b"a\nX\nb"),
    ("an empty file takes the content", b"", b"X", 0, b"X"),
    ("nothing new changes nothing", b"a\nb", b"", 2, b"a\nb"),
    ("a CRLF file stays one", b"a\r\nb\r\n", b"X", 1, b"a\r\nX\r\nb\r\n"),
    (
        "a CRLF file without a last end gets its own",
        b"a\r\nb\r\nc",
        b"X\nY\n",
        3,
        b"a\r\nb\r\nc\r\nX\r\nY\r\n",
    ),
    ("the mark stays at the very top", BOM + b"a\n", b"X\n", 0, BOM + b"X\na\n"),
    ("a mark alone is a file without lines", BOM, b"X\n", 0, BOM + b"X\n"),
    ("a form feed does not end a line", b"a\x0cb\nc\n", b"X\n", 1, b"a\x0cb\nX\nc\n"),
]


@pytest.mark.parametrize(
    ("why", "old", "new", "at", "expected"), INSERTED, ids=[row[0] for row in INSERTED]
)
def test_insert_puts_new_content_after_a_line(
    why: str, old: bytes, new: bytes, at: int, expected: bytes
) -> None:
    merged = combine(old, new, Strategy.INSERT, at=at)
    assert merged.content == expected
    assert merged.strategy is Strategy.INSERT


@pytest.mark.parametrize("at", [None, -1, 3, 10**12, True, 1.0, "1"])
def test_insert_refuses_what_is_not_a_line_of_the_file(at: object) -> None:
    with pytest.raises(InputError) as caught:
        combine(b"a\nb\n", b"X\n", "insert", at=at)  # type: ignore[arg-type]
    assert caught.value.code == "bad-insertion-point"
    assert "0 to 2" in str(caught.value)


@pytest.mark.parametrize("new", [b"", b"x", b"x\r\n", BOM + b"x\n", b"\xff\xfe\0"])
def test_replace_returns_the_new_content_as_it_is(new: bytes) -> None:
    merged = combine(BOM + b"a\r\nb\r\n", new, "replace")
    assert (merged.content, merged.warnings) == (new, ())


@pytest.mark.parametrize("name", ["", "overwrite", "APPEND", "append ", "\0"])
def test_an_unknown_strategy_is_an_error_that_names_the_four(name: str) -> None:
    with pytest.raises(InputError) as caught:
        combine(b"a", b"b", name)
    assert caught.value.code == "unknown-strategy"
    for known in Strategy:
        assert known in caught.value.hint


@pytest.mark.parametrize("strategy", ["append", "insert", "extend"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_utf_8_is_never_joined_to_wide_text(strategy: str, codec: str) -> None:
    wide = "\ufeffa\n".encode(codec)
    with pytest.raises(InputError) as caught:
        combine(wide, b"b\n", strategy, at=0)
    assert caught.value.code == "unsupported-encoding"


def test_changed_line_ends_and_a_dropped_mark_are_told() -> None:
    merged = combine(b"a\n", BOM + b"b\r\n", "append")
    assert len(merged.warnings) == 2


@pytest.mark.parametrize(
    ("content", "count"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)]
)
def test_a_last_line_without_an_end_counts(content: bytes, count: int) -> None:
    assert line_count(content) == count


FEW = st.lists(st.sampled_from([b"a", b"b\n", b"c\r\n", b"\n", b"d"]), max_size=8).map(b"".join)


@settings(max_examples=200, deadline=None)
@given(existing=st.binary(max_size=40) | FEW, new=st.binary(max_size=40) | FEW, data=st.data())
def test_joining_keeps_every_existing_byte_in_order(
    existing: bytes, new: bytes, data: st.DataObject
) -> None:
    if existing.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return
    at = data.draw(st.integers(0, line_count(existing.removeprefix(BOM))))
    appended = combine(existing, new, "append").content
    inserted = combine(existing, new, "insert", at=at).content
    assert appended.startswith(existing)
    assert not existing.startswith(BOM) or inserted.startswith(BOM)
    kept = iter(inserted)
    assert all(any(byte == other for other in kept) for byte in existing)


@settings(max_examples=100, deadline=None)
@given(existing=st.text(max_size=20), new=st.text(max_size=20))
def test_append_is_the_literal_formula_unless_line_ends_differ(existing: str, new: str) -> None:
    if "\r\n" in existing + new or new.startswith("\ufeff"):
        return
    merged = combine(existing.encode(), new.encode(), "append")
    assert merged.content.decode() == existing + "\n" + new


BEFORE = b"".join(b"line %d\n" % n for n in range(30))
AFTER = (
    BEFORE.replace(b"line 2\n", b"LINE 2\n")
    .replace(b"line 3\n", b"line 3\nmore\n")
    .replace(b"line 20\n", b"")
    + b"tail"
)


def test_hunks_are_numbered_as_the_runs_of_changed_lines() -> None:
    only_third = BEFORE.replace(b"line 20\n", b"")
    assert select_hunks(BEFORE, AFTER, [3]) == only_third
    assert select_hunks(BEFORE, AFTER, {1, 4}) == BEFORE.replace(b"line 2\n", b"LINE 2\n") + b"tail"


def test_all_hunks_are_the_new_content_and_none_the_old() -> None:
    assert select_hunks(BEFORE, AFTER, [1, 2, 3, 4]) == AFTER
    assert select_hunks(BEFORE, AFTER, []) == BEFORE


@pytest.mark.parametrize("number", [0, -1, 5, True, "1"])
def test_an_unknown_hunk_is_an_error_that_says_how_many_there_are(number: object) -> None:
    with pytest.raises(InputError) as caught:
        select_hunks(BEFORE, AFTER, [2, number])  # type: ignore[list-item]
    assert caught.value.code == "unknown-hunk"
    assert "4 hunk" in caught.value.because


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"a\r\n", b"\r", b"d\n"]), max_size=8)


@settings(max_examples=200, deadline=None)
@given(before=LINES, after=LINES, tail=st.sampled_from([b"", b"end"]), data=st.data())
def test_chosen_and_left_hunks_make_up_the_change(
    before: list[bytes], after: list[bytes], tail: bytes, data: st.DataObject
) -> None:
    old, new = b"".join(before) + tail, b"".join(after)
    every = range(1, len(hunks(old, new)) + 1)
    chosen = data.draw(st.sets(st.sampled_from(every))) if every else set()
    part = select_hunks(old, new, chosen)
    assert select_hunks(old, new, every) == new
    assert select_hunks(old, new, ()) == old
    # What was not chosen is still there to choose: taking all the rest gives the new content.
    assert select_hunks(part, new, range(1, len(hunks(part, new)) + 1)) == new
