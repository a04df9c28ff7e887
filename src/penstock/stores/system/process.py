"""Tell whether the process that took something still runs, or died and left it behind.

A number alone does not name a process: numbers are used again, machines restart, containers
count on their own. So a mark also holds when the process started, which start of the machine
that was, and whose numbers they are.
Always true: this very process is alive; a mark that cannot be read belongs to nobody.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from penstock.stores.system.clock import boot_id, boot_time

# Another container's numbers mean nothing here. No write takes as long as this.
UNSEEN = 600.0


def this_process() -> str:
    """Return the mark of this process."""
    pid = os.getpid()
    parts = [str(pid), _started(pid), boot_id(), _numbers(), f"{boot_time():.0f}"]
    return " ".join(part or "-" for part in parts)


def alive(mark: str) -> bool:
    """Say whether the process that made a mark may still be running."""
    parts = mark.split(" ")
    if len(parts) != 5 or not all(parts[at].isdecimal() for at in (0, 4)):
        return False
    pid, started, start_of_machine, numbers, at = parts
    if start_of_machine != (boot_id() or "-"):
        return False
    if numbers != (_numbers() or "-"):
        return boot_time() - float(at) < UNSEEN
    return _started(int(pid)) == started if started != "-" else _exists(int(pid))


def _started(pid: int) -> str:
    """Return when a process started, in the kernel's ticks, or nothing when it is gone."""
    fields = stat_fields(pid)
    # A zombie has ended; only its parent has not noticed.
    return fields[19] if len(fields) > 19 and fields[0] not in ("Z", "X") else ""


def stat_fields(pid: int) -> Sequence[str]:
    """Return what the kernel tells of a process, from its state on: `man 5 proc`, field 3."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name before it may hold anything, closing brackets too.
            return file.read(4096).rpartition(")")[2].split()
    except OSError:
        return ()


def _numbers() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
