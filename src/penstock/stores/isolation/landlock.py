"""Landlock rules about files: what a command may write, and which contents it may not read.

Used where there are no namespaces. It cannot stop changes of metadata (mode, times, attributes) or
connections to sockets with a path; whoever starts a run says so.
Always true: once `restrict` has returned, this process and all that it starts are bound, for good.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator, Sequence

from penstock.stores.isolation import syscalls
from penstock.stores.isolation.confine import (
    SCOPE_SINCE,
    SCOPE_SOCKETS_AND_SIGNALS,
    SYS_LANDLOCK_CREATE,
    SYS_LANDLOCK_RESTRICT,
    landlock_version,
)
from penstock.stores.isolation.mounts import is_below

SYS_LANDLOCK_ADD_RULE, BENEATH = 445, 1
WRITE_FILE, READ_FILE = 1 << 1, 1 << 2
REMOVE_DIRECTORY, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_CHARACTER, MAKE_DIRECTORY, MAKE_FILE, MAKE_SOCKET = 1 << 6, 1 << 7, 1 << 8, 1 << 9
MAKE_PIPE, MAKE_BLOCK, MAKE_LINK, REFER, TRUNCATE = 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14
TRUNCATE_SINCE = 3  # before it, a file that may only be read can be emptied
# Making a device is left out on purpose: it stays forbidden everywhere.
IN_DIRECTORY = (
    REMOVE_DIRECTORY | REMOVE_FILE | MAKE_DIRECTORY | MAKE_FILE | MAKE_SOCKET | MAKE_PIPE
    | MAKE_LINK | REFER
)  # fmt: skip
ON_FILE = WRITE_FILE | TRUNCATE
HANDLED = IN_DIRECTORY | ON_FILE | MAKE_CHARACTER | MAKE_BLOCK | READ_FILE


def can_restrict() -> bool:
    """Say whether this kernel can keep a command from changing files."""
    return landlock_version() >= TRUNCATE_SINCE


def restrict(*, writable: Sequence[str], hidden: Sequence[str], shown: Sequence[str] = ()) -> None:
    """Allow writing only to some places, and reading to all but the hidden ones. Raises OSError.

    `shown` lies in a hidden place and may be read all the same.
    """
    scope = SCOPE_SOCKETS_AND_SIGNALS if landlock_version() >= SCOPE_SINCE else 0
    rules = struct.pack("QQQ", HANDLED, 0, scope)
    made = syscalls.numbered(SYS_LANDLOCK_CREATE, rules, len(rules), 0, what="landlock rules")
    try:
        for place in writable:
            _allow(made, place, IN_DIRECTORY | ON_FILE | READ_FILE)
        for place in (*shown, *readable(hidden)):
            _allow(made, place, READ_FILE)
        syscalls.numbered(SYS_LANDLOCK_RESTRICT, made, 0, what="landlock rules")
    finally:
        os.close(made)


def readable(hidden: Sequence[str]) -> Iterator[str]:
    """Yield places that hold everything but the hidden ones.

    A rule holds for all that lies below, so a directory above a hidden place is left out and its
    other entries are named one by one.
    """
    waiting = ["/"]
    while waiting:
        place = waiting.pop()
        if any(is_below(place, one) for one in hidden):
            continue
        if any(is_below(one, place) for one in hidden):
            waiting += [os.path.join(place, name) for name in _names(place)]
        else:
            yield place


def _names(place: str) -> list[str]:
    try:
        return os.listdir(place)
    except OSError:  # what we cannot list the command cannot either
        return []


def _allow(rules: int, place: str, rights: int) -> None:
    """Add one rule; a name that is a link, or gone, needs none."""
    try:
        opened = os.open(place, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        mode = os.fstat(opened).st_mode
        if stat.S_ISLNK(mode):
            return
        fitting = rights if stat.S_ISDIR(mode) else rights & (ON_FILE | READ_FILE)
        rule = struct.pack("=Qi", fitting, opened)
        what = f"landlock rule for {place}"
        syscalls.numbered(SYS_LANDLOCK_ADD_RULE, rules, BENEATH, rule, 0, what=what)
    finally:
        os.close(opened)
