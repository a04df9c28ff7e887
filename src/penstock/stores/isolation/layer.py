"""Read what a command left in its layer, beside the real directory, and drop what is the same.

A layer is written by a program that nobody trusts. It is read by descriptor: no link is followed,
no pipe is waited for, no file is read beyond the size it had, and what is too large, too deep or
no file at all is named and left alone.
How an overlay tells a deletion: a character device 0/0 in place of the name, or a directory that
is marked as opaque, which hides all that the real one holds. Programs inside a run can make
neither by themselves.
What a write of ours left in the real directory, because a disk was full, is not the user's: the
next start removes it, and nothing is said of it here.
Always true: each name has one entry; reading changes nothing; `settle` drops only what the real
directory holds, too, and `forget` only what it is asked for.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Set
from contextlib import nullcontext, suppress
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.errors import StoreError
from penstock.core.run.entry import BUSY, EntryKind, LayerEntry, LayerNode
from penstock.stores.files import syscalls as file_syscalls
from penstock.stores.files.beneath import AS_FOLDER, Beneath, Parts, look
from penstock.stores.files.contents import READING, close, digest_of, pieces
from penstock.stores.files.step import is_temp_name
from penstock.stores.isolation.lease import lease
from penstock.stores.isolation.syscalls import born

LARGEST = 64 * 1024 * 1024
MOST_STAMPED = 20_000
LONGEST_PATH = 3500  # bytes; the kernel takes no path of 4096
OPAQUE, IS_OPAQUE = "user.overlay.opaque", b"y"
ORIGIN = "user.overlay.origin"  # on what the overlay copied from a real file
GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})

Wanted = Callable[[str], bool]


class RunLayer(Struct, frozen=True, kw_only=True):
    """The upper directory of an overlay, and the real directory below it."""

    upper: str
    real: str
    largest: int = LARGEST
    whole: bool = False  # a whole copy: every real name that it lacks was deleted
    live: bool = False  # its command goes on: what is being written is left for later

    def entries(self, wanted: Wanted) -> Iterator[LayerEntry]:
        """Yield every name that differs or may differ; only the wanted ones are read."""
        waiting: list[Parts] = [()]
        while waiting:
            parts = waiting.pop()
            try:
                opened = _Pair(self, parts)
            except OSError as problem:
                node = LayerNode(kind=EntryKind.DIRECTORY)
                yield LayerEntry(path="/".join(parts), node=node, held=_unreadable(problem))
                continue
            with opened as pair:
                for name in pair.names():
                    yield from self._entry(pair, name, wanted, waiting)

    def _entry(
        self, pair: _Pair, name: str, wanted: Wanted, waiting: list[Parts]
    ) -> Iterator[LayerEntry]:
        path = "/".join((*pair.parts, name))
        status, below = look(pair.upper, name), pair.real_status(name)
        if status is None or is_whiteout(status):
            if below is not None and not is_temp_name(name):
                hidden = status is None
                yield from self._removed((*pair.parts, name), below, pair, wanted, hidden=hidden)
            return
        kind = _kind(status)
        if len(os.fsencode(path)) > LONGEST_PATH:
            yield LayerEntry(path=path, node=LayerNode(kind=kind), held="its path is too long")
            return
        if below is None or (kind is EntryKind.DIRECTORY) == stat.S_ISDIR(below.st_mode):
            yield from self._made(pair, name, status, below, wanted, waiting)
            return
        *inner, removed = self._removed((*pair.parts, name), below, pair, wanted)
        yield from inner
        made = list(self._made(pair, name, status, None, wanted, waiting))
        yield _in_its_place(removed, made[0]) if made else removed

    def _made(
        self,
        pair: _Pair,
        name: str,
        status: os.stat_result,
        below: os.stat_result | None,
        wanted: Wanted,
        waiting: list[Parts],
    ) -> Iterator[LayerEntry]:
        """Yield what the layer has under a name; a directory only where it is new and empty."""
        path, kind = "/".join((*pair.parts, name)), _kind(status)
        if kind is EntryKind.DIRECTORY:
            waiting.append((*pair.parts, name))
            if below is None and _is_empty(pair.upper, name):
                yield LayerEntry(path=path, node=LayerNode(kind=kind))
            return
        if not wanted(path):
            node = LayerNode(kind=kind, size=status.st_size, at=status.st_ctime_ns)
            yield LayerEntry(path=path, node=node)
            return
        if kind is EntryKind.FILE and status.st_size > self.largest:
            says = f"it is larger than {_size(self.largest)}"
            node = LayerNode(kind=kind, size=status.st_size, at=status.st_ctime_ns)
            yield LayerEntry(path=path, node=node, held=says)
            return
        yield self._compared(pair, name, path, status, below)

    def _compared(
        self,
        pair: _Pair,
        name: str,
        path: str,
        status: os.stat_result,
        below: os.stat_result | None,
    ) -> LayerEntry:
        try:
            at = born(pair.upper, name)
            node = _node(pair.upper, name, status, at, quiet=self.live)
            node = replace(node, copied=_is_copied(f"/proc/self/fd/{pair.upper}/{name}"))
            real = None
            if below is not None and pair.real >= 0:
                real = _real_node(pair.real, name, below, self.largest)
        except OSError as problem:
            node = LayerNode(kind=_kind(status))
            busy = problem.errno == errno.EBUSY
            return LayerEntry(path=path, node=node, held=BUSY if busy else _unreadable(problem))
        above = self._changed_above(pair) if below is None and node.copied else None
        return LayerEntry(path=path, node=node, real=real, above=above)

    def _changed_above(self, pair: _Pair) -> int | None:
        """Return when the real directory was last changed, or the nearest one that is there."""
        if pair.real >= 0:
            return os.fstat(pair.real).st_mtime_ns
        folder = Beneath(root=self.real, by_openat2=by_openat2())
        for depth in range(len(pair.parts) - 1, -1, -1):
            with suppress(OSError):
                opened = folder.open(pair.parts[:depth])
                try:
                    return os.fstat(opened).st_mtime_ns
                finally:
                    close(opened)
        return None

    def _removed(
        self,
        parts: Parts,
        below: os.stat_result,
        pair: _Pair,
        wanted: Wanted,
        *,
        hidden: bool = False,
    ) -> Iterator[LayerEntry]:
        """Yield a deletion for every file that went with a name, then for its directories.

        A name that is only `hidden` went when the directory that hides it was made.
        """
        at = None
        with suppress(OSError):
            at = born(pair.upper, "" if hidden else parts[-1])
        gone = LayerNode(kind=EntryKind.DELETED, at=at)
        path = "/".join(parts)
        if stat.S_ISDIR(below.st_mode):
            for inner, real, held in self._below(parts, wanted):
                known = "/".join((*parts, *inner))
                yield LayerEntry(path=known, node=gone, real=real, hidden=hidden, held=held)
            real = _real(pair.real, parts[-1], below)
            yield LayerEntry(path=path, node=gone, real=real, hidden=hidden)
            return
        real, held = self._removed_node(pair.real, parts[-1], below, wanted=wanted(path))
        yield LayerEntry(path=path, node=gone, real=real, hidden=hidden, held=held)

    def _removed_node(
        self, folder: int, name: str, below: os.stat_result, *, wanted: bool
    ) -> tuple[LayerNode, str]:
        """Return what a name held that the command removed, and why it is left alone, if it is.

        What its owner may not read can be removed all the same, and what is gone is gone.
        """
        try:
            if wanted and folder >= 0:
                return _real_node(folder, name, below, self.largest), ""
        except OSError as problem:
            if problem.errno not in GONE | {errno.EACCES, errno.EPERM, errno.EINVAL}:
                return _real(folder, name, below), _unreadable(problem)
        return _real(folder, name, below), ""

    def _below(self, parts: Parts, wanted: Wanted) -> Iterator[tuple[Parts, LayerNode, str]]:
        """Yield what lies in a real directory, each directory after what is in it."""
        folder = Beneath(root=self.real, by_openat2=by_openat2())
        waiting: list[Parts] = [()]
        directories: list[tuple[Parts, LayerNode, str]] = []
        while waiting:
            inner = waiting.pop()
            try:
                opened = folder.open((*parts, *inner))
            except OSError:
                continue
            try:
                for name in sorted(os.listdir(opened)):
                    status = look(opened, name)
                    if status is None or is_temp_name(name):
                        continue
                    known = (*inner, name)
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(known)
                        directories.append((known, _real(opened, name, status), ""))
                        continue
                    asked = wanted("/".join((*parts, *known)))
                    yield known, *self._removed_node(opened, name, status, wanted=asked)
            finally:
                close(opened)
        yield from sorted(directories, key=lambda one: -len(one[0]))

    def content(self, path: str, known: str) -> bytes:
        """Return the bytes of a file of the layer, exactly those with a digest."""
        *above, name = path.split("/")
        folder = Beneath(root=self.upper, by_openat2=by_openat2()).open(tuple(above))
        try:
            opened = os.open(name, READING, dir_fd=folder)
            try:
                status = os.fstat(opened)
                right = stat.S_ISREG(status.st_mode) and status.st_size <= self.largest
                data = b"".join(pieces(opened, 0, status.st_size)) if right else b""
                if right and digest(data) == known:
                    return data
            finally:
                close(opened)
        finally:
            close(folder)
        raise StoreError("layer-changed", f"`{path}` changed in the layer while it was read")

    def forget(self, path: str) -> None:
        """Drop one file, so that the real one is seen again."""
        *above, name = path.split("/")
        folder = Beneath(root=self.upper, by_openat2=by_openat2()).open(tuple(above))
        try:
            os.unlink(name, dir_fd=folder)
        finally:
            close(folder)

    def stamp(self, entered: Wanted, *, most: int = MOST_STAMPED) -> int:
        """Return a number that is another one once something was changed, without reading it.

        Only directories that are `entered` are looked at, and not more than `most` names.
        """
        known: list[tuple[str, int, int, int]] = []
        waiting: list[Parts] = [()]
        folder = Beneath(root=self.upper, by_openat2=by_openat2())
        while waiting and len(known) < most:
            parts = waiting.pop()
            try:
                opened = folder.open(parts)
            except OSError:
                continue
            try:
                for name in os.listdir(opened)[:most]:
                    path = "/".join((*parts, name))
                    status = look(opened, name)
                    if status is None or len(os.fsencode(path)) > LONGEST_PATH:
                        continue
                    known.append((path, status.st_ino, status.st_ctime_ns, status.st_size))
                    if stat.S_ISDIR(status.st_mode) and entered(path):
                        waiting.append((*parts, name))
            except OSError:
                continue
            finally:
                close(opened)
        return hash(tuple(sorted(known)))

    def settle(self, wanted: Wanted, *, behind: Set[str] = frozenset()) -> None:
        """Drop what the real directory holds as well: that was applied, or never changed.

        Of what is `behind`, the real directory holds a newer version.
        """
        folders: list[Parts] = []
        waiting: list[Parts] = [()]
        while waiting:
            parts = waiting.pop()
            try:
                opened = _Pair(self, parts)
            except OSError:  # told when it was read; it stays
                continue
            with opened as pair:
                for name in pair.upper_names():
                    path = "/".join((*pair.parts, name))
                    status = look(pair.upper, name)
                    if status is None or len(os.fsencode(path)) > LONGEST_PATH:
                        continue
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append((*parts, name))
                        folders.append((*parts, name))
                    elif path in behind or (wanted(path) and self._is_same(pair, name, status)):
                        os.unlink(name, dir_fd=pair.upper)
        for parts in sorted(folders, key=len, reverse=True):
            self._drop_folder(parts)

    def _is_same(self, pair: _Pair, name: str, status: os.stat_result) -> bool:
        below = pair.real_status(name)
        if is_whiteout(status):
            return below is None
        if below is None or status.st_size > self.largest or _kind(status) is not _kind(below):
            return False
        try:
            mine = _node(pair.upper, name, status, None)
            return mine.same(_node(pair.real, name, below, None, most=self.largest))
        except OSError:
            return False

    def _drop_folder(self, parts: Parts) -> None:
        """Drop an empty directory, unless it stands for something: a new one, or deletions."""
        try:
            opened = _Pair(self, parts)
        except OSError:
            return
        with opened as pair:
            if pair.real < 0 or os.listdir(pair.upper):
                return
            if pair.opaque and os.listdir(pair.real):
                return
        folder = Beneath(root=self.upper, by_openat2=by_openat2()).open(parts[:-1])
        try:
            os.rmdir(parts[-1], dir_fd=folder)
        finally:
            close(folder)


class _Pair:
    """One directory of the layer, open, with the real one; `real` is -1 where there is none."""

    def __init__(self, layer: RunLayer, parts: Parts) -> None:
        self.parts = parts
        openat2 = by_openat2()
        self.upper = Beneath(root=layer.upper, by_openat2=openat2).open(parts)
        self.real = -1
        try:
            self.real = Beneath(root=layer.real, by_openat2=openat2).open(parts)
        except OSError as problem:
            if problem.errno not in GONE:
                close(self.upper)
                raise
        self.opaque = layer.whole or is_opaque(self.upper)

    def __enter__(self) -> _Pair:
        return self

    def __exit__(self, *_: object) -> None:
        close(self.upper)
        if self.real >= 0:
            close(self.real)

    def upper_names(self) -> list[str]:
        """Return the names of the layer's directory."""
        return sorted(os.listdir(self.upper))

    def names(self) -> list[str]:
        """Return all names that differ; an opaque directory hides every real one."""
        hidden = os.listdir(self.real) if self.opaque and self.real >= 0 else []
        return sorted({*os.listdir(self.upper), *hidden})

    def real_status(self, name: str) -> os.stat_result | None:
        """Return what the real directory has under a name."""
        return look(self.real, name) if self.real >= 0 else None


