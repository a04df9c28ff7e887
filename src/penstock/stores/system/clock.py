"""The real clock: the present, and ids that nobody can guess.

Wall time is never earlier than what the queue has seen before, whatever the machine's clock
is set to, and goes on by the clock that counts since the machine started. Comparing two
moments is `core.proposals.model`'s work; keeping the mark is the queue's.
Always true: `now` never goes back, neither in this process nor after a restart.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from penstock.core.errors import StoreError

if TYPE_CHECKING:
    from penstock.core.proposals.model import Moment

BOOT_ID = "/proc/sys/kernel/random/boot_id"
# The mark is written to the disk, so not at every look at the clock. By this much at most
# could a clock that is set back stretch a time to live.
EVERY = 1.0


def boot_time() -> float:
    """Return the seconds since the machine started, sleep included where that is known."""
    # Linux calls it BOOTTIME; on macOS it is MONOTONIC that goes on while the machine sleeps.
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):
        if hasattr(time, name):
            return time.clock_gettime(getattr(time, name))
    return time.monotonic()


@cache
def boot_id() -> str:
    """Return what tells this start of the machine from every other, or nothing."""
    try:
        # Bytes: a codec by name is a module to import, and a disk that fails can fail there.
        with open(BOOT_ID, "rb") as file:
            return file.read(64).decode("ascii").strip()
    except (OSError, ValueError):
        return ""


class SystemClock:
    """The clock of this machine, made steady by a mark that `remember` keeps.

    `remember` takes a wall time and returns the latest one ever remembered.
    """

    def __init__(self, remember: Callable[[float], float] | None = None) -> None:
        self._remember = remember
        self._lock = threading.Lock()
        self._wall = 0.0
        self._boot = 0.0
        self._marked = float("-inf")

    def now(self) -> Moment:
        """Return the present; its wall time never goes back."""
        from penstock.core.proposals.model import Moment  # others only ask for the boot time

        with self._lock:
            boot = boot_time()
            # Going on from the last wall time by the other clock: a wall clock that was set
            # back does not make time stand still until it has caught up.
            went_on = self._wall + (boot - self._boot) if self._wall else 0.0
            wall = max(time.time(), went_on)
            if self._remember is not None and boot - self._marked >= EVERY:
                wall = max(wall, self._remember(wall))
                self._marked = boot
            self._wall, self._boot = wall, boot
            return Moment(wall=wall, boot=boot, boot_id=boot_id())

    def sleep(self, seconds: float) -> None:
        """Let some time pass."""
        time.sleep(seconds)

    def token(self) -> str:
        """Return a fresh unguessable id, 32 hexadecimal digits."""
        try:
            return os.urandom(16).hex()
        except OSError as fault:
            raise StoreError(
                "no-randomness", "the system gave no random bytes", because=str(fault.strerror)
            ) from None
