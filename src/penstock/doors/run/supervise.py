"""What is done outside while the command of a run goes on: syncs, and views of the user's files.

A sync follows two seconds without changes, or a question over the control socket; what the user
saves, makes or deletes is shown to the command every few seconds. How the command is started and
ends is `launch`'s.
Always true: the command never waits for a sync; a sync that fails is tried again when the command
has ended, and its changes stay in the layer until then.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedProcess, IsolatedRuns
from penstock.core.errors import PenstockError
from penstock.core.proposals.model import OPEN
from penstock.core.run.news import news
from penstock.core.run.place import GIT, SCRATCH
from penstock.core.run.quiet import LOOK_SECONDS, QuietLayer
from penstock.core.run.summary import SyncResult
from penstock.doors.run.control import ControlSocket, Question
from penstock.doors.run.sync import CHANGED_BACK, Sync

if TYPE_CHECKING:
    from penstock.doors.hook.inside import InsideEngine

__all__ = ["LOOK_SECONDS", "Supervisor"]

REFRESH_SECONDS = 2.0
AT_MOST_EVERY = 0.25  # seconds between two syncs that somebody asks for
MOST_NEWS = 20
UNENTERED = SCRATCH | {GIT}


class Supervisor(Struct, kw_only=True, dict=True):
    """Attends a run: `turns` says whether its changes are synced while it goes on."""

    here: Workspace
    runs: IsolatedRuns
    run: str
    process: IsolatedProcess
    ask: bool = False
    turns: bool = True
    result: SyncResult | None = None
    control: ControlSocket | None = None
    refreshed: float = field(default_factory=time.monotonic)  # it begins with a fresh view
    synced: float = 0.0
    unheard: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_NEWS))
    last_heard: list[str] = field(default_factory=list)  # with the last answer
    quiet: QuietLayer = field(default_factory=QuietLayer)

    def descriptors(self) -> Sequence[int]:
        """Return what is watched besides the end of the command."""
        return self.control.descriptors() if self.control else ()

    def attend(self, ready: Sequence[int]) -> None:
        """Do what is due."""
        if self.control:
            self.control.attend(ready, self.answer, self._unhear)
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
            now = work.sync()
        except (PenstockError, OSError):
            return
        finally:
            self.synced = time.monotonic()
        self.unheard.extend(self._outcomes(now))
        self.unheard.extend(news(self.result, now))
        self.result = now.after(self.result)

    def _outcomes(self, now: SyncResult) -> Iterator[str]:
        """Yield what a person decided about changes that were pending."""
        earlier = self.result.pending if self.result else ()
        if not earlier:
            return
        from penstock.core.proposals.outcome import outcome
        from penstock.core.proposals.short_id import short

        left = {one.note for one in now.pending}
        for one in earlier:
            found = self.here.gate.get(one.note) if one.note not in left else None
            if found is None or (found.answer and found.answer.reason == CHANGED_BACK):
                continue
            latest = self.here.gate.latest(found)
            by_the_run = latest.id != found.id and not latest.origin
            text = "" if by_the_run or latest.state in OPEN else outcome(found, latest)
            if text:
                yield f"Penstock: pending change {short(found.id)}: {text}"

    # -- what programs inside ask ------------------------------------------------------------

    def answer(self, question: Question) -> dict[str, object]:
        """Answer one question from inside; whatever is wrong with it is the asker's own affair."""
        op = question.get("op")
        self.last_heard = []
        if op == "judge":
            return self._judge(question)
        if op == "sync":
            self._sync_soon()
            return self._status()
        if op == "status":
            return self._status()
        return {"error": "unknown-question"}

    def _judge(self, question: Question) -> dict[str, object]:
        agent, call, environ = (question.get(name) for name in ("agent", "call", "environ"))
        if not (isinstance(agent, str) and isinstance(call, str) and isinstance(environ, dict)):
            return {"error": "unknown-question"}
        told = {k: v for k, v in environ.items() if isinstance(v, str)}
        try:
            data = call.encode("utf-8", "surrogateescape")
            said = self._engine.reply(agent, data, told)
        except Exception:  # noqa: BLE001 - no question that is asked inside may end the run
            return {"error": "not-judged"}
        return {"stdout": said.stdout, "stderr": said.stderr, "code": said.code}

    def _status(self) -> dict[str, object]:
        known = self.result or SyncResult()
        return {
            "run": self.run,
            "applied": len(known.applied),
            "pending": [one.path for one in known.pending],
            "blocked": [one.path for one in known.blocked],
        }

    @cached_property
    def _engine(self) -> InsideEngine:
        from penstock.doors.hook.inside import InsideEngine  # most runs have no hooks

        return InsideEngine(self.here, self.run, sync=self._sync_soon, heard=self._heard)

    def _sync_soon(self) -> None:
        """Sync what changed since the last one began, and not too often, whoever asks."""
        pause = self.synced + AT_MOST_EVERY - time.monotonic()
        if not self.turns or (pause > 0 and self._stamp() == self.quiet.synced):
            return
        time.sleep(max(0.0, pause))
        self.sync()

    def _heard(self) -> list[str]:
        self.last_heard = list(self.unheard)
        self.unheard.clear()
        return self.last_heard

    def _unhear(self) -> None:
        """Keep for the next answer what the last one brought to nobody."""
        self.unheard.extendleft(reversed(self.last_heard))

    def _stamp(self) -> int:
        layer = self.runs.layer(self.run)
        return layer.stamp(lambda path: path.rpartition("/")[2] not in UNENTERED)
