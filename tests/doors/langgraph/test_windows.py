"""Aligned window by window: the hunks turn one content into the other, however large."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.doors.langgraph import large_diff
from penstock.doors.langgraph.large_diff import hunks

NUMBERS = st.lists(st.integers(0, 5), max_size=120)


def rebuilt(a: list[int], b: list[int]) -> list[int]:
    """Apply the hunks to one content; they must be in order and must not touch."""
    made: list[int] = []
    top = -1
    done = 0
    for hunk in hunks(array("q", a), array("q", b)):
        assert hunk.before_start > top or top < 0
        assert hunk.before_end > hunk.before_start or hunk.after_end > hunk.after_start
        made += a[done : hunk.before_start]
        assert len(made) == hunk.after_start
        made += b[hunk.after_start : hunk.after_end]
        top = done = hunk.before_end
    return made + a[done:]


@given(a=NUMBERS, b=NUMBERS)
@settings(max_examples=150, deadline=None)
def test_hunks_turn_one_content_into_the_other(a: list[int], b: list[int]) -> None:
    assert rebuilt(a, b) == b


@given(a=NUMBERS, b=NUMBERS, meets=st.integers(1, 4), window=st.integers(4, 16))
@settings(max_examples=150, deadline=None)
def test_also_with_windows_that_are_much_too_small(
    a: list[int], b: list[int], meets: int, window: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_diff, "MEETS", meets)
        patch.setattr(large_diff, "WINDOW", window)
        assert rebuilt(a, b) == b


def test_a_stretch_larger_than_a_window_is_found() -> None:
    base = list(range(20_000))
    added = [*base[:5000], *range(100_000, 130_000), *base[5000:]]
    found = list(hunks(array("q", base), array("q", added)))
    assert [(h.before_start, h.before_end, h.after_start, h.after_end) for h in found] == [
        (5000, 5000, 5000, 35_000)
    ]
    assert rebuilt(added, base) == base


def test_few_changes_in_a_large_content_are_exactly_those() -> None:
    base = list(range(200_000))
    changed = list(base)
    for at in (0, 777, 100_000, 199_999):
        changed[at] = -at - 1
    found = list(hunks(array("q", base), array("q", changed)))
    assert [h.before_start for h in found] == [0, 777, 100_000, 199_999]
    assert all(h.before_end - h.before_start == 1 for h in found)
