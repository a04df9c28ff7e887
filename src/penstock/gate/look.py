"""A look at the disk for the commands of one call: names, directories, small texts.

The files of the project are seen, and those of the home directory and of the directories for
temporary files; a link is followed as long as it stays there. What lies elsewhere is not known.
Calls that are judged together may share a `DiskMemory`; then a name is looked at once for all.
Always true: nothing is written, no more than `MOST_SEEN` names and `MOST_TEXTS` texts are looked
at for one call, and nothing at all before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice

from msgspec import Struct, field

from penstock.core.errors import InputError, PenstockError
from penstock.core.paths.free_places import TEMPORARY
from penstock.core.paths.relpath import RelPath
from penstock.core.paths.spellings import beneath, joined, normal
from penstock.core.shell.wildcards import fits, is_read, is_wild, literal
from penstock.gate.made_patch import patched_files
from penstock.ports import DirectoryEntry, FileKind, Files, GitRepository, Repositories

MOST_NAMES = 2_000  # names that one pattern may meet
MOST_SEEN = 20_000  # names that are looked at for one call
MOST_TEXTS = 2_000
MOST_BYTES = 1 << 20  # of one text
MOST_READ = 16 << 20  # of all texts of one call
MOST_QUESTIONS = 8  # that git is asked for one call
MOST_PACKED = 16 << 20  # of all archives of one call
MOST_PATTERNS = 256  # whose names are remembered
MOST_TREES = 16
END_BYTES = 1 << 16  # of each end of a larger one
_KINDS = {FileKind.FILE: "file", FileKind.DIRECTORY: "directory", FileKind.SYMLINK: "link"}


class _TooMany(Exception):  # noqa: N818 - the way out of a walk, never an error
    """There is more than is looked at, or it lies where nothing is looked at."""


class DiskMemory(Struct, frozen=True):
    """What was looked at so far; it goes stale when the disk changes, so it lives shortly."""

    listed: dict[str, tuple[DirectoryEntry, ...]] = field(default_factory=dict)
    names: dict[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    below: dict[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    texts: dict[tuple[str, str], str | None] = field(default_factory=dict)
    words: dict[str, str | None] = field(default_factory=dict)
    ends: dict[tuple[str, str], str | None] = field(default_factory=dict)
    kinds: dict[str, FileKind | None] = field(default_factory=dict)
    resolved: dict[str, str] = field(default_factory=dict)
    known_as: dict[str, Sequence[str]] = field(default_factory=dict)
    twins: dict[str, Sequence[str]] = field(default_factory=dict)
    repositories: dict[tuple[str, str, str], GitRepository | None] = field(default_factory=dict)


class KnownRepositories(Struct, frozen=True):
    """Repositories that are looked for once, and remember what they have answered."""

    found: Repositories
    memory: DiskMemory

    def at(self, folder: str, *, git_dir: str = "", work_tree: str = "") -> GitRepository | None:
        """Return the repository of a directory; None where there is none."""
        known, key = self.memory.repositories, (folder, git_dir, work_tree)
        if key not in known:
            known[key] = self.found.at(folder, git_dir=git_dir, work_tree=work_tree)
        return known[key]


class DiskLook:
    """What the commands of one call may know of the disk."""

    def __init__(
        self,
        files: Files,
        *,
        home: str,
        repositories: Repositories | None = None,
        memory: DiskMemory | None = None,
    ) -> None:
        memory = memory or DiskMemory()
        self._files = files
        self._home = home
        self._repositories = repositories
        self._questions = 0
        self._seen = 0
        self._texts = 0
        self._read = 0
        self._packed = 0
        self._listed = memory.listed
        self._names = memory.names
        self._below = memory.below
        self._known = memory.texts
        self._ends = memory.ends
        self._kinds = memory.words
        self._resolved = memory.resolved

    def names(self, pattern: str, base: str) -> Sequence[str] | None:
        """Return what a shell makes of a pattern, sorted; None where that is too much."""
        known = self._names.get((pattern, base))
        if known is not None:
            return known
        if not is_read(pattern):
            return None
        shown, rest = _start(pattern)
        try:
            found = list(islice(self._matching(shown, rest.split("/"), base), MOST_NAMES + 1))
        except (_TooMany, InputError):
            return None
        if len(found) > MOST_NAMES:
            return None
        return _kept(self._names, (pattern, base), sorted(set(found)), most=MOST_PATTERNS)

    def below(self, folder: str, base: str) -> Sequence[str] | None:
        """Return everything below a directory, relative to it; a directory ends in a slash."""
        known = self._below.get((folder, base))
        if known is None:
            known = self._all_below(folder, base)
            if known is not None:  # else it may be too much for this call only
                _kept(self._below, (folder, base), known, most=MOST_TREES)
        return known

    def _all_below(self, folder: str, base: str) -> Sequence[str] | None:
        try:
            files, path = self._place(folder, base)
            start = f"{path.text}/" if path else ""
            found: dict[str, None] = {}
            for one in files.below(path) if path else _below_root(files):
                self._count(1)
                name = one.text[len(start) :]
                folder = name[: name.rfind("/") + 1]
                if folder and folder not in found:  # those above it came with the first file
                    found.update(dict.fromkeys(_above(name)))
                found[name] = None
        except (_TooMany, PenstockError):
            return None
        return list(found)

    def kind(self, path: str, base: str) -> str | None:
        """Return "file", "directory", "link", "other", or "" where there is nothing."""
        there = normal(self._absolute(path, base))
        if there not in self._kinds:
            self._kinds[there] = self._kind(there)
        return self._kinds[there]

    def _kind(self, there: str) -> str | None:
        if there == self._files.root or there in self._around:
            return "directory"  # what lies above them is not looked at
        folder, _, name = there.rpartition("/")
        try:
            files, above = self._place(folder or "/", "/")
            inside = f"{above}/{name}" if above else name
            found = files.kind(RelPath(text=inside)) if name else FileKind.DIRECTORY
        except InputError:  # no directory on the way: then nothing is there
            return ""
        except (_TooMany, PenstockError):
            return None
        return _KINDS.get(found, "other") if found else ""

    def text(self, path: str, base: str) -> str | None:
        """Return the content of a small file; what is no text in it is kept as surrogates."""
        if (path, base) not in self._known:
            self._known[path, base] = self._content(path, base)
        return self._known[path, base]

    def ends(self, path: str, base: str) -> str | None:
        """Return the beginning and the end of a file that is larger than those."""
        if (path, base) not in self._ends:
            self._ends[path, base] = self._both_ends(path, base)
        return self._ends[path, base]

    def _both_ends(self, path: str, base: str) -> str | None:
        try:
            files, found = self._place(path, base)
            source = files.source(found) if found and self._texts < MOST_TEXTS else None
            if source is None or source.size <= MOST_BYTES:
                return None
            self._texts += 1
            parts = (
                source.read(0, END_BYTES) + b"\n" + source.read(source.size - END_BYTES, END_BYTES)
            )
            return parts.decode(errors="surrogateescape")
        except (_TooMany, PenstockError):
            return None

    def data(self, path: str, base: str) -> bytes | None:
        """Return the content of a file that may be an archive."""
        try:
            files, found = self._place(path, base)
            source = files.source(found) if found and self._texts < MOST_TEXTS else None
            if source is None or source.size + self._packed > MOST_PACKED:
                return None
            self._texts += 1
            self._packed += source.size
            return source.read(0, source.size)
        except (_TooMany, PenstockError):
            return None

    def git(self, question: str, names: Sequence[str], base: str) -> str | None:
        """Return what the repository of a directory answers."""
        self._questions += 1
        if self._repositories is None or self._questions > MOST_QUESTIONS:
            return None
        try:
            folder = self._files.resolve(self._absolute(".", base))
            found = self._repositories.at(folder)
            answer = _answer(found, question, names) if found else None
        except PenstockError:
            return None
        return answer if answer or question in _LISTS else None

    def _content(self, path: str, base: str) -> str | None:
        try:
            files, found = self._place(path, base)
            if found is None or self._texts >= MOST_TEXTS:
                return None
            self._texts += 1
            source = files.source(found)
            self._read += source.size
            if source.size > MOST_BYTES or self._read > MOST_READ:
                return None
            return source.read(0, MOST_BYTES).decode(errors="surrogateescape")
        except (_TooMany, PenstockError):
            self._ends[path, base] = None  # there is no file that could be larger
            return None

    def met(self, pattern: str, base: str) -> Iterator[str]:
        """Yield the files of a directory that a pattern such as `.en*` meets."""
        folder, slash, name = pattern.rpartition("/")
        if name[:1] == "*" or not any(sign in name for sign in "*?["):
            return
        place = self._files.resolve(normal(self._absolute(folder or ".", base)))
        inside = beneath(place, self._files.root)
        if inside is not None:
            entries = self._files.entries(RelPath(text=inside) if inside else None)
            yield from (folder + slash + one.name for one in entries if fnmatchcase(one.name, name))

    def _matching(self, shown: str, parts: list[str], base: str) -> Iterator[str]:
        """Yield the paths that begin as `shown` and go on as the parts of a pattern say."""
        part, rest = parts[0], parts[1:]
        if not is_wild(part):
            there = f"{shown}{literal(part)}"
            if rest:
                yield from self._matching(f"{there}/", rest, base)
            elif self.kind(there, base):
                yield there
            return
        if part == "**":
            yield from self._matching(shown, rest or ["*"], base)
        for entry in self._entries(shown or ".", base):
            deeper = entry.kind in (FileKind.DIRECTORY, FileKind.SYMLINK)
            if not fits(part, entry.name):
                continue
            if part == "**" and entry.kind is FileKind.DIRECTORY:
                yield from self._matching(f"{shown}{entry.name}/", parts, base)
            elif part != "**" and not rest:
                yield f"{shown}{entry.name}"
            elif part != "**" and deeper:
                yield from self._within(f"{shown}{entry.name}/", rest, base)

    def _within(self, shown: str, rest: list[str], base: str) -> Iterator[str]:
        if rest != [""]:
            yield from self._matching(shown, rest, base)
            return
        files, path = self._place(shown, base)
        if path is None or files.kind(path) is FileKind.DIRECTORY:
            yield shown

    def _entries(self, folder: str, base: str) -> tuple[DirectoryEntry, ...]:
        known = self._listed.get(f"{base}\0{folder}")
        if known is None:
            files, path = self._place(folder, base)
            try:
                known = files.entries(path)
            except PenstockError:  # nothing there, or no directory: then nothing matches
                known = ()
            self._count(len(known))
            self._listed[f"{base}\0{folder}"] = known
        return known

    def _count(self, more: int) -> None:
        self._seen += more
        if self._seen > MOST_SEEN:
            raise _TooMany

    def _absolute(self, path: str, base: str) -> str:
        return joined(self._at_home(path), self._files.root, self._at_home(base))

    def _at_home(self, path: str) -> str:
        if path == "~" or path.startswith("~/"):
            return (self._home or "/nowhere") + path[1:]
        return path

    def _place(self, path: str, base: str) -> tuple[Files, RelPath | None]:
        """Return the files that a path lies in and the path there, None for their root."""
        there = self._resolve(self._absolute(path, base))
        inside = beneath(there, self._files.root)
        if inside is not None:
            return self._files, RelPath(text=inside) if inside else None
        if not any(beneath(there, place) is not None for place in self._around):
            raise _TooMany
        return self._machine, RelPath(text=there.lstrip("/"))

    def _resolve(self, path: str) -> str:
        if path not in self._resolved:
            self._resolved[path] = self._files.resolve(path)
        return self._resolved[path]

    @cached_property
    def _around(self) -> tuple[str, ...]:
        return tuple(self._files.resolve(p) for p in (*TEMPORARY, self._home) if p not in ("", "/"))

    @cached_property
    def _machine(self) -> Files:
        return self._files.machine()


# Questions that may be answered by an empty list.
_LISTS = frozenset({"names", "commits"})


def _answer(repository: GitRepository, question: str, names: Sequence[str]) -> str:
    if question == "base":
        return repository.base(names[0], names[1])
    if question == "names":
        return "\0".join(change.path for change in patched_files(repository, *names))
    if question == "commits":
        return "\n".join(repository.revisions(names)[:MOST_NAMES])
    if question == "describe":
        return repository.describe(names)
    if question == "branch":
        return repository.branch()
    return repository.top if question == "top" else repository.commit(names[0])


def _kept(
    memory: dict[tuple[str, str], Sequence[str]],
    key: tuple[str, str],
    found: Sequence[str],
    *,
    most: int,
) -> Sequence[str]:
    """Remember names; a memory that is full starts anew."""
    if len(memory) >= most:
        memory.clear()
    memory[key] = found
    return found


def _start(pattern: str) -> tuple[str, str]:
    """Return what a path begins with whatever it meets, and the rest of the pattern."""
    for begin in ("~/", "/"):
        if pattern.startswith(begin):
            return begin, pattern[len(begin) :].lstrip("/")
    return "", pattern


def _above(name: str) -> Iterator[str]:
    at = name.find("/")
    while at >= 0:
        yield name[: at + 1]
        at = name.find("/", at + 1)


def _below_root(files: Files) -> Iterator[RelPath]:
    for entry in files.entries(None):
        path = RelPath(text=entry.name)
        if entry.kind is FileKind.DIRECTORY:
            yield from files.below(path)
        else:
            yield path
