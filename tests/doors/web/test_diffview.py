"""The diff as a page shows it: nothing hidden, nothing lost between pages, nothing as markup."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from penstock.core.diff.rows import Kind
from penstock.core.merge.strategies import select_hunks
from penstock.doors.web.diff.comparison import LONGEST, Comparison
from penstock.doors.web.diff.markup import markup
from penstock.doors.web.diff.options import View
from penstock.doors.web.diff.rows import PAGE, Pager, PageRow

TAG = re.compile(r"<[^>]*>")
BOTH = pytest.mark.parametrize("view", [View.UNIFIED, View.SPLIT])


def rows(before: bytes | None, after: bytes | None, view: View = View.UNIFIED) -> list[PageRow]:
    pager = Pager(Comparison(before, after), view)
    return [row for number in range(1, pager.pages + 1) for row in pager.page(number).rows]


def text(html: Markup) -> str:
    return Markup(TAG.sub("", html)).unescape()


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c d\n", b"\n", b"e\r\n"]), max_size=30)


@BOTH
@given(before=LINES, after=LINES)
@settings(deadline=None, max_examples=60)
def test_every_changed_line_is_shown_exactly_once(
    view: View, before: list[bytes], after: list[bytes]
) -> None:
    compared = Comparison(b"".join(before), b"".join(after))
    gone = [at for hunk in compared.hunks for at in range(hunk.before_start, hunk.before_end)]
    new = [at for hunk in compared.hunks for at in range(hunk.after_start, hunk.after_end)]
    shown = [row for row in rows(compared.before, compared.after, view) if row.kind != Kind.SAME]
    assert [row.before.number - 1 for row in shown if row.before] == gone
    assert [row.after.number - 1 for row in shown if row.after] == new


@given(before=LINES, after=LINES)
@settings(deadline=None, max_examples=60)
def test_the_removed_lines_are_those_of_the_diff_and_nothing_else(
    before: list[bytes], after: list[bytes]
) -> None:
    sides = b"".join(before), b"".join(after)
    whole, only = rows(*sides), rows(*sides, View.REMOVED)
    assert only == [row for row in whole if row.kind in (Kind.HEAD, Kind.GONE)]


@given(before=LINES, after=LINES)
@settings(deadline=None, max_examples=60)
def test_what_is_left_out_is_counted(before: list[bytes], after: list[bytes]) -> None:
    shown = rows(b"".join(before), b"".join(after))
    told = sum(row.count for row in shown) + sum(row.before is not None for row in shown)
    assert told == len(before)


@BOTH
def test_pages_follow_each_other_without_a_gap_or_an_overlap(view: View) -> None:
    before = b"".join(b"%d old\n" % at for at in range(1500))
    after = b"".join(b"%d new\n" % at for at in range(1700))
    pager = Pager(Comparison(before, after), view)
    pages = [pager.page(number) for number in range(1, pager.pages + 1)]
    assert [page.first for page in pages] == list(range(1, pager.total + 1, PAGE))
    assert pages[-1].last == pager.total
    assert sum(len(page.rows) for page in pages) == pager.total
    assert all(page.total == pager.total for page in pages)


def test_a_page_beyond_the_last_is_the_last() -> None:
    pager = Pager(Comparison(b"a\n", b"b\n"))
    assert pager.page(99) == pager.page(1) == pager.page(-3)


def test_hunks_are_numbered_as_those_that_can_be_chosen() -> None:
    before = b"".join(b"line %d\n" % at for at in range(60))
    after = before.replace(b"line 7\n", b"seven\n").replace(b"line 40\n", b"forty\n")
    heads = [row for row in rows(before, after) if row.kind is Kind.HEAD]
    assert [(head.hunk, head.line) for head in heads] == [(1, 8), (2, 41)]
    assert b"forty" in select_hunks(before, after, [2])
    assert b"seven" not in select_hunks(before, after, [2])


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'; alert(1); '",
    "&lt;b&gt;",
    "</ins></span></td></table><script>",
    "{{ 7 * 7 }}{% raw %}",
]


@BOTH
@pytest.mark.parametrize("attack", ATTACKS)
def test_text_is_never_markup(view: View, attack: str) -> None:
    shown = rows(b"before\n", f"before {attack}\n".encode(), view)
    html = next(row.after.html for row in shown if row.after and row.kind is not Kind.SAME)
    assert text(html) == f"before {attack}"
    assert set(TAG.findall(html)) <= {"<ins>", "</ins>"}


@given(
    line=st.text(max_size=80),
    cuts=st.lists(st.integers(0, 90), max_size=6),
    names=st.lists(st.tuples(st.integers(1, 20), st.sampled_from(["", "sk"])), max_size=8),
)
@settings(deadline=None, max_examples=200)
def test_marks_and_colours_never_change_the_text(
    line: str, cuts: list[int], names: list[tuple[int, str]]
) -> None:
    shown = Comparison(line.encode("utf-8", "surrogatepass"), b"").shown(
        line.encode("utf-8", "surrogatepass")
    )
    edges = sorted(set(cuts))
    marks = tuple(zip(edges[::2], edges[1::2], strict=False))
    html = markup(shown, marks, "ins", names)
    assert text(html) == shown
    assert html.count("<ins>") == html.count("</ins>")


HIDDEN = [
    ("a\u202eb", "⟦U+202E RLO⟧", "a right-to-left override"),
    ("a\u200bb", "⟦U+200B ZWSP⟧", "a zero-width space"),
    ("a\rb", "⟦U+000D CR⟧", "a lone return"),
    ("a   ", "⟦U+0020 SPACE ×3⟧", "spaces at the end"),
    ("a\x1b[31m", "⟦U+001B ESC⟧", "an escape"),
    ("\ufeffa", "⟦U+FEFF BOM⟧", "a byte order mark"),
    ("⟦U+202E RLO⟧", "⟦U+27E6", "a text that pretends to be such a note"),
]


@pytest.mark.parametrize(("line", "note", "why"), HIDDEN)
def test_what_is_hidden_is_written_out_and_looks_like_no_text(
    line: str, note: str, why: str
) -> None:
    row = next(row for row in rows(b"", f"{line}\n".encode()) if row.kind is Kind.NEW)
    assert row.after is not None
    assert f'<span class="hid">{note}' in row.after.html, why


def test_bytes_that_are_no_text_are_written_out() -> None:
    row = next(row for row in rows(b"", b"caf\xe9\n") if row.kind is Kind.NEW)
    assert row.after is not None
    assert "byte E9" in row.after.html


def test_a_change_of_line_ends_only_is_seen() -> None:
    before, after = b"a\r\nb\r\n", b"a\nb\n"
    shown = [text(r.before.html) for r in rows(before, after) if r.kind is Kind.GONE and r.before]
    assert shown == ["a⟦U+000D CR⟧", "b⟦U+000D CR⟧"]


def test_line_ends_that_all_lines_share_are_no_news() -> None:
    shown = [r for r in rows(b"a\r\nb\r\n", b"a\r\nc\r\n") if r.kind is not Kind.HEAD]
    assert all("CR" not in cell.html for r in shown for cell in (r.before, r.after) if cell)


def test_a_missing_newline_at_the_end_is_seen() -> None:
    new = [row.after for row in rows(b"a\n", b"a") if row.kind is Kind.NEW]
    assert [text(cell.html) for cell in new if cell] == ["a⟦no newline at end of file⟧"]


def test_a_long_line_says_how_much_of_it_is_not_shown() -> None:
    row = next(row for row in rows(b"", b"x" * 5000 + b"\n") if row.kind is Kind.NEW)
    assert row.after is not None
    assert f"⟦{5000 - LONGEST:,} more characters⟧" in row.after.html


@BOTH
def test_long_lines_are_shown_where_they_differ(view: View) -> None:
    same = b"x " * 25_000
    shown = rows(same + b"a" + same + b"\n", same + b"b" + same + b"\n", view)
    cells = [cell for row in shown for cell in (row.before, row.after) if cell]
    assert ["<del>" in cell.html or "<ins>" in cell.html for cell in cells] == [True, True]
    assert all("49,800 identical characters before" in text(cell.html) for cell in cells)
    assert all("48,201 more characters" in text(cell.html) for cell in cells)
    assert text(cells[0].html) != text(cells[1].html)


def steps(work: Callable[[], object]) -> int:
    """Return how many lines of Python something takes, on any machine."""
    taken, before = 0, sys.gettrace()

    def tick(*_: object) -> Any:
        nonlocal taken
        taken += 1
        return tick

    sys.settrace(tick)
    try:
        work()
    finally:
        sys.settrace(before)
    return taken


def test_a_line_of_millions_is_not_walked_through() -> None:
    before, after = b"x" * 5_000_000 + b"\n", b"y" * 5_000_000 + b"\n"
    assert steps(lambda: rows(before, after)) < 50_000


def test_wide_text_is_read_as_text() -> None:
    shown = rows("a\nb\n".encode("utf-16"), "a\nc\n".encode("utf-16"))
    assert [text(r.after.html) for r in shown if r.kind is Kind.NEW and r.after] == ["c"]


@BOTH
def test_a_page_of_a_large_diff_costs_what_one_of_a_small_diff_costs(view: View) -> None:
    def costs(lines: int) -> list[int]:
        before = b"".join(b"line number %d has some words\n" % at for at in range(lines))
        after = before.replace(b"some", b"other")
        assert steps(lambda: Pager(Comparison(before, after), view)) < 20 * lines
        pager = Pager(Comparison(before, after), view)
        chosen = (1, pager.pages // 2, pager.pages)
        assert all(pager.page(number).rows for number in chosen)
        return [steps(partial(pager.page, number)) for number in chosen]

    small, large = costs(2_000), costs(20_000)
    assert max(large) <= 2 * max(small)
