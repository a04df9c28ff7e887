"""Rules files and their versions: a commit where there is a repository, a dated copy elsewhere.

Which of the two keeps a file is found out for each: git where the file lies in a work tree and
is not ignored there, a copy beside it otherwise, and where git refuses. How a commit is made is
`git.commit`'s, and how copies are named `backups`'.
Always true: before a file is changed, what it holds is kept somewhere; where git fails in the
end, a copy takes its place, and a note says why.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from penstock.core.errors import InputError
from penstock.ports import KeptVersion, Version, VersionKind
from penstock.stores.git.commit import IGNORED, PendingCommit, prepare
from penstock.stores.git.repository import Repository, repository_of
from penstock.stores.git.run import GitError
from penstock.stores.rules import backups


class RuleHistory:
    """The versions of rules files."""

    def prepare(self, versions: Sequence[Version], *, message: str, snapshot: str) -> PendingEdit:
        """Make commits that nobody sees yet, and the copies of what git does not keep.

        Without a message there is no commit, and all are copied.
        """
        notes: list[str] = []
        homes: dict[Repository, list[Version]] = {}
        copied: list[Version] = []
        for one in versions:
            home = self._home(one.path, notes) if message else None
            (copied if home is None else homes.setdefault(home, [])).append(one)
        commits: list[tuple[PendingCommit, list[Version]]] = []
        for home, mine in homes.items():
            try:
                commits.append((prepare(home, mine, message=message, snapshot=snapshot), mine))
            except GitError as fault:
                notes += [] if fault.code == IGNORED else [_instead(fault)]
                copied += mine
        pending = PendingEdit(commits, notes)
        try:
            for one in copied:
                pending.copy(one)
        except BaseException:
            pending.drop()
            raise
        return pending

    def _home(self, path: str, notes: list[str]) -> Repository | None:
        try:
            return repository_of(path)
        except GitError as fault:
            notes.append(_instead(fault))
            return None

    def at(self, path: str, *, commit: str = "", backup: str = "") -> bytes:
        """Return an earlier version of a file, from a commit or a copy."""
        if backup:
            return backups.read(path, backup)
        found = repository_of(path)
        if found is None:
            raise InputError(
                "no-such-version",
                f"`{path}` is not in a git repository, so it has no commits",
                hint="name a copy: to_backup",
            )
        return found.at(commit, path)


class PendingEdit:
    """What is kept for an edit that is about to be made."""

    def __init__(
        self, commits: list[tuple[PendingCommit, list[Version]]], notes: list[str]
    ) -> None:
        self._commits = commits
        self._notes = notes
        self._copies: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What did not go as it should."""
        return tuple(self._notes)

    def copy(self, version: Version) -> None:
        """Make a dated copy of a file as it was."""
        self._copies[version.path] = backups.keep(version.path, version.before, now=time.time())

    def publish(self) -> tuple[KeptVersion, ...]:
        """Show the commits; where one cannot be shown any more, make copies in its place."""
        kept = [one for commit, versions in self._commits for one in self._show(commit, versions)]
        for path, copy in self._copies.items():
            backups.prune(path)
            kept.append(KeptVersion(path=path, kind=VersionKind.BACKUP, previous=copy))
        return tuple(kept)

    def _show(self, commit: PendingCommit, versions: Sequence[Version]) -> list[KeptVersion]:
        try:
            done = commit.publish()
        except GitError as fault:
            self._notes.append(_instead(fault))
            for one in versions:
                self.copy(one)
            return []
        self._notes += done.notes
        return [
            KeptVersion(
                path=one.path, kind=VersionKind.GIT, previous=done.previous, commit=done.commit
            )
            for one in versions
        ]

    def drop(self) -> None:
        """Remove the copies; commits that nobody has seen are nobody's."""
        import os

        for copy in self._copies.values():
            with suppress(OSError):
                os.unlink(copy)
        self._copies.clear()


def _instead(fault: GitError) -> str:
    return f"Git operation failed, so a dated copy was made: {fault.because}"
