"""The bound on what is lost never lies below what is measured."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.loss_bound import LARGEST, bound
from penstock.core.diff.measure import measure

texts = st.lists(st.sampled_from(["", "a", "b", "c", "d", "e", "f"]), max_size=30).map(
    lambda lines: "\n".join(lines).encode()
)


@given(texts, texts)
@settings(max_examples=500, deadline=None)
def test_a_bound_is_never_below_what_is_measured(before: bytes, after: bytes) -> None:
    change = measure(before, after)
    found = bound(before, after)
    assert found is not None
    lines, share = found
    assert lines == change.existing_lines
    assert share >= change.change_ratio


LINES = [f"line {n}\n" for n in range(270)]


@pytest.mark.parametrize(
    ("after", "share", "why"),
    [
        (LINES, 0, "nothing changed"),
        ([*LINES[:100], "new\n", *LINES[101:]], 1 / 270, "one line in the middle"),
        ([*LINES, "more\n"], 0, "lines added at the end"),
        (["more\n", *LINES], 0, "lines added at the start"),
        (["a\n", *LINES[1:-1], "b\n"], 2 / 270, "both ends changed"),
        (LINES[:56], 214 / 270, "the rest was dropped"),
        ([*LINES[200:], *LINES[:200]], 70 / 270, "a block was moved"),
    ],
)
def test_the_bound_is_close_where_edits_are_ordinary(
    after: list[str], share: float, why: str
) -> None:
    found = bound("".join(LINES).encode(), "".join(after).encode())
    assert found == (270, share), why


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (b"a\0b", b"a", "binary before"),
        (b"a", b"\xff", "no text after"),
        (b"a\r\n", b"a\n", "line ends are not lines that were lost"),
        (b"a", b"a" * LARGEST, "too large to hold"),
    ],
)
def test_what_only_the_engine_can_measure_has_no_bound(
    before: bytes, after: bytes, why: str
) -> None:
    assert bound(before, after) is None, why
