"""Ask logs of decisions: the newest that fit, how many of which kind, what was denied most.

Several logs are asked as one, Penstock's own record with its segments or files of the original
hook. They are read from their ends, so that the newest lines are found at once.
Always true: an answer tells what the logs hold now; nothing is written.
"""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from msgspec import Struct

from penstock.core.errors import AuditError
from penstock.core.learning.past_decision import DENY, Past
from penstock.stores.audit.reader import Told, backwards, quiet
from penstock.stores.audit.segments import files_of, open_to_read
from penstock.stores.decisions.lines import DecisionField, seconds_of, seen, told_by
from penstock.stores.system.os_errors import shut


class DecisionQuery(Struct, frozen=True, kw_only=True):
    """Which decisions are asked for; what is empty fits all. Times are seconds since 1970."""

    decision: str = ""
    source: str = ""
    tool: str = ""
    rule: str = ""
    session: str = ""
    needs_review: bool | None = None
    since: int = 0
    until: int = 0

    def fits(self, kind: DecisionField) -> bool:
        """Say whether decisions of a kind can be among them."""
        return (
            (not self.decision or kind.decision == self.decision)
            and (not self.source or kind.source == self.source)
            and (not self.tool or kind.tool == self.tool)
            and (not self.rule or kind.rule == self.rule)
            and (self.needs_review is None or kind.review == self.needs_review)
        )

    def accepts(self, when: str, kind: DecisionField, session: str) -> bool:
        """Say whether a decision is among them."""
        if not self.fits(kind) or (self.session and session != self.session):
            return False
        if not (self.since or self.until):
            return True
        second = seconds_of(when)
        return second >= self.since and (not self.until or second < self.until)


ALL = DecisionQuery()


class Tally(Struct, frozen=True):
    """How many decisions of which kind there were, and how often which command was denied."""

    kinds: Counter[DecisionField]
    denied: Counter[str]

    @property
    def total(self) -> int:
        """How many decisions there were."""
        return self.kinds.total()


class Decisions:
    """The decisions of some logs. Each log is a file with the segments rotated out of it."""

    def __init__(self, paths: Sequence[str], *, told: Told = quiet) -> None:
        self.paths = paths
        self.told = told

    def newest(self, wanted: DecisionQuery) -> Iterator[Past]:
        """Yield the decisions that fit, newest first. Raises AuditError for what is no file."""
        streams = [self._of(path, wanted) for path in self.paths]
        merged = streams[0]
        if len(streams) > 1:
            merged = heapq.merge(*streams, key=lambda past: -seconds_of(past.ts))
        yield from merged

    def _of(self, path: str, wanted: DecisionQuery) -> Iterator[Past]:
        for _, line in self._fitting(path, wanted):
            past = told_by(line)
            if past is not None:
                yield past

    def tally(self, wanted: DecisionQuery = ALL) -> Tally:
        """Count the decisions that fit. Raises AuditError for what is no file."""
        found = Tally(Counter(), Counter())
        for path in self.paths:
            for kind, line in self._fitting(path, wanted):
                found.kinds[kind] += 1
                past = told_by(line) if kind.decision == DENY else None
                if past is not None and past.command:
                    found.denied[past.command] += 1
        return found

    def _fitting(self, path: str, wanted: DecisionQuery) -> Iterator[tuple[DecisionField, bytes]]:
        """Yield the lines that tell of a decision that fits, last first, each with its kind."""
        for line in _newest_lines(path, self.told):
            found = seen(line)
            if found is not None and wanted.accepts(*found):
                yield found[1], line


# --- lines ---------------------------------------------------------------------------------------


def recent(paths: Iterable[str], most: int) -> list[Past]:
    """Return up to `most` of the newest decisions of each log, what people answered included."""
    found: list[Past] = []
    for path in paths:
        with suppress(AuditError):
            told = (told_by(line) for line in _newest_lines(path))
            found += islice((past for past in told if past is not None), most)
    return found


def _newest_lines(path: str, told: Told = quiet) -> Iterator[bytes]:
    """Yield the lines of a log, last first, whichever file they were rotated into."""
    for segment in reversed(files_of(path)):
        yield from _backwards(segment.path, told)


def _backwards(path: str, told: Told) -> Iterator[bytes]:
    """Yield the lines of a file, last first, also one that was not ended."""
    try:
        fd = open_to_read(path)
    except AuditError as fault:
        if isinstance(fault.__cause__, FileNotFoundError):
            return  # never there, or rotated away while we looked
        raise
    try:
        yield from backwards(fd, 0, os.fstat(fd).st_size, told)
    finally:
        shut(fd)
