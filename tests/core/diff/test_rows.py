"""The rows of a diff: every line has its row, and what is left out is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks
from penstock.core.diff.rows import Block, Kind, blocks, listed
from penstock.core.text.line_endings import split

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=40).map(b"".join)
OLD = (Kind.GAP, Kind.SAME, Kind.GONE, Kind.PAIR)
NEW = (Kind.GAP, Kind.SAME, Kind.NEW, Kind.PAIR)


@pytest.mark.parametrize("sides", [False, True])
@given(before=LINES, after=LINES, context=st.integers(0, 4), worth_hiding=st.integers(1, 5))
def test_each_line_of_both_sides_is_in_one_block_in_order(
    sides: bool, before: bytes, after: bytes, context: int, worth_hiding: int
) -> None:
    old, new = split(before), split(after)
    found = hunks(before, after)
    made = list(blocks(found, len(old), sides=sides, context=context, worth_hiding=worth_hiding))
    assert [at for block in made if block.kind in OLD for at in block.before] == [*range(len(old))]
    assert [at for block in made if block.kind in NEW for at in block.after] == [*range(len(new))]
    assert [block.hunk for block in made if block.kind is Kind.HEAD] == [
        number for number, _ in enumerate(found, 1)
    ]
    assert all(len(block) for block in made)
    assert all(len(block.before) >= worth_hiding for block in made if block.kind is Kind.GAP)


def test_lines_that_stay_are_shown_around_each_hunk_and_the_rest_is_a_gap() -> None:
    before = b"".join(b"%d\n" % at for at in range(20))
    after = before.replace(b"9\n", b"new\nnewer\n", 1)
    made = [(block.kind, block.before, block.after) for block in blocks(hunks(before, after), 20)]
    assert made == [
        (Kind.GAP, range(6), range(6)),
        (Kind.SAME, range(6, 9), range(6, 9)),
        (Kind.HEAD, range(9, 10), range(9, 11)),
        (Kind.GONE, range(9, 10), range(9, 11)),
        (Kind.NEW, range(9, 10), range(9, 11)),
        (Kind.SAME, range(10, 13), range(11, 14)),
        (Kind.GAP, range(13, 20), range(14, 21)),
    ]


PARTS = [
    # kind, rows in all, what rows 1 and 2 are
    (Kind.PAIR, 4, (range(1, 2), range(6, 8))),
    (Kind.GONE, 2, (range(1, 2), range(6, 8))),
    (Kind.NEW, 4, (range(1, 2), range(6, 8))),
    (Kind.HEAD, 1, (range(2), range(5, 9))),
    (Kind.GAP, 1, (range(2), range(5, 9))),
]


@pytest.mark.parametrize(("kind", "rows", "part"), PARTS)
def test_a_block_is_cut_by_rows(kind: Kind, rows: int, part: tuple[range, range]) -> None:
    block = Block(kind=kind, before=range(2), after=range(5, 9), hunk=3)
    cut = block.part(1, 3)
    assert (len(block), cut.before, cut.after, cut.hunk) == (rows, *part, 3)


def test_hunks_are_listed_by_the_numbers_by_which_they_are_chosen() -> None:
    assert listed(hunks(b"a\nb\nc\n", b"b\nc\nd\ne\n")) == [
        {"number": 1, "line": 1, "deleted": 1, "added": 0},
        {"number": 2, "line": 4, "deleted": 0, "added": 2},
    ]
