"""What a sink answered, and what follows from that.

Always true: only an answer that says so counts as sent. What cannot be told apart from a sink that
is away for a while is tried again.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from enum import StrEnum

from msgspec import Struct

from penstock.core.text.quantities import counted

FIRST_WAIT, LONGEST_WAIT = 1.0, 300.0
LONGEST_ASKED = 3600.0  # what a sink may ask for by `Retry-After`
# The batch itself is what the sink does not take: too large, or not understood.
UNTAKEN = frozenset({400, 413, 422})


class ShipStep(StrEnum):
    """What follows."""

    SENT = "sent"
    WAIT = "wait"
    SPLIT = "split"


class SinkAnswer(Struct, frozen=True, kw_only=True):
    """What a sink answered: an HTTP status (200 for others that took it), or a problem.

    `rejected` is how many entries of the batch it says it did not take, whatever its status.
    """

    status: int = 0
    problem: str = ""
    retry_after: float = 0.0
    rejected: int = 0

    @property
    def step(self) -> ShipStep:
        """What follows from it."""
        if self.problem:
            return ShipStep.WAIT
        if self.rejected or self.status in UNTAKEN:
            return ShipStep.SPLIT
        return ShipStep.SENT if 200 <= self.status < 300 else ShipStep.WAIT

    @property
    def said(self) -> str:
        """What went wrong, in one line."""
        if self.rejected:
            return f"the sink rejected {counted(self.rejected, 'entry', 'entries')}"
        return self.problem or f"the sink answered {self.status}"


TAKEN = SinkAnswer(status=200)


def wait_after(failures: int, asked: float = 0.0) -> float:
    """Return how many seconds to wait after so many failures in a row."""
    own = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(max(failures - 1, 0), 16))
    return max(own, min(asked, LONGEST_ASKED))


def seconds_asked(text: str, now: float) -> float:
    """Return what a `Retry-After` says, as seconds or as a date; 0 where it says neither."""
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return min(float(text), LONGEST_ASKED)
    try:
        return min(max(parsedate_to_datetime(text).timestamp() - now, 0.0), LONGEST_ASKED)
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0.0
