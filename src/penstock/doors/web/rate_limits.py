"""How often something may be tried: a bucket of turns, and passphrases that were wrong.

What is tried is others' business. Time comes in as a function, so that tests choose it.
Always true: what is remembered is bounded, and a success after failures forgets only its own.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from penstock.core.errors import RefusedError

Now = Callable[[], float]

FEW, MANY = 5, 20  # wrong passphrases of one session, and of all together
WITHIN = 600.0  # seconds in which they count
LOCKED = 300.0  # seconds for which nobody may try again
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0  # seconds before the answer to a wrong one
MOST_KEPT = 256


class Bucket:
    """Turns that come back at a rate; `burst` of them can be taken at once."""

    def __init__(self, *, rate: float, burst: int, now: Now = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._now = now
        self._left = float(burst)
        self._at = now()
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Take a turn; False when there is none left."""
        with self._lock:
            now = self._now()
            self._left = min(self._burst, self._left + (now - self._at) * self._rate)
            self._at = now
            if self._left < 1:
                return False
            self._left -= 1
            return True


class Attempts:
    """Wrong passphrases and codes, of each session and of all."""

    def __init__(self, *, now: Now = time.monotonic) -> None:
        self._now = now
        self._failed: dict[str, deque[float]] = {}
        self._all: deque[float] = deque(maxlen=MANY)
        self._locked: dict[str, float] = {}
        self._lock = threading.Lock()

    def check(self, who: str) -> None:
        """Refuse whoever has to wait. Raises RefusedError `too-many-attempts`."""
        with self._lock:
            now = self._now()
            until = max(self._locked.get(who, 0.0), self._locked.get("", 0.0))
            if until > now:
                raise too_many(until - now)

    def failed(self, who: str) -> float:
        """Count a wrong one; return the seconds to wait before saying so.

        Raises RefusedError `too-many-attempts` when this one was the last for now.
        """
        with self._lock:
            now = self._now()
            own = self._of(who)
            own.append(now)
            self._all.append(now)
            locks = [(who, own, FEW), ("", self._all, MANY)]
            full = [name for name, times, most in locks if _recent(times, now) >= most]
            for name in full:
                self._locked[name] = now + LOCKED
            if full:
                own.clear()
                raise too_many(LOCKED)
            return float(min(LONGEST_WAIT, FIRST_WAIT * 2 ** (_recent(own, now) - 1)))

    def succeeded(self, who: str) -> None:
        """Forget what this session got wrong."""
        with self._lock:
            self._failed.pop(who, None)

    def _of(self, who: str) -> deque[float]:
        while len(self._failed) >= MOST_KEPT and who not in self._failed:
            self._failed.pop(next(iter(self._failed)))
        while len(self._locked) >= MOST_KEPT:
            self._locked.pop(next(iter(self._locked)))
        return self._failed.setdefault(who, deque(maxlen=FEW))


def _recent(times: deque[float], now: float) -> int:
    return sum(1 for at in times if now - at < WITHIN)


def too_many(seconds: float) -> RefusedError:
    """Return the error for whoever tried too often."""
    return RefusedError(
        "too-many-attempts",
        "too many wrong passphrases or codes",
        because=f"try again in {seconds:.0f} seconds",
        hint="wait, or approve in a terminal with `penstock approve`",
    )
