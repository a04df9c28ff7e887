"""Find the processes that an agent's commands have started and that still run.

Looked at are the processes below the agent, and those that were cut off from it (a daemon that
forked twice, `nohup`, `setsid`): they hang below the reaper, and are told by an agent's variables,
by a directory in the workspace, or by having no variables at all in the agent's own control group.
When to look, and what follows from it, is decided by whoever asks.
Always true: nothing is changed by looking; what was there before `since` is not found (an agent's
servers, a person's editor), nor what the agent itself started after our hook, nor our own helpers.

What this cannot see: a process that something older than the command has started (cron, systemd, a
container, a terminal multiplexer), one of another user that was cut off, one that was cut off with
a person's variables and a directory elsewhere, and one that came and went between two looks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from penstock.stores.agents.names import SHELLS, agent_by_variables, interesting
from penstock.stores.system.process import stat_fields

__all__ = ["TICKS", "BackgroundLook", "agent_above", "is_running", "mark_of", "ticks"]

MOST_PROCESSES, DEPTH = 20_000, 256
MOST_BYTES = 1 << 20
TICKS = os.sysconf("SC_CLK_TCK")
REAPERS = frozenset({"systemd", "init", "launchd"})


def ticks() -> int:
    """Return the time as the kernel notes it for the start of a process."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return int(time.clock_gettime(clock) * TICKS)


class _Running(Struct, frozen=True):
    pid: int
    ppid: int
    start: int

    @property
    def mark(self) -> str:
        """The number alone is used again by others."""
        return f"{self.pid}:{self.start}"


def _running(pid: int) -> _Running | None:
    """Return a process that runs; one that has ended and was not collected yet does not."""
    fields = stat_fields(pid)
    if len(fields) < 20 or fields[0] in ("Z", "X"):
        return None
    return _Running(pid, int(fields[1]), int(fields[19]))


def mark_of(pid: int) -> str:
    """Return the mark of a process that runs, "" for one that does not."""
    found = _running(pid) if pid else None
    return "" if found is None else found.mark


def is_running(mark: str) -> bool:
    """Say whether the process of a mark still runs."""
    return _alive(mark) != 0


def agent_above(hook: int) -> str:
    """Return the mark of the process that started a hook, shells in between left out."""
    found = _running(hook)
    for _ in range(DEPTH):
        found = _running(found.ppid) if found is not None else None
        if found is None:
            return ""
        if _text(found.pid, "comm").rstrip("\n") not in SHELLS:
            return found.mark
    return ""


class BackgroundLook(Struct, frozen=True, kw_only=True):
    """What to look for: below which agents (marks), since when (ticks), beside which hook.

    `ours` are command lines of helpers that a hook leaves behind, from their second word on.
    """

    root: str
    agents: Sequence[str]
    since: int
    hook: int
    ours: Sequence[Sequence[str]] = ()

    def found(self) -> list[str]:
        """Return the marks of the processes that were left running."""
        every = _all()
        agents = {at for at in map(_alive, self.agents) if at}
        hook = every.get(self.hook)
        near = {os.getpid(), self.hook, *_above(every, self.hook)}
        reapers = {1, *(pid for pid in near if _text(pid, "comm").strip() in REAPERS)}
        group = _text(self.hook or os.getpid(), "cgroup")
        found = []
        for one in every.values():
            if one.start < self.since or one.pid in near:
                continue
            above = _above(every, one.pid)
            if hook is not None and _is_beside(every, [one.pid, *above], hook, agents):
                continue
            below = any(pid in agents for pid in above)
            if (below or self._was_cut_off(one, reapers, group)) and not self._is_ours(one):
                found.append(one.mark)
        return found

    def _was_cut_off(self, one: _Running, reapers: set[int], group: str) -> bool:
        if one.ppid not in reapers or not _is_own(one.pid):
            return False
        variables = dict(_variables(one.pid))
        known = {name: value for name, value in variables.items() if interesting(name)}
        if agent_by_variables(known) is not None or self._is_inside(_link(one.pid, "cwd")):
            return True
        if any(self._is_inside(variables.get(name, "")) for name in ("PWD", "OLDPWD")):
            return True
        return "HOME" not in variables and _text(one.pid, "cgroup") == group

    def _is_inside(self, path: str) -> bool:
        return path == self.root or path.startswith(f"{self.root}/")

    def _is_ours(self, one: _Running) -> bool:
        words = _text(one.pid, "cmdline").split("\0")[1:]
        listed = any(words[: len(known)] == list(known) for known in self.ours)
        return listed and _link(one.pid, "exe") == _link(os.getpid(), "exe")


def _is_beside(
    every: dict[int, _Running], line: Sequence[int], hook: _Running, agents: set[int]
) -> bool:
    """Say whether the agent started it when the command was over: as another hook beside ours."""
    for pid, above in pairwise(line):
        if above in agents and pid in every:
            return every[pid].start >= hook.start
    return False


def _all() -> dict[int, _Running]:
    try:
        names = os.listdir("/proc")
    except OSError:
        return {}
    numbers = [int(name) for name in names if name.isdecimal()][:MOST_PROCESSES]
    return {one.pid: one for one in map(_running, numbers) if one is not None}


def _above(every: dict[int, _Running], pid: int) -> list[int]:
    """Return the processes above one, nearest first."""
    found: list[int] = []
    while (one := every.get(pid)) is not None and one.ppid > 0 and len(found) < DEPTH:
        pid = one.ppid
        found.append(pid)
    return found


def _alive(mark: str) -> int:
    """Return the number of a process that still runs, else 0."""
    pid, _, _start = mark.partition(":")
    found = _running(int(pid)) if pid.isdecimal() else None
    return found.pid if found is not None and found.mark == mark else 0


def _is_own(pid: int) -> bool:
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except OSError:
        return False


def _link(pid: int, name: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""


def _variables(pid: int) -> Iterator[tuple[str, str]]:
    for entry in _text(pid, "environ").split("\0"):
        name, _, value = entry.partition("=")
        yield name, value


def _text(pid: int, name: str) -> str:
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="surrogateescape") as file:
            return file.read(MOST_BYTES)
    except (OSError, ValueError):
        return ""
