"""The files of a set as a tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.review.file_tree import file_tree, in_tree_order

ROWS: list[tuple[str, list[str], list[str]]] = [
    ("one file", ["a"], ["a"]),
    ("directories first", ["a", "z/b", "c/d"], ["c/", "  d", "z/", "  b", "a"]),
    ("alone together", ["x/y/z/a", "x/y/z/b"], ["x/y/z/", "  a", "  b"]),
    (
        "a directory with a file is by itself",
        ["x/a", "x/y/z/b"],
        ["x/", "  y/z/", "    b", "  a"],
    ),
    ("a file that is named like a directory", ["x", "x/y"], ["x/", "  y", "x"]),
    ("none", [], []),
]


@pytest.mark.parametrize(("why", "paths", "rows"), ROWS, ids=[row[0] for row in ROWS])
def test_rows(why: str, paths: list[str], rows: list[str]) -> None:
    assert [f"{'  ' * row.depth}{row.name}" for row in file_tree(paths)] == rows, why


def test_a_very_deep_path_is_one_row() -> None:
    deep = "/".join(["d"] * 5000) + "/f"
    assert [row.path for row in file_tree([deep])] == ["", deep]
    other = "/".join(["d"] * 4000) + "/g"
    assert set(in_tree_order([deep, other])) == {deep, other}


NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("/".join)


@given(st.lists(NAMES, max_size=30))
def test_every_path_is_there_once(paths: list[str]) -> None:
    assert sorted(in_tree_order(paths)) == sorted(set(paths))
