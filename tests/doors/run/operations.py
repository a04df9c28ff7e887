"""File operations from a list in JSON, in the working directory: what a command of a run does.

It needs nothing but Python. An operation that cannot be carried out is passed over, with and
without a run alike.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress


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


def remove(path: str) -> None:
    """Remove a file, a link, or a directory with all that is in it."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def run_by_all(path: str) -> None:
    """Make a file a program."""
    os.chmod(path, 0o755, follow_symlinks=True)


def run_by_none(path: str) -> None:
    """Make a program a plain file."""
    if not os.path.isdir(path):
        os.chmod(path, 0o644, follow_symlinks=True)


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


OPERATIONS: dict[str, Callable[..., object]] = {
    "write": write,
    "append": append,
    "save": save,
    "remove": remove,
    "rename": rename,
    "link": os.symlink,
    "mkdir": os.mkdir,
    "run_by_all": run_by_all,
    "run_by_none": run_by_none,
}


def main(text: str) -> None:
    """Carry out all operations, in order."""
    for name, *words in json.loads(text):
        with suppress(OSError):
            OPERATIONS[name](*words)


if __name__ == "__main__":
    main(sys.argv[1])
