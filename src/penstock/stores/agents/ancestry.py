"""Tell whether an agent runs this process, or a person sits at its terminal.

The variables of this process, the processes above it with the variables they were started
with, the leader of its session, and whoever holds the other end of its terminal are looked
at. Who is an agent is `names`'; what follows from it is decided by whoever asks.
Always true: nothing is changed by looking, and what cannot be seen is not taken for an agent.

What this cannot see, and why an approver key is the better proof: an agent on the other side
of a container, of ssh or of a terminal multiplexer that a person has started (`tmux
send-keys`); an agent under a name that is not in the table; one that has cut itself off (forked
twice) with clean variables and its own terminal; and a program of its own that never asks us.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from penstock.stores.agents.names import (
    ProcessInfo,
    agent_by_process,
    agent_by_variables,
    interesting,
)
from penstock.stores.system.process import stat_fields

__all__ = [
    "ProcessInfo",
    "ancestry",
    "inside_agent",
    "is_terminal",
    "no_person",
    "seen_here",
    "watchers",
]

DEPTH = 256
MOST_PROCESSES, MOST_DESCRIPTORS = 20_000, 4096
MOST_BYTES = 1 << 20
PS = ("/bin/ps", "-axww", "-o", "pid=,ppid=,command=")
PTS_MAJORS = range(136, 144)
PTMX = ("/dev/ptmx", "/dev/pts/ptmx", "/ptmx")
# A whole machine is an agent's where this is.
WHOLE_MACHINE = {"/opt/.devin": "Devin"}


def inside_agent(environ: Mapping[str, str], ancestry: Sequence[ProcessInfo]) -> str | None:
    """Return why these variables or processes mean that an agent runs this, or None."""
    found = agent_by_variables(environ)
    if found:
        return f"the environment variable {found[1]} is set, as {found[0]} does"
    for process in ancestry:
        agent = agent_by_process(process)
        if agent:
            return f"its parent process {process.pid} is {agent}"
        found = agent_by_variables(process.environ)
        if found:
            return f"process {process.pid} above it has {found[1]} set, as {found[0]} does"
        if process.cut:
            return f"it has more than {len(ancestry)} parent processes"
    return None


def seen_here(environ: Mapping[str, str] | None = None) -> str | None:
    """Return why this process is inside an agent, or None: everything that can be seen."""
    machine = next((who for path, who in WHOLE_MACHINE.items() if os.path.exists(path)), "")
    if machine:
        return f"this machine is {machine}'s"
    variables = os.environ if environ is None else environ
    return inside_agent(variables, ancestry()) or inside_agent({}, watchers())


def no_person(*, stdin: int = 0) -> str | None:
    """Return why no person can be taken to sit here, or None if one does."""
    if not is_terminal(stdin):
        return "standard input is not a terminal"
    return seen_here()


def is_terminal(fd: int) -> bool:
    """Say whether a descriptor is a terminal; one that is closed is none."""
    try:
        return os.isatty(fd)
    except (OSError, ValueError):
        return False


# Processes


def ancestry(pid: int | None = None) -> tuple[ProcessInfo, ...]:
    """Return a process, by default this one, and all that stand above it, nearest first."""
    look = _from_proc if os.path.isdir("/proc/self") else _Table(_ps()).get
    found: list[ProcessInfo] = []
    at = os.getpid() if pid is None else pid
    while at > 0 and len(found) < DEPTH:
        process = look(at)
        if process is None:
            return tuple(found)
        found.append(process)
        at = process.ppid
    return (*found, ProcessInfo(pid=at, cut=True)) if at > 0 else tuple(found)


def _from_proc(pid: int) -> ProcessInfo | None:
    fields = stat_fields(pid)
    if len(fields) < 2:
        return None
    return ProcessInfo(
        pid=pid,
        ppid=int(fields[1]),
        name=_read(pid, "comm").rstrip("\n"),
        argv=tuple(_read(pid, "cmdline").removesuffix("\0").split("\0")),
        exe=_link(f"/proc/{pid}/exe"),
        environ=dict(_variables(_read(pid, "environ"))),
    )


def _read(pid: int, name: str) -> str:
    """Return what the kernel tells of a process; of another user's, mostly nothing."""
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="surrogateescape") as file:
            return file.read(MOST_BYTES)
    except (OSError, ValueError):
        return ""


