"""Notes on the lines of a change: moves, white space, line ends."""

from __future__ import annotations

import pytest

from penstock.core.review.line_notes import line_notes

BLOCK = b"def moved():\n    first_step()\n    second_step()\n"
REST = b"".join(b"line %d\n" % n for n in range(1, 31))
ROWS: list[tuple[str, bytes | None, bytes | None, tuple[str, ...]]] = [
    ("nothing to say", b"a\n", b"b\n", ()),
    ("a block moved", BLOCK + REST, REST + BLOCK, ("moved: lines 1-3 to lines 31-33",)),
    ("indented", b"  a\nb\n", b"    a\nc\n", ("1 line differs only in white space",)),
    ("line ends", b"a\r\nb\r\n", b"a\nb\n", ("2 lines differ only in line endings",)),
    ("a new file", None, b"a\n", ()),
    ("no text", b"\0", b"\0\n", ()),
]


@pytest.mark.parametrize(("why", "before", "after", "notes"), ROWS, ids=[row[0] for row in ROWS])
def test_notes(why: str, before: bytes | None, after: bytes | None, notes: tuple[str, ...]) -> None:
    assert line_notes(before, after) == notes, why
