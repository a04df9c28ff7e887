"""Where a path leads, and which names this file system takes for one (`A` and `a`).

`resolve` follows links as the kernel does, with the kernel's bound, and always answers: what
cannot be followed (a loop, a missing name, a forbidden directory) is kept as it was written.
It is for judging a path, never for opening one: by then the answer may be old.
Always true: the answer is absolute and has no `.`, `..` or empty component.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection
from itertools import islice

from penstock.core.errors import InputError
from penstock.core.paths.spellings import beneath, fold

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


# --- names that are one ----------------------------------------------------------------------
#
# A name that is there although its directory does not list it is another spelling of one that
# is listed. Numbers of files prove nothing: mounts in user space give each spelling its own.


class Disk:
    """What is asked of a disk to learn which names it takes for one."""

    def names(self, folder: str) -> Collection[str]:
        """Return the names that a directory lists; nothing where it cannot be read."""
        try:
            return os.listdir(folder)
        except (OSError, ValueError):
            return ()

    def exists(self, path: str) -> bool:
        """Say whether a name is there, whatever it stands for."""
        return os.path.lexists(path)

    def device(self, path: str) -> int:
        """Return the number of the device, 0 for what is not there."""
        try:
            return os.lstat(path).st_dev
        except OSError:
            return 0


DISK = Disk()


def folds_case(root: str, disk: Disk = DISK) -> bool:
    """Say whether names that differ in case, or in how letters are put together, are one.

    Nothing is written: a name is looked for in another spelling that the directory lacks.
    """
    names = frozenset(disk.names(root))
    if any(_is_spelling(root, name, names, disk) for name in islice(sorted(names), MOST_LOOKS)):
        return True
    parent, name = os.path.split(root)
    if not name or disk.device(root) != disk.device(parent):
        return False
    return _is_spelling(parent, name, frozenset(disk.names(parent)), disk)


def listed_as(root: str, place: str, disk: Disk = DISK) -> list[str]:
    """Return the place under the names that directories list, where they are spelled otherwise.

    One directory may fold names although its project does not: a mount, or `chattr +F`.
    """
    rest = beneath(place, root)
    if not rest:
        return []
    found, folder = False, root
    for name in rest.split("/"):
        listed = name
        others = [other for other in _others(name) if disk.exists(f"{folder}/{other}")]
        if others and disk.exists(f"{folder}/{name}"):
            names = disk.names(folder)
            if name not in names:
                listed = next((one for one in names if fold(one) == fold(name)), name)
        found = found or listed != name
        folder = f"{folder}/{listed}"
    return [folder] if found else []


def _is_spelling(folder: str, name: str, names: Collection[str], disk: Disk) -> bool:
    others = (other for other in _others(name) if other not in names)
    return any(disk.exists(f"{folder}/{other}") for other in others)


def _others(name: str) -> list[str]:
    """Return the name in the other case, and with its letters put together otherwise."""
    other = name.swapcase()
    spelled = [other] if other.lower() == name.lower() else [name.upper(), name.lower()]
    if not name.isascii():
        import unicodedata

        spelled += [unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
    return [one for one in dict.fromkeys(spelled) if one != name]
