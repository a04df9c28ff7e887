"""The rows of a proposal: every line of every hunk has one, and nothing in it is hidden."""

from __future__ import annotations

import time
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks
from penstock.core.diff.rows import Kind
from penstock.core.text.line_endings import split
from penstock.doors.tui.diff_rows import SHOWN_LOST, Sheet, differing, numbered, sheet, shown

PIECES = st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d\t e\n", "x\u200b\n", "⇥\n", "⟦\n", "end"])
TEXTS = st.lists(PIECES, max_size=30).map("".join)


def rows(made: Sheet) -> list[object]:
    return [made.row(at) for at in range(len(made))]


@given(before=TEXTS, after=TEXTS)
@settings(deadline=None, max_examples=150)
def test_the_rows_hold_every_changed_line_once_in_order(before: str, after: str) -> None:
    old, new = before.encode(), after.encode()
    made = sheet((), old, new)
    gone, come = [], []
    for at in range(len(made)):
        row = made.row(at)
        if row.kind is Kind.GONE:
            assert row.before is not None
            gone.append(row.before.number)
        if row.kind is Kind.NEW:
            assert row.after is not None
            come.append(row.after.number)
    found = hunks(old, new) if old != new else ()
    assert gone == [at + 1 for hunk in found for at in range(hunk.before_start, hunk.before_end)]
    assert come == [at + 1 for hunk in found for at in range(hunk.after_start, hunk.after_end)]
    assert len(made.hunk_rows()) == len(found) == made.hunks


@given(before=TEXTS, after=TEXTS)
@settings(deadline=None, max_examples=100)
def test_side_by_side_shows_the_same_lines(before: str, after: str) -> None:
    old, new = before.encode(), after.encode()
    made = sheet((), old, new, sides=True)
    pairs = [made.row(at) for at in range(len(made)) if made.row(at).kind is Kind.PAIR]
    found = hunks(old, new) if old != new else ()
    gone = sum(hunk.before_end - hunk.before_start for hunk in found)
    come = sum(hunk.after_end - hunk.after_start for hunk in found)
    assert sum(row.before is not None for row in pairs) == gone
    assert sum(row.after is not None for row in pairs) == come


@given(before=TEXTS, after=TEXTS)
@settings(deadline=None, max_examples=100)
def test_lines_that_stay_have_the_same_text_on_both_sides(before: str, after: str) -> None:
    made = sheet((), before.encode(), after.encode())
    for at in range(len(made)):
        row = made.row(at)
        if row.kind is Kind.SAME:
            assert row.before is not None
            assert row.after is not None
            assert row.before.text == row.after.text


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)


@given(one=LINE, other=LINE)
@settings(deadline=None, max_examples=300)
def test_two_lines_that_differ_are_shown_differently_and_never_obeyed(one: str, other: str) -> None:
    texts = [shown(line.encode() + b"\n", plain_returns=False) for line in (one, other)]
    assert (one == other) == (texts[0] == texts[1])
    assert not [sign for text in texts for sign in text if category(sign) in ("Cc", "Zl", "Zp")]


def test_a_tab_is_seen_and_is_no_run_of_spaces() -> None:
    assert shown(b"\tx\n") == "⇥   x"
    assert shown(b"ab\tx\n") == "ab⇥ x"
    assert shown(b"    x\n") == "    x"
    assert shown("⇥   x\n".encode()) == "⟦U+21E5⟧   x"


def test_returns_are_written_out_where_only_some_lines_have_them() -> None:
    alike = sheet((), b"a\r\nb\r\n", b"a\r\nc\r\n")
    assert "RETURN" not in "".join(alike.row(at).words for at in range(len(alike)))
    mixed = sheet((), b"a\r\nb\n", b"a\nb\n")
    assert "U+000D" in "".join(mixed.row(at).words for at in range(len(mixed)))


def test_a_last_line_without_an_end_is_told() -> None:
    made = sheet((), b"a\n", b"a")
    texts = [made.row(at).text for at in range(len(made))]
    assert "after: (no line end at the end of the file)" in texts


def test_bytes_that_are_no_text_are_told_with_their_sizes() -> None:
    made = sheet((), b"\0old", b"\0")
    assert [made.row(at).text for at in range(len(made))] == ["not text: 4 bytes before, 1 after"]


def test_nothing_changed_is_said() -> None:
    made = sheet((), b"same\n", b"same\n")
    assert [made.row(at).text for at in range(len(made))] == ["not a single line changes"]


def test_what_would_be_lost_is_cut_and_says_how_much_is_below() -> None:
    old = b"".join(b"line %d\n" % at for at in range(100))
    made = sheet((), old, b"x\n")
    kinds = [made.row(at).kind for at in range(len(made))]
    assert kinds.count(Kind.LOST) == SHOWN_LOST
    assert made.row(SHOWN_LOST + 1).text == "... 60 more, all of them in the diff below"
    assert kinds.count(Kind.GONE) == 100


def test_a_search_goes_round_once_in_both_directions() -> None:
    made = numbered(b"one\ntwo\nONE\n")
    assert made.find("one", 0) == 2
    assert made.find("one", 2) == 0
    assert made.find("one", 0, back=True) == 2
    assert made.find("three", 0) is None
    assert len(split(b"one\ntwo\nONE\n")) == len(made)


def test_the_rows_of_a_huge_diff_are_made_only_when_they_are_looked_at() -> None:
    old = b"".join(b"line %d\n" % at for at in range(200_000))
    made = sheet((), old, b"")
    assert len(made) > 200_000
    assert len(made.blocks) < 20
    begun = time.process_time()
    for at in range(0, len(made), len(made) // 100):
        made.row(at)
    assert time.process_time() - begun < 1.0, "a hundred rows, not all of them"


@given(one=LINE, other=LINE)
@settings(deadline=None, max_examples=300)
def test_outside_the_marked_part_two_lines_are_the_same(one: str, other: str) -> None:
    start, end = differing(one, other)
    back, forth = differing(other, one)
    if (start, end) != (0, 0):
        assert one[:start] + other[back:forth] + one[end:] == other


DIFFER = [
    ("return 1", "return one", "1"),
    ("return one", "return 1", "one"),
    ("same", "same", ""),
    ("all", "other", ""),
    ("", "x", ""),
    ("f(a)", "f(a, b)", ""),
    ("f(a, b)", "f(a)", ", b"),
    ("x" * 3000, "x" * 2999, ""),
]


@pytest.mark.parametrize(("one", "other", "part"), DIFFER)
def test_the_part_that_differs_is_marked_where_the_rest_is_the_same(
    one: str, other: str, part: str
) -> None:
    start, end = differing(one, other)
    assert one[start:end] == part


def test_a_changed_line_knows_the_one_it_stands_against() -> None:
    made = sheet((), b"a\nreturn 1\nb\n", b"a\nreturn one\nb\nnew\n")
    found = [made.row(at) for at in range(len(made))]
    pairs = [(row.kind, row.other) for row in found if row.kind in (Kind.GONE, Kind.NEW)]
    assert pairs == [(Kind.GONE, "return one"), (Kind.NEW, "return 1"), (Kind.NEW, "")]
