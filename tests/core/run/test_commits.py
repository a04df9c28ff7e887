"""Commits of a run as text: which branches there are, and what a commit itself changes."""

from __future__ import annotations

import pytest

from penstock.core.run.commits import (
    BranchImport,
    BranchTip,
    CommittedFile,
    TipKind,
    changed_files,
    is_taken,
    parse_pairs,
    parse_tips,
    told_imports,
)

A, B, C = "a" * 40, "b" * 40, "c" * 40


def test_branches_are_listed_and_a_head_on_none_of_them_is_kept_too() -> None:
    listing = f"{A} refs/heads/main\n{A} refs/heads/fix/one\n{B} HEAD".encode()
    assert parse_tips(listing) == (
        BranchTip(name="HEAD", commit=B),
        BranchTip(name="fix/one", commit=A),
        BranchTip(name="main", commit=A),
    )
    assert parse_tips(f"{A} refs/heads/main\n{A} HEAD".encode())[0].name == "main"
    assert parse_tips(b" HEAD") == ()


def test_tags_and_stashes_are_listed_and_what_is_known_is_none_of_the_runs() -> None:
    lines = [
        f"{A} refs/heads/main", f"{B} refs/heads/new", f"{A} refs/tags/old", f"{B} refs/tags/moved",
        f"{B} refs/tags/v1", f"{B} refs/stash", f"{C} refs/stash", f"{A} refs/stash", f"{A} HEAD",
    ]  # fmt: skip
    known = {"refs/heads/main": A, "refs/tags/old": A, "refs/tags/moved": A}
    found = parse_tips("\n".join(lines).encode(), known, frozenset({A}))
    assert found == (
        BranchTip(name="new", commit=B),
        BranchTip(name="stash", commit=B, kind=TipKind.STASH),
        BranchTip(name="stash-1", commit=C, kind=TipKind.STASH),
        BranchTip(name="moved", commit=B, kind=TipKind.TAG),
        BranchTip(name="v1", commit=B, kind=TipKind.TAG),
    )
    assert [one.ref("r-1").removeprefix("refs/penstock/run/r-1/") for one in found] == [
        "new", "stash", "stash-1", "tags/moved", "tags/v1"
    ]  # fmt: skip


def test_many_branches_that_are_known_are_no_limit() -> None:
    refs = {f"refs/heads/b{at}": A for at in range(500)}
    listing = "\n".join(f"{oid} {ref}" for ref, oid in refs.items())
    assert parse_tips(f"{listing}\n{B} refs/heads/new\n{B} HEAD".encode(), refs) == (
        BranchTip(name="new", commit=B),
    )
    with pytest.raises(ValueError, match="more than 100"):
        parse_tips(f"{listing}\n{A} HEAD".encode())


@pytest.mark.parametrize(
    ("ref", "taken"),
    [
        ("r/tags/v1", True),
        ("r/tags/v1/x", True),
        ("r/tags", True),
        ("r/tags/v2", False),
        ("q", False),
    ],
)
def test_git_keeps_no_ref_beside_one_that_is_above_or_below_it(ref: str, taken: bool) -> None:
    assert is_taken(ref, ["r/main", "r/tags/v1"]) is taken


BAD = [
    b"x refs/heads/main",
    A.encode() + b" refs/notes/commits",
    A.encode() + b" refs/stash/x",
    A.encode() + b" refs/tags/../x",
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
    tag = BranchImport(name="v1", kind=TipKind.TAG, ref="refs/t", place="lib")
    stash = BranchImport(name="stash", kind=TipKind.STASH, ref="refs/s", commits=2, files=1)
    kept = BranchImport(name="v2", kind=TipKind.TAG, commits=3, problem="the rules deny .env")
    assert told_imports("r-1", [good, bad, tag, stash, kept]) == [
        "  3 commits on main (14 files, none denied): refs/x",
        "  1 commit on side stays in the layer: the rules deny .env",
        "  tag v1 of lib: refs/t",
        "  stash (1 file, none denied): refs/s",
        "  tag v2 stays in the layer: the rules deny .env",
        "  fast-forward your branch: penstock runs merge r-1",
    ]
