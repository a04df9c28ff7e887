"""Packs that claim more than they are, and refs that lie elsewhere: real git, real limits."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from pathlib import Path

import pytest

from penstock.core.run.commits import BranchTip
from penstock.stores.git import quarantine
from penstock.stores.git.quarantine import PackQuarantine, refs_of
from penstock.stores.git.repository import repository_of
from penstock.stores.git.run import GitError

BLOB, TREE, COMMIT = 3, 2, 1
KINDS = {BLOB: b"blob", TREE: b"tree", COMMIT: b"commit"}
WHO = b"a <a@b> 1 +0000"


def git(at: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", "-C", at, *who, *words], capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def held(tmp_path: Path) -> PackQuarantine:
    real = tmp_path / "real"
    git(tmp_path, "init", "-q", "-b", "main", str(real))
    git(real, "commit", "-q", "--allow-empty", "-m", "first")
    repository = repository_of(str(real / "x"))
    assert repository is not None
    made = PackQuarantine(repository=repository, folder=str(tmp_path / "quarantine"))
    made.make()
    return made


class Pack:
    """A pack made by hand, so that it can hold what git would not make."""

    def __init__(self) -> None:
        self.entries: list[bytes] = []

    def add(self, kind: int, data: bytes) -> str:
        size, head = len(data), bytearray()
        byte, size = kind << 4 | size & 15, size >> 4
        while size:
            head.append(byte | 0x80)
            byte, size = size & 0x7F, size >> 7
        head.append(byte)
        self.entries.append(bytes(head) + zlib.compress(data, 9))
        whole = KINDS[kind] + b" %d\0" % len(data) + data
        return hashlib.sha1(whole, usedforsecurity=False).hexdigest()

    def commit(self, tree: str, *parents: str) -> str:
        lines = [b"tree " + tree.encode(), *(b"parent " + one.encode() for one in parents)]
        return self.add(
            COMMIT, b"\n".join([*lines, b"author " + WHO, b"committer " + WHO, b"", b"x", b""])
        )

    def tree(self, *entries: tuple[bytes, bytes, str]) -> str:
        rows = (mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
        return self.add(TREE, b"".join(rows))

    def write(self, held: PackQuarantine) -> None:
        data = b"PACK\0\0\0\2" + len(self.entries).to_bytes(4, "big") + b"".join(self.entries)
        end = hashlib.sha1(data, usedforsecurity=False).digest()
        Path(held.pack).write_bytes(data + end)


def tips(commit: str) -> tuple[BranchTip, ...]:
    return (BranchTip(name="main", commit=commit),)


def test_a_good_pack_is_read_and_accepted(held: PackQuarantine) -> None:
    pack, real = Pack(), Path(held.repository.top)
    blob = pack.add(BLOB, b"new\n")
    commit = pack.commit(pack.tree((b"100644", b"a", blob)), git(real, "rev-parse", "HEAD"))
    pack.write(held)
    held.check(tips(commit))
    (one,) = held.files(held.commits(commit))
    assert (one.path, one.mode, held.blobs([one.blob])) == (b"a", "100644", {blob: b"new\n"})
    assert not refs_of(held.repository, "refs/penstock")
    held.accept({"refs/penstock/run/r-1/main": commit})
    assert git(real, "show", "refs/penstock/run/r-1/main:a") == "new"


def test_a_ref_elsewhere_is_never_written(held: PackQuarantine) -> None:
    pack = Pack()
    commit = pack.commit(pack.tree())
    pack.write(held)
    held.check(tips(commit))
    before = refs_of(held.repository, "refs")
    with pytest.raises(GitError, match="update-ref"):
        held.accept({"refs/heads/main": commit})
    assert refs_of(held.repository, "refs") == before


BROKEN = [
    ("a file named .git", (b"100644", b".git")),
    ("a way out", (b"100644", b"..")),
    ("a path in a name", (b"100644", b"a/b")),
    ("a .git in other letters", (b"40000", b".GIT")),
]


@pytest.mark.parametrize("entry", [row[1] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_tree_that_no_git_would_check_out_is_refused(
    held: PackQuarantine, entry: tuple[bytes, bytes]
) -> None:
    pack = Pack()
    inner = pack.tree() if entry[0] == b"40000" else pack.add(BLOB, b"x")
    commit = pack.commit(pack.tree((*entry, inner)))
    pack.write(held)
    with pytest.raises(GitError, match="index-pack"):
        held.check(tips(commit))


def test_a_commit_that_lacks_what_it_names_is_refused(held: PackQuarantine) -> None:
    pack = Pack()
    commit = pack.commit("1" * 40)
    pack.write(held)
    with pytest.raises(GitError):
        held.check(tips(commit))


def test_trees_that_unfold_without_end_are_given_up(
    held: PackQuarantine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve trees of sixteen entries each are 10^14 files, and fit into a page."""
    monkeypatch.setattr(quarantine, "MOST_OUTPUT", 1 << 20)
    pack = Pack()
    inner, mode = pack.add(BLOB, b"x"), b"100644"
    for _ in range(12):
        inner = pack.tree(*((mode, b"%02d" % at, inner) for at in range(16)))
        mode = b"40000"
    commit = pack.commit(inner)
    pack.write(held)
    held.check(tips(commit))
    with pytest.raises(GitError, match="diff-tree"):
        held.files(held.commits(commit))
    assert os.path.getsize(os.path.join(held.folder, "output")) <= 2 << 20


def test_a_few_bytes_that_become_a_huge_file_are_not_read(held: PackQuarantine) -> None:
    pack = Pack()
    blob = pack.add(BLOB, bytes(65 << 20))
    commit = pack.commit(pack.tree((b"100644", b"zeros", blob)))
    pack.write(held)
    assert os.path.getsize(held.pack) < 1 << 20
    held.check(tips(commit))
    (one,) = held.files(held.commits(commit))
    with pytest.raises(GitError, match="cat-file"):
        held.blobs([one.blob])


def test_too_many_commits_are_given_up(
    held: PackQuarantine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quarantine, "MOST_COMMITS", 3)
    pack = Pack()
    tree = pack.tree()
    commit = pack.commit(tree)
    for _ in range(3):
        commit = pack.commit(tree, commit)
    pack.write(held)
    held.check(tips(commit))
    with pytest.raises(GitError, match="log"):
        held.commits(commit)
