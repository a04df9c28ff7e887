"""File operations from a list in JSON, in the working directory: what a command of a run does.

It needs nothing but Python. An operation that cannot be carried out is passed over, with and
without a run alike. A name that is no text is written as Python writes it, with lone surrogates.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence

AT_FDCWD, EXCHANGE = -100, 2
_libc = ctypes.CDLL(None, use_errno=True)


def write(path: str, text: str) -> None:
    """Write a file in place."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def append(path: str, text: str) -> None:
    """Add to a file in place."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def save(path: str, text: str) -> None:
    """Replace a file as editors do."""
    write(path + ".new", text)
    os.replace(path + ".new", path)


def truncate(path: str, size: int) -> None:
    """Cut a file, or make it longer with zeros."""
    os.truncate(path, size)


def remove(path: str) -> None:
    """Remove a file, a link, or a directory with all that is in it."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def empty(path: str) -> None:
    """Remove a directory and make it again, so that nothing of the old one shows."""
    shutil.rmtree(path)
    os.mkdir(path)


def chmod(path: str, mode: int) -> None:
    """Give a file another mode; directories keep theirs, so that all stays readable."""
    if not os.path.isdir(path):
        os.chmod(path, mode, follow_symlinks=True)


def rename(old: str, new: str) -> None:
    """Rename as `mv` does: what cannot be renamed, as a directory of an overlay, is copied."""
    try:
        os.rename(old, new)
    except OSError as problem:
        if problem.errno != errno.EXDEV or (new + "/").startswith(old + "/"):
            raise
        if os.path.isdir(new):
            os.rmdir(new)
        shutil.copytree(old, new, symlinks=True)
        shutil.rmtree(old)


def exchange(one: str, other: str) -> None:
    """Exchange two names; files and links only, an overlay takes no directories of below."""
    if any(os.path.isdir(path) and not os.path.islink(path) for path in (one, other)):
        return
    names = os.fsencode(one), os.fsencode(other)
    if _libc.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], EXCHANGE):
        raise OSError(ctypes.get_errno(), "exchange", one)


def hard_link(old: str, new: str) -> None:
    """Give a file that is no link a second name."""
    if not os.path.islink(old):
        os.link(old, new)


def touch(path: str) -> None:
    """Change nothing but times, so that an overlay copies the file."""
    os.utime(path, (1, 1))


OPERATIONS: dict[str, Callable[..., object]] = {
    "write": write,
    "append": append,
    "save": save,
    "truncate": truncate,
    "remove": remove,
    "empty": empty,
    "rename": rename,
    "exchange": exchange,
    "link": os.symlink,
    "hard_link": hard_link,
    "mkdir": os.mkdir,
    "makedirs": os.makedirs,
    "chmod": chmod,
    "touch": touch,
}


def carry_out(
    steps: Sequence[Sequence[object]], more: Mapping[str, Callable[..., object]] | None = None
) -> list[str]:
    """Carry out operations, in order; return which of them failed, and how."""
    known = {**OPERATIONS, **(more or {})}
    failed = []
    for name, *words in steps:
        try:
            known[str(name)](*words)
        except (OSError, shutil.Error) as problem:
            failed.append(f"{name} {words}: {problem}")
    return failed


if __name__ == "__main__":
    carry_out(json.loads(sys.argv[1]))
