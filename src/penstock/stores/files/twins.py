"""The other names of a file: hard links, which no look at a path can tell apart.

A file with one name, as nearly all are, costs one look. For any other, the workspace is walked
once, and the places in the home that the built-in list protects: keys, agents' settings, our own
files. What was found stays good as long as the
file's own time of change says that no name was added since, and every name still leads there.
Folders of installed packages are passed over: package managers link their files from a store.
Always true: nothing is followed or written; a walk that had to stop is told, never taken for one
that found nothing.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from functools import cache

from penstock.core.errors import InputError
from penstock.core.policy.protected_names import HOOK_REGISTRATIONS, OWN_FILES, STORES
from penstock.stores.system import places

MOST_NAMES = 100_000
SLACK = 2_000_000_000  # nanoseconds by which two clocks may differ
PACKAGES = frozenset({"node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox"})
OBJECTS = "objects"  # of a repository: git links them between clones, and nobody reads them

Identity = tuple[int, int]


class HardLinks:
    """Finds the other names of files below one root."""

    def __init__(self, root: str, *, most: int = MOST_NAMES) -> None:
        self._root = root
        self._most = most
        self._walked_at = -1
        self._whole = True
        self._names: dict[Identity, list[str]] = {}

    def of(self, place: str) -> list[str]:
        """Return the other names of the file at an absolute place, none for nearly all.

        Raises InputError `hard-linked` where there are more files than are looked at.
        """
        status = _look(place)
        if status is None or not stat.S_ISREG(status.st_mode) or status.st_nlink < 2:
            return []
        if PACKAGES.intersection(place.split("/")):
            return []
        identity = (status.st_dev, status.st_ino)
        inside = place.startswith(f"{self._root}/") or identity in self._names
        if not inside or not self._is_good(status.st_ctime_ns, identity):
            self._walk(identity)
        if not self._whole:
            raise _too_many(place, status.st_nlink, self._most)
        return [name for name in self._names.get(identity, ()) if name != place]

    def _is_good(self, changed: int, identity: Identity) -> bool:
        """A new name changes a file's time; a directory that moved leaves an old name behind."""
        names = self._names.get(identity, ())
        here = [_identity(name) == identity for name in names]
        return changed < self._walked_at - SLACK and all(here)

    def _walk(self, sought: Identity) -> None:
        """Note every file that has two names here, and the one name of a file outside."""
        self._walked_at = time.time_ns()
        self._whole = True
        first: dict[Identity, str] = {}
        found: dict[Identity, list[str]] = {}
        for count, (identity, name) in enumerate(self._all()):
            if count == self._most:
                self._whole = False
                break
            if first.setdefault(identity, name) != name:
                found.setdefault(identity, [first[identity]]).append(name)
        if sought in first:
            found.setdefault(sought, [first[sought]])
        self._names = found

    def _all(self) -> Iterator[tuple[Identity, str]]:
        """Yield every name that is looked at: of the home's the few that matter come first."""
        home = places.home()
        yield from _files(home, deep=False)
        for folder, deep in in_home():
            yield from _files(f"{home}/{folder}", deep=deep)
        for workspace in _folders(places.state_home()):
            yield from _files(workspace, deep=False)
        yield from _files(self._root, deep=True)


@cache
def in_home() -> tuple[tuple[str, bool], ...]:
    """Return the folders of a home that hold protected files, and whether all below them are.

    They follow from the list of protected names, so that a new agent's settings are known here.
    """
    found: dict[str, bool] = {}
    for glob in (*OWN_FILES, *HOOK_REGISTRATIONS, *STORES):
        *folders, last = glob.removeprefix("**/").split("/")
        if folders and folders[0].startswith(".") and "*" not in "".join(folders):
            folder = "/".join(folders)
            found[folder] = found.get(folder, False) or last == "**"
    return tuple(found.items())


def _folders(start: str) -> list[str]:
    try:
        with os.scandir(start) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _files(start: str, *, deep: bool) -> Iterator[tuple[Identity, str]]:
    """Yield the files of a directory with who they are; a name costs no look of its own."""
    todo = [start]
    while todo:
        folder = todo.pop()
        device = _look(folder)
        if device is None:
            continue
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:
            continue
        for entry in listed:
            if entry.is_dir(follow_symlinks=False):
                if deep and not _is_passed_over(folder, entry.name):
                    todo.append(entry.path)
            else:
                yield (device.st_dev, entry.inode()), entry.path


def _is_passed_over(folder: str, name: str) -> bool:
    return name in PACKAGES or (name == OBJECTS and folder.endswith(".git"))


def _look(place: str) -> os.stat_result | None:
    try:
        return os.lstat(place)
    except (OSError, ValueError):
        return None


def _identity(place: str) -> Identity | None:
    status = _look(place)
    return None if status is None else (status.st_dev, status.st_ino)


def _too_many(place: str, names: int, most: int) -> InputError:
    from penstock.core.text.display import spoken

    return InputError(
        "hard-linked",
        f"`{spoken(place)}` has {names} names (hard links)",
        because=f"one of them may be a protected file, and not all of the project's files were "
        f"looked at: it has more than {most:,}",
        hint="copy it over itself to give it one name, then try again",
    )
