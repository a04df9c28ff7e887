"""Moved blocks: the same lines gone here and new there, each line in one move at most."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks
from penstock.core.model import Hunk
from penstock.core.review.moves import MovedBlock, moves
from penstock.core.text.line_endings import split
from penstock.core.text.white_space import folded


def text(*names: str) -> bytes:
    """Return a function of four lines for each name; a short name is a line of its own."""
    return b"".join(map(_block, names))


def _block(name: str) -> bytes:
    if len(name) == 1:
        return f"{name} = 1\n".encode()
    return f"def {name}(a):\n    one = {name}_1\n    two = {name}_2\n    return one\n".encode()


def found(before: bytes, after: bytes) -> tuple[MovedBlock, ...]:
    return moves(before, after, hunks(before, after))


A, B, C = "alpha", "bravo", "charlie"


def test_a_function_that_moves_is_one_block() -> None:
    before, after = text(A, B, C, "x"), text(B, C, "x", A)
    (moved,) = found(before, after)
    assert moved == MovedBlock(before=range(4), after=range(9, 13), exact=True)


def test_a_block_that_is_indented_elsewhere_moved_too() -> None:
    before = text(A, B, C)
    inner = b"".join(b"    " + line for line in split(_block(A)))
    (moved,) = found(before, text(B, C) + b"class K:\n" + inner)
    assert (moved.before, moved.after, moved.exact) == (range(4), range(9, 13), False)


PAIR = b"first_line_of_it\nsecond_line_of_it\n"
NOT_MOVED = [
    ("nothing changes", text(A), text(A)),
    ("only new lines", b"", text(A)),
    ("only gone lines", text(A), b""),
    ("two lines", PAIR + b"x\ny\nz\n", b"x\ny\nz\n" + PAIR),
    ("braces", b"}\n}\n}\n}\nx\ny\nz\nq\nr\ns\n", b"x\ny\nz\nq\nr\ns\n}\n}\n}\n}\n"),
    ("other words", text(A, "x", "y", "z", "w", "v"), text("x", "y", "z", "w", "v", B)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"), [row[1:] for row in NOT_MOVED], ids=[row[0] for row in NOT_MOVED]
)
def test_what_is_no_move(before: bytes, after: bytes) -> None:
    assert found(before, after) == ()


def test_a_block_that_goes_once_and_comes_twice_moved_once() -> None:
    before, after = text(A, B, C, "x", "y"), text(B, A, C, "x", A, "y")
    assert len(found(before, after)) == 1


SOME = [b"alpha beta gamma\n", b"delta epsilon\n", b"zeta eta\n", b"}\n"]
LINES = st.lists(st.sampled_from(SOME), max_size=30)


@given(LINES, LINES)
@settings(max_examples=200, deadline=None)
def test_moved_lines_read_alike_changed_and_belong_to_one_move(
    old: list[bytes], new: list[bytes]
) -> None:
    before, after = b"".join(old), b"".join(new)
    parts = hunks(before, after)
    gone = {at for hunk in parts for at in hunk.before}
    came = {at for hunk in parts for at in hunk.after}
    blocks = moves(before, after, parts)
    was = [at for block in blocks for at in block.before]
    now = [at for block in blocks for at in block.after]
    assert len(set(was)) == len(was)
    assert len(set(now)) == len(now)
    assert set(was) <= gone
    assert set(now) <= came
    assert [folded(old[at]) for at in was] == [folded(new[at]) for at in now]


def test_many_alike_lines_cost_no_more_than_their_number() -> None:
    before = b"same line of words\n" * 9000 + b"middle\n" * 3
    after = b"middle\n" * 3 + b"other line of words\n" + b"same line of words\n" * 9000
    assert len(found(before, after)) <= 1
    before, after = b"}\n" * 9000 + b"x\n" * 9, b"x\n" * 9 + b"y\n" + b"}\n" * 9000
    assert moves(before, after, (_hunk(9009, 9010),)) == ()


def _hunk(before: int, after: int) -> Hunk:
    return Hunk(before_start=0, before_end=before, after_start=0, after_end=after)
