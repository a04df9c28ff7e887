"""Account for isolated runs: every write that a sync reports is an entry of that run in the log.

Whether each of those writes was approved is `standing_approval`'s to say, and whether an entry is
missing or edited is `verify`'s.
Always true: a run is counted by the entries that name it, never by what a sync says of itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.audit.approval.standing_approval import APPLIED
from penstock.core.audit.findings import AuditProblem, RunAccount, TamperKind

STARTED, SYNCED, ENDED = "run_started", "run_synced", "run_ended"
RUN_ENTRIES = frozenset({STARTED, SYNCED, ENDED})

Event = Mapping[str, object]


class RunAccounts(Struct):
    """Goes over numbered entries once, in their order."""

    problems: list[AuditProblem] = field(default_factory=list)
    _runs: dict[str, RunAccount] = field(default_factory=dict)
    _unclaimed: Counter[str] = field(default_factory=Counter)  # writes since a run's last sync

    @property
    def runs(self) -> tuple[RunAccount, ...]:
        """Every run that the log tells of, in its order."""
        return tuple(self._runs.values())

    def feed(self, events: Iterable[tuple[int, Event]]) -> None:
        """Count what runs wrote, and compare it with what their syncs say."""
        for line, event in events:
            op = event.get("op")
            if op == APPLIED:
                self._write(str(event.get("session")))
            elif op == STARTED:
                self._runs.setdefault(str(event.get("run")), RunAccount(run=str(event.get("run"))))
            elif op in (SYNCED, ENDED):
                self._report(line, str(event.get("run")), event)

    def _write(self, run: str) -> None:
        if run in self._runs:
            known = self._runs[run]
            self._runs[run] = replace(known, applied=known.applied + 1)
            self._unclaimed[run] += 1

    def _report(self, line: int, run: str, event: Event) -> None:
        known = self._runs.get(run)
        if known is None:  # it began in a part of the log that is not here
            return
        if event.get("op") == ENDED:
            self._runs[run] = replace(known, ended=True)
            return
        said, found = _number(event.get("applied")), self._unclaimed.pop(run, 0)
        if said > found:
            what = f"run `{run}` reports {said} writes here, and the log has {found}"
            self.problems.append(AuditProblem(kind=TamperKind.UNACCOUNTED, line=line, message=what))
        pending, denied = _number(event.get("pending")), _number(event.get("denied"))
        self._runs[run] = replace(known, pending=pending, denied=denied)


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() else 0
