"""What the writer says when it cannot: one table from the kernel's errors to ours.

Who acts next decides the class: the caller named something we never write through, the world
moved since the base was taken, or a disk did not do its part.
Always true: an OSError, or a name that cannot be encoded, never leaves the writer as itself.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from penstock.core.errors import InputError, PenstockError, StaleError, StoreError
from penstock.core.file_mode import WORDS, FileMode, of_permissions
from penstock.core.paths.relpath import RelPath
from penstock.ports import OF_KIND, FileKind, PlannedWrite

CALLER: Mapping[int, tuple[str, str]] = {
    errno.ELOOP: ("is-symlink", "`{path}` is a symbolic link or goes through one"),
    errno.ENOTDIR: ("not-a-directory", "`{path}` is below something that is not a directory"),
    errno.EISDIR: ("is-directory", "`{path}` is a directory"),
    errno.ENAMETOOLONG: ("name-too-long", "`{path}` is too long for this file system"),
    errno.EXDEV: ("outside-workspace", "`{path}` is outside the workspace"),
    errno.ENXIO: ("not-a-file", "`{path}` is not a regular file"),
}
HINTS: Mapping[int, str] = {
    errno.ENOSPC: "free some space on that disk, then try again",
    errno.EDQUOT: "free some space or raise the quota, then try again",
    errno.EROFS: "mount the file system writable",
    errno.EACCES: "fix the permissions",
    errno.EPERM: "check for an immutable flag, a mount or another owner",
    errno.EBUSY: "the name is in use by a mount; write to what is mounted there",
}
KINDS: Mapping[int, FileKind] = {
    stat.S_IFREG: FileKind.FILE,
    stat.S_IFDIR: FileKind.DIRECTORY,
    stat.S_IFLNK: FileKind.SYMLINK,
}
NO_PLAIN_FILE: Mapping[FileKind, tuple[str, str]] = {
    FileKind.DIRECTORY: ("is-directory", "`{path}` is a directory"),
    FileKind.SYMLINK: ("is-symlink", "`{path}` is a symbolic link"),
    FileKind.OTHER: ("not-a-file", "`{path}` is a pipe, a socket or a device, not a file"),
}


def kind_of(status: os.stat_result) -> FileKind:
    """Return what a file's status says that it is."""
    return KINDS.get(stat.S_IFMT(status.st_mode), FileKind.OTHER)


def mode_of(status: os.stat_result) -> FileMode | None:
    """Return the mode that a file's status has; None for pipes, sockets and devices."""
    kind = kind_of(status)
    return of_permissions(status.st_mode) if kind is FileKind.FILE else OF_KIND.get(kind)


def require_plain(status: os.stat_result, shown: str) -> None:
    """Raise InputError unless this is a regular file."""
    kind = kind_of(status)
    if kind is not FileKind.FILE:
        code, sentence = NO_PLAIN_FILE[kind]
        raise InputError(code, sentence.format(path=shown))


def require_single(status: os.stat_result, shown: str) -> None:
    """Raise InputError when the file has a second name, which a new file would not have."""
    if status.st_nlink > 1:
        raise InputError(
            "hard-linked",
            f"`{shown}` has {status.st_nlink} names (hard links)",
            because="replacing it would break the links",
            hint="copy it over itself to give it one name, then propose again",
        )


def not_found(shown: str) -> InputError:
    """Return the error for a file that should be there."""
    return InputError("not-found", f"`{shown}` does not exist")


def not_a_link(shown: str) -> InputError:
    """Return the error for what should be a symbolic link."""
    return InputError("not-a-link", f"`{shown}` is not a symbolic link")


def require_sense(plan: Sequence[PlannedWrite]) -> None:
    """Raise InputError for a plan that names a file twice or removes what it does not know."""
    if any(write.new is None and write.expect is None for write in plan):
        raise InputError("nothing-to-do", "a deletion needs the digest of the content")
    for write in plan:
        _require_kind(write)
    if len({write.path.text for write in plan}) < len(plan):
        hint = "combine the two changes"
        raise InputError("twice-in-set", "a set names the same file twice", hint=hint)


