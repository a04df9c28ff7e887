"""Open directories beneath a root, by descriptor, through no symbolic link.

A path that was checked and is then opened again by name can lead elsewhere by then. Here a
directory is opened once, and everything that follows is said relative to its descriptor.
Three ways, equally strict: `openat2` in one call; an ordinary open, kept where the kernel's own
name for what was opened is the path that was asked for; or one component after the other with
O_NOFOLLOW (on macOS the components above the root itself are taken as they come).
What is done in the directory is left to others.
Always true: a descriptor from here was reached from the root without following a link.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

from msgspec import Struct, field

from penstock.stores.files import syscalls
from penstock.stores.files.contents import close

LISTING = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC  # openat2 tells a link as ELOOP by itself
AS_FOLDER = LISTING | os.O_NOFOLLOW
# Passing through a directory needs the right to search it, not to list it.
PASSING = (os.O_PATH if hasattr(os, "O_PATH") else os.O_RDONLY) | (
    os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
)
# Why a directory stays: in use, gone, or not ours any more.
STAYS = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
# What opening a path says when it leads elsewhere by now, or is moved as fast as we look. Any
# other error is a fault of the disk and tells nothing about where the path leads.
ELSEWHERE = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV, errno.EACCES, errno.EAGAIN}
)
NO_LINKS = syscalls.NO_SYMLINKS | syscalls.NO_MAGICLINKS

Ident = tuple[int, int]
Parts = tuple[str, ...]


def ident_of(status: os.stat_result) -> Ident:
    """Return what tells one file from every other that exists at the same time."""
    return status.st_dev, status.st_ino


def look(folder: int, name: str) -> os.stat_result | None:
    """Return the status of a name itself, a link not followed, or None."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def ident_at(folder: int, name: str) -> Ident | None:
    """Return which file a name stands for now, or None."""
    status = look(folder, name)
    return None if status is None else ident_of(status)


class Folder(Struct, kw_only=True):
    """An open directory, and which directories were made to reach it, outermost first."""

    parts: Parts
    descriptor: int
    ident: Ident
    made: list[Parts] = field(default_factory=list)
    locked: bool = False

    def close(self) -> None:
        """Let go of it; a lock on it goes too."""
        close(self.descriptor)


class Beneath(Struct, frozen=True, kw_only=True):
    """A root directory, opened anew for every use, so that a moved root is noticed."""

    root: str
    by_openat2: bool

    def open(self, parts: Parts) -> int:
        """Open a directory beneath the root. OSError: ENOENT, ELOOP (a link), ENOTDIR."""
        straight = None if self.by_openat2 else _straight("/".join((self._top, *parts)) or "/")
        if straight is not None:
            return straight
        top = self._open_root()
        if not parts:
            return top
        try:
            if self.by_openat2:
                how = syscalls.BENEATH | NO_LINKS
                return syscalls.openat2(top, "/".join(parts), LISTING, how)
            return _walk(top, parts)
        finally:
            close(top)

    @property
    def _top(self) -> str:
        return "" if self.root == "/" else self.root

    def folder(self, parts: Parts, *, make: bool = False) -> Folder:
        """Open a directory; with `make`, create those that are missing on its way."""
        made: list[Parts] = []
        try:
            descriptor = self.open(parts)
        except FileNotFoundError:
            if not make or not parts:
                raise
            descriptor = self._open_made(parts, made)
        try:
            ident = ident_of(os.fstat(descriptor))
        except BaseException:
            close(descriptor)
            self.unmake(made)
            raise
        return Folder(parts=parts, descriptor=descriptor, ident=ident, made=made)

    def missing(self, parts: Parts) -> list[Parts]:
        """Return which directories would have to be made, outermost first."""
        for known in range(len(parts), -1, -1):
            try:
                close(self.open(parts[:known]))
            except FileNotFoundError:
                continue
            return [parts[: end + 1] for end in range(known, len(parts))]
        return []

    def unmake(self, made: Iterable[Parts]) -> bool:
        """Remove directories that we made, innermost first; one that is in use stays.

        Returns False when one could not be removed that may yet be.
        """
        done = True
        for parts in sorted(made, key=len, reverse=True):
            try:
                self._remove(parts)
            except OSError as problem:
                done = done and problem.errno in STAYS
        return done

    def _remove(self, parts: Parts) -> None:
        parent = self.open(parts[:-1])
        try:
            os.rmdir(parts[-1], dir_fd=parent)
        finally:
            close(parent)

    def leads_to(self, folder: Folder) -> bool:
        """True when the folder's path, opened anew from the root, is still that directory."""
        try:
            descriptor = self.open(folder.parts)
        except OSError as problem:
            if problem.errno in ELSEWHERE:
                return False
            raise
        try:
            return ident_of(os.fstat(descriptor)) == folder.ident
        finally:
            close(descriptor)

    def _open_root(self) -> int:
        if self.by_openat2:
            return syscalls.openat2(-1, self.root, LISTING, NO_LINKS)
        if not hasattr(os, "O_PATH"):
            return os.open(self.root, AS_FOLDER)
        top = os.open("/", PASSING)
        try:
            parts = tuple(part for part in self.root.split("/") if part)
            return _walk(top, parts) if parts else os.open("/", AS_FOLDER)
        finally:
            close(top)

    def _open_made(self, parts: Parts, made: list[Parts]) -> int:
        """Open a directory, making each missing one; on failure those made are removed."""
        current = self._open_root()
        try:
            for depth, part in enumerate(parts, start=1):
                if _make(current, part):
                    made.append(parts[:depth])  # before anything else can fail
                step = _step(current, part, AS_FOLDER)
                close(current)
                current = step
        except BaseException:
            close(current)
            self.unmake(made)
            raise
        return current


def _make(parent: int, name: str) -> bool:
    """Make a directory with the rights that the umask leaves; False when it was there."""
    if look(parent, name) is not None:
        return False
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def _straight(path: str) -> int | None:
    """Open a directory by its path; None where a link was followed, or that cannot be told."""
    try:
        descriptor = os.open(path, AS_FOLDER)
    except OSError:
        return None
    try:
        if os.readlink(f"/proc/self/fd/{descriptor}") == path:
            return descriptor
    except OSError:  # no /proc here
        pass
    close(descriptor)
    return None


def _walk(start: int, parts: Parts) -> int:
    """Open component after component; the caller keeps `start`."""
    current = start
    try:
        for part in parts[:-1]:
            step = _step(current, part, PASSING)
            if current != start:
                close(current)
            current = step
        return _step(current, parts[-1], AS_FOLDER)
    finally:
        if current != start:
            close(current)


def _step(parent: int, name: str, flags: int) -> int:
    """Open one component. A link is ELOOP, also where the kernel calls it ENOTDIR."""
    try:
        return os.open(name, flags, dir_fd=parent)
    except NotADirectoryError:
        status = look(parent, name)
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise
