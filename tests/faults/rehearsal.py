"""A run without faults: which calls there are, and which of them are one and the same step.

Between two calls that leave the disk as it was a kill finds the same: what a process knew is gone
with it, and what others see is the disk. So a kill strikes where something is new: where the disk
differs from the call before, or after a call of which the disk does not tell (a mount, a fork).
A call that fails is another matter, because the program goes on. There, calls of one name, from
the very same stack of Python lines, over one and the same disk are repetitions of a loop: the
first and the last of them are struck.
Always true: nothing here is a list of what is thought to be harmless but `INSIDE`; the disk is
looked at before every call, all of it.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tests.faults.tracer import FILE_CALLS, HELPER

# What these do ends with the process: waiting, asking who it is, its own signals and its terminal.
INSIDE = frozenset(
    f"call {number}" for number in (7, 13, 14, 16, 24, 35, 39, 102, 104, 107, 108, 110, 186, 191)
) | frozenset(f"call {number}" for number in (192, 194, 202, 228, 230, 273))


LEASED = {"upper", "aside"}  # a sync has leases on what is there: whoever opens that waits for it
COARSE = 50_000_000  # nanoseconds; two writes within them may have one time


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """The calls of a run without faults; numbers count from 1, as those of a plan.

    `fresh` are calls before which a kill leaves what no kill before it left; `apart` are those
    that are no repetition of another one.
    """

    calls: list[str]
    fresh: frozenset[int]
    apart: frozenset[int]


class Watch:
    """Looks at the disk and at the stack of the traced process, before each of its calls."""

    def __init__(self, folder: str) -> None:
        self._disk = Disk(folder)
        self._stack = mmap.mmap(-1, 8)  # shared with the process that is traced
        self._seen: list[tuple[int, int]] = []

    def pause(self, _number: int, _call: str) -> None:
        """Note what is there; the tracer calls this while the process stands still."""
        (stack,) = struct.unpack_from("=q", self._stack)
        self._seen.append((self._disk.stamp(), stack))

    def act(self, work: Callable[[], str]) -> str:
        """Do something in the traced process so that its stack is known outside."""
        # Whatever it forks writes here too; the calls of those are all tried, whatever this says.
        sys.setprofile(self._note)
        try:
            return work()
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, what: Any) -> None:
        lines = []
        at: FrameType | None = frame
        while at is not None:
            lines.append((at.f_code.co_filename, at.f_code.co_name, at.f_lineno))
            at = at.f_back
        called = getattr(what, "__name__", "") if event.startswith("c_") else ""
        struct.pack_into("=q", self._stack, 0, hash((called, *lines)))

    def rehearsal(self, calls: list[str]) -> Rehearsal:
        """Return what was seen, once the process has ended."""
        fresh = {1, len(calls)}
        groups: dict[tuple[str, int, int], list[int]] = {}
        step = 0
        for number, call in enumerate(calls, start=1):
            now, stack = self._seen[number - 1]
            if number > 1 and (now != self._seen[number - 2][0] or _is_told(calls[number - 2])):
                fresh.add(number)
                step = number
            place = number if call.startswith(HELPER) else 0
            groups.setdefault((call, stack, place or -step), []).append(number)
        ends = {at for group in groups.values() for at in (group[0], group[-1])}
        return Rehearsal(calls=calls, fresh=frozenset(fresh), apart=frozenset(ends))


def _is_told(call: str) -> bool:
    """Say whether a call may change something that the disk does not show."""
    return call.removeprefix(HELPER) not in INSIDE | frozenset(FILE_CALLS.values())


class Disk:
    """All that is below a directory, as a number: names, nodes, times and contents."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: dict[tuple[object, ...], int] = {}

    def stamp(self) -> int:
        """Return a number that is another one once something is."""
        found = []
        for at, folders, names in os.walk(self._folder):
            for name in [*folders, *names]:
                path = os.path.join(at, name)
                now = os.lstat(path)
                node = (now.st_ino, now.st_mode, now.st_nlink, now.st_size)
                known = (path, *node, now.st_mtime_ns, now.st_ctime_ns)
                found.append((known, self._content(known, now)))
        return hash(tuple(sorted(found)))

    def _content(self, known: tuple[object, ...], now: os.stat_result) -> int:
        """Return what a file holds; read it once, where its time can tell that it changed since."""
        path = str(known[0])
        if not stat.S_ISREG(now.st_mode) or LEASED & set(path.split("/")):
            return 0
        mapped = path.endswith("-shm")  # writes to memory leave no time
        if mapped or known not in self._known or time.time_ns() - now.st_ctime_ns < COARSE:
            with open(path, "rb") as file:
                self._known[known] = zlib.crc32(file.read())
        return self._known[known]