def _require_kind(write: PlannedWrite) -> None:
    """A directory is made and removed; it never takes another's place, and none takes its."""
    changed = write.new is not None and write.expect is not None
    if changed and FileMode.DIRECTORY in (write.mode, write.was):
        raise InputError(
            "is-directory",
            f"`{write.path.text}` is a directory, or would become one",
            hint="remove it first, then propose what comes in its place",
        )
    if write.mode is FileMode.DIRECTORY and write.new:
        raise InputError("is-directory", f"the directory `{write.path.text}` has no content")
    if write.mode is FileMode.LINK and (not write.new or b"\0" in write.new):
        raise InputError("bad-link", f"the link `{write.path.text}` leads nowhere")


def stale(shown: str, expect: str | None, now: str | None) -> StaleError:
    """Return the error for a base that is no longer there."""
    return StaleError(
        "base-changed",
        f"`{shown}` has changed since this was proposed",
        because=f"it was {expect or 'absent'} and is {now or 'absent'} now",
        hint="read it again and propose again",
    )


def mode_changed(shown: str, was: FileMode, now: FileMode | None) -> StaleError:
    """Return the error for a name that stands for another kind of thing by now."""
    return StaleError(
        "base-changed",
        f"`{shown}` has changed since this was proposed",
        because=f"it was {WORDS[was]} and is {WORDS[now] if now else 'no file'} now",
        hint="read it again and propose again",
    )


def not_empty(shown: str) -> StaleError:
    """Return the error for a directory that is not empty, and so is not removed."""
    return StaleError(
        "not-empty",
        f"the directory `{shown}` is not empty",
        because="only an empty directory is removed; what it holds is removed by name",
        hint="remove what it holds in the same set",
    )


def busy(shown: str) -> StaleError:
    """Return the error for a file that someone is writing."""
    return StaleError(
        "file-busy",
        f"`{shown}` is open for writing in another process",
        because="later writes by that process would be lost",
        hint="close it there, then try again",
    )


def moved(shown: str) -> StaleError:
    """Return the error for a directory that was swapped while we wrote."""
    return StaleError(
        "path-moved",
        f"`{shown}` changed its location during the write",
        because="a directory in its path was moved or replaced; the write was reverted",
        hint="find out who moves directories here, then propose again",
    )


def no_note(problem: OSError) -> StoreError:
    """Return the error for a journal that takes no note: then nothing is written either."""
    return StoreError(
        "journal-failed",
        "the recovery journal could not be written, so nothing was written",
        because=f"`{problem.filename}`: {problem.strerror}".lower(),
        hint="check Penstock's state directory and its disk",
    )


def parts_of(path: RelPath) -> tuple[str, ...]:
    """Return the path's names, refusing again what no path of ours may hold.

    `RelPath` has proven this already. The one writer looks a second time, NUL first.
    """
    if "\0" in path.text:
        raise InputError("nul-in-path", "a path cannot hold a NUL character")
    parts = tuple(path.parts)
    if not parts or any(part in ("", ".", "..") or "/" in part for part in parts):
        raise InputError("bad-path", f"`{path.text}` is not a plain path below the workspace")
    return parts


def error_for(problem: OSError, shown: str, doing: str) -> PenstockError:
    """Return our error for one of the kernel's; `doing` is `read` or `write`."""
    number = problem.errno or 0
    if number in CALLER:
        code, sentence = CALLER[number]
        return InputError(code, sentence.format(path=shown))
    if number == errno.ENOENT and doing == "read":
        return not_found(shown)
    return StoreError(
        f"{doing}-failed",
        f"`{shown}` could not be {'read' if doing == 'read' else 'written'}",
        because=os.strerror(number).lower() if number else str(problem),
        hint=HINTS.get(number, "check the disk"),
    )


def ours(problem: BaseException, shown: str, doing: str) -> BaseException:
    """Return our error for what the kernel or an encoder says; anything else as it is."""
    if isinstance(problem, OSError):
        return error_for(problem, shown, doing)
    if isinstance(problem, UnicodeEncodeError):
        return InputError("bad-path", "a path holds characters that no file name can")
    return problem


@contextmanager
def told(shown: str, doing: str) -> Iterator[None]:
    """Turn whatever the kernel says inside the block into our own errors."""
    try:
        yield
    except (OSError, UnicodeEncodeError) as problem:
        raise ours(problem, shown, doing) from problem
