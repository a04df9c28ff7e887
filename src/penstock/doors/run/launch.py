"""Run a command isolated: say what holds, start it, and hand what it changed to the gate.

Always true: where a run cannot be isolated nothing is started; however the command ends, its
layer is synced or kept, and the audit log says which.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing

from msgspec import Struct
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedProcess, IsolatedRuns, RunRecord
from penstock.core.errors import PenstockError
from penstock.core.run.summary import SyncResult, counts, finished, started
from penstock.doors.run.control import ControlSocket
from penstock.doors.run.supervise import LOOK_SECONDS, Supervisor
from penstock.doors.run.sync import Sync

Say = Callable[[str], None]


class RunOutcome(Struct, frozen=True, kw_only=True):
    """How a run ended, and what became of its changes."""

    run: str
    code: int
    result: SyncResult


def run_command(
    here: Workspace,
    command: Sequence[str],
    *,
    say: Say,
    ask: bool = False,
    turns: bool = False,
    again: str = "",
    mode: str = "",
) -> RunOutcome:
    """Run a command in a new layer, or in that of a run that has ended (`again`).

    With `turns` its changes go to the gate while it runs, else when it has ended. `mode` is the
    isolation that the user asked for; without it the rules say.
    """
    runs = IsolatedRuns(here)
    runs.machine()  # or it says why a run is not possible here
    if again:
        record = replace(runs.written_again(runs.records.get(again)), ended=0.0)
    else:
        record = runs.records.make(here.root, command, time.time())
    launch = _Launch(here=here, runs=runs, run=record.id, say=say, ask=ask, turns=turns)
    with runs.records.held(record.id):
        if again:
            runs.records.keep(record)
        try:
            code = launch.carry_out(command, mode)
        except BaseException:
            if not again and not runs.has_layer(record.id):
                runs.records.drop(record.id)
            raise
        try:
            result = sync_run(here, runs, record, code, ask=ask, before=launch.attendant)
        except (PenstockError, OSError):
            say(
                f"penstock: run {record.id} finished (exit {code}); its changes are kept, unapplied"
            )
            say(f"  penstock runs apply {record.id}    penstock runs diff {record.id}")
            raise
        kept = tidy(runs, record.id, result)
        for line in [*finished(record.id, code, result, kept=kept), *launch.home]:
            say(line)
        return RunOutcome(run=record.id, code=code, result=result)


class _Launch(Struct, kw_only=True, dict=True):
    """A command on its way through a run, and who attends it."""

    here: Workspace
    runs: IsolatedRuns
    run: str
    say: Say
    ask: bool
    turns: bool
    attendant: Supervisor | None = None
    home: Sequence[str] = ()  # what a person should know of what was written back

    def carry_out(self, command: Sequence[str], mode: str) -> int:
        """Start the command, attend it to its end, and return its exit code."""
        runs, run = self.runs, self.run
        control = ControlSocket(runs.records.path(run))
        with closing(control):
            begun = runs.started(run, command, os.environ, mode=mode, control=control.path)
            with begun as (process, notes):
                _announce(self.here, runs, run, command, process, notes, self.say)
                self.attendant = Supervisor(
                    here=self.here,
                    runs=runs,
                    run=run,
                    process=process,
                    control=control,
                    ask=self.ask,
                    turns=self.turns and process.mode == "overlay",
                )
                code = process.wait(LOOK_SECONDS, attendant=self.attendant)
                if runs.wrote_home(run):
                    from penstock.doors.run.home import write_back

                    self.home = write_back(self.here, runs, run)
        return code


def _announce(
    here: Workspace,
    runs: IsolatedRuns,
    run: str,
    command: Sequence[str],
    process: IsolatedProcess,
    notes: Sequence[str],
    say: Say,
) -> None:
    """Log that a run has started, and say what holds in it."""
    machine, network = runs.machine(), runs.settings.net
    here.gate.record(
        "run_started",
        path="",
        status="started",
        run=run,
        mode=process.mode,
        landlock=str(machine.landlock),
        network=network,
        command=" ".join(command),
        revision=here.policy().revision,
    )
    banner = started(
        run,
        landlock=machine.landlock,
        scoped=machine.scoped,
        notes=notes,
        network=network == "on",
        mode=process.mode,
        place=process.place,
        because=process.because,
    )
    for line in banner:
        say(line)


def sync_run(
    here: Workspace,
    runs: IsolatedRuns,
    record: RunRecord,
    code: int,
    *,
    ask: bool,
    before: Supervisor | None = None,
) -> SyncResult:
    """Hand what a run left to the gate and write down how it ended.

    `before` is who attended it, and knows what became of what it had changed earlier.
    """
    ended = replace(record, ended=time.time(), exit_code=code)
    runs.records.keep(ended)
    runs.mend(record.id)
    shown, earlier = (tuple(before.process.shown), before.result) if before else ((), None)
    last = Sync(here=here, runs=runs, run=record.id, ask=ask, shown=shown)
    result = last.sync().after(earlier)
    result = replace(result, git=result.git + runs.git_files(record.id))
    if result.git:
        from penstock.doors.run.commits import import_commits  # most runs commit nothing

        result = replace(result, commits=import_commits(here, runs, record.id))
    flushed = not (result.settled or result.incomplete) and runs.flush(record.id)
    runs.records.keep(replace(ended, counts=counts(result), flushed=flushed or ended.flushed))
    here.gate.record("run_ended", path="", status="ended", run=record.id, exit_code=str(code))
    return result


def tidy(runs: IsolatedRuns, run: str, result: SyncResult) -> bool:
    """Remove a layer that holds nothing any more; say whether it is kept."""
    runs.records.clear(run)
    keep = runs.settings.keep
    left = result.git or (result.scratch and keep != "changes")
    if result.settled and not left and keep != "all":
        runs.records.drop(run)
        return False
    return True
