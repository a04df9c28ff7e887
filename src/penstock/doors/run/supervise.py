"""What is done outside while the command of a run goes on: syncs, and views of the user's files.

A sync follows two seconds without changes; what the user saves, makes or deletes is shown to the
command every few seconds. How the command is started and ends is `launch`'s.
Always true: the command never waits for a sync; a sync that fails is tried again when the command
has ended, and its changes stay in the layer until then.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedProcess, IsolatedRuns
from penstock.core.errors import PenstockError
from penstock.core.run.place import GIT, SCRATCH
from penstock.core.run.quiet import LOOK_SECONDS, QuietLayer
from penstock.core.run.summary import SyncResult
from penstock.doors.run.sync import Sync

__all__ = ["LOOK_SECONDS", "Supervisor"]

REFRESH_SECONDS = 2.0
UNENTERED = SCRATCH | {GIT}


@dataclass(kw_only=True)
class Supervisor:
    """Attends a run: `turns` says whether its changes are synced while it goes on."""

    here: Workspace
    runs: IsolatedRuns
    run: str
    process: IsolatedProcess
    ask: bool = False
    turns: bool = True
    result: SyncResult | None = None
    refreshed: float = 0.0
    quiet: QuietLayer = field(default_factory=QuietLayer)

    def descriptors(self) -> Sequence[int]:
        """Return what is watched besides the end of the command."""
        return ()

    def attend(self, ready: Sequence[int]) -> None:
        """Do what is due."""
        del ready
        now = time.monotonic()
        if now - self.refreshed >= REFRESH_SECONDS:
            self.refreshed = now
            self.process.refresh()
        if self.turns and self.quiet.is_time(now):
            stamp = self._stamp()
            ended = time.monotonic()
            if self.quiet.look(stamp, ended, cost=ended - now):
                self.sync()

    def sync(self) -> None:
        """Hand to the gate what there is; what fails is left for the end of the run."""
        # Before anything is read: what changes from here on is looked at again.
        self.quiet.begin(self._stamp())
        live = self.runs.live(self.run, self.process)
        work = Sync(
            here=self.here,
            runs=self.runs,
            run=self.run,
            ask=self.ask,
            live=live,
            shown=tuple(self.process.shown),
            last=self.result,
        )
        try:
            self.result = work.sync().after(self.result)
        except (PenstockError, OSError):
            return

    def _stamp(self) -> int:
        layer = self.runs.layer(self.run)
        return layer.stamp(lambda path: path.rpartition("/")[2] not in UNENTERED)