@cache
def by_openat2() -> bool:
    """Say whether the kernel opens beneath a directory by itself."""
    return file_syscalls.openat2_offered()


def _size(most: int) -> str:
    return f"{most >> 20} MiB" if most >= 1 << 20 else f"{most:,} bytes"


def _unreadable(problem: OSError) -> str:
    return f"it cannot be read: {(problem.strerror or str(problem)).lower()}"


def _in_its_place(removed: LayerEntry, made: LayerEntry) -> LayerEntry:
    """Return the one entry of a name that was a directory and is none any more, or is one now.

    What both sides agreed on is known by path, so there is one entry for each.
    """
    node = replace(made.node, at=removed.node.at)
    return replace(made, node=node, real=removed.real, held=made.held or removed.held)


def _is_empty(folder: int, name: str) -> bool:
    try:
        opened = os.open(name, AS_FOLDER, dir_fd=folder)
    except OSError:  # it is told when it is opened itself
        return False
    try:
        return not os.listdir(opened)
    finally:
        close(opened)


def is_opaque(folder: int) -> bool:
    """Say whether an open directory of a layer hides all of the real one."""
    try:
        return os.getxattr(folder, OPAQUE) == IS_OPAQUE
    except OSError:
        return False


def is_whiteout(status: os.stat_result) -> bool:
    """Say whether an entry of a layer stands for a deletion."""
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _kind(status: os.stat_result) -> EntryKind:
    if stat.S_ISREG(status.st_mode):
        return EntryKind.FILE
    if stat.S_ISLNK(status.st_mode):
        return EntryKind.LINK
    return EntryKind.DIRECTORY if stat.S_ISDIR(status.st_mode) else EntryKind.SPECIAL


