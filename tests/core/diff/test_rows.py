"""The rows of a diff: every line has its row, and what is left out is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.diff.expansion import ALL, CLOSED, MOST_GAPS, Expansion, Opened, read
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


# ---------------------------------------------------------------- gaps that are opened

FORTY = b"".join(b"%d\n" % at for at in range(40))
EDITED = FORTY.replace(b"\n9\n", b"\nnine\n").replace(b"\n29\n", b"\ntwenty-nine\n")
GAPS = {1: range(6), 2: range(13, 26), 3: range(33, 40)}
OPENED = [
    ("nothing", CLOSED, GAPS),
    ("up from the first hunk", CLOSED.more(1, up=2), {**GAPS, 1: range(4)}),
    ("down from the first hunk", CLOSED.more(2, down=4), {**GAPS, 2: range(17, 26)}),
    ("up from the second hunk", CLOSED.more(2, up=4), {**GAPS, 2: range(13, 22)}),
    ("both", CLOSED.more(2, up=1).more(2, down=2), {**GAPS, 2: range(15, 25)}),
    ("until hunks touch", CLOSED.more(2, up=7, down=6), {1: range(6), 3: range(33, 40)}),
    ("more than there is", CLOSED.more(2, up=999), {1: range(6), 3: range(33, 40)}),
    ("below the last hunk", CLOSED.more(3, down=3), {**GAPS, 3: range(36, 40)}),
    ("one gap whole", CLOSED.more(1, down=ALL), {2: range(13, 26), 3: range(33, 40)}),
    ("the whole file", Expansion(whole=True), {}),
    ("a gap that there is not", CLOSED.more(77, up=5), GAPS),
]


@pytest.mark.parametrize(
    ("opened", "gaps"), [row[1:] for row in OPENED], ids=[row[0] for row in OPENED]
)
def test_a_gap_is_opened_from_either_end(opened: Expansion, gaps: dict[int, range]) -> None:
    made = list(blocks(hunks(FORTY, EDITED), 40, opened=opened))
    assert {block.gap: block.before for block in made if block.kind is Kind.GAP} == gaps
    assert [at for block in made if block.kind in OLD for at in block.before] == [*range(40)]
    assert [block.hunk for block in made if block.kind is Kind.HEAD] == [1, 2]


def test_a_file_without_a_hunk_is_one_gap_that_can_be_opened() -> None:
    assert [block.gap for block in blocks((), 40)] == [1]
    (shown,) = blocks((), 40, opened=Expansion(whole=True))
    assert (shown.kind, shown.before) == (Kind.SAME, range(40))


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("", CLOSED),
        ("all", Expansion(whole=True)),
        ("2:20:0,5:all", Expansion(gaps={2: Opened(20, 0), 5: Opened(ALL, 0)})),
        ("x,3:-1:0,4:1,5:1:2:3,²:1:1,99999999999:1:1", CLOSED),
    ],
)
def test_an_address_carries_what_is_opened(text: str, opened: Expansion) -> None:
    assert read(text) == opened
    assert read(opened.text) == opened


def test_an_address_cannot_grow_without_end() -> None:
    wide = CLOSED
    for gap in range(2 * MOST_GAPS):
        wide = wide.more(gap, down=1)
    assert len(wide.gaps) == MOST_GAPS
    assert read(",".join(f"{gap}:1:1" for gap in range(10**5))).gaps.keys() <= set(range(MOST_GAPS))
