"""Commit some files and nothing else, so that everything of the user's stays where it is.

The trees on the way to our files are taken from HEAD, changed, and written; the commit is made on
top of HEAD; at last HEAD's branch is moved if it is still where it was. What a person has staged
stays staged. What is committed, and when, is decided by whoever asks.
Git flushes references and the index before it gives them their names. Not all of its commands
look at the setting that asks for the same with objects, and none flushes the directories that
name things: a power cut could then take a commit away that was already told, or leave a branch
that points to nothing. So what git wrote is flushed here.
Always true: only the named files differ between a commit of ours and its parent; until
`publish` nothing can be seen; what `publish` returns is on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from msgspec import Struct

from penstock.ports import Version
from penstock.stores.files.contents import close
from penstock.stores.files.staging import flush_folder
from penstock.stores.git.repository import FileVersions, Repository
from penstock.stores.git.run import GitError, failed
from penstock.stores.git.trees import FILE, PROGRAM, Leaf, Parts, Trees

ROUNDS = 8  # how often somebody else may commit while we do
IGNORED = "git-ignored"
OUR_WORD = b"Generated with decision_reviewer"
LONGEST_HEAD = 4096
BEHIND = 12  # commits that edits which were killed one after the other may have left


class Commit(Struct, frozen=True, kw_only=True):
    """A commit that is on HEAD, and the one whose files are those from before it."""

    commit: str
    previous: str
    notes: tuple[str, ...] = ()


class _Chain(Struct, frozen=True, kw_only=True):
    """Commits made and not yet shown: on what, and which came last."""

    look: FileVersions
    previous: str
    commit: str
    old: Mapping[Parts, Leaf | None]
    first: Mapping[Parts, Leaf]
    last: Mapping[Parts, Leaf]


class PendingCommit:
    """A commit that exists and that nobody can see yet."""

    def __init__(
        self, repository: Repository, versions: tuple[Version, ...], message: str, snapshot: str
    ) -> None:
        self._repository = repository
        self._versions = versions
        self._message = message
        self._snapshot = snapshot
        self._chain: _Chain | None = None

    @cached_property
    def _paths(self) -> dict[Parts, Version]:
        return {self._repository.inside(one.path): one for one in self._versions}

    def make(self) -> _Chain:
        """Make the objects on top of what HEAD is now."""
        look = self._repository.look([*self._paths])
        paths, trees, made = self._paths, look.trees, list[str]()
        old = {path: trees.get(path) for path in paths}
        self._refuse_ignored(old)
        first = {path: self._leaf(old[path], one.path, one.before) for path, one in paths.items()}
        previous = look.head
        if first != old:
            previous = self._commit(trees, first, look.head, self._snapshot, made)
        last = {path: self._leaf(first[path], one.path, one.after) for path, one in paths.items()}
        commit = self._commit(trees, last, previous, self._message, made)
        objects = (*made, *(leaf.oid for leaf in (*first.values(), *last.values())))
        _flush_objects(self._repository.common, objects)
        chain = _Chain(look=look, previous=previous, commit=commit, old=old, first=first, last=last)
        self._chain = chain
        return chain

    def _refuse_ignored(self, old: Mapping[Parts, Leaf | None]) -> None:
        for path, leaf in old.items():
            named = self._paths[path].path
            if leaf is None and self._repository.ignores(named):
                raise GitError(IGNORED, f"git ignores `{named}`")

    def _leaf(self, old: Leaf | None, path: str, content: bytes) -> Leaf:
        """Return what a tree says of a file with this content, which is stored if it is new."""
        if old is None or old.mode not in (FILE, PROGRAM):
            return Leaf(mode=_mode(path), oid=self._repository.blob(content))
        if old.oid == blob_id(content, width=len(old.oid)):
            return old
        return Leaf(mode=old.mode, oid=self._repository.blob(content))

    def _commit(
        self, trees: Trees, leaves: Mapping[Parts, Leaf], parent: str, message: str, made: list[str]
    ) -> str:
        for path, leaf in leaves.items():
            trees.put(path, leaf)

        def make(listing: bytes) -> str:
            made.append(self._repository.tree(listing))
            return made[-1]

        commit = self._repository.commit(trees.write(make), parent, message)
        made.append(commit)
        return commit

    def publish(self) -> Commit:
        """Put the commit on HEAD and wait for the disk. Raises GitError: then HEAD has not moved.

        Where somebody else commits meanwhile, ours is made anew on top of theirs.
        """
        repository, subject = self._repository, self._message.partition("\n")[0]
        for _ in range(ROUNDS):
            chain = self._chain or self.make()
            if repository.advance(chain.commit, chain.look.head, subject):
                notes = self._follow(chain)
                _flush_refs(repository.folder, repository.common, first=not chain.look.head)
                return Commit(commit=chain.commit, previous=chain.previous, notes=notes)
            self._chain = None
        raise failed(("update-ref",), "other processes keep moving HEAD")

    def _follow(self, chain: _Chain) -> tuple[str, ...]:
        """Keep our files from showing up as changed in the user's index.

        An entry that is neither what HEAD had nor what was there before us is the user's own
        work, and stays.
        """
        try:
            ours = {path: leaf for path, leaf in chain.last.items() if self._is_ours(chain, path)}
            if ours:
                self._repository.stage(ours)
        except GitError as fault:
            return (f"the index could not be updated: {fault.because}",)
        return ()

    def _is_ours(self, chain: _Chain, path: Parts) -> bool:
        old, staged = chain.old[path], chain.look.staged[path]
        before = chain.first[path].oid
        # A new file that is only announced (`git add -N`) stands there as an empty one.
        known = (old.oid,) if old else (None, blob_id(b"", width=len(before)))
        return staged in (*known, before) or self._left_behind(chain.look.head, path, staged)

    def _left_behind(self, head: str, path: Parts, staged: str | None) -> bool:
        """Say whether edits of ours moved HEAD and were killed before they came to the index."""
        if not head:
            return False
        back = [b"%b~%d" % (head.encode(), steps) for steps in range(BEHIND + 1)]
        files = [one + b":" + b"/".join(path) for one in back]
        found = self._repository.objects([*back, *files])
        commits, blobs = found[: len(back)], found[len(back) :]
        known = [(c, b.oid if b else None) for c, b in zip(commits, blobs, strict=True) if c]
        ours = bool(known) and OUR_WORD in known[0][0].data
        then = [oid for _, oid in known[1:]]
        # Before the very first commit there was nothing, if that commit is the one we begin with.
        if len(known) < len(back) and self._snapshot.encode() in known[-1][0].data:
            then.append(None)
        return ours and staged in then


def blob_id(content: bytes, *, width: int) -> str:
    """Return the id that git gives to some bytes, without asking it."""
    import hashlib

    whole = b"blob %d\0" % len(content) + content
    if width == 64:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def _mode(path: str) -> bytes:
    try:
        return PROGRAM if os.stat(path).st_mode & 0o100 else FILE
    except OSError:
        return FILE


def _flush_objects(common: str, oids: Iterable[str]) -> None:
    """Flush some objects and the directories that name them; to be done before a branch moves."""
    objects, known = os.path.join(common, "objects"), set(oids)
    files = [os.path.join(objects, oid[:2], oid[2:]) for oid in sorted(known)]
    _flush_all([*files, *sorted({os.path.dirname(file) for file in files}), objects])


def _flush_refs(folder: str, common: str, *, first: bool) -> None:
    """Flush the names of the branch that HEAD stands for, and of what lies beside HEAD.

    Their content was flushed by git before it got its name. With the `first` commit, directories
    may be new all the way up.
    """
    branch = os.path.dirname(_branch(folder))
    above = [branch]
    while first and os.path.dirname(above[-1]):
        above.append(os.path.dirname(above[-1]))
    named = [os.path.join(common, name) for name in above if name]
    _flush_all([*named, folder, os.path.join(common, "reftable")])


def _flush_all(places: Iterable[str]) -> None:
    for place in places:
        with suppress(OSError):
            descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                flush_folder(descriptor)
            finally:
                close(descriptor)


def _branch(folder: str) -> str:
    """Return the branch's name below the repository, "" for a commit that stands alone."""
    try:
        with open(os.path.join(folder, "HEAD"), "rb") as file:
            head = file.read(LONGEST_HEAD)
    except OSError:
        return ""
    name = os.fsdecode(head.strip().removeprefix(b"ref: ")) if head.startswith(b"ref: ") else ""
    return name if name.startswith("refs/") and ".." not in name else ""


def prepare(
    repository: Repository, versions: Sequence[Version], *, message: str, snapshot: str
) -> PendingCommit:
    """Make the commit of some files, and one of how they were where HEAD does not have that.

    Nothing is visible before `publish`.
    """
    pending = PendingCommit(repository, tuple(versions), message, snapshot)
    pending.make()
    return pending
