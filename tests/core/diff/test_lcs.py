"""The exact table: equal to another implementation on generated runs of lines."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from penstock.core.diff import lcs

RUNS = st.lists(st.integers(0, 12), max_size=60)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make tables so small that few lines go through every way a large one takes."""
    monkeypatch.setattr(lcs, "STRIP", 60)
    monkeypatch.setattr(lcs, "FEW", 4)
    monkeypatch.setattr(lcs, "MASKS", 400)
    monkeypatch.setattr(lcs, "CLEAN_EVERY", 16)
    monkeypatch.setattr(lcs, "CHUNK", 8)
    monkeypatch.setattr(lcs, "KEPT_BITS", 300)


def truth(a: list[int], b: list[int]) -> int:
    return int(LCSseq.similarity(a, b))


def random_runs(count: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    rng = random.Random(seed)
    for _ in range(count):
        kinds = rng.choice([1, 2, 3, 10, 60, 400])
        a = [rng.randrange(kinds) for _ in range(rng.randrange(250))]
        if rng.random() < 0.5:
            yield a, [rng.randrange(kinds) for _ in range(rng.randrange(250))]
        else:
            yield a, [x for x in a if rng.random() < 0.9] + [kinds]


@given(RUNS, RUNS)
@settings(max_examples=150, deadline=None)
def test_the_length_is_that_of_another_implementation(a: list[int], b: list[int]) -> None:
    assert lcs.length(a, b) == truth(a, b)


@pytest.mark.usefixtures("narrow")
def test_strips_and_a_limited_reach_give_the_same_length() -> None:
    for a, b in random_runs(400, seed=1):
        expected = truth(a, b)
        needed = len(a) + len(b) - 2 * expected
        assert lcs.length(array("q", a), array("q", b)) == expected
        assert lcs.length(a, b, reach=needed) == expected
        assert lcs.length(a, b, reach=needed + 7) == expected


@pytest.mark.usefixtures("narrow")
def test_a_reach_that_is_too_short_never_gives_more_than_the_truth() -> None:
    for a, b in random_runs(200, seed=2):
        expected = truth(a, b)
        needed = len(a) + len(b) - 2 * expected
        assert lcs.length(a, b, reach=max(abs(len(a) - len(b)), needed // 2)) <= expected


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("width", [2, 20, 200, 2000])
def test_a_look_along_the_diagonal_is_a_lower_bound(width: int) -> None:
    for a, b in random_runs(100, seed=3):
        found = lcs.along(a, b, width=width)
        assert 0 <= found <= truth(a, b)


def test_a_wide_look_along_the_diagonal_sees_everything() -> None:
    for a, b in random_runs(50, seed=4):
        assert lcs.along(a, b, width=600) == truth(a, b)


@pytest.mark.parametrize("block", [4, 50, 2000])
def test_near_by_ways_are_seen_and_none_gives_more_than_the_truth(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lcs, "FEW", block)
    for a, b in random_runs(150, seed=6):
        expected, least = truth(a, b), abs(len(a) - len(b))
        needed = len(a) + len(b) - 2 * expected
        assert lcs.near(a, b, reach=needed) == lcs.near(a, b, reach=needed + 9) == expected
        assert lcs.near(a, b, reach=(least + needed) // 2) <= expected


@pytest.mark.usefixtures("narrow")
def test_pairs_are_equal_lines_in_order_and_as_many_as_can_be() -> None:
    for a, b in random_runs(250, seed=5):
        found = lcs.pairs(a, b)
        assert len(found) == truth(a, b)
        assert all(a[i] == b[j] for i, j in found)
        assert all(x[0] < y[0] and x[1] < y[1] for x, y in pairwise(found))


def test_more_rows_columns_and_reach_cost_more() -> None:
    few, many = list(range(1000)), list(range(100_000))
    assert lcs.cost(few, few) < lcs.cost(few, many) < lcs.cost(many, many)
    assert lcs.cost(many, many, reach=100) < lcs.cost(many, many, reach=50_000)


def test_many_lines_that_come_again_cost_more_than_few() -> None:
    plain = [n % 10 for n in range(100_000)]
    crowded = [n % 10_000 for n in range(100_000)]
    assert lcs.cost(crowded, crowded) > lcs.cost(plain, plain)
