"""Move the branch of a work tree to a commit ahead of it, when the files are there already.

The files of such a commit were written by the gate, one by one; what is left is git's own: the
branch, and the index. `git merge --ff-only` does not do that: to it, files that already hold what
the commit brings are changes of the user's that are in the way.
Always true: no file of the work tree is written; the branch moves only from where it was, and
only forward; what the user has staged otherwise stays staged.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from msgspec import Struct

from penstock.core.run.commits import (
    ABSENT,
    EXECUTABLE,
    GITLINK,
    LINK,
    CommittedFile,
    parse_pairs,
)
from penstock.stores.git.commit import blob_id
from penstock.stores.git.repository import Repository
from penstock.stores.git.run import GitError, run
from penstock.stores.git.trees import Leaf


class FastForward(Struct, frozen=True, kw_only=True):
    """The branch that the work tree of a repository is on."""

    repository: Repository

    def branch(self) -> str:
        """Return the full name of the branch, "" where HEAD is on none."""
        code, name = run(self.repository.top, "symbolic-ref", "--quiet", "HEAD", right=(0, 1))
        return os.fsdecode(name).strip() if code == 0 else ""

    def head(self) -> str:
        """Return the commit of HEAD, "" before the first one."""
        words = ("rev-parse", "--quiet", "--verify", "HEAD^{commit}")
        return run(self.repository.top, *words, right=(0, 1))[1].decode().strip()

    def is_ahead(self, new: str, old: str) -> bool:
        """Say whether a commit has another one as its ancestor."""
        words = ("merge-base", "--is-ancestor", old, new)
        return not old or run(self.repository.top, *words, right=(0, 1))[0] == 0

    def files(self, old: str, new: str) -> tuple[tuple[CommittedFile, ...], Mapping[bytes, str]]:
        """Return what differs between two commits, and which blobs the older one has."""
        top = self.repository.top
        names = [f"{new}^{{tree}}", *([f"{old}^{{tree}}"] if old else [])]
        trees = run(top, "rev-parse", *names)[1].decode().split()
        empty = run(top, "hash-object", "-t", "tree", "--stdin")[1].decode().strip()
        before, after = (trees[1] if old else empty), trees[0]
        words = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff")
        forth = run(top, *words, stdin=f"{before} {after}\n".encode())[1]
        back = run(top, *words, stdin=f"{after} {before}\n".encode())[1]
        ((_, files),), ((_, earlier),) = tuple(parse_pairs(forth)), tuple(parse_pairs(back))
        return files, {one.path: one.blob for one in earlier if one.mode != ABSENT}

    def differing(
        self, files: tuple[CommittedFile, ...], heads: Mapping[bytes, str] | None = None
    ) -> list[str]:
        """Return the paths whose files are not what the newer commit has.

        `heads` has the commit of each submodule that is checked out.
        """
        top, known = os.fsencode(self.repository.top), heads or {}
        return [
            os.fsdecode(one.path)
            for one in files
            if (
                known.get(one.path) != one.blob
                if one.mode == GITLINK
                else not _is(os.path.join(top, one.path), one)
            )
        ]

    def move(self, old: str, new: str, *, reason: str) -> bool:
        """Move the branch and bring the index along; False when somebody else moved it."""
        files, earlier = self.files(old, new)
        staged = self._staged()
        expected = old or "0" * len(new)
        try:
            run(self.repository.top, "update-ref", "-m", reason, "HEAD", new, expected)
        except GitError:
            if self.head() == old:
                raise
            return False
        ours = [one for one in files if staged.get(one.path, "") == earlier.get(one.path, "")]
        leaves = {
            tuple(one.path.split(b"/")): Leaf(mode=one.mode.encode(), oid=one.blob)
            # What is removed comes first: a directory may be where a file was.
            for one in sorted(ours, key=lambda one: one.mode != ABSENT)
        }
        if leaves:
            self.repository.stage(leaves)
        return True

    def _staged(self) -> Mapping[bytes, str]:
        """Return the index: the blob of each path."""
        output = run(self.repository.top, "ls-files", "-z", "--stage", "--full-name")[1]
        rows = [row.partition(b"\t") for row in output.split(b"\0") if row]
        return {path: facts.split(b" ")[1].decode() for facts, _, path in rows}


def _is(place: bytes, one: CommittedFile) -> bool:
    """Say whether a place holds what a commit says of it; through no link."""
    try:
        status = os.lstat(place)
    except OSError:
        return one.mode == ABSENT
    if stat.S_ISLNK(status.st_mode):
        held, mode = os.readlink(place), LINK
    elif stat.S_ISREG(status.st_mode):
        mode = EXECUTABLE if status.st_mode & 0o100 else "100644"
        with open(place, "rb") as file:
            held = file.read()
    else:
        return False
    return mode == one.mode and blob_id(held, width=len(one.blob)) == one.blob
