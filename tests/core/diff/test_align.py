"""Alignment: exact where the work allows it, honest bounds where it does not."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Sequence
from itertools import compress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from penstock.core.diff import (
    align,
    anchors,
    cuts,
    greedy,
    lcs,
    occurrences,
    pairing,
    pairs,
    windows,
)
from penstock.core.diff.cuts import Chain, Common

Case = tuple[list[int], list[int]]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make everything look large, so that a few hundred lines take the ways of millions."""
    monkeypatch.setattr(align, "CHEAP", 1)
    monkeypatch.setattr(align, "FAIR", 1)
    monkeypatch.setattr(align, "FEW_LINES", 10)
    monkeypatch.setattr(align, "TINY", 8)
    monkeypatch.setattr(pairs, "CHEAP", 1)
    monkeypatch.setattr(pairs, "SLICE", 30)
    monkeypatch.setattr(greedy, "LONGEST_STEP", 200)
    monkeypatch.setattr(greedy, "FIRST_STEP", 8)
    monkeypatch.setattr(pairing, "MOST_WANTED", 40)
    monkeypatch.setattr(pairing, "CHUNK", 16)
    monkeypatch.setattr(windows, "WINDOW", 40)
    monkeypatch.setattr(windows, "PROGRESS", 20)
    monkeypatch.setattr(occurrences, "CHUNK", 16)
    monkeypatch.setattr(cuts, "COPIED", 20)
    monkeypatch.setattr(lcs, "STRIP", 60)
    monkeypatch.setattr(lcs, "KEPT_BITS", 2000)


def cases(count: int, seed: int) -> Iterator[Case]:
    """Yield contents as they come: edited in few or many places, rewritten, moved around."""
    rng = random.Random(seed)
    for _ in range(count):
        kinds = rng.choice([2, 5, 30, 300, 10_000])
        a = [rng.randrange(kinds) for _ in range(rng.randrange(1, 300))]
        b = edited(a, kinds, rng)
        if rng.random() < 0.2:
            i, j = sorted(rng.randrange(len(a)) for _ in "ij")
            b = b[j:] + b[i:j] + b[:i]
        # Real numbers of lines fill all bits; small ones would never share an index.
        yield [hash(("line", x)) for x in a], [hash(("line", x)) for x in b]


def edited(a: list[int], kinds: int, rng: random.Random) -> list[int]:
    rate, only_replace = rng.choice([0.02, 0.1, 0.4, 0.8, 1.0]), rng.random() < 0.4
    b: list[int] = []
    for line in a:
        choice = rng.random() if not only_replace else 0.5
        if rng.random() >= rate:
            b.append(line)
        elif choice >= 0.3:
            b += [rng.randrange(kinds) for _ in range(1 + (choice > 0.7))]
    return b


def truth(case: Case) -> int:
    return int(LCSseq.similarity(*case))


def common(case: Case) -> Common:
    return align.common(array("q", case[0]), array("q", case[1]))


@pytest.mark.usefixtures("small")
def test_every_way_through_gives_the_exact_count() -> None:
    for case in cases(1200, seed=9):
        expected = truth(case)
        assert common(case) == Common(expected, expected)


def touched(count: int, seed: int) -> Iterator[Case]:
    """Yield contents of common lines with few edits: replaced, added, deleted, moved, doubled."""
    rng = random.Random(seed)
    for _ in range(count):
        kinds = rng.choice([4, 8, 20, 60, 300])
        a = [int(kinds * rng.random() ** 3) for _ in range(rng.randrange(50, 800))]
        b = list(a)
        for _ in range(rng.randrange(1, rng.choice([3, 8, 20, 60]))):
            at, size = rng.randrange(len(b) + 1), rng.randrange(1, 5)
            block, to = b[at : at + size], at + rng.choice([0, rng.randrange(-12, 13)])
            fresh = [rng.randrange(kinds) for _ in range(size)]
            del b[at : at + rng.choice([0, size])]
            b[max(to, 0) : max(to, 0)] = rng.choice([block, fresh, []])
        yield [hash(("line", x)) for x in a], [hash(("line", x)) for x in b]


