"""Which words of a line changed, and which line takes another's place."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff import words

WORDS = [
    ("x = 1", "x = 2", ["1"], ["2"], "one token"),
    ("f(a)", "f(a, b)", [], [", b"], "something added"),
    ("alpha", "omega", [], [], "nothing in common: no confetti"),
    ("the big dog", "the small cat", [], [], "too little in common"),
    ("return first(item)", "return last(item)", ["first"], ["last"], "a name"),
    ("return 1", "return one", ["1"], ["one"], "a number"),
    ("same", "same", [], [], "nothing differs"),
    ("", "x", [], [], "an empty line"),
    ("x" * 3000, "x" * 2999, [], [], "longer than is looked at"),
]


@pytest.mark.parametrize(("old", "new", "gone", "came", "why"), WORDS)
def test_changed_words_are_found(
    old: str, new: str, gone: list[str], came: list[str], why: str
) -> None:
    left, right = words.changed(old, new)
    assert [old[a:b] for a, b in left] == gone, why
    assert [new[a:b] for a, b in right] == came, why


@given(old=st.text(max_size=60), new=st.text(max_size=60))
@settings(deadline=None, max_examples=150)
def test_what_is_not_marked_is_the_same_on_both_sides(old: str, new: str) -> None:
    left, right = words.changed(old, new)
    if left or right:
        assert _without(old, left).split() == _without(new, right).split()


def _without(line: str, ranges: words.Ranges) -> str:
    kept = list(line)
    for start, end in ranges:
        kept[start:end] = " " * (end - start)
    return "".join(kept)


def test_hostile_lines_take_no_longer_than_others() -> None:
    started = time.process_time()
    words.changed("a " * 1000, "b " * 1000)
    words.changed("(" * 2000, ")" * 2000)
    words.partners(["a b"] * 5000, ["b a"] * 4000)
    assert time.process_time() - started < 1
