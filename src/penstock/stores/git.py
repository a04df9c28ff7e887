"""Keep the versions of some files as commits, and leave everything else of a repository alone.

Commits are made from objects, never through the user's index or work tree: the trees on the way
to our files are taken from HEAD, changed, and written; the commit is made on top of HEAD; at
last HEAD's branch is moved if it is still where it was. What a person has staged stays staged.
How git is run is `git_run`'s; what is committed, and when, is decided by whoever asks.
Always true: only the named files differ between a commit of ours and its parent; until
`publish` nothing but unreachable objects has been added; what `publish` returns is on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from penstock.core.errors import InputError
from penstock.ports import Version
from penstock.stores.git_flush import flush_objects, flush_refs
from penstock.stores.git_run import (
    GitError,
    Running,
    ask_filters,
    failed,
    no_filters,
    program,
    run,
    start,
)
from penstock.stores.git_trees import FILE, PROGRAM, Found, Leaf, Parts, Trees, batch, parsed

ROUNDS = 8  # how often somebody else may commit while we do
HEX = frozenset("0123456789abcdef")
OUR_WORD = b"Generated with decision_reviewer"
IGNORED = "git-ignored"
BEHIND = 12  # commits that edits which were killed one after the other may have left
SHORTEST, LONGEST = 4, 64
NO_WORK_TREE = ("must be run in a work tree", "cannot use bare repository")
STRANGER = {
    "GIT_AUTHOR_NAME": "decision_reviewer",
    "GIT_AUTHOR_EMAIL": "decision_reviewer@localhost",
    "GIT_COMMITTER_NAME": "decision_reviewer",
    "GIT_COMMITTER_EMAIL": "decision_reviewer@localhost",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Committed:
    """A commit that is on HEAD, and the one whose files are those from before it."""

    commit: str
    previous: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What a repository says of some files: in HEAD, "" where there is none, and in the index."""

    head: str
    trees: Trees
    staged: Mapping[Parts, str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Chain:
    """Commits made and not yet shown: on what, and which came last."""

    look: Look
    previous: str
    commit: str
    old: Mapping[Parts, Leaf | None]
    first: Mapping[Parts, Leaf]
    last: Mapping[Parts, Leaf]


@dataclass(frozen=True)
class Repository:
    """The work tree that some files lie in."""

    top: str
    folder: str
    common: str

    def prepare(self, versions: Sequence[Version], *, message: str, snapshot: str) -> Pending:
        """Make the commit of some files, and one of how they were where HEAD does not have that.

        Nothing is visible before `publish`.
        """
        pending = Pending(self, tuple(versions), message, snapshot)
        pending.make()
        return pending

    def at(self, commit: str, path: str) -> bytes:
        """Return a file as a commit has it."""
        named = commit_id(commit)
        inside = self.inside(path)
        names = [f"{named}^{{commit}}".encode(), named.encode() + b":" + b"/".join(inside)]
        of, file = self.objects(names)
        if of is None or of.kind != "commit":
            raise _no_such(f"there is no commit `{commit}` here, or more than one begins so")
        if file is None or file.kind != "blob":
            raise _no_such(f"`{path}` is not part of the commit `{commit}`")
        return file.data

    def ignores(self, path: str) -> bool:
        """Say whether a file that is not tracked is one that the user keeps out of git."""
        name = b"/".join(self.inside(path))
        if run(self.top, "ls-files", "-z", "--", name)[1]:
            return False
        # Names that come in this way are never patterns, and it knows no switch that says so.
        words, plain = ("check-ignore", "--stdin", "-z"), {"GIT_LITERAL_PATHSPECS": "0"}
        return run(self.top, *words, stdin=name + b"\0", more=plain, right=(0, 1))[0] == 0

    def inside(self, path: str) -> Parts:
        """Return a path below the top of the work tree, as git spells it."""
        relative = os.path.relpath(path, self.top)
        if relative.startswith("..") or "\n" in relative:
            raise failed(("add",), f"{path} does not lie in {self.top}")
        return tuple(os.fsencode(part) for part in relative.split("/"))

    def objects(self, names: Sequence[bytes]) -> list[Found | None]:
        """Return several objects with one command."""
        asked = b"".join(name + b"\n" for name in names)
        output = run(self.top, "cat-file", "--batch", stdin=asked)[1]
        try:
            return batch(output, names)
        except ValueError:
            raise failed(("cat-file",), "its answer was not understood") from None

    def look(self, paths: Sequence[Parts]) -> Look:
        """Return what HEAD and the index say of some files, with one command."""
        folders = sorted({path[:depth] for path in paths for depth in range(len(path))})
        trees = [b"HEAD:" + b"/".join(folder) for folder in folders]
        index = [b":0:" + b"/".join(path) for path in paths]
        head, *found = self.objects([b"HEAD^{commit}", *trees, *index])
        made = Trees()
        for folder, one in zip(folders, found, strict=False):
            if one is not None and one.kind != "tree":
                raise failed(("cat-file",), f"{os.fsdecode(b'/'.join(folder))} is no directory")
            if one is not None:
                made.tables[folder] = parsed(one.data, width=len(one.oid) // 2)
        staged = zip(paths, found[len(folders) :], strict=True)
        return Look(
            head=head.oid if head else "",
            trees=made,
            staged={path: one.oid if one else None for path, one in staged},
        )

    def blob(self, content: bytes) -> Running:
        """Begin to store some bytes as they are; no filter is asked."""
        return start(self.top, "hash-object", "-w", "--stdin", stdin=content)

    def tree(self, listing: bytes) -> str:
        """Store one tree."""
        return _one(run(self.top, "mktree", "-z", "--missing", stdin=listing)[1])

    def commit(self, tree: str, parent: str, message: str) -> str:
        """Store one commit; who has told git no name commits under ours."""
        words = ["commit-tree", tree, *(("-p", parent) if parent else ())]
        text = message.encode("utf-8", "backslashreplace")
        try:
            return _one(run(self.top, *words, stdin=text)[1])
        except GitError:
            return _one(run(self.top, *words, stdin=text, more=STRANGER)[1])

    def advance(self, new: str, old: str, subject: str) -> bool:
        """Move HEAD's branch if it is where it was; False when somebody else moved it."""
        expected = old or "0" * len(new)
        words = ("update-ref", "-m", f"commit: {subject}", "HEAD", new, expected)
        try:
            run(self.top, *words)
        except GitError:
            if self.look([]).head == old:
                raise  # it was not moved, so something else is in the way
            return False
        return True

    def stage(self, leaves: Mapping[Parts, Leaf], filters: Running) -> None:
        """Say in the user's index that some files are as they were just committed."""
        lines = [
            b"%b %b 0\t%b\0" % (leaf.mode, leaf.oid.encode(), b"/".join(path))
            for path, leaf in leaves.items()
        ]
        words = ("update-index", "-z", "--index-info")
        run(self.top, *words, stdin=b"".join(lines), more=no_filters(filters))


class Pending:
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
        # Storing the new content takes as long as looking, and needs nothing that is seen there.
        storing = {one.after: self._repository.blob(one.after) for one in self._versions}
        try:
            return self._made(self._repository.look([*self._paths]), storing)
        finally:
            for one in storing.values():
                one.drop()

    def _made(self, look: Look, storing: dict[bytes, Running]) -> _Chain:
        paths, trees, made = self._paths, look.trees, list[str]()
        old = {path: trees.get(path) for path in paths}
        self._refuse_ignored(old)
        first = {
            path: self._leaf(old[path], one.path, one.before, storing)
            for path, one in paths.items()
        }
        previous = look.head
        if first != old:
            previous = self._commit(trees, first, look.head, self._snapshot, made)
        last = {
            path: self._leaf(first[path], one.path, one.after, storing)
            for path, one in paths.items()
        }
        commit = self._commit(trees, last, previous, self._message, made)
        objects = (*made, *(leaf.oid for leaf in (*first.values(), *last.values())))
        flush_objects(self._repository.common, objects)
        chain = _Chain(look=look, previous=previous, commit=commit, old=old, first=first, last=last)
        self._chain = chain
        return chain

    def _refuse_ignored(self, old: Mapping[Parts, Leaf | None]) -> None:
        for path, leaf in old.items():
            named = self._paths[path].path
            if leaf is None and self._repository.ignores(named):
                raise GitError(IGNORED, f"git ignores `{named}`")

    def _leaf(
        self, old: Leaf | None, path: str, content: bytes, storing: dict[bytes, Running]
    ) -> Leaf:
        """Return what a tree says of a file with this content, which is stored if it is new."""
        if old and old.mode in (FILE, PROGRAM):
            if old.oid == blob_id(content, width=len(old.oid)):
                return old
            return Leaf(mode=old.mode, oid=self._stored(content, storing))
        return Leaf(mode=_mode(path), oid=self._stored(content, storing))

    def _stored(self, content: bytes, storing: dict[bytes, Running]) -> str:
        begun = storing.pop(content, None) or self._repository.blob(content)
        return _one(begun.ended()[1])

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

    def publish(self) -> Committed:
        """Put the commit on HEAD and wait for the disk. Raises GitError: then HEAD has not moved.

        Where somebody else commits meanwhile, ours is made anew on top of theirs.
        """
        repository, subject = self._repository, self._message.partition("\n")[0]
        for _ in range(ROUNDS):
            chain = self._chain or self.make()
            filters = ask_filters(repository.top)
            try:
                if repository.advance(chain.commit, chain.look.head, subject):
                    notes = self._follow(chain, filters)
                    flush_refs(repository.folder, repository.common, first=not chain.look.head)
                    return Committed(commit=chain.commit, previous=chain.previous, notes=notes)
            finally:
                filters.drop()
            self._chain = None
        raise failed(("update-ref",), "HEAD is moved by others as fast as we commit")

    def _follow(self, chain: _Chain, filters: Running) -> tuple[str, ...]:
        """Keep our files from showing up as changed in the user's index.

        An entry that is neither what HEAD had nor what was there before us is the user's own
        work, and stays.
        """
        try:
            ours = {path: leaf for path, leaf in chain.last.items() if self._is_ours(chain, path)}
            if ours:
                self._repository.stage(ours, filters)
        except GitError as fault:
            return (f"the index could not be brought up to date: {fault.because}",)
        return ()

    def _is_ours(self, chain: _Chain, path: Parts) -> bool:
        old, staged = chain.old[path], chain.look.staged[path]
        known = (old.oid if old else None, chain.first[path].oid)
        return staged in known or self._left_behind(chain.look.head, path, staged)

    def _left_behind(self, head: str, path: Parts, staged: str | None) -> bool:
        """Say whether edits of ours moved HEAD and were killed before they came to the index."""
        if not head:
            return False
        back = [b"%b~%d" % (head.encode(), steps) for steps in range(BEHIND + 1)]
        files = [one + b":" + b"/".join(path) for one in back]
        found = self._repository.objects([*back, *files])
        commits, blobs = found[: len(back)], found[len(back) :]
        ours = commits[0] is not None and OUR_WORD in commits[0].data
        then = [b.oid if b else None for c, b in zip(commits, blobs, strict=True) if c is not None]
        return ours and staged in then[1:]


def blob_id(content: bytes, *, width: int) -> str:
    """Return the id that git gives to some bytes, without asking it."""
    import hashlib

    whole = b"blob %d\0" % len(content) + content
    if width == 64:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def repository_of(path: str, asked: Running | None = None) -> Repository | None:
    """Return the repository that a file lies in; None outside of any, or without git.

    `asked` is the question, where it was begun before. Raises GitError for a repository that git
    itself refuses, as it does for another user's.
    """
    asked = asked or ask_repository(path)
    if asked is None:
        return None
    try:
        output = asked.ended()[1]
    except GitError as fault:
        if any(words in fault.because for words in NO_WORK_TREE):
            return None  # inside of a repository's own directory
        raise
    inside, *places = output.split(b"\n")[:-1]
    if inside != b"true":
        return None
    if len(places) != 3:
        raise failed(("rev-parse",), "a directory's name has a line end in it")
    folder, common, top = (os.fsdecode(place) for place in places)
    return Repository(top=top, folder=folder, common=common)


def ask_repository(path: str) -> Running | None:
    """Begin to ask which repository a file lies in; None where there is surely none."""
    folder = os.path.dirname(path)
    if not program() or not _marked(folder):
        return None
    words = ("--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
    return start(folder, "rev-parse", "--path-format=absolute", *words)


def _marked(folder: str) -> bool:
    """Say whether git would find anything at all: most files lie in no repository."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def commit_id(text: str) -> str:
    """Return a commit's id, which is hexadecimal digits and nothing that git could read so."""
    small = text.lower()
    if not SHORTEST <= len(small) <= LONGEST or not set(small) <= HEX:
        raise InputError(
            "bad-commit",
            "a commit is named by its id, 4 to 64 hexadecimal digits",
            hint="take it from `rollback_info`, or from `git log --oneline`",
        )
    return small


def _no_such(message: str) -> InputError:
    return InputError("no-such-version", message, hint="see `git log --oneline` of the file")


def _mode(path: str) -> bytes:
    try:
        return PROGRAM if os.stat(path).st_mode & 0o100 else FILE
    except OSError:
        return FILE


def _one(output: bytes) -> str:
    oid = output.strip().decode("ascii", "replace")
    if not oid or not set(oid) <= HEX:
        raise failed(("hash-object",), "its answer is no id")
    return oid
