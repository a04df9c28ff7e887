"""A git repository, asked about some files and given objects, and nothing else of it is used.

Commits are made of objects, never through the user's index or work tree (`commit`); how git
is run is `run`'s, and what a tree looks like `trees`'.
Always true: a repository is changed only by `advance`, which moves HEAD's branch if it is where
it was, and by `stage`, which speaks of the named files only; all else adds unreachable objects.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.stores.git.run import GitError, failed, no_filters, program, run
from penstock.stores.git.trees import GitObject, Leaf, Parts, Trees, batch, parsed

HEX = frozenset("0123456789abcdef")
STEPS = frozenset("~^0123456789")
SHORTEST, LONGEST = 4, 64
MOST = 256 * 1024 * 1024  # bytes of all objects that are read at once
NO_WORK_TREE = ("must be run in a work tree", "cannot use bare repository")
STRANGER = {
    "GIT_AUTHOR_NAME": "decision_reviewer",
    "GIT_AUTHOR_EMAIL": "decision_reviewer@localhost",
    "GIT_COMMITTER_NAME": "decision_reviewer",
    "GIT_COMMITTER_EMAIL": "decision_reviewer@localhost",
}


class FileVersions(Struct, frozen=True, kw_only=True):
    """What a repository says of some files: in HEAD, "" where there is none, and in the index."""

    head: str
    trees: Trees
    staged: Mapping[Parts, str | None]


class Repository(Struct, frozen=True, dict=True):
    """The work tree that some files lie in."""

    top: str
    folder: str
    common: str

    def at(self, commit: str, path: str) -> bytes:
        """Return a file as a commit has it."""
        named = commit_id(commit)
        inside = self.inside(path)
        names = [f"{named}^{{commit}}".encode(), named.encode() + b":" + b"/".join(inside)]
        of, file = self.objects(names)
        if of is None or of.kind != "commit":
            raise _no_such(f"the commit `{commit}` does not exist or is ambiguous")
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

    def objects(self, names: Sequence[bytes]) -> list[GitObject | None]:
        """Return several objects, if there is room for them."""
        asked = b"".join(name + b"\n" for name in names)
        sizes = run(self.top, "cat-file", "--batch-check=%(objectsize)", stdin=asked)[1].split()
        if sum(int(size) for size in sizes if size.isdigit()) > MOST:
            raise failed(("cat-file",), "it says more than can be kept")
        output = run(self.top, "cat-file", "--batch", stdin=asked)[1]
        try:
            return batch(output, names)
        except ValueError:
            raise failed(("cat-file",), "its answer was not understood") from None

    def look(self, paths: Sequence[Parts]) -> FileVersions:
        """Return what HEAD and the index say of some files."""
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
        return FileVersions(
            head=head.oid if head else "",
            trees=made,
            staged={path: one.oid if one else None for path, one in staged},
        )

    def blob(self, content: bytes) -> str:
        """Store some bytes as they are; no filter is asked."""
        return one_id(run(self.top, "hash-object", "-w", "--stdin", stdin=content)[1])

    def tree(self, listing: bytes) -> str:
        """Store one tree."""
        return one_id(run(self.top, "mktree", "-z", "--missing", stdin=listing)[1])

    def commit(self, tree: str, parent: str, message: str) -> str:
        """Store one commit; who has told git no name commits under ours."""
        words = ["commit-tree", tree, *(("-p", parent) if parent else ())]
        text = message.encode("utf-8", "backslashreplace")
        try:
            return one_id(run(self.top, *words, stdin=text)[1])
        except GitError:
            return one_id(run(self.top, *words, stdin=text, more=STRANGER)[1])

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

    def stage(self, leaves: Mapping[Parts, Leaf]) -> None:
        """Say in the user's index that some files are as they were just committed."""
        lines = [
            b"%b %b 0\t%b\0" % (leaf.mode, leaf.oid.encode(), b"/".join(path))
            for path, leaf in leaves.items()
        ]
        words = ("update-index", "-z", "--index-info")
        run(self.top, *words, stdin=b"".join(lines), more=no_filters(self.top))


def repository_of(path: str) -> Repository | None:
    """Return the repository that a file lies in; None outside of any, or without git.

    Raises GitError for a repository that git itself refuses, as it does for another user's.
    """
    folder = os.path.dirname(path)
    if not _marked(folder) or not program(folder):
        return None
    words = ("--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
    try:
        output = run(folder, "rev-parse", "--path-format=absolute", *words)[1]
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
    """Return how a commit is named: hexadecimal digits, or steps back from HEAD, no other words."""
    if text.startswith("HEAD") and set(text[len("HEAD") :]) <= STEPS:
        return text
    small = text.lower()
    if not SHORTEST <= len(small) <= LONGEST or not set(small) <= HEX:
        raise InputError(
            "bad-commit",
            "a commit is named by its id, 4 to 64 hexadecimal digits, or as `HEAD~1`",
            hint="take it from `rollback_info`, or from `git log --oneline`",
        )
    return small


def _no_such(message: str) -> InputError:
    return InputError("no-such-version", message, hint="see `git log --oneline` of the file")


def one_id(output: bytes) -> str:
    """Return the id that a command printed."""
    oid = output.strip().decode("ascii", "replace")
    if not oid or not set(oid) <= HEX:
        raise failed(("hash-object",), "its answer is no id")
    return oid
