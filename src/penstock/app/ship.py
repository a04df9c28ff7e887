"""Send the audit log to other systems: everything that a sink does not have yet, in order.

Where a sink is away, what it lacks waits in the log itself, and is sent when it is back. Entries
that it does not take (too large, not understood) are found by halving the batch; they are set
aside once it has taken a later one, so that a sink which takes nothing at all costs no entry.
Always true: at least once. A sink may get an entry again after a crash, and knows it by its
`event_hash`; none is left out without an entry in the audit log that says so.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct, field

from penstock.app.workspace import Workspace
from penstock.core.audit.export.formats import Format
from penstock.core.audit.export.outcomes import Sender
from penstock.core.errors import InputError, PenstockError
from penstock.core.ship.answer import ShipStep, SinkAnswer, wait_after
from penstock.core.ship.batch import ShipCursor, UnsentEntry, batches, halves
from penstock.core.ship.settings import ShipSettings, ship_settings
from penstock.core.ship.sink import Sink, sink_fault, sink_of
from penstock.stores.ship.cursors import ShipCursors
from penstock.stores.ship.secret import kept_secret
from penstock.stores.ship.send import SinkLine
from penstock.stores.ship.unsent import has_lost, unsent
from penstock.stores.system.places import user_rules

GATE_LOG, BROKER_LOG = "audit", "broker"
BROKER_FILE = ".agentzero_audit.jsonl"
MOST_HELD = 3  # entries in a row that a sink may refuse before it counts as broken
LOOK_EVERY = 2.0
STARTED_OVER = "the last entry that was sent is gone from the audit log; sending starts over"


class SinkStatus(Struct, frozen=True, kw_only=True):
    """How far one sink has one log. `lag` is how many entries it lacks."""

    sink: str
    log: str
    seq: int
    lag: int
    error: str = ""

    def as_json(self) -> dict[str, object]:
        """Return it as `penstock ship --status --json` prints it."""
        return {
            "sink": self.sink,
            "log": self.log,
            "seq": self.seq,
            "lag": self.lag,
            "error": self.error,
        }


class SinkTurn(Struct, kw_only=True, dict=True):
    """One log on its way to one sink."""

    here: Workspace
    log: str
    path: str
    line: SinkLine
    cursors: ShipCursors
    failures: int = 0
    not_before: float = 0.0
    _held: list[UnsentEntry] = field(default_factory=list)

    @property
    def sink(self) -> Sink:
        """Where it goes."""
        return self.line.sink

    def status(self) -> SinkStatus:
        """Return how far the sink has the log."""
        cursor = self.cursors.get(self.sink)
        head = _head(self.path)
        return SinkStatus(
            sink=self.sink.shown,
            log=self.log,
            seq=cursor.seq,
            lag=max(0, head - cursor.seq),
            error=self.cursors.problem(self.sink),
        )

    def send(self) -> str:
        """Send all that the sink lacks; return what went wrong, nothing when it has everything."""
        with self.cursors.turn(self.sink) as ours:
            return self._send() if ours else "another process is sending to it"

    def _send(self) -> str:
        cursor = self.cursors.get(self.sink)
        if has_lost(self.path, cursor):
            self._tell("ship_restarted", because=STARTED_OVER)
            cursor = ShipCursor()
        self._held.clear()
        problem = ""
        asked = 0.0
        for group in batches(unsent(self.path, cursor)):
            answer = self._take(group)
            if answer is not None:
                problem, asked = answer.said, answer.retry_after
                break
        if self._held and not problem:
            problem = f"it refuses the entry with number {self._held[0].after.seq}"
        self._note(problem, asked)
        return problem

    def _take(self, group: list[UnsentEntry]) -> SinkAnswer | None:
        """Send a batch, in parts where the sink refuses it; None when the next one can follow."""
        answer = self.line.send([one.line for one in group])
        if answer.step is ShipStep.SENT:
            self._set_aside()
            self.cursors.keep(self.sink, group[-1].after)
            return None
        if answer.step is ShipStep.WAIT:
            return answer
        if len(group) == 1:
            self._held += group
            return answer if len(self._held) > MOST_HELD else None
        first, second = halves(group)
        return self._take(first) or self._take(second)

    def _set_aside(self) -> None:
        """Keep what the sink refused beside the cursor: by now it has taken a later one."""
        if not self._held:
            return
        where = self.cursors.set_aside(self.sink, [one.line for one in self._held])
        numbers = ", ".join(str(one.after.seq) for one in self._held)
        self._tell("ship_refused", numbers=numbers, file=where)
        self._held.clear()

    def _tell(self, op: str, **facts: str) -> None:
        self.here.gate.record(op, path="", status="error", sink=self.sink.shown, **facts)

    def _note(self, problem: str, asked: float) -> None:
        self.failures = self.failures + 1 if problem else 0
        pause = wait_after(self.failures, asked) if problem else 0.0
        self.not_before = time.monotonic() + pause
        if problem != self.cursors.problem(self.sink):
            self.cursors.keep(self.sink, self.cursors.get(self.sink), problem=problem)


def turns(
    here: Workspace,
    *,
    sinks: Iterable[str] = (),
    environ: Mapping[str, str] | None = None,
) -> list[SinkTurn]:
    """Return what has to be sent for a project: each log to each sink of the user's own rules."""
    settings = ship_settings(here.policy().ship, user=user_rules())
    wanted = [_checked(text) for text in (*sinks, *(() if sinks else settings.sinks))]
    environ = os.environ if environ is None else environ
    return [
        SinkTurn(
            here=here,
            log=log,
            path=path,
            line=_line(sink, path, settings, environ),
            cursors=ShipCursors(here.state, log),
        )
        for sink in dict.fromkeys(wanted)
        for log, path in _logs(here)
    ]


