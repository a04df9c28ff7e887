"""One performance row: what was measured, beside what, and the ratio that is promised.

Machines are shared and noisy, so a row never judges by seconds: it interleaves the subject
with its baseline, keeps the best time of each, and prints the ratio.
Always true: both sides of a ratio were measured in the same run, turn by turn.
"""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """`ratio` is subject / baseline; `limit` is the most it may be (None: told, not judged)."""

    area: str
    name: str
    subject: float
    baseline: float
    beside: str
    limit: float | None = None
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many baselines the subject costs."""
        return self.subject / self.baseline if self.baseline else float("inf")

    @property
    def met(self) -> bool:
        """True when there is no limit or the ratio keeps it."""
        return self.limit is None or self.ratio <= self.limit


def best_of(calls: Sequence[Callable[[], object]], *, rounds: int = 7) -> list[float]:
    """Time some calls turn by turn and return the best wall time of each, in seconds."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for at, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[at] = min(best[at], time.perf_counter() - start)
    return best


def least_cpu(
    calls: Sequence[Callable[[], object]], *, rounds: int = 7, beside: Sequence[int] = ()
) -> list[float]:
    """Time some calls turn by turn and return the least CPU time of each, in seconds.

    It is that of this process, of all that it started and waited for, and of the processes
    `beside` it that answer them: other programs on the machine change it much less than they
    change wall time.
    """
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for at, call in enumerate(calls):
            start = _cpu_seconds(beside)
            call()
            best[at] = min(best[at], _cpu_seconds(beside) - start)
    return best


def _cpu_seconds(beside: Sequence[int]) -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    # What clock_getcpuclockid(3) returns for another process.
    others = [time.clock_gettime((~pid << 3) | 2) for pid in beside]
    return sum(one.ru_utime + one.ru_stime for one in used) + sum(others)


def each(call: Callable[[], object], *, times: int) -> Callable[[], None]:
    """Return a call that repeats another, for subjects that take microseconds."""

    def repeated() -> None:
        for _ in range(times):
            call()

    return repeated


def command(*argv: str) -> Callable[[], None]:
    """Return a call that runs a command and ignores its answer."""

    def run() -> None:
        subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    return run


def peak_memory() -> int:
    """Return this process's highest resident size so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
