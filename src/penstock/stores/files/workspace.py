"""The files of a workspace on a disk; the only place where Penstock changes any.

Reading opens every component without following links. Writing is compare-and-swap, and the
procedure has these steps, numbered where they are done:
  (1) refuse NUL and every path that is not plain                       `errors`
  (2) open the parent by descriptor beneath the root, through no link   `beneath`
  (3) refuse what is not a regular file with one name                   `step`
  (4) compare the content with the expected digest                      `step`
  (5) write a temporary file beside it, its attributes, flush           `staging`
  (6) exchange the two names, or move without replacing                 `rename`
  (7) look at what came out; if it is something else, give it back      `step`, `contents`
  (8) open the path again and see that it still leads to our file       `batch`
  (9) drop what was replaced, flush the directory, answer               `batch`
A crash is ended by `recovery`, from the notes that `journal` keeps.

Linux has all of it. Where a kernel or a file system lacks `openat2` or the exchange, this is
noticed (probed at the start, and again at each use, since mounts differ) and the stand-ins of
`beneath` and `rename` are used. Without the exchange, a program that ignores our lock and
saves by rename within the few microseconds between our last look and our rename loses that
save. Without leases (files of another user, network file systems, macOS), one that has the
file open and writes after we looked loses what it writes.
macOS: the exchange exists there (`renameatx_np`), flushing uses F_FULLFSYNC, leases and
`openat2` do not exist. Written for it, not tested on it.
Windows: its Python has no descriptors of directories, without which (2) cannot be kept. The
module does not load there; run Penstock inside WSL.
Always true: only `replace`, `replace_all`, `remove` and `recover` change anything, and none of
them follows a link.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from penstock.core.digest import EMPTY, digest
from penstock.core.errors import InputError, StoreError
from penstock.core.paths.relpath import RelPath
from penstock.core.paths.spellings import joined
from penstock.ports import DirectoryEntry, FileKind, FileState, PlannedWrite, RecoveredWrite
from penstock.stores.files import errors, syscalls
from penstock.stores.files import resolve as reach
from penstock.stores.files.beneath import Beneath, look
from penstock.stores.files.contents import READING, FileSource, close, digest_of, whole
from penstock.stores.files.twins import HardLinks
from penstock.stores.system import places

if TYPE_CHECKING:
    from penstock.stores.files.batch import Writer


class DiskFiles:
    """The files below `root`.

    `journal_dir` is where notes about writes under way are kept: without one, `recover` has
    nothing to go by. `use_openat2` and `use_exchange` force a way; None finds out.
    """

    def __init__(
        self,
        root: str,
        *,
        use_openat2: bool | None = None,
        use_exchange: bool | None = None,
        sync: bool = True,
        journal_dir: str | None = None,
        disk: reach.Disk = reach.DISK,
    ) -> None:
        self._root = _root(root)
        self._disk = disk
        self._use_openat2 = use_openat2
        self._use_exchange = use_exchange
        self._sync = sync
        self._journal_dir = journal_dir
        # Reading walks: as strict as openat2, and a process that only reads is spared ctypes.
        self._reading = Beneath(root=self._root, by_openat2=False)

    @property
    def root(self) -> str:
        """The workspace's absolute, resolved directory."""
        return self._root

    @cached_property
    def folds(self) -> bool:
        """True when this file system takes `A` and `a` for one name."""
        return reach.folds_case(self._root, self._disk)

    def resolve(self, path: str) -> str:
        """Return the absolute path that the kernel would reach, links followed."""
        found = places.arrival(joined(path, self._root))
        return reach.resolve(self._root, path) if found is None else found

    def known_as(self, place: str) -> Sequence[str]:
        """Return the other places by which rules know an absolute one, mostly none."""
        return places.known_as(place, self._root, self._moved)

    def twins(self, place: str) -> Sequence[str]:
        """Return the other names of the file at an absolute place, mostly none.

        These are hard links, and its listed name where one directory alone folds names.
        """
        folded = [] if self.folds else reach.listed_as(self._root, place, self._disk)
        return [*folded, *self._hard_links.of(place)]

    @cached_property
    def _hard_links(self) -> HardLinks:
        return HardLinks(self._root)

    @cached_property
    def _moved(self) -> list[tuple[str, str]]:
        return places.moved_settings(places.variable, self._root, self.resolve)

    def machine(self) -> DiskFiles:
        """Return all files of the machine, those outside the workspace included."""
        return self if self._root == "/" else DiskFiles("/")

    def kind(self, path: RelPath) -> FileKind | None:
        """Return what the name stands for, or None when nothing is there."""
        parts = errors.parts_of(path)
        with errors.told(path.text, "read"):
            status = self._look(parts)
        return None if status is None else errors.kind_of(status)

    def below(self, path: RelPath) -> Iterator[RelPath]:
        """Yield every file and link below a directory; names that are no text are passed over."""
        for name in _files_below(self._root, path.text):
            try:
                found = RelPath(text=name)
            except InputError:
                continue
            yield found

    def entries(self, path: RelPath | None) -> tuple[DirectoryEntry, ...]:
        """Return what a directory holds, by name; no link is followed on the way or in it."""
        parts = () if path is None else errors.parts_of(path)
        with errors.told(path.text if path else ".", "read"):
            folder = self._reading.open(parts)
            try:
                return tuple(sorted(_listed(folder), key=lambda entry: entry.name))
            finally:
                close(folder)

    def state(self, path: RelPath) -> FileState | None:
        """Return what is there now, or None. Raises InputError for what is no plain file."""
        try:
            with self._opened(path) as descriptor:
                status = os.fstat(descriptor)
                return FileState(
                    digest=digest_of(descriptor, status),
                    size=status.st_size,
                    mode=status.st_mode & 0o7777,
                )
        except InputError as problem:
            if problem.code in ("not-found", "not-a-directory"):
                return None
            raise

    def node(self, path: RelPath) -> FileState | None:
        """Return the file, link or directory that is there, or None."""
        kind = self.kind(path)
        if kind is None:
            return None
        if kind is FileKind.SYMLINK:
            target = self.link(path)
            return FileState(digest=digest(target), size=len(target), mode=0o777, kind=kind)
        if kind is FileKind.DIRECTORY:
            with errors.told(path.text, "read"):
                status = self._look(errors.parts_of(path))
            mode = 0 if status is None else status.st_mode & 0o7777
            return FileState(digest=EMPTY, size=0, mode=mode, kind=kind)
        return self.state(path)

    def link(self, path: RelPath) -> bytes:
        """Return the path that a symbolic link holds."""
        parts = errors.parts_of(path)
        with errors.told(path.text, "read"):
            folder = self._reading.open(parts[:-1])
            try:
                return os.fsencode(os.readlink(parts[-1], dir_fd=folder))
            except OSError as problem:
                if problem.errno == errno.EINVAL:
                    raise errors.not_a_link(path.text) from problem
                raise
            finally:
                close(folder)

    def read(self, path: RelPath) -> bytes:
        """Return the whole content."""
        with self._opened(path) as descriptor:
            return whole(descriptor)

    def source(self, path: RelPath) -> FileSource:
        """Open the content for reading in pieces; also a context manager."""
        parts = errors.parts_of(path)
        with errors.told(path.text, "read"):
            return FileSource(self._open(parts, path.text), path.text)

    def replace(self, path: RelPath, new: bytes, *, expect: str | None) -> FileState:
        """Put `new` at `path` if it still holds `expect` (None: if nothing is there)."""
        (state,) = self._writer.write([PlannedWrite(path=path, new=new, expect=expect)])
        if state is None:
            raise StoreError("write-failed", f"`{path.text}` has no state after the write")
        return state

    def remove(self, path: RelPath, *, expect: str) -> None:
        """Remove the file if it still holds `expect`."""
        self._writer.write([PlannedWrite(path=path, new=None, expect=expect)])

    def replace_all(self, plan: Sequence[PlannedWrite]) -> list[FileState | None]:
        """Do all of the writes or none; the answer is in their order, None for a removal."""
        return self._writer.write(plan)

    def unmake(self, paths: Sequence[RelPath]) -> None:
        """Remove those of these directories that are empty, innermost first."""
        with errors.told(self._root, "write"):
            self._writer.beneath.unmake([errors.parts_of(path) for path in paths])

    def recover(self) -> tuple[RecoveredWrite, ...]:
        """Finish or put back what a crash interrupted; remove our own left-overs only."""
        with errors.told(self._root, "write"):
            if not _holds_any(self._journal_dir):
                return ()
            from penstock.stores.files.recovery import Recovery

            return tuple(Recovery(writer=self._writer).recover())

    def sweep(self, path: RelPath, contents: Collection[bytes]) -> tuple[str, ...]:
        """Remove temporary files that an interrupted write of these contents left beside a file."""
        from penstock.stores.files.recovery import sweep

        with errors.told(path.text, "write"):
            return sweep(self._writer.beneath, errors.parts_of(path), contents)

    @cached_property
    def _writer(self) -> Writer:
        """What changes files; imported at the first need, because most calls only look."""
        from penstock.stores.files.batch import Writer
        from penstock.stores.files.journal import Journal
        from penstock.stores.files.rename import Renames

        openat2, exchange = self._use_openat2, self._use_exchange
        by_openat2 = syscalls.openat2_offered() if openat2 is None else openat2
        atomic = syscalls.renames_offered() if exchange is None else exchange
        return Writer(
            beneath=Beneath(root=self._root, by_openat2=by_openat2),
            renames=Renames(atomic=atomic),
            journal=Journal(directory=self._journal_dir, root=self._root),
            flush=self._sync,
        )

    def _look(self, parts: tuple[str, ...]) -> os.stat_result | None:
        try:
            folder = self._reading.open(parts[:-1])
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return look(folder, parts[-1])
        finally:
            close(folder)

    def _open(self, parts: tuple[str, ...], shown: str) -> int:
        """Open a regular file for reading. What it is gets looked at before and after."""
        folder = self._reading.open(parts[:-1])
        try:
            status = look(folder, parts[-1])
            if status is None:
                raise errors.not_found(shown)
            errors.require_plain(status, shown)  # opening a device can already do something
            descriptor = os.open(parts[-1], READING, dir_fd=folder)
        finally:
            close(folder)
        try:
            errors.require_plain(os.fstat(descriptor), shown)
        except BaseException:
            close(descriptor)
            raise
        return descriptor

    @contextmanager
    def _opened(self, path: RelPath) -> Iterator[int]:
        parts = errors.parts_of(path)
        with errors.told(path.text, "read"):
            descriptor = self._open(parts, path.text)
            try:
                yield descriptor
            finally:
                close(descriptor)


