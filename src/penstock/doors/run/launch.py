"""Run a command isolated: say what holds, start it, and hand what it changed to the gate.

Always true: where a run cannot be isolated nothing is started; however the command ends, its
layer is synced or kept, and the audit log says which.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns, RunRecord
from penstock.core.errors import PenstockError
from penstock.core.run.summary import SyncResult, counts, finished, started
from penstock.doors.run.commits import import_commits
from penstock.doors.run.home import write_back
from penstock.doors.run.sync import Sync

REFRESH_SECONDS = 3.0
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOutcome:
    """How a run ended, and what became of its changes."""

    run: str
    code: int
    result: SyncResult


def run_command(
    here: Workspace, command: Sequence[str], *, say: Say, ask: bool = False, again: str = ""
) -> RunOutcome:
    """Run a command in a new layer, or in that of a run that has ended (`again`)."""
    runs = IsolatedRuns(here)
    machine = runs.machine()
    gate = here.gate
    if again:
        record = replace(runs.records.get(again), ended=0.0)
    else:
        record = runs.records.make(here.root, command, time.time())
    with runs.records.held(record.id):
        try:
            with runs.started(record.id, command, os.environ) as (process, notes):
                gate.record(
                    "run_started",
                    path="",
                    status="started",
                    run=record.id,
                    mode="overlay",
                    landlock=str(machine.landlock),
                    command=" ".join(command),
                    revision=here.policy().revision,
                )
                open_still = [f"sockets below {place} can be reached" for place in process.unsealed]
                banner = started(
                    record.id,
                    landlock=machine.landlock,
                    scoped=machine.scoped,
                    notes=[*notes, *open_still],
                )
                for line in banner:
                    say(line)
                code = process.wait(REFRESH_SECONDS)
                home = write_back(here, runs, record.id)
        except BaseException:
            if not again and not runs.has_layer(record.id):
                runs.records.drop(record.id)
            raise
        try:
            result = sync_run(here, runs, record, code, ask=ask)
        except PenstockError:
            say(
                f"penstock: run {record.id} finished (exit {code}); its changes are kept, unapplied"
            )
            say(f"  penstock runs apply {record.id}    penstock runs diff {record.id}")
            raise
        kept = _tidy(runs, record.id, result)
        for line in [*finished(record.id, code, result, kept=kept), *home]:
            say(line)
        return RunOutcome(run=record.id, code=code, result=result)


def sync_run(
    here: Workspace, runs: IsolatedRuns, record: RunRecord, code: int, *, ask: bool
) -> SyncResult:
    """Hand what a run left to the gate and write down how it ended."""
    ended = replace(record, ended=time.time(), exit_code=code)
    runs.records.keep(ended)
    result = Sync(here=here, runs=runs, run=record.id, ask=ask).sync()
    result = replace(
        result,
        git=result.git + runs.git_files(record.id),
        commits=import_commits(here, runs, record.id),
    )
    runs.records.keep(replace(ended, counts=counts(result)))
    here.gate.record("run_ended", path="", status="ended", run=record.id, exit_code=str(code))
    return result


def _tidy(runs: IsolatedRuns, run: str, result: SyncResult) -> bool:
    """Remove a layer that holds nothing any more; say whether it is kept."""
    runs.records.clear(run)
    if result.settled and not result.scratch and not result.git:
        runs.records.drop(run)
        return False
    return True
