"""Let threads that wait for the disk at the same time wait for it once.

Whoever comes first leads: it takes along what the others have handed in meanwhile, commits all
of it, and hands the results out. Processes need none of this: the kernel joins their waits.
Always true: everybody gets their own results in the order of their own lines, or the leader's
error; nothing is committed twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from penstock.ports import LogEntry

Commit = Callable[[Sequence[bytes]], Sequence[LogEntry]]


class _Ticket:
    """What one thread handed in, and what became of it."""

    __slots__ = ("bodies", "done", "error", "results")

    def __init__(self, bodies: Sequence[bytes]) -> None:
        self.bodies = bodies
        self.done = False
        self.results: Sequence[LogEntry] = ()
        self.error: BaseException | None = None


class GroupCommit:
    """Joins commits that are wanted at the same time."""

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._turn = threading.Lock()
        self._door = threading.Lock()
        self._waiting: list[_Ticket] = []

    def commit(self, bodies: Sequence[bytes]) -> Sequence[LogEntry]:
        """Commit some lines, alone or with those of others, and return what they became."""
        ticket = _Ticket(bodies)
        with self._door:
            self._waiting.append(ticket)
        with self._turn:
            if not ticket.done:
                self._lead()
        if ticket.error is not None:
            raise ticket.error
        return ticket.results

    def _lead(self) -> None:
        with self._door:
            tickets, self._waiting = self._waiting, []
        try:
            results = self._commit([body for ticket in tickets for body in ticket.bodies])
        except BaseException as error:  # noqa: BLE001 - each waiting thread raises it itself
            for ticket in tickets:
                ticket.error, ticket.done = error, True
            return
        at = 0
        for ticket in tickets:
            ticket.results = results[at : at + len(ticket.bodies)]
            at += len(ticket.bodies)
            ticket.done = True