def _files_below(root: str, start: str) -> Iterator[str]:
    """Yield the names of what is no directory, a directory's own before those below it."""
    todo = [start]
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            continue
        yield from (f"{folder}/{name}" for name, is_folder in listed if not is_folder)
        todo += [f"{folder}/{name}" for name, is_folder in reversed(listed) if is_folder]


def _listed(folder: int) -> Iterator[DirectoryEntry]:
    for name in os.listdir(folder):
        status = look(folder, name)
        if status is None or not _is_text(name):
            continue
        kind = errors.kind_of(status)
        yield DirectoryEntry(
            name=name, kind=kind, size=status.st_size if kind is FileKind.FILE else 0
        )


def _holds_any(folder: str | None) -> bool:
    try:
        return folder is not None and bool(os.listdir(folder))
    except FileNotFoundError:
        return False


def _is_text(name: str) -> bool:
    try:
        RelPath(text=name)
    except InputError:
        return False
    return True


def _root(root: str) -> str:
    """Return the root resolved; it must be a directory."""
    if "\0" in root:
        raise InputError("nul-in-path", "a path cannot hold a NUL character")
    resolved = os.path.realpath(root)
    if not os.path.isdir(resolved):
        raise InputError("no-workspace", f"`{root}` is not a directory")
    return resolved
