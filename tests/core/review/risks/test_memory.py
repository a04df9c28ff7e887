"""Lines are looked at without an object for each: text with short lines fits into memory."""

from __future__ import annotations

import tracemalloc

import pytest

from penstock.core.diff.measure import measure
from penstock.core.review.risks.changed_text import ChangedText

LINES = 200_000


@pytest.mark.parametrize("end", [b"\n", b""], ids=["ended", "without its last end"])
def test_the_new_lines_of_a_file_take_a_few_bytes_each(end: bytes) -> None:
    after = b"x\n" * (LINES - 1) + b"y" + end
    change = measure(None, after)
    changed = ChangedText(path="a.txt", before=None, after=after, change=change)
    tracemalloc.start()
    try:
        added = changed.added
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (added.at(len(after) - 1), added.line(len(added.text) - 1)) == (LINES, b"y\n")
    assert peak < 40 * LINES, f"{peak // LINES} bytes a line"


def test_lines_of_several_places_keep_their_numbers_and_get_their_ends() -> None:
    before = b"a\nb\nc\nd\n"
    after = b"a\nB\nc\nd\nE"
    change = measure(before, after)
    changed = ChangedText(path="a.txt", before=before, after=after, change=change)
    assert list(changed.added) == [(2, b"B\n"), (5, b"E\n")]
    assert list(changed.removed) == [(2, b"b\n")]
