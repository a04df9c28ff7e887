"""Files in memory.

This store keeps the port's promises and nothing else: no disk, no other process, no crash.
Always true: it passes the same contract suite as the store that is real.
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.digest import EMPTY, digest
from penstock.core.errors import InputError
from penstock.core.file_mode import FileMode, permissions
from penstock.core.model import Bytes
from penstock.core.paths.relpath import RelPath
from penstock.ports import DirectoryEntry, FileKind, FileState, PlannedWrite, RecoveredWrite
from penstock.stores.files import errors
from penstock.stores.files import resolve as reach

NEW_MODE = 0o644


class MemoryFiles:
    """Files in a table. A directory is there once a file was written below it.

    `links` are symbolic links, path to target; `edit` and `drop` do what somebody else does
    past the gate.
    """

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        root: str = "/workspace",
        folds: bool = False,
        links: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root
        self._folds = folds
        self._links = {self._key(path): target for path, target in (links or {}).items()}
        self._files: dict[str, tuple[bytes, int]] = {}
        self._folders: set[str] = set()
        self._alone = True
        for path, data in (files or {}).items():
            self.edit(path, data)

    @property
    def root(self) -> str:
        """The workspace's absolute directory."""
        return self._root

    @property
    def folds(self) -> bool:
        """True when `A` and `a` are one name here."""
        return self._folds

    def edit(self, path: str, data: bytes, *, mode: int | None = None) -> None:
        """Write as an editor would: without asking, without expecting anything."""
        held = self._files.get(self._key(path))
        kept = NEW_MODE if held is None else held[1]
        self._files[self._key(path)] = data, kept if mode is None else mode
        self._folders.update(self._key(above) for above in _above(path))

    def drop(self, path: str) -> None:
        """Remove as somebody else would."""
        self._files.pop(self._key(path), None)

    def resolve(self, path: str) -> str:
        """Return the absolute path that is reached when links are followed."""
        prefix = self._root + "/"
        return reach.resolve(
            self._root, path, lambda at: self._links.get(self._key(at.removeprefix(prefix)))
        )

    def known_as(self, place: str) -> Sequence[str]:
        """Return nothing: there are no worktrees here, and no agents."""
        del place
        return ()

    def twins(self, place: str) -> Sequence[str]:
        """Return nothing: a file has one name here."""
        del place
        return ()

    def machine(self) -> MemoryFiles:
        """Return a machine on which there is nothing else."""
        return MemoryFiles(root="/")

    def kind(self, path: RelPath) -> FileKind | None:
        """Return what the name stands for, or None when nothing is there."""
        key = self._checked(path)
        if key in self._links:
            return FileKind.SYMLINK
        if key in self._files:
            return FileKind.FILE
        return FileKind.DIRECTORY if key in self._folders else None

    def below(self, path: RelPath) -> Iterator[RelPath]:
        """Yield every file and link below a directory."""
        start = self._key(path.text) + "/"
        for name in (*self._files, *self._links):
            if name.startswith(start):
                yield RelPath(text=name)

    def entries(self, path: RelPath | None) -> tuple[DirectoryEntry, ...]:
        """Return what a directory holds, by name."""
        start = "" if path is None else self._key(path.text) + "/"
        kind = FileKind.DIRECTORY if path is None else self.kind(path)
        if path is not None and kind is not FileKind.DIRECTORY:
            raise _no_directory(path.text, kind)
        names = {
            name.removeprefix(start).partition("/")[0]
            for name in (*self._files, *self._links, *self._folders)
            if name.startswith(start)
        }
        return tuple(self._entry(start, name) for name in sorted(names))

    def _entry(self, start: str, name: str) -> DirectoryEntry:
        path = RelPath(text=start + name)
        kind = self.kind(path) or FileKind.DIRECTORY
        size = len(self.read(path)) if kind is FileKind.FILE else 0
        return DirectoryEntry(name=name, kind=kind, size=size)

    def state(self, path: RelPath) -> FileState | None:
        """Return what is there now, or None."""
        kind = self.kind(path)
        if kind is None:
            return None
        if kind is not FileKind.FILE:
            code, sentence = errors.NO_PLAIN_FILE[kind]
            raise InputError(code, sentence.format(path=path.text))
        data, mode = self._files[self._key(path.text)]
        return FileState(digest=digest(data), size=len(data), mode=mode)

    def node(self, path: RelPath) -> FileState | None:
        """Return the file, link or directory that is there, or None."""
        kind = self.kind(path)
        if kind is FileKind.SYMLINK:
            target = self.link(path)
            return FileState(digest=digest(target), size=len(target), mode=0o777, kind=kind)
        if kind is FileKind.DIRECTORY:
            return FileState(digest=EMPTY, size=0, mode=0o755, kind=kind)
        return self.state(path)

    def link(self, path: RelPath) -> bytes:
        """Return the path that a symbolic link holds."""
        kind = self.kind(path)
        if kind is None:
            raise errors.not_found(path.text)
        if kind is not FileKind.SYMLINK:
            raise errors.not_a_link(path.text)
        return self._links[self._key(path.text)].encode()

    def read(self, path: RelPath) -> bytes:
        """Return the whole content."""
        if self.state(path) is None:
            raise errors.not_found(path.text)
        return self._files[self._key(path.text)][0]

    def source(self, path: RelPath) -> Bytes:
        """Return the content for reading in pieces."""
        return Bytes(self.read(path))

    def replace(self, path: RelPath, new: bytes, *, expect: str | None) -> FileState:
        """Put `new` at `path` if it still holds `expect` (None: if nothing is there)."""
        (state,) = self.replace_all([PlannedWrite(path=path, new=new, expect=expect)])
        assert state is not None
        return state

    def remove(self, path: RelPath, *, expect: str) -> None:
        """Remove the file if it still holds `expect`."""
        self._write([PlannedWrite(path=path, new=None, expect=expect)])

    def replace_all(self, plan: Sequence[PlannedWrite]) -> list[FileState | None]:
        """Do all of a plan or nothing."""
        known = set(self._folders)
        self._write(plan)
        made: dict[str, tuple[str, ...]] = {}
        for write in plan:
            above = _above(write.path.text)
            fresh = tuple(name for name in above if self._key(name) not in known)
            known.update(map(self._key, above))
            made.setdefault(self._key(write.path.text).rpartition("/")[0], fresh)
        return [self._left(write, made) for write in plan]

    def _left(self, write: PlannedWrite, made: Mapping[str, tuple[str, ...]]) -> FileState | None:
        state = None if write.new is None else self.node(write.path)
        folder = self._key(write.path.text).rpartition("/")[0]
        return state and replace(state, made=made[folder])

    def unmake(self, paths: Sequence[RelPath]) -> None:
        """Remove those of these directories that are empty, innermost first."""
        for path in sorted(paths, key=lambda path: path.text.count("/"), reverse=True):
            key = self._key(path.text)
            below = (*self._files, *self._links, *self._folders)
            if not any(name.startswith(key + "/") for name in below):
                self._folders.discard(key)

    def sweep(self, path: RelPath, contents: Collection[bytes]) -> tuple[str, ...]:
        """Remove nothing: memory has no temporary files."""
        del path, contents
        return ()

    def recover(self) -> tuple[RecoveredWrite, ...]:
        """Return nothing: what is in memory does not outlive a crash."""
        return ()

    def _write(self, plan: Sequence[PlannedWrite]) -> None:
        """Check everything, then change everything."""
        errors.require_sense(plan)
        self._alone = len(plan) == 1
        for write in plan:
            self._check_parents(write)
        made = {self._key(above) for write in plan for above in _above(write.path.text)}
        for write in plan:
            self._check(write, made)
        for write in plan:
            self._put(write)
        self.unmake([one.path for one in plan if one.was is FileMode.DIRECTORY])

    def _put(self, write: PlannedWrite) -> None:
        key, path = self._key(write.path.text), write.path.text
        if write.mode is FileMode.DIRECTORY:
            self._folders.update(map(self._key, (*_above(path), path)))
            return
        if write.new is None or write.mode is FileMode.LINK:
            self.drop(path)
            self._links.pop(key, None)
        if write.new is None:
            return
        if write.mode is FileMode.LINK:
            self._links[key] = write.new.decode()
            self._folders.update(map(self._key, _above(path)))
            return
        self._links.pop(key, None)
        held = self._files.get(key, (b"", NEW_MODE))[1]
        self.edit(path, write.new, mode=permissions(held, write.mode) if write.mode else None)

    def _check_parents(self, write: PlannedWrite) -> None:
        self._checked(write.path)
        if any(self._key(above) in self._files for above in _above(write.path.text)):
            code, sentence = errors.CALLER[errno.ENOTDIR]
            raise InputError(code, sentence.format(path=write.path.text))

    def _check(self, write: PlannedWrite, made: set[str]) -> None:
        if write.was is None and self._key(write.path.text) in made - self._asked_for(write):
            code, sentence = errors.NO_PLAIN_FILE[FileKind.DIRECTORY]
            raise InputError(code, sentence.format(path=write.path.text))
        special = write.was is not None or write.mode is FileMode.DIRECTORY
        state = self.node(write.path) if special else self.state(write.path)
        now = None if state is None else state.digest
        if state is not None and write.was not in (None, state.file_mode):
            assert write.was is not None
            raise errors.mode_changed(write.path.text, write.was, state.file_mode)
        if now != write.expect:
            raise errors.stale(write.path.text, write.expect, now)
        if write.was is FileMode.DIRECTORY and self.entries(write.path):
            self._require_empty(write.path.text)

    def _require_empty(self, path: str) -> None:
        """A directory alone is removed only when it is empty; of a set it may stay."""
        if self._alone:
            raise errors.not_empty(path)

    def _asked_for(self, write: PlannedWrite) -> set[str]:
        """The directory that a set makes may be on the way to its other files."""
        return {self._key(write.path.text)} if write.mode is FileMode.DIRECTORY else set()

    def _checked(self, path: RelPath) -> str:
        """Return the table's key; a path that leads through a link is refused."""
        errors.parts_of(path)
        for above in _above(path.text):
            if self._key(above) in self._links:
                code, sentence = errors.NO_PLAIN_FILE[FileKind.SYMLINK]
                raise InputError(code, sentence.format(path=above))
        return self._key(path.text)

    def _key(self, path: str) -> str:
        return path.casefold() if self._folds else path


def _above(path: str) -> list[str]:
    """Return the directories on the way to a path, outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _no_directory(shown: str, kind: FileKind | None) -> InputError:
    """Return the error for what should be a directory and is none."""
    if kind is None:
        return errors.not_found(shown)
    if kind is FileKind.SYMLINK:
        code, sentence = errors.NO_PLAIN_FILE[kind]
        return InputError(code, sentence.format(path=shown))
    return InputError("not-a-directory", f"`{shown}` is not a directory")
