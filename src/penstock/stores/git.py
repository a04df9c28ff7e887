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
from penstock.stores.git_run import GitError, failed, no_filters, program, run
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
class _Chain:
    """Commits made and not yet shown: from which HEAD, and which came last."""

    head: str
    previous: str
    commit: str
    trees: Trees
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

    def read(self, paths: Sequence[Parts]) -> tuple[str, Trees]:
        """Return HEAD's commit ("" where there is none) and the trees on the way to some files."""
        folders = sorted({path[:depth] for path in paths for depth in range(len(path))})
        names = [b"HEAD^{commit}", *(b"HEAD:" + b"/".join(folder) for folder in folders)]
        head, *found = self.objects(names)
        trees = Trees()
        for folder, one in zip(folders, found, strict=True):
            if one is not None and one.kind != "tree":
                raise failed(("cat-file",), f"{os.fsdecode(b'/'.join(folder))} is no directory")
            if one is not None:
                trees.tables[folder] = parsed(one.data, width=len(one.oid) // 2)
        return (head.oid if head else ""), trees

    def staged(self, paths: Sequence[Parts]) -> dict[Parts, Leaf]:
        """Return what the user's index says of some files; one in conflict is given as such."""
        names = [b"/".join(path) for path in paths]
        output = run(self.top, "ls-files", "-s", "-z", "--", *names)[1]
        found: dict[Parts, Leaf] = {}
        for line in output.split(b"\0")[:-1]:
            about, _, name = line.partition(b"\t")
            mode, oid, stage = about.split(b" ")
            leaf = Leaf(mode=mode, oid=oid.decode() if stage == b"0" else "in conflict")
            found[tuple(name.split(b"/"))] = leaf
        return found

    def blob(self, content: bytes) -> str:
        """Store some bytes as they are; no filter is asked."""
        return _one(run(self.top, "hash-object", "-w", "--stdin", stdin=content)[1])

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
            if self.read([])[0] == old:
                raise  # it was not moved, so something else is in the way
            return False
        return True

    def stage(self, leaves: Mapping[Parts, Leaf]) -> None:
        """Say in the user's index that some files are as they were just committed."""
        lines = [
            b"%b %b 0\t%b\0" % (leaf.mode, leaf.oid.encode(), b"/".join(path))
            for path, leaf in leaves.items()
        ]
        words = ("update-index", "-z", "--index-info")
        run(self.top, *words, stdin=b"".join(lines), more=no_filters(self.top))


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
        repository, paths = self._repository, self._paths
        head, trees = repository.read([*paths])
        old = {path: trees.get(path) for path in paths}
        for path, leaf in old.items():
            if leaf is None and repository.ignores(paths[path].path):
                raise GitError(IGNORED, f"git ignores `{paths[path].path}`")
        first = {path: self._leaf(old[path], one.path, one.before) for path, one in paths.items()}
        made: list[str] = []
        previous = head
        if first != old:
            previous = self._commit(trees, first, head, self._snapshot, made)
        last = {path: self._leaf(first[path], one.path, one.after) for path, one in paths.items()}
        commit = self._commit(trees, last, previous, self._message, made)
        objects = (*made, *(leaf.oid for leaf in (*first.values(), *last.values())))
        flush_objects(repository.common, objects)
        self._chain = _Chain(
            head=head,
            previous=previous,
            commit=commit,
            trees=trees,
            old=old,
            first=first,
            last=last,
        )
        return self._chain

    def _leaf(self, old: Leaf | None, path: str, content: bytes) -> Leaf:
        if old and old.mode in (FILE, PROGRAM):
            same = old.oid == blob_id(content, width=len(old.oid))
            return old if same else Leaf(mode=old.mode, oid=self._blob(content))
        return Leaf(mode=_mode(path), oid=self._blob(content))

    def _blob(self, content: bytes) -> str:
        known = self._blobs.get(content)
        if known is None:
            known = self._blobs[content] = self._repository.blob(content)
        return known

    @cached_property
    def _blobs(self) -> dict[bytes, str]:
        return {}

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
            if repository.advance(chain.commit, chain.head, subject):
                notes = self._follow(chain)
                flush_refs(repository.folder, repository.common, first=not chain.head)
                return Committed(commit=chain.commit, previous=chain.previous, notes=notes)
            self._chain = None
        raise failed(("update-ref",), "HEAD is moved by others as fast as we commit")

    def _follow(self, chain: _Chain) -> tuple[str, ...]:
        """Keep our files from showing up as changed in the user's index.

        An entry that is neither what HEAD had nor what was there before us is the user's own
        work, and stays.
        """
        try:
            staged = self._repository.staged([*chain.last])
            ours = {
                path: leaf
                for path, leaf in chain.last.items()
                if staged.get(path) in (chain.old[path], chain.first[path])
                or self._left_behind(chain.head, path, staged.get(path))
            }
            if ours:
                self._repository.stage(ours)
        except GitError as fault:
            return (f"the index could not be brought up to date: {fault.because}",)
        return ()

    def _left_behind(self, head: str, path: Parts, staged: Leaf | None) -> bool:
        """Say whether an edit of ours moved HEAD and was killed before it came to the index."""
        if not head:
            return False
        name, known = b":" + b"/".join(path), head.encode()
        back = [b"%b~%d%b" % (known, steps, name) for steps in range(1, BEHIND + 1)]
        commit, *before = self._repository.objects([known, *back])
        ours = commit is not None and OUR_WORD in commit.data
        then = [one.oid if one else None for one in before]
        return ours and (staged.oid if staged else None) in then


def blob_id(content: bytes, *, width: int) -> str:
    """Return the id that git gives to some bytes, without asking it."""
    import hashlib

    whole = b"blob %d\0" % len(content) + content
    if width == 64:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def repository_of(path: str) -> Repository | None:
    """Return the repository that a file lies in; None outside of any, or without git.

    Raises GitError for one that git itself refuses, as it does for another user's.
    """
    if not program() or not _marked(os.path.dirname(path)):
        return None
    words = ("--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
    try:
        output = run(os.path.dirname(path), "rev-parse", "--path-format=absolute", *words)[1]
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