def _variables(text: str) -> Iterator[tuple[str, str]]:
    for entry in text.split("\0"):
        name, _, value = entry.partition("=")
        if interesting(name):
            yield name, value


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


class _Table(Struct, frozen=True):
    """All processes as `ps` lists them, for machines without /proc."""

    text: str

    def get(self, pid: int) -> ProcessInfo | None:
        """Return one process of the list."""
        for line in self.text.splitlines():
            fields = line.split(None, 2)
            if len(fields) == 3 and fields[0] == str(pid) and fields[1].isdecimal():
                # Arguments are joined by spaces there, so a path that has one is cut.
                argv = tuple(fields[2].split())
                return ProcessInfo(pid=pid, ppid=int(fields[1]), argv=argv)
        return None


def _ps() -> str:
    """Return the processes that `ps` lists. Not the `ps` of the PATH: that may be anyone's."""
    try:
        done = subprocess.run(PS, capture_output=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout[: 8 * MOST_BYTES].decode("utf-8", "replace")


# Terminals


def watchers(terminals: Iterable[int] = (0, 1, 2)) -> tuple[ProcessInfo, ...]:
    """Return who else stands behind this process's terminal, with those above them.

    A process that was forked twice has only init above it. Its session still has a leader,
    and whoever made its terminal still holds the other end, to read and to type.
    """
    found: dict[int, ProcessInfo] = {}
    for pid in (_session(), *_holders(_numbers(terminals))):
        for process in ancestry(pid) if pid > 0 and pid not in found else ():
            found[process.pid] = process
    return tuple(found.values())


def _session() -> int:
    try:
        return os.getsid(0)
    except OSError:
        return 0


def _numbers(terminals: Iterable[int]) -> frozenset[int]:
    """Return the numbers of the pseudo-terminals among some descriptors, and of the session's."""
    devices = []
    for fd in terminals:
        with suppress(OSError, ValueError):
            devices.append(os.fstat(fd).st_rdev)
    fields = stat_fields(os.getpid())
    if len(fields) > 4:
        devices.append(_device(int(fields[4])))
    return frozenset(
        (os.major(device) - PTS_MAJORS.start) * 256 + os.minor(device)
        for device in devices
        if os.major(device) in PTS_MAJORS
    )


def _device(number: int) -> int:
    """Return the device of a session's terminal from how `stat` of a process writes it."""
    number &= 0xFFFFFFFF
    return os.makedev((number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00))


def _holders(numbers: frozenset[int]) -> Iterator[int]:
    """Yield the processes that hold the other end of some terminals, as far as we may look."""
    if not numbers or not sys.platform.startswith("linux"):
        return
    here = _link("/proc/self/ns/mnt")
    with suppress(OSError):
        for name in os.listdir("/proc")[:MOST_PROCESSES]:
            # Another container counts its terminals on its own.
            ours = name.isdecimal() and _link(f"/proc/{name}/ns/mnt") == here
            if ours and any(number in numbers for number in _masters(name)):
                yield int(name)


def _masters(pid: str) -> Iterator[int]:
    """Yield the numbers of the terminals whose other end a process holds."""
    with suppress(OSError):
        for fd in os.listdir(f"/proc/{pid}/fd")[:MOST_DESCRIPTORS]:
            if _link(f"/proc/{pid}/fd/{fd}").endswith(PTMX):
                for line in _read(int(pid), f"fdinfo/{fd}").splitlines():
                    if line.startswith("tty-index:"):
                        yield int(line.partition(":")[2])