def _real(folder: int, name: str, status: os.stat_result) -> LayerNode:
    """Return what is known of a real name without reading it.

    A directory changes whenever something in it is made or removed, by us as well: what counts is
    whether it is the one that the command saw.
    """
    at: int | None = status.st_ctime_ns
    if stat.S_ISDIR(status.st_mode):
        at = None
        with suppress(OSError):
            at = born(folder, name)
    return LayerNode(kind=_kind(status), at=at)


def _real_node(folder: int, name: str, status: os.stat_result, most: int) -> LayerNode:
    """Return what a real name holds; its time is of after it was read.

    Whoever changes or replaces it meanwhile makes it newer: what was read never looks older than
    it is.
    """
    node = _node(folder, name, status, None, most=most)
    later = look(folder, name)
    return replace(node, at=later.st_ctime_ns if later else time.time_ns())


def _is_copied(path: str) -> bool:
    try:
        os.getxattr(path, ORIGIN, follow_symlinks=False)
    except OSError:
        return False
    return True  # what it says is for the kernel, and nothing where no handles are


def _node(
    folder: int,
    name: str,
    status: os.stat_result,
    at: int | None,
    *,
    most: int | None = None,
    quiet: bool = False,
) -> LayerNode:
    """Return what a name holds; of a file larger than `most` no digest, so it never is the same.

    A file that has to be `quiet` and is being written raises OSError with EBUSY.
    """
    kind = _kind(status)
    if kind is EntryKind.LINK:
        held = os.readlink(os.fsencode(name), dir_fd=folder)
        return LayerNode(kind=kind, link=held, at=at)
    if kind is not EntryKind.FILE:
        return LayerNode(kind=kind, at=at)
    executable = bool(status.st_mode & 0o100)
    if most is not None and status.st_size > most:
        return LayerNode(kind=kind, executable=executable, size=status.st_size, at=at)
    opened = os.open(name, READING, dir_fd=folder)
    try:
        now = os.fstat(opened)
        if not stat.S_ISREG(now.st_mode):
            raise OSError(errno.EINVAL, "it is no file any more", name)
        with lease(opened) if quiet else nullcontext():
            known = digest_of(opened, now)
    finally:
        close(opened)
    return LayerNode(kind=kind, executable=executable, digest=known, size=now.st_size, at=at)
