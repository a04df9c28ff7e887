"""RunFolders that have ended: which there are, what they left, and what to do with it.

Always true: looking changes nothing; a run that goes on is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns, RunRecord
from penstock.core.diff.hunks import unified
from penstock.core.errors import InputError, PenstockError
from penstock.core.file_mode import FileMode
from penstock.core.run.changes import changes
from penstock.core.run.summary import SyncResult
from penstock.doors.run.commits import drop_refs
from penstock.doors.run.launch import sync_run
from penstock.doors.run.sort import settle_layer, sort_layer


class RunListing(Struct, frozen=True, kw_only=True):
    """One run as it is listed."""

    record: RunRecord
    live: bool

    @property
    def state(self) -> str:
        """In a word: `running`, `ended`, or `stopped` where nobody saw its end."""
        if self.live:
            return "running"
        return "ended" if self.record.ended else "stopped"


def listed(here: Workspace) -> list[RunListing]:
    """Return all runs that left something, oldest first."""
    records = IsolatedRuns(here).records
    return [RunListing(record=one, live=records.is_live(one.id)) for one in records.all()]


def find(here: Workspace, run: str) -> RunRecord:
    """Return a run by its id; without one, the newest. Raises InputError `not-found`."""
    records = IsolatedRuns(here).records
    if run:
        return records.get(run)
    known = records.all()
    if not known:
        raise InputError("not-found", "no run has left anything", hint="penstock run -- COMMAND")
    return known[-1]


def diffs(here: Workspace, run: str) -> Iterator[tuple[str, bytes]]:
    """Yield what a run would change in the project, path by path, as unified diffs."""
    runs = IsolatedRuns(here)
    with runs.records.held(run):
        layer = runs.layer(run)
        made, held = changes(sort_layer(here, runs, run).project)
        for one in made:
            if one.mode is FileMode.DIRECTORY:
                yield one.path, b"new directory\n"
                continue
            after = one.link
            if one.keeps and after is None:
                after = layer.content(one.path, one.digest)
            yield one.path, unified(_before(here, one.path), after, path=one.path)
        for each in held:
            yield each.path, f"held: {each.because}\n".encode()


def _before(here: Workspace, path: str) -> bytes | None:
    try:
        return here.gate.current(path)
    except PenstockError:  # a link or a directory is there
        return None


def apply_run(here: Workspace, record: RunRecord) -> SyncResult:
    """Hand what a run left to the gate once more."""
    runs = IsolatedRuns(here)
    with runs.records.held(record.id):
        code = record.exit_code if record.exit_code is not None else 1
        return sync_run(here, runs, record, code, ask=False)


def drop(here: Workspace, run: str) -> None:
    """Remove a run and everything that it left."""
    records = IsolatedRuns(here).records
    with records.held(run):
        drop_refs(here, run)
        records.drop(run)
    here.gate.record("run_dropped", path="", status="dropped", run=run)


def clean(here: Workspace) -> list[str]:
    """Remove the runs that left nothing but scratch files; return which."""
    runs = IsolatedRuns(here)
    idle = [one.id for one in runs.records.all() if not runs.records.is_live(one.id)]
    gone = [run for run in idle if _only_scratch(here, runs, run)]
    for run in gone:
        drop(here, run)
    return gone


def _only_scratch(here: Workspace, runs: IsolatedRuns, run: str) -> bool:
    """Say whether nothing else is left, now that what was approved since is the project's own."""
    if not runs.has_layer(run):
        return True
    settle_layer(runs, run)
    found = sort_layer(here, runs, run)
    return not found.project and not found.git and not runs.git_files(run)
