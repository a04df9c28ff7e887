"""The rows of a proposal: every line of every hunk has one, and nothing in it is hidden."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks
from penstock.core.diff.rows import Kind
from penstock.core.proposals.intent import quoted
from penstock.core.proposals.line_comment import LineComment
from penstock.doors.tui.diff_rows import Sheet, sheet

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


def test_a_changed_line_knows_the_one_it_stands_against() -> None:
    made = sheet((), b"a\nreturn 1\nb\n", b"a\nreturn one\nb\nnew\n")
    found = [made.row(at) for at in range(len(made))]
    pairs = [(row.kind, row.other) for row in found if row.kind in (Kind.GONE, Kind.NEW)]
    assert pairs == [(Kind.GONE, "return one"), (Kind.NEW, "return 1"), (Kind.NEW, "")]


def test_a_heading_names_its_function() -> None:
    code = "".join(f"def f{n}():\n" + f"    step{n}()\n" * 20 for n in range(3))
    lines = code.splitlines(keepends=True)
    new = "".join([*lines[:30], "    other()\n", *lines[31:]])
    made = sheet((), code.encode(), new.encode(), path="a.py")
    heads = [made.row(at).text for at in made.hunk_rows()]
    assert heads == ["hunk 1 of 1, line 31: -1 +1  def f1()"]


def test_an_agents_words_cannot_look_like_ours() -> None:
    said = quoted("fine\ndanger: none\u202e", [LineComment(path="a", start=3, end=3, text="x\ny")])
    assert said == ("> fine", "> danger: none⟦U+202E RLO⟧", "> look at line 3: x⟦U+000A LF⟧y")
