"""Where a path leads, and whether this file system tells `A` from `a`.

`resolve` follows links as the kernel does, with the kernel's bound, and always answers: what
cannot be followed (a loop, a missing name, a forbidden directory) is kept as it was written.
It is for judging a path, never for opening one: by then the answer may be old.
Always true: the answer is absolute and has no `.`, `..` or empty component.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from penstock.core.errors import InputError

MOST_LINKS = 40  # the kernel's own bound
MOST_NAMES = 4096
MOST_LOOKS = 64

LinkAt = Callable[[str], str | None]


def link_on_disk(path: str) -> str | None:
    """Return what a link holds; None for everything else, also for what cannot be looked at."""
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            return os.readlink(path)
    except (OSError, ValueError):  # ValueError: characters that no file name can hold
        return None
    return None


def resolve(root: str, path: str, link_at: LinkAt = link_on_disk) -> str:
    """Return where `path` leads, seen from `root`."""
    if "\0" in path:
        raise InputError("nul-in-path", "a path cannot hold a NUL character")
    rest = _names(path if path.startswith("/") else f"{root}/{path}")
    done: list[str] = []
    links = 0
    followable = True
    while rest:
        name = rest.pop()
        if name == "..":
            del done[-1:]
            continue
        done.append(name)
        target = link_at("/" + "/".join(done)) if followable else None
        if target is None:
            continue
        links += 1
        if links > MOST_LINKS or len(rest) > MOST_NAMES:
            followable = False  # a loop: the kernel gives up here, and so do we
            continue
        done = [] if target.startswith("/") else done[:-1]
        rest += _names(target)
    return "/" + "/".join(done)


def _names(path: str) -> list[str]:
    """Return a path's components, the last first."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def folds_case(root: str) -> bool:
    """Probe whether names differing only in case are one name; nothing is written.

    Looks for a name that exists in the other case too and is the same file.
    """
    try:
        with os.scandir(root) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MOST_LOOKS), strict=False)]
    except OSError:
        return False
    for name in names:
        other = name.swapcase()
        if other != name and other.lower() == name.lower() and other not in names:
            return _same(os.path.join(root, name), os.path.join(root, other))
    parent, name = os.path.split(root)
    return (
        _same_device(root, parent)
        and name.swapcase() != name
        and _same(root, os.path.join(parent, name.swapcase()))
    )


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def _same_device(one: str, other: str) -> bool:
    try:
        return os.lstat(one).st_dev == os.lstat(other).st_dev
    except OSError:
        return False
