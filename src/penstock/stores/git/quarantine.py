"""Commits from a pack that nobody trusts: checked apart from the repository, then taken in.

A pack is put into a directory of objects of its own that only looks up what it lacks in the real
one. There git checks every object and link; the files that the commits change are read; and only
`accept` adds the objects to the real repository, under refs of a namespace that is ours alone.
A pack can claim more than it is: trees that unfold without end, a few bytes that become gigabytes.
So each command has a limit of memory, of what it writes, and of time.
Always true: no ref outside of `refs/penstock/run/` is written; without `accept` the real
repository stays as it was; settings and hooks of the pack's origin are never seen.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from penstock.core.run.commits import (
    REFS,
    STASH,
    BranchTip,
    CommittedFile,
    TipKind,
    changed_files,
    parse_pairs,
)
from penstock.stores.git.repository import Repository
from penstock.stores.git.run import OPTIONS, SECONDS, GitError, environment, failed, needed, run
from penstock.stores.git.trees import batch

SECONDS_EACH = 120.0
MEMORY_KIB = 4 << 20
MOST_OUTPUT = 64 << 20
LARGEST_PACK = 256 << 20
LARGEST_BLOB, MOST_BLOBS = 64 << 20, 256 << 20
MOST_COMMITS, MOST_FILES = 1000, 10_000
SHOWN = 4096
LIMITED = 'ulimit -v "$1" && ulimit -f "$2" && shift 2 && exec "$@"'
SMALL = (
    "core.bigFileThreshold=8m",  # larger ones are not held in memory whole
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=512m",
    "pack.threads=1",
    "log.showSignature=false",
    "core.fsync=pack,pack-metadata,reference",
)
SETTINGS = tuple(word for one in SMALL for word in ("-c", one))
# What a run brought before must not count as known, or a second look would find nothing new.
KNOWN = ("--not", f"--exclude={REFS}*", "--all")


class CommitFacts(Struct, frozen=True, kw_only=True):
    """One commit: the trees of it and of its parents."""

    tree: str
    parents: tuple[str, ...]


class PackQuarantine(Struct, frozen=True, kw_only=True):
    """A repository, and a directory of objects that are not yet part of it."""

    repository: Repository
    folder: str

    @property
    def pack(self) -> str:
        """Where the pack has to be put."""
        return os.path.join(self.folder, "objects", "pack", "pack-run.pack")

    def make(self) -> None:
        """Make the directories; the real objects are looked up, too."""
        objects = os.path.join(self.folder, "objects")
        for name in ("pack", "info"):
            os.makedirs(os.path.join(objects, name), mode=0o700)
        with open(os.path.join(objects, "info", "alternates"), "wb") as file:
            file.write(os.fsencode(os.path.join(self.repository.common, "objects")) + b"\n")

    def drop(self) -> None:
        """Remove everything that was not accepted."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def check(self, tips: Sequence[BranchTip]) -> None:
        """Check every object of the pack, and that nothing the tips need is missing."""
        self._ask("index-pack", "--strict", "-o", f"{self.pack[:-5]}.idx", self.pack)
        for one in tips:
            # An annotated tag names a commit; one of a file or a tree would bring what nobody sees.
            name = f"{one.commit}^{{commit}}" if one.kind is TipKind.TAG else one.commit
            said = self._ask("cat-file", "--batch-check", stdin=f"{name}\n".encode()).split()
            if said[1:2] != [b"commit"]:
                raise failed(("cat-file",), f"{one.name} is no commit")
        names = [one.commit for one in tips]
        if names:
            self._ask("rev-list", "--objects", "--quiet", *names, *KNOWN)

    def commits(self, tip: str) -> tuple[CommitFacts, ...]:
        """Return the commits that the real repository does not have, newest first."""
        words = ("log", f"-n{MOST_COMMITS + 1}", "--format=%T %P", tip, *KNOWN)
        lines = self._ask(*words).decode().splitlines()
        if len(lines) > MOST_COMMITS:
            raise failed(words, f"there are more than {MOST_COMMITS} commits")
        listed = [line.split() for line in lines]
        above = sorted({parent for _, *parents in listed for parent in parents})
        trees = dict(zip(above, self._trees(above), strict=True))
        empty = self._empty_tree()
        return tuple(
            CommitFacts(tree=tree, parents=tuple(trees[one] for one in parents) or (empty,))
            for tree, *parents in listed
        )

    def _trees(self, commits: Sequence[str]) -> list[str]:
        asked = "".join(f"{one}^{{tree}}\n" for one in commits).encode()
        found = (
            self._ask("cat-file", "--batch-check=%(objectname)", stdin=asked).decode().split("\n")
        )
        if any(" " in one for one in found):
            raise failed(("cat-file",), "a parent of a commit is missing")
        return found[: len(commits)]

    def _empty_tree(self) -> str:
        return self._ask("hash-object", "-t", "tree", "--stdin").decode().strip()

    def files(self, commits: Sequence[CommitFacts]) -> frozenset[CommittedFile]:
        """Return every file that one of some commits changes, in each state that it passes."""
        asked = {(parent, one.tree) for one in commits for parent in one.parents}
        lines = "".join(f"{parent} {tree}\n" for parent, tree in sorted(asked)).encode()
        words = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff")
        pairs = dict(parse_pairs(self._ask(*words, stdin=lines)))
        found = [changed_files(one.tree, one.parents, pairs) for one in commits]
        every = frozenset[CommittedFile]().union(*found)
        if len(every) > MOST_FILES:
            raise failed(words, f"they change more than {MOST_FILES:,} files")
        return every

    def blobs(self, oids: Iterable[str]) -> Mapping[str, bytes]:
        """Return what files hold, if there is room for them."""
        names = [one.encode() for one in sorted(set(oids))]
        asked = b"".join(name + b"\n" for name in names)
        said = self._ask("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=asked)
        rows = [line.split(b" ") for line in said.splitlines()]
        if any(kind != b"blob" for kind, *_ in rows):
            raise failed(("cat-file",), "a file of a commit is missing")
        sizes = [int(size) for _, size in rows]
        if max(sizes, default=0) > LARGEST_BLOB or sum(sizes) > MOST_BLOBS:
            raise failed(("cat-file",), f"they hold files of more than {LARGEST_BLOB >> 20} MiB")
        room = MOST_BLOBS + MOST_OUTPUT
        found = batch(self._ask("cat-file", "--batch", stdin=asked, most=room), names)
        return {one.oid: one.data for one in found if one is not None}

    def is_ahead(self, tip: str, of: str) -> bool:
        """Say whether a commit has another one as its ancestor."""
        try:
            self._ask("merge-base", "--is-ancestor", of, tip)
        except GitError:
            return False
        return True

    def accept(self, refs: Mapping[str, str]) -> None:
        """Add what some commits need to the real repository, then write their refs, all or none."""
        if not all(ref.startswith(REFS) for ref in refs):
            raise failed(("update-ref",), "a ref lies elsewhere")
        known = sorted(set(refs_of(self.repository, "refs").values()))
        lines = [*sorted(set(refs.values())), *(f"^{one}" for one in known)]
        asked = "".join(f"{line}\n" for line in lines).encode()
        wanted = self._file("wanted")
        words = ("pack-objects", "-q", "--revs", "--stdout", "--no-use-bitmap-index")
        self._run(self._given(asked), *words, into=wanted, most=LARGEST_PACK)
        taking = ("index-pack", "--stdin", "--strict")
        self._run(wanted, *taking, into=self._file("output"), most=LARGEST_PACK, real=True)
        write_refs(self.repository, refs)

    def _file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _given(self, data: bytes) -> str:
        with open(self._file("input"), "wb") as file:
            file.write(data)
        return file.name

    def _ask(self, *words: str, stdin: bytes = b"", most: int = 0) -> bytes:
        output = self._file("output")
        self._run(self._given(stdin), *words, into=output, most=most or MOST_OUTPUT)
        with open(output, "rb") as file:
            return file.read()

    def _run(self, given: str, *words: str, into: str, most: int, real: bool = False) -> None:
        """Run one command of git, with limits; `most` is how large a file it may write."""
        limits = (str(MEMORY_KIB), str(most // 512))
        top = self.repository.top
        git = (needed(top), "-C", top, "--no-pager", *OPTIONS, *SETTINGS)
        apart = {} if real else {"GIT_OBJECT_DIRECTORY": self._file("objects")}
        errors = self._file("errors")
        with open(given, "rb") as stdin, open(into, "wb") as out, open(errors, "w+b") as said:
            try:
                done = subprocess.run(  # noqa: S603 - git, without a program of anybody's choosing
                    ["/bin/sh", "-c", LIMITED, "sh", *limits, *git, *words],
                    stdin=stdin, stdout=out, stderr=said, timeout=SECONDS_EACH, check=False,
                    env={**environment(os.environ), **apart},
                )  # fmt: skip
            except (OSError, ValueError, subprocess.TimeoutExpired) as fault:
                raise failed(words, str(fault)) from fault
            said.seek(0)
            if done.returncode:
                because = said.read(SHOWN).decode("utf-8", "replace")
                raise failed(words, because or "it reached a limit")


def write_refs(repository: Repository, refs: Mapping[str, str]) -> None:
    """Write refs of runs, all or none; an empty id removes one."""
    lines = [f"update {r} {oid}\n" if oid else f"delete {r}\n" for r, oid in sorted(refs.items())]
    text = "".join(lines).encode()
    run(repository.top, "update-ref", "--no-deref", "--stdin", stdin=text, seconds=SECONDS)


def refs_of(repository: Repository, below: str) -> Mapping[str, str]:
    """Return the refs below a prefix, each with its object."""
    words = ("for-each-ref", "--format=%(objectname) %(refname)", below)
    lines = run(repository.top, *words)[1].decode("utf-8", "replace").splitlines()
    return {ref: oid for oid, _, ref in (line.partition(" ") for line in lines)}


def stashes_of(repository: Repository) -> frozenset[str]:
    """Return the commits of the stashes that a repository has, the older ones too."""
    words = ("log", "--walk-reflogs", "--format=%H", STASH, "--")
    code, said = run(repository.top, *words, right=(0, 128))  # 128: there is none
    return frozenset(said.decode("utf-8", "replace").split()) if code == 0 else frozenset()
