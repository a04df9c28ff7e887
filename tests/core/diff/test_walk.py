"""Contents that differ in few places: a walk finds as few lines as the full table does."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff import lcs
from penstock.core.diff.gaps import gaps
from penstock.core.diff.hunks import hunks
from penstock.core.diff.measure import measure
from penstock.core.diff.settle import settled
from penstock.core.diff.walk import _walked, walked
from penstock.core.model import Bytes, Hunk
from penstock.core.text.lines import differing, line_list


def applied(before: list[bytes], after: list[bytes], found: tuple[Hunk, ...]) -> list[bytes]:
    """Return the lines before with every hunk taken from those after."""
    made, at = list[bytes](), 0
    for hunk in found:
        made += before[at : hunk.before_start] + after[hunk.after_start : hunk.after_end]
        at = hunk.before_end
    return made + before[at:]


def in_span(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    span = differing(Bytes(before), Bytes(after))
    return (
        line_list(Bytes(before), span.start, span.before_end, pairs=False),
        line_list(Bytes(after), span.start, span.after_end, pairs=False),
    )


def check(before: bytes, after: bytes) -> bool:
    """Compare a walk with the full table; False when the walk gave up."""
    one, two = Bytes(before), Bytes(after)
    found = _walked(one, two, differing(one, two))
    if found is None:
        return False
    x, y = in_span(before, after)
    assert applied(x, y, found) == y
    assert all(
        first.before_end < then.before_start and first.after_end < then.after_start
        for first, then in pairwise(found)
    )
    assert len(x) - sum(len(hunk.before) for hunk in found) == lcs.length(x, y)
    return True


def text(lines: list[bytes], *, ends: bool = True) -> bytes:
    return b"\n".join(lines) + (b"\n" if ends else b"")


def touched(
    rng: random.Random, lines: list[bytes], kinds: list[bytes], share: float
) -> list[bytes]:
    made = list[bytes]()
    for line in lines:
        if rng.random() >= share:
            made.append(line)
        else:
            made += rng.choices(kinds, k=rng.choice((0, 1, 1, 1, 2, 5)))
    return made


@pytest.mark.parametrize("kinds", [2, 8, 60, 5000])
@pytest.mark.parametrize("share", [0.003, 0.02, 0.06])
def test_a_walk_finds_as_few_lines_as_the_full_table(kinds: int, share: float) -> None:
    rng = random.Random(kinds)
    words = [b"%x" % (n * n) for n in range(kinds)]
    checked = 0
    for _ in range(12):
        before = rng.choices(words, k=rng.randrange(300, 900))
        after = touched(rng, before, words, share)
        checked += check(text(before, ends=rng.random() < 0.5), text(after))
    assert checked or kinds == 2 or share > 0.05


@given(st.randoms(use_true_random=False), st.integers(2, 40), st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=150, deadline=None)
def test_of_any_lines(rng: random.Random, kinds: int, share: float) -> None:
    words = [b"w" * n for n in range(kinds)]
    before = rng.choices(words, k=rng.randrange(1, 200))
    after = touched(rng, before, words, share)
    check(text(before, ends=rng.random() < 0.5), text(after, ends=rng.random() < 0.5))


def test_a_walk_that_takes_the_first_lines_it_meets_is_put_right() -> None:
    # Met by one equal line, the sides pair badly; what is settled afterwards is what counts.
    rng = random.Random(3)
    worse = 0
    for _ in range(60):
        words = [b"%d" % n for n in range(30)]
        before = rng.choices(words, k=400)
        after = touched(rng, before, words, 0.05)
        one, two = Bytes(text(before)), Bytes(text(after))
        span = differing(one, two)
        found = gaps(one, two, span)
        best = None if found is None else settled(found, one, two, span)
        if found is not None and best is not None:
            worse += sum(len(gap.a) for gap in found) > sum(len(gap.a) for gap in best)
    assert worse


def test_contents_that_have_little_in_common_are_given_up_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0
    pairs = lcs.pairs

    def counted(a: list[bytes], b: list[bytes]) -> list[tuple[int, int]]:
        nonlocal looked
        looked += len(a) + len(b)
        return pairs(a, b)

    monkeypatch.setattr(lcs, "pairs", counted)
    rng = random.Random(5)
    before, after = (text([b"%d" % rng.randrange(10**9) for _ in range(50_000)]) for _ in "ab")
    one, two = Bytes(before), Bytes(after)
    assert walked(one, two, differing(one, two)) is None
    assert looked < 50_000


def test_a_line_longer_than_a_block_is_for_another_way() -> None:
    long = b"x" * (1 << 20)
    before = text([b"a", long, b"b", *[b"%d" % n for n in range(5000)], b"c"])
    after = text([b"A", long, b"B", *[b"%d" % n for n in range(5000)], b"C"])
    one, two = Bytes(before), Bytes(after)
    assert walked(one, two, differing(one, two)) is None
    assert [len(hunk.before) for hunk in hunks(before, after)] == [1, 1, 1]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_counts_and_hunks_agree(end: bytes) -> None:
    rng = random.Random(7)
    kinds = [b"line %d" % n for n in range(900)] + [b""] * 300
    before = rng.choices(kinds, k=8000)
    after = touched(rng, before, kinds, 0.01)
    old, new = (end.join(lines) + end for lines in (before, after))
    change, found = measure(old, new), hunks(old, new)
    assert change.exact
    assert change.lines_deleted == sum(len(hunk.before) for hunk in found)
    assert change.lines_added == sum(len(hunk.after) for hunk in found)
    assert applied(old.splitlines(True), new.splitlines(True), found) == new.splitlines(True)
