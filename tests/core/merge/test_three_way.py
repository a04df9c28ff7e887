"""Three-way merges: what both sides may do at once, what is a conflict, and what git says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.merge.three_way import Conflict, rebase

BASE = b"a\nb\nc\nd\ne\nf\ng\nh\n"


def texts(*lines: str) -> bytes:
    return "".join(line + "\n" for line in " ".join(lines).split()).encode()


CLEAN = [
    ("only we changed", "a b c", "a b c", "a X c", "a X c"),
    ("only they changed", "a b c", "a X c", "a b c", "a X c"),
    ("both changed alike", "a b c", "a X c", "a X c", "a X c"),
    ("far apart", "a b c d e", "X b c d e", "a b c d Y", "X b c d Y"),
    ("a line between is enough", "a b c d", "X b c d", "a b Y d", "X b Y d"),
    ("one adds above, one below", "a b c", "X a b c", "a b c Y", "X a b c Y"),
    ("one removes, one adds", "a b c d e", "b c d e", "a b c d e X", "b c d e X"),
    ("both add the same, and more elsewhere", "a b c d", "X a b c d", "X a b c Y d", "X a b c Y d"),
    ("both remove the same", "a b c d", "a d", "a d", "a d"),
    ("both empty it", "a b", "", "", ""),
]


@pytest.mark.parametrize(
    ("why", "base", "theirs", "ours", "result"), CLEAN, ids=[row[0] for row in CLEAN]
)
def test_changes_that_stay_clear_of_each_other_are_both_taken(
    why: str, base: str, theirs: str, ours: str, result: str
) -> None:
    merged = rebase(texts(base), texts(theirs), texts(ours))
    assert (merged.content, merged.conflicts) == (texts(result), ())


def ranges(conflict: Conflict) -> tuple[tuple[int, int], ...]:
    return (
        (conflict.base_start, conflict.base_end),
        (conflict.theirs_start, conflict.theirs_end),
        (conflict.ours_start, conflict.ours_end),
    )


CONFLICTS = [
    ("the same line", "a b c", "a X c", "a Y c", [((1, 2), (1, 2), (1, 2))]),
    ("lines side by side", "a b c d", "a X c d", "a b Y d", [((1, 3), (1, 3), (1, 3))]),
    ("both add at one place", "a b", "a X b", "a Y Z b", [((1, 1), (1, 2), (1, 3))]),
    ("one removes what the other changes", "a b c", "a c", "a X c", [((1, 2), (1, 1), (1, 2))]),
    ("an addition beside a change", "a b c", "a X b c", "a Y c", [((1, 2), (1, 3), (1, 2))]),
    (
        "two places, below what they added",
        "a b c d e f",
        "N a X c d W f",
        "a Y c d V f",
        [((1, 2), (2, 3), (1, 2)), ((4, 5), (5, 6), (4, 5))],
    ),
    ("one removes what the other moves", "a c", "c a", "c", [((0, 2), (0, 2), (0, 1))]),
    (
        "lines that repeat, where the place is anybody's guess",
        "a a a",
        "a a a a",
        "a a",
        [((0, 3), (0, 4), (0, 2))],
    ),
]


@pytest.mark.parametrize(
    ("why", "base", "theirs", "ours", "places"), CONFLICTS, ids=[row[0] for row in CONFLICTS]
)
def test_a_conflict_names_its_lines_in_all_three_texts(
    why: str, base: str, theirs: str, ours: str, places: list[tuple[tuple[int, int], ...]]
) -> None:
    merged = rebase(texts(base), texts(theirs), texts(ours))
    assert merged.content is None
    assert [ranges(conflict) for conflict in merged.conflicts] == places


def test_a_last_line_without_an_end_is_a_line_of_its_own() -> None:
    assert rebase(b"a\nb\nc", b"X\nb\nc", b"a\nb\nc\nd").content == b"X\nb\nc\nd"
    assert rebase(b"a\nb\nc", b"a\nb\nc\n", b"a\nb\nc\nd").content is None


def test_line_ends_are_content() -> None:
    assert rebase(b"a\nb\nc\n", b"a\r\nb\nc\n", b"a\nb\nd\n").content == b"a\r\nb\nd\n"
    assert rebase(b"a\nb\n", b"a\r\nb\r\n", b"a\nc\n").content is None


def test_binary_content_is_merged_only_when_one_side_did_nothing() -> None:
    assert rebase(b"\0a\nb\n", b"\0a\nb\n", b"\0c").content == b"\0c"
    merged = rebase(b"x\n\0a\nb\ny\n", b"x\n\0A\nb\ny\n", b"x\n\0a\nB\ny\n")
    assert [ranges(conflict) for conflict in merged.conflicts] == [((1, 3), (1, 3), (1, 3))]


LINES = st.lists(st.integers(0, 2).map(lambda n: b"%d\n" % n), max_size=10)


@settings(max_examples=200, deadline=None)
@given(base=LINES, theirs=LINES, ours=LINES, end=st.sampled_from([b"", b"end"]))
def test_the_sides_can_be_swapped_and_no_line_is_made_up(
    base: list[bytes], theirs: list[bytes], ours: list[bytes], end: bytes
) -> None:
    old, one, two = b"".join(base) + end, b"".join(theirs) + end, b"".join(ours)
    merged, swapped = rebase(old, one, two), rebase(old, two, one)
    assert merged.content == swapped.content
    assert (merged.content is None) == bool(merged.conflicts)
    if merged.content is not None:
        known = set((old + b"\n" + one + b"\n" + two).split(b"\n"))
        assert set(merged.content.split(b"\n")) <= known
    for conflict in merged.conflicts:
        assert 0 <= conflict.base_start <= conflict.base_end <= len(base) + bool(end)
        assert 0 <= conflict.theirs_start <= conflict.theirs_end <= len(theirs) + bool(end)
        assert 0 <= conflict.ours_start <= conflict.ours_end <= len(ours)


EDITS = st.lists(
    st.tuples(st.integers(0, 14), st.sampled_from(["add", "drop", "change"]), st.integers(0, 5)),
    min_size=1,
    max_size=3,
)


def edited(edits: list[tuple[int, str, int]], side: str) -> bytes:
    lines = [b"line %d\n" % number for number in range(14)]
    for at, what, word in sorted(edits, reverse=True):
        text = f"{side} {word}\n".encode() if word else b"both\n"
        if what == "add":
            lines.insert(at, text)
        elif at < len(lines):
            lines[at : at + 1] = [text] if what == "change" else []
    return b"".join(lines)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(theirs=EDITS, ours=EDITS)
def test_git_merge_file_says_the_same(
    tmp_path: Path, theirs: list[tuple[int, str, int]], ours: list[tuple[int, str, int]]
) -> None:
    base, one, two = edited([], ""), edited(theirs, "theirs"), edited(ours, "ours")
    for name, text in (("base", base), ("one", one), ("two", two)):
        (tmp_path / name).write_bytes(text)
    command = ["git", "merge-file", "-p", "-q", "one", "base", "two"]
    git = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    merged = rebase(base, one, two)
    if git.returncode:
        assert merged.content is None
    elif merged.content is None:
        # Stricter is allowed where lines repeat, and nowhere else.
        assert one.count(b"both") + two.count(b"both") > 1
    else:
        assert merged.content == git.stdout
