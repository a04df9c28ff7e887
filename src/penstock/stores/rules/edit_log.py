"""The rule reviewer's own log: one JSON line for each edit that was tried.

It lies where the reviewer's spec puts it, beside the rules of the user; the record of a
workspace is another, and stronger. Lines are only added.
Always true: the log is the user's alone and no link; a line is whole, and holds no secret.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from penstock.core.errors import AuditError
from penstock.core.text.redact import MARK, is_secret_name, redact
from penstock.stores.files.contents import close
from penstock.stores.files.rename import write_whole
from penstock.stores.files.staging import flush_folder

NAME = ".config/decision-reviewer-audit.log"
FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
MOST_DEPTH = 12
MOST_TEXT = 4096
MOST_ITEMS = 1000
MOST_READ = 4 * 1024 * 1024


def place() -> str:
    """Return where the log lies."""
    return os.path.join(os.path.expanduser("~"), NAME)


class ReviewerLog:
    """The log, opened before anything is changed, so that it is known to take a line."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            self._descriptor = os.open(path, FLAGS, 0o600)
        except OSError as fault:
            raise _failed(path, fault) from fault

    def append(self, line: Mapping[str, object]) -> None:
        """Add one line and wait for the disk. Raises AuditError."""
        text = json.dumps(cleaned(line), ensure_ascii=True) + "\n"
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            end = os.fstat(self._descriptor).st_size
            torn = end and os.pread(self._descriptor, 1, end - 1) != b"\n"
            write_whole(self._descriptor, (b"\n" if torn else b"") + text.encode("ascii"))
            os.fdatasync(self._descriptor)
            if not end:
                _flush_name(self.path)
        except OSError as fault:
            raise _failed(self.path, fault) from fault
        finally:
            with suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        close(self._descriptor)


def _flush_name(path: str) -> None:
    """A file that was just made is on the disk only when its directory says so there."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flush_folder(folder)
    finally:
        close(folder)


def newest_first(path: str) -> Iterator[Mapping[str, object]]:
    """Yield the lines of the log that can be read, the newest first, as far as memory goes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return
    with open(descriptor, "rb") as file:
        file.seek(max(0, os.fstat(descriptor).st_size - MOST_READ))
        lines = file.read(MOST_READ).split(b"\n")
    for line in reversed(lines):
        with suppress(ValueError, RecursionError):
            found = json.loads(line)
            if isinstance(found, dict):
                yield found


def cleaned(value: object, name: str = "", depth: int = 0) -> object:
    """Return a value as it may be logged: bounded, and without what looks like a secret."""
    if depth > MOST_DEPTH:
        return "..."
    if isinstance(value, Mapping):
        items = list(value.items())[:MOST_ITEMS]
        return {str(key)[:200]: cleaned(one, str(key), depth + 1) for key, one in items}
    if isinstance(value, list | tuple):
        return [cleaned(one, name, depth + 1) for one in value[:MOST_ITEMS]]
    if name and isinstance(value, str) and value and is_secret_name(name):
        return MARK
    return redact(value[:MOST_TEXT]) if isinstance(value, str) else value


def _failed(path: str, fault: OSError) -> AuditError:
    return AuditError(
        "reviewer-log",
        f"the log `{path}` can't be written, so nothing was changed",
        because=(fault.strerror or str(fault)).lower(),
        hint="make it a writable file that you own",
    )
