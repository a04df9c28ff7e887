"""What state exists: a directory for each project that Penstock was used in, how large, since when.

The place of a project is kept in its state (`known_roots`); one that was never kept is not
guessed. Taking a state away takes its log, its kept contents and what was remembered of both.
Always true: looking changes nothing; only a directory that a project's place leads to, or one
directly below the home of all states, is ever removed.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from penstock.stores.system.known_roots import read_root
from penstock.stores.system.places import state_of
from penstock.stores.system.private import told

NAME = re.compile(r".+-[0-9a-f]{16}", re.DOTALL)


class ProjectState(Struct, frozen=True, kw_only=True):
    """One project's state; `root` is "" where its place was never kept. Times are seconds."""

    state: str
    root: str
    there: bool
    size: int
    since: float
    used: float


def project_states(home: str) -> tuple[ProjectState, ...]:
    """Return every state below a directory, by name."""
    try:
        names = sorted(name for name in os.listdir(home) if NAME.fullmatch(name))
    except OSError:
        return ()
    folders = (os.path.join(home, name) for name in names)
    return tuple(state_in(folder) for folder in folders if _is_folder(folder))


def state_in(folder: str) -> ProjectState:
    """Return what one directory of state holds."""
    kept = read_root(folder)
    root = kept if kept and state_of(kept) == folder else ""
    found = list(_files(folder))
    times = [status.st_mtime for status in found]
    return ProjectState(
        state=folder,
        root=root,
        there=bool(root) and os.path.isdir(root),
        size=sum(status.st_size for status in found),
        since=min(times, default=0.0),
        used=max(times, default=0.0),
    )


def remove_state(folder: str) -> None:
    """Remove a project's state, and what is remembered beside it. Raises StoreError."""
    home, name = os.path.split(folder)
    with told("remove the state", folder):
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
        for beside in os.listdir(home):
            if beside.startswith(f"{name}.head"):
                os.unlink(os.path.join(home, beside))


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _files(folder: str) -> Iterator[os.stat_result]:
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield os.lstat(os.path.join(above, name))
