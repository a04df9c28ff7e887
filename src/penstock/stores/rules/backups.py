"""Dated copies of a rules file beside it, for the time when no commit can be made.

A copy is named `<file>.YYYYMMDDTHHMMSSZ.bak`, with a number where two fall into one second. The
last ten stay; files of other names are somebody else's, whatever they end in.
Always true: a copy that was returned is on the disk with its name, and holds what was there.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from penstock.core.errors import InputError, StoreError
from penstock.stores.files.contents import close
from penstock.stores.files.rename import write_whole
from penstock.stores.files.staging import NEW_FILE, flush_file, flush_folder

KEPT = 10
SUFFIX = ".bak"
STAMP = "%Y%m%dT%H%M%SZ"
SHAPE = "00000000T000000Z"
MOST_IN_ONE_SECOND = 10_000
LARGEST = 64 * 1024 * 1024


def keep(path: str, content: bytes, *, now: float) -> str:
    """Write a dated copy of what a file holds and return its path."""
    stamp = time.strftime(STAMP, time.gmtime(now))
    mode = _mode(path)
    for number in range(MOST_IN_ONE_SECOND):
        name = f"{path}.{stamp}{f'-{number}' if number else ''}{SUFFIX}"
        try:
            _write(name, content, mode)
        except FileExistsError:
            continue
        except OSError as fault:
            raise _failed(name, fault) from fault
        return name
    raise StoreError("backup-failed", f"too many copies of `{path}` within one second")


def prune(path: str) -> None:
    """Remove all but the last ten copies of a file; nothing that we did not name."""
    for old in sorted(known(path), key=_order)[:-KEPT]:
        with suppress(OSError):
            os.unlink(old)


def known(path: str) -> list[str]:
    """Return the copies of a file that there are."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, one) for one in names if is_copy(one, name)]


def is_copy(one: str, name: str) -> bool:
    """Say whether a name is one that `keep` gives to copies of a file."""
    if not (one.startswith(f"{name}.") and one.endswith(SUFFIX)):
        return False
    stamp, dash, number = one[len(name) + 1 : -len(SUFFIX)].partition("-")
    shaped = len(stamp) == len(SHAPE) and all(
        a.isascii() and a.isdigit() if b == "0" else a == b
        for a, b in zip(stamp, SHAPE, strict=True)
    )
    return shaped and (not dash or (number.isascii() and number.isdigit()))


def read(path: str, backup: str) -> bytes:
    """Return what a copy of a file holds; it is named by its name, or by its whole path."""
    folder, name = os.path.split(path)
    given_folder, given = os.path.split(backup)
    beside = not given_folder or os.path.realpath(given_folder) == folder
    if not beside or not is_copy(given, name):
        raise InputError(
            "bad-backup",
            f"`{backup}` is not a copy of `{path}`",
            because=f"copies are next to it and named `{name}.<date>{SUFFIX}`",
            hint="take it from `rollback_info`",
        )
    try:
        return _read(os.path.join(folder, given))
    except OSError as fault:
        raise InputError(
            "no-such-version",
            f"the copy `{backup}` cannot be read",
            because=(fault.strerror or str(fault)).lower(),
        ) from fault


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        return file.read(LARGEST)


def _order(path: str) -> tuple[str, int]:
    stamp, _, number = path[: -len(SUFFIX)].rpartition(".")[2].partition("-")
    return stamp, int(number or 0)


def _mode(path: str) -> int:
    """A copy is no easier to read than its file."""
    try:
        return os.stat(path).st_mode & 0o666
    except OSError:
        return 0o600


def _write(name: str, content: bytes, mode: int) -> None:
    descriptor = os.open(name, NEW_FILE, 0o600)
    try:
        try:
            write_whole(descriptor, content)
            os.fchmod(descriptor, mode)
            flush_file(descriptor)
        finally:
            close(descriptor)
    except BaseException:
        os.unlink(name)
        raise
    folder = os.open(os.path.dirname(name), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flush_folder(folder)
    finally:
        close(folder)


def _failed(name: str, fault: OSError) -> StoreError:
    return StoreError(
        "backup-failed",
        f"the copy `{name}` could not be written, so nothing was changed",
        because=(fault.strerror or str(fault)).lower(),
        hint="check permissions and free space of that directory",
    )
