"""Commits of a run as text: which branches there are, and what a commit itself changes."""

from __future__ import annotations

import pytest

from penstock.core.run.commits import (
    BranchImport,
    BranchTip,
    CommittedFile,
    changed_files,
    parse_pairs,
    parse_tips,
    told_imports,
)

A, B = "a" * 40, "b" * 40


def test_branches_are_listed_and_a_head_on_none_of_them_is_kept_too() -> None:
    listing = f"{A} refs/heads/main\n{A} refs/heads/fix/one\n{B} HEAD".encode()
    assert parse_tips(listing) == (
        BranchTip(name="HEAD", commit=B),
        BranchTip(name="fix/one", commit=A),
        BranchTip(name="main", commit=A),
    )
    assert parse_tips(f"{A} refs/heads/main\n{A} HEAD".encode())[0].name == "main"
    assert parse_tips(b" HEAD") == ()


BAD = [
    b"x refs/heads/main",
    A.encode() + b" refs/tags/v1",
    *(
        A.encode() + b" refs/heads/" + name
        for name in (
            b"..", b"a/../b", b"/a", b"a//b", b".a", b"a.lock", b"-a", b"a b", b"a~1", b"a^",
            b"a:b", b"a?", b"a*", b"a[", b"a\\b", b"@", b"a@{1}", b"a\x1b[31m", b"a\x7f",
            b"a" * 300, b"\xff", "a\u202eb".encode(),
        )
    ),
    b"\n".join(A.encode() + b" refs/heads/b%d" % at for at in range(101)),
]  # fmt: skip


@pytest.mark.parametrize("listing", BAD, ids=[str(one[41:60]) for one in BAD])
def test_what_is_no_list_of_branches_is_refused(listing: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_tips(listing)


def file(path: bytes, blob: str = A) -> CommittedFile:
    return CommittedFile(path=path, mode="100644", blob=blob)


def test_pairs_of_trees_are_read_whatever_names_hold() -> None:
    raw = f":000000 100644 {'0' * 40} {A} A".encode()
    odd = b"a\n:" + A.encode()
    output = f"{A} {B}\n".encode() + raw + b"\0" + odd + b"\0" + f"{B} {B}\n".encode()
    assert dict(parse_pairs(output)) == {(A, B): (file(odd),), (B, B): ()}
    assert not dict(parse_pairs(b""))


def test_a_merge_changes_what_differs_from_each_of_its_parents() -> None:
    pairs = {("p", "t"): [file(b"ours"), file(b"both")], ("q", "t"): [file(b"both")]}
    assert changed_files("t", ("p", "q"), pairs) == {file(b"both")}
    assert changed_files("t", ("p",), pairs) == {file(b"ours"), file(b"both")}


def test_what_is_said_of_commits() -> None:
    good = BranchImport(name="main", ref="refs/x", commits=3, files=14, fast_forward=True)
    bad = BranchImport(name="side", commits=1, problem="the rules deny .env")
    assert told_imports("r-1", [good, bad]) == [
        "  3 commits on main (14 files, none denied): refs/x",
        "  1 commit on side stays in the layer: the rules deny .env",
        "  fast-forward your branch: penstock runs merge r-1",
    ]