@pytest.mark.usefixtures("small")
def test_few_changes_among_common_lines_are_counted_exactly() -> None:
    for case in touched(1500, seed=2):
        expected = truth(case)
        assert common(case) == Common(expected, expected)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("a", "b"),
    [
        # A 2 is left over: the paired one must not count as if it had no other partner.
        ([2, 3, 0, 3, 2, 2, 5, 2], [0, 3, 2, 2, 5, 2, 1]),
        ([1], [2]),
        ([1, 2], [2, 1]),
        ([0] * 40 + [1] + [0] * 40, [1] + [0] * 60),
    ],
)
def test_traps_for_the_cuts_are_counted_exactly(a: list[int], b: list[int]) -> None:
    expected = truth((a, b))
    assert common((a, b)) == Common(expected, expected)


@given(st.lists(st.integers(0, 9), max_size=50), st.lists(st.integers(0, 9), max_size=50))
@settings(max_examples=100, deadline=None)
def test_small_contents_are_counted_exactly(a: list[int], b: list[int]) -> None:
    expected = truth((a, b))
    assert common((a, b)) == Common(expected, expected)
    assert align.common_of_few(a, b) == Common(expected, expected)


@pytest.mark.usefixtures("small")
def test_contents_that_fit_into_sets_are_counted_exactly() -> None:
    for case in (*cases(300, seed=11), *touched(100, seed=12)):
        expected = truth(case)
        assert align.common_of_few(*case) == Common(expected, expected)


def test_a_guess_is_proven_or_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "FEWEST", 2)
    proven = 0
    for case in (*cases(200, seed=21), *touched(300, seed=22)):
        expected = truth(case)
        for lost in (2, 20):
            assert align._guessed(*case, lost=lost) == expected
        needed = len(case[0]) + len(case[1]) - 2 * expected
        proven += 0 < needed <= 20 and 2 * needed < len(case[1])
    assert proven


def test_lines_that_come_once_on_each_side_are_counted_in_any_order() -> None:
    rng = random.Random(3)
    for size in (2, 30, 400):
        lines = [hash(("line", n)) for n in range(size)]
        case = rng.sample(lines, size), rng.sample(lines, size)
        expected = truth(case)
        assert align.common_of_few(*case) == Common(expected, expected)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("work", [1, 1_000, 100_000, 400_000])
