"""Commits between two revisions, or the index: what they change, with the content of each file.

Git is run by `run`, so nothing of the repository's own choosing runs. Judging is the gate's.
Always true: revisions are resolved to ids first, and never taken for options; what is read is
objects, so that no filter, attribute or file of the work tree has a say.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from penstock.core.commits.delta import GITLINK, DeltaContent, FileDelta, FileVersion, parse_deltas
from penstock.core.errors import InputError
from penstock.stores.git.repository import Repository, repository_of
from penstock.stores.git.run import failed, run
from penstock.stores.git.trees import batch

RAW = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff")
LARGEST = 64 << 20  # bytes of one file that is measured
MOST_AT_ONCE = 64 << 20  # bytes of contents that are held
MOST_FILES, MOST_COMMITS = 50_000, 10_000
SECONDS = 120.0
LINK = "120000"


class CommitRange(Struct, frozen=True, dict=True):
    """What is between a commit and another one, or the index where `head` is "".

    `base` has the rules; `fork` is where the commits begin: the newest commit that both have.
    Either is "" in a repository without a commit.
    """

    repository: Repository
    base: str
    fork: str
    head: str

    def net(self) -> tuple[FileDelta, ...]:
        """Return the files that differ in the end."""
        fork = self.fork or self._empty_tree()
        words = ("diff-tree", fork, self.head) if self.head else ("diff-index", "--cached", fork)
        return self._deltas(words[0], *RAW, *words[1:])

    def passing(self) -> tuple[FileDelta, ...]:
        """Return the files as a commit in between has them and the last one does not."""
        if not self.head or not self.fork:
            return ()
        span = (f"-n{MOST_COMMITS + 1}", self.head, f"^{self.base}", "--")
        listed = run(self.repository.top, "rev-list", *span, seconds=SECONDS)[1]
        if listed.count(b"\n") > MOST_COMMITS:
            raise failed(("rev-list",), f"there are more than {MOST_COMMITS:,} commits")
        last = {(one.path, one.after) for one in self.net()}
        every = self._deltas("diff-tree", "--stdin", "--root", "-c", *RAW, stdin=listed)
        return tuple(one for one in every if one.after and (one.path, one.after) not in last)

    def _deltas(self, *words: str, stdin: bytes = b"") -> tuple[FileDelta, ...]:
        more = {"GIT_INDEX_FILE": _index(self.repository)}
        output = run(self.repository.top, *words, stdin=stdin, more=more, seconds=SECONDS)[1]
        try:
            found = tuple(parse_deltas(output))
        except ValueError as fault:
            raise failed(words, str(fault)) from None
        if len(found) > MOST_FILES:
            raise failed(words, f"more than {MOST_FILES:,} files are changed")
        return found

    def contents(self, deltas: Sequence[FileDelta]) -> Iterator[DeltaContent]:
        """Yield each file with its content before and after."""
        sizes = self._sizes({blob for one in deltas for blob in _blobs(one)})
        for some in _portions(deltas, sizes):
            held = self._read({blob for one in some for blob in _blobs(one) if blob in sizes})
            for one in some:
                yield DeltaContent(
                    delta=one,
                    before=_content(one.before, held),
                    after=_content(one.after, held),
                    too_large=any(blob not in sizes for blob in _blobs(one)),
                )

    def _sizes(self, blobs: Iterable[str]) -> dict[str, int]:
        """Return the sizes of the contents that are small enough."""
        names = sorted(blobs)
        asked = "".join(f"{one}\n" for one in names).encode()
        words = ("cat-file", "--batch-check=%(objecttype) %(objectsize)")
        lines = run(self.repository.top, *words, stdin=asked, seconds=SECONDS)[1].splitlines()
        rows = [line.split(b" ") for line in lines]
        if len(rows) != len(names) or any(row[0] != b"blob" for row in rows):
            raise failed(words, "the content of a file is missing")
        known = zip(names, (int(row[1]) for row in rows), strict=True)
        return {name: size for name, size in known if size <= LARGEST}

    def _read(self, blobs: Iterable[str]) -> Mapping[str, bytes]:
        names = [one.encode() for one in sorted(blobs)]
        asked = b"".join(name + b"\n" for name in names)
        output = run(self.repository.top, "cat-file", "--batch", stdin=asked, seconds=SECONDS)[1]
        return {one.oid: one.data for one in batch(output, names) if one is not None}

    @cached_property
    def _at_base(self) -> Mapping[bytes, FileVersion]:
        """Every file of the base: rules are looked for by many names."""
        if not self.base:
            return {}
        words = ("ls-tree", "-r", "-z", "--full-tree", self.base)
        lines = run(self.repository.top, *words, seconds=SECONDS)[1].split(b"\0")[:-1]
        found = {}
        for line in lines:
            facts, _, path = line.partition(b"\t")
            mode, _, blob = facts.decode("ascii").split(" ")
            found[path] = FileVersion(mode=mode, blob=blob)
        return found

    def file_at_base(self, path: str) -> bytes | None:
        """Return a file of the repository as the base has it. Raises InputError for a link."""
        known = self._at_base.get(os.fsencode(os.path.relpath(path, self.repository.top)))
        if known is None or known.mode == GITLINK:
            return None
        if known.mode == LINK:
            raise InputError(
                "rules-unreadable",
                f"can't read the rules in `{path}`",
                because="it is a symbolic link in the commit that the rules are taken from",
                hint="commit the rules as a file",
            )
        return self._read([known.blob]).get(known.blob)

    def _empty_tree(self) -> str:
        made = run(self.repository.top, "hash-object", "-t", "tree", "--stdin")[1]
        return made.decode("ascii").strip()


def commit_range(root: str, revisions: str | None) -> CommitRange:
    """Return the range `BASE..HEAD` of a project, or the index for None. Raises InputError."""
    repository = repository_of(os.path.join(root, ".git"))
    if repository is None:
        raise InputError(
            "no-repository",
            f"`{root}` is not in a git repository",
            hint="run this in a clone of the project, with git installed",
        )
    if revisions is None:
        head = _commit(repository, "HEAD")
        return CommitRange(repository, base=head, fork=head, head="")
    base, head = (_known(repository, name) for name in _names(revisions))
    return CommitRange(repository, base=base, fork=_fork(repository, base, head), head=head)


def _names(revisions: str) -> tuple[str, str]:
    base, _, head = revisions.partition("..")
    base, head = base.strip(), head.removeprefix(".").strip() or "HEAD"
    if not base or ".." in head:
        raise InputError(
            "bad-revision",
            f"`{revisions}` is not a range of commits",
            hint="give the commit to compare with, for example `--git origin/main..HEAD`",
        )
    return base, head


def _known(repository: Repository, name: str) -> str:
    found = _commit(repository, name)
    if found:
        return found
    new = not name.strip("0")
    raise InputError(
        "bad-revision",
        f"there is no commit `{name}` in this repository",
        because="the branch is new, so there is nothing before it" if new else "git finds none",
        hint="compare with the main branch: `--git origin/main..HEAD`"
        if new
        else "fetch it first; in CI check out the whole history (`fetch-depth: 0`)",
    )


def _commit(repository: Repository, name: str) -> str:
    words = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}")
    code, output = run(repository.top, *words, right=(0, 1, 128))
    return "" if code else output.decode("ascii").strip()


def _fork(repository: Repository, base: str, head: str) -> str:
    code, output = run(repository.top, "merge-base", base, head, right=(0, 1))
    if code == 0:
        return output.decode("ascii").strip()
    raise InputError(
        "bad-revision",
        "the two commits have no history in common",
        because="one of them belongs to another project, or the clone is shallow",
        hint="in CI check out the whole history (`fetch-depth: 0`)",
    )


def _index(repository: Repository) -> str | None:
    """Return the index that a hook of git's is about: `git commit FILE` makes one of its own."""
    named = os.environ.get("GIT_INDEX_FILE", "")
    path = os.path.realpath(os.path.join(repository.top, named)) if named else ""
    inside = path.startswith(f"{os.path.realpath(repository.folder)}/")
    return path if inside else None


def _blobs(one: FileDelta) -> Iterator[str]:
    for version in (one.before, one.after):
        if version is not None and version.mode != GITLINK:
            yield version.blob


def _content(version: FileVersion | None, held: Mapping[str, bytes]) -> bytes | None:
    return None if version is None else held.get(version.blob)


def _portions(
    deltas: Sequence[FileDelta], sizes: Mapping[str, int]
) -> Iterator[Sequence[FileDelta]]:
    """Yield files in their order, as many at once as may be held."""
    some: list[FileDelta] = []
    room = MOST_AT_ONCE
    for one in deltas:
        needed = sum(sizes.get(blob, 0) for blob in _blobs(one))
        if some and needed > room:
            yield some
            some, room = [], MOST_AT_ONCE
        some.append(one)
        room -= needed
    if some:
        yield some