def _logs(here: Workspace) -> Iterator[tuple[str, str]]:
    yield GATE_LOG, here.audit_path
    beside = os.path.join(here.root, BROKER_FILE)
    if os.path.isfile(beside) and not os.path.islink(beside):
        yield BROKER_LOG, beside


def _line(sink: Sink, path: str, settings: ShipSettings, environ: Mapping[str, str]) -> SinkLine:
    from penstock import __version__

    secret = kept_secret(settings.authorization, environ, beside=os.path.dirname(user_rules()))
    return SinkLine(
        sink=sink,
        source=Sender(version=__version__, host=socket.gethostname(), log=path),
        form=Format(settings.form),
        authorization=secret,
        ca_file=os.path.expanduser(settings.ca_file),
    )


def _checked(text: str) -> Sink:
    fault = sink_fault(text)
    if fault:
        raise InputError(
            "bad-sink",
            f"the sink {fault}",
            hint="see `docs/how-to/ship-the-audit-log.md`",
        )
    return sink_of(text)


def _head(path: str) -> int:
    """Return the number of the last entry of a log; -1 where it has none."""
    from penstock.stores.audit.jsonl import JsonlLog

    head = JsonlLog(path, clock=time.time).head()
    return head.seq if head else -1


# --- for as long as a process runs ---------------------------------------------------------


class Shipper(Struct, kw_only=True, dict=True):
    """Sends what is there, again and again; each sink in its own time.

    `say` gets each problem once, until there is another one.
    """

    found: Callable[[], Iterable[SinkTurn]]
    say: Callable[[str], None]
    _known: dict[tuple[str, str, Sink], SinkTurn] = field(default_factory=dict)
    _said: dict[str, str] = field(default_factory=dict)

    def run(self, stopped: threading.Event) -> None:
        """Go on until it is stopped."""
        while not stopped.is_set():
            self.look()
            stopped.wait(LOOK_EVERY)

    def look(self) -> None:
        """Send once what is due."""
        try:
            now = {(one.here.state, one.log, one.sink): one for one in self.found()}
        except (PenstockError, OSError) as fault:
            self._tell("", str(fault))
            return
        self._known = {key: self._known.get(key, one) for key, one in now.items()}
        for one in self._known.values():
            if time.monotonic() >= one.not_before:
                self._tell(one.sink.shown, _sent(one))

    def _tell(self, sink: str, problem: str) -> None:
        if problem and problem != self._said.get(sink):
            self.say(f"the audit log was not sent{f' to {sink}' if sink else ''}: {problem}")
        self._said[sink] = problem


def _sent(one: SinkTurn) -> str:
    try:
        return one.send()
    except (PenstockError, OSError) as fault:
        return str(fault)


def start_shipping(
    places: Callable[[], Iterable[Workspace]], stopped: threading.Event, say: Callable[[str], None]
) -> threading.Thread:
    """Send the logs of some projects in a thread, until it is stopped."""
    known: dict[str, Workspace] = {}

    def found() -> Iterator[SinkTurn]:
        for here in places():
            kept = known.setdefault(here.root, here)
            mine = turns(kept)
            if not mine:  # sinks are the user's own, the same for every project
                return
            yield from mine

    shipper = Shipper(found=found, say=say)
    thread = threading.Thread(target=shipper.run, args=(stopped,), name="shipping", daemon=True)
    thread.start()
    return thread