def test_when_work_runs_out_the_truth_lies_between_the_bounds(
    work: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(align, "WORK", work)
    unsure = 0
    for case in cases(250, seed=work):
        found = common(case)
        assert found.least <= truth(case) <= found.most
        unsure += found.least < found.most
    assert unsure


@pytest.mark.usefixtures("small")
def test_pairs_are_equal_lines_in_order_and_as_many_as_can_be() -> None:
    for case in cases(600, seed=4):
        found = pairs.pairs(array("q", case[0]), array("q", case[1]))
        assert len(found.a) == truth(case)
        assert_pairs(case, found)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("work", [1, 10_000, 1_000_000])
def test_pairs_stay_pairs_when_work_runs_out(work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "WORK", work)
    for case in cases(150, seed=work):
        found = pairs.pairs(array("q", case[0]), array("q", case[1]))
        assert_pairs(case, found)


def assert_pairs(case: Case, found: pairs.Pairs) -> None:
    assert [case[0][i] for i in found.a] == [case[1][j] for j in found.b]
    assert list(found.a) == sorted(set(found.a))
    assert list(found.b) == sorted(set(found.b))


@pytest.mark.parametrize(
    ("loose", "expected", "why"),
    [
        ([0, 0, 0], [0, 1, 2, 3], "nothing is loose: cut anywhere"),
        ([0, 3, 0], [0, 3], "one anchor on each side cannot pay for three loose lines"),
        ([0, 1, 0], [0, 1, 2, 3], "a detour over one loose line wins one and gives up one"),
        ([0, 0, 0, 2, 0, 0, 0], [0, 1, 2, 5, 6, 7], "over two, it may win one: cut two away"),
        ([2, 0, 0, 0], [0, 2, 3, 4], "before the first anchor nothing is given up"),
        ([1], [0, 1], "no anchor at all"),
    ],
)
def test_cuts_are_where_no_detour_can_win(loose: list[int], expected: list[int], why: str) -> None:
    assert list(cuts.cuts(loose)) == expected, why


def test_a_walk_gives_up_on_contents_that_are_shuffled() -> None:
    lines = array("q", range(50_000))
    mixed = list(lines)
    random.Random(1).shuffle(mixed)
    assert greedy.walk(lines, array("q", mixed)) is None


def test_a_walk_gives_up_when_nothing_goes_on() -> None:
    assert greedy.walk(array("q", range(20_000)), array("q", range(20_000, 40_000))) is None


def test_a_walk_over_replaced_lines_pairs_all_others() -> None:
    a = array("q", range(3000))
    b = array("q", (line if line % 3 else -line - 1 for line in a))
    sides = greedy.walk(a, b)
    assert sides is not None
    assert sides[0].paired.count(1) == sides[1].paired.count(1) == 2000
    assert pairing.chain_of(*sides) is None


def sparse(rng: random.Random, size: int) -> array[int]:
    """Return lines of which one in fifty is the same."""
    return array("q", (rng.getrandbits(60) if rng.randrange(50) else 7 for _ in range(size)))


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.8])
def test_windows_pair_most_of_what_is_left_between_many_changes(kept: float) -> None:
    rng = random.Random(5)
    a = sparse(rng, 6000)
    b = array("q", (line if rng.random() < kept else rng.getrandbits(60) for line in a))
    sides = windows.pair(a, b)
    assert sides is not None
    left, right = (list(compress(side.lines, side.paired)) for side in sides)
    assert left == right
    assert truth((list(a), list(b))) * 0.9 < len(left)


def test_windows_pair_around_lines_that_were_moved() -> None:
    a = array("q", range(3000))
    b = array("q", (*range(500), *range(900, 1000), *range(500, 900), *range(1000, 3000)))
    sides = windows.pair(a, b)
    assert sides is not None
    assert sides[0].paired.count(1) == 2900


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (range(9000), range(9000, 18_000), "nothing is in common"),
        ([n % 9 for n in range(9000)], [n % 8 for n in range(9000)], "every line comes again"),
        (range(9000), random.Random(1).sample(range(9000), 9000), "no order is left"),
    ],
)
def test_windows_give_up_where_they_do_not_get_on(
    a: Sequence[int], b: Sequence[int], why: str
) -> None:
    assert windows.pair(array("q", a), array("q", b)) is None, why


def test_a_tally_never_calls_a_line_alone_that_comes_twice() -> None:
    rng = random.Random(7)
    a = array("q", (hash(str(rng.randrange(900))) for _ in range(1000)))
    b = array("q", (hash(str(rng.randrange(900))) for _ in range(1000)))
    tally = occurrences.LineOccurrences(a, b, lines=100)
    for line in {*a, *b}:
        if tally.alone([line]) == b"\1":
            assert a.count(line) <= 1 >= b.count(line)
        if tally.on_both_sides([line]) == b"\0":
            assert not (line in a and line in b)


def test_thelongest_rise_skips_what_has_no_place() -> None:
    run = anchors.longest_rise(array("i", [5, -1, 0, 1, 9, 2, -1, 3]))
    assert list(run) == [2, 3, 5, 7]


def test_a_piece_tells_what_its_chain_knows() -> None:
    found = Chain(a=array("i", [3]), b=array("i", [4]), loose=[2, 0], paired=[1, 5])
    whole = cuts.piece_of(found, 0, 2, 9, 10)
    assert whole.known(found) == Common(7, 9)
