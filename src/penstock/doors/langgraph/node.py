"""The gate as a node: pending writes in, decisions and written files out.

The order of the steps, and nothing else: judge every write, ask about those that a person must
see, settle all of them, tell.
Always true: nothing is written before everybody who has to be asked was asked; the state that
came in is not changed; whatever goes wrong with a write, it is not made, the state says why, and
the workflow goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from time import time
from typing import Any, Literal, cast

from penstock.core.display import spoken
from penstock.core.errors import InputError, PenstockError
from penstock.core.proposal import State
from penstock.doors.langgraph import approver
from penstock.doors.langgraph.asking import at_the_terminal, by_interrupt, result_of
from penstock.doors.langgraph.config import LOG, GateConfig, config_of
from penstock.doors.langgraph.decided import Decided
from penstock.doors.langgraph.errors import in_one_line
from penstock.doors.langgraph.project import Project, open_project
from penstock.doors.langgraph.prompting import Ask
from penstock.doors.langgraph.records import Made, NotMade, Outcome, not_made, unmeasured
from penstock.doors.langgraph.settling import Settling
from penstock.doors.langgraph.state import TestingWorkflowState
from penstock.doors.langgraph.thread import Thread, answers_at_hand, thread_here
from penstock.doors.langgraph.writes import Judging, Write, latest
from penstock.gate import Gate

AskBy = Literal["terminal", "interrupt"]
INTERRUPT = "interrupt"
MOST_ASKED = 20  # times, about the same writes


def safe_file_write_gate(
    state: TestingWorkflowState,
    *,
    gate_config: GateConfig | None = None,
    ask: Ask | None = None,
    ask_by: AskBy | None = None,
) -> TestingWorkflowState:
    """LangGraph node that gates file writes through approval process.

    New files and small changes are written; a change beyond the thresholds is asked about, and
    in `auto_mode` blocked. Without a `gate_config` the project's `[gate]` counts. A person is
    asked by an interrupt where the graph has a checkpointer and there is no terminal, else at
    the terminal; `ask_by` settles it, and `ask` is asked in the place of `input`.
    """
    if ask_by not in (None, "terminal", INTERRUPT):
        raise InputError("bad-ask-by", f"`{ask_by}` is no way to ask", hint="terminal or interrupt")
    thread = thread_here()
    step = _Step(state=state, thread=thread, ask=ask, ask_by=ask_by)
    update = step.run(config_of(gate_config))
    # A graph merges what a node returns into its state; whoever calls from outside wants it all.
    whole = update if thread.step else {**state, **update}
    return cast("TestingWorkflowState", whole)


@dataclass(kw_only=True)
class _Step:
    """One run of the node."""

    state: Mapping[str, Any]
    thread: Thread
    ask: Ask | None
    ask_by: AskBy | None
    done: list[Made | NotMade] = field(default_factory=list)

    def run(self, config: GateConfig | None) -> dict[str, Any]:
        """Judge, ask, settle, tell; return what changes in state."""
        said = self.state.get("pending_writes")
        pending = [said] if isinstance(said, Mapping | str) else _entries(said)
        starts = _starts(self.state.get("files_at_start"))
        try:
            project = open_project(self.state.get("project_root"), config)
        except PenstockError as problem:
            self.done = [_refused(one, in_one_line(problem)) for one in pending]
        else:
            with closing(project):
                starts = self._gated(project, pending, starts)
        for one in self.done:
            if isinstance(one, NotMade):
                _tell(one)
        return self._update(starts)

    def _gated(
        self, project: Project, pending: list[Any], starts: dict[str, str | None]
    ) -> dict[str, str | None]:
        judging = Judging(project=project, thread=self.thread, attended=self.attended)
        judging.starts.update(starts)
        with suppress(PenstockError, OSError):  # what is over is noticed below as well
            judging.gate.expire()
        judged, decided = self._judged(judging, pending)
        asked = [one for one in judged if isinstance(one, Write) and one.asks]
        if asked and self.by_interrupt:
            decided = dict(_answered(judging.gate, asked))
        settling = self._settling(judging)
        for number, one in enumerate(judged):
            self.done.append(
                _settled(settling, one, decided.get(number)) if isinstance(one, Write) else one
            )
        # What was not written has no start: it may change by other hands before it is.
        kept = starts.keys() | judging.written
        return {path: held for path, held in judging.starts.items() if path in kept}

    def _judged(
        self, judging: Judging, pending: list[Any]
    ) -> tuple[list[Write | NotMade], dict[int, Decided | None]]:
        """Judge every write in order; at a terminal the person is asked on the way.

        What is decided about one write to a file is what the next one is measured against.
        """
        judged: list[Write | NotMade] = []
        decided: dict[int, Decided | None] = {}
        for number, one in enumerate(pending):
            found = _judged(judging, number, one)
            judged.append(found)
            if isinstance(found, Write) and found.asks and not self.by_interrupt:
                decided[number] = self._ask(found)
                judging.left[found.path] = result_of(found, decided[number])
        return judged, decided

    @property
    def attended(self) -> bool:
        """Say whether anybody may be asked."""
        return not self.state.get("auto_mode")

    @property
    def by_interrupt(self) -> bool:
        """Say whether people are asked by an interrupt."""
        if self.ask_by is None:
            at_hand = self.ask is not None or approver.at_terminal()
            return self.thread.resumable and not at_hand
        return self.thread.resumable and self.ask_by == INTERRUPT

    def _ask(self, one: Write) -> Decided | None:
        """Ask at the terminal, unless the program wants interrupts that nobody could answer."""
        return None if self.ask_by == INTERRUPT else at_the_terminal(one, self.ask)

    def _settling(self, judging: Judging) -> Settling:
        here = judging.project.here
        if self.by_interrupt:
            prove, kind = partial(approver.by_resume, here), approver.RESUME
        else:
            prove, kind = partial(approver.by_prompt, here), "terminal"
        return Settling(judging=judging, prove=prove, kind=kind)

    def _update(self, starts: dict[str, str | None]) -> dict[str, Any]:
        approved = [one.entry for one in self.done if isinstance(one, Made)]
        rejected = [one.entry for one in self.done if isinstance(one, NotMade)]
        return {
            "pending_writes": [],
            "approved_writes": [*_entries(self.state.get("approved_writes")), *approved],
            "rejected_writes": [*_entries(self.state.get("rejected_writes")), *rejected],
            "files_at_start": starts,
        }


def _answered(gate: Gate, asked: list[Write]) -> Mapping[int, Decided]:
    """Ask about writes; where a yes needs a signature that is not there yet, ask again."""
    unsigned: list[Write] = []
    decided: Mapping[int, Decided] = {}
    given = answers_at_hand()
    for times in range(1, MOST_ASKED + 1):
        decided = by_interrupt(asked, unsigned)
        unsigned = [one for one in asked if decided[one.at].yes and _unsigned(gate, one)]
        if not unsigned and times >= given:
            break
    return decided


def _unsigned(gate: Gate, one: Write) -> bool:
    """Say whether a write waits in the queue for an approver's key."""
    waits = one.proposal is not None and latest(gate, one.proposal).state is State.WAITING
    return waits and gate.key_needed()


def _judged(judging: Judging, number: int, pending: object) -> Write | NotMade:
    """Judge one write; what cannot be judged is not made."""
    try:
        return judging.judge(number, pending)
    except PenstockError as problem:
        return _refused(pending, in_one_line(problem))
    except Exception as fault:  # noqa: BLE001 - whatever breaks, the answer is a no
        return _refused(pending, f"it could not be judged ({_fault(fault)})")


def _settled(settling: Settling, one: Write, decided: Decided | None) -> Made | NotMade:
    try:
        return settling.settle(one, decided)
    except Exception as fault:  # noqa: BLE001 - a fault with one write must not lose the others
        known = {"target_path": one.place.shown, "new_content": one.text}
        return _refused(known, f"it could not be settled ({_fault(fault)})")


def _fault(fault: Exception) -> str:
    return spoken(f"{type(fault).__name__}: {fault}"[:500])


def _refused(pending: object, reason: str) -> NotMade:
    return not_made(unmeasured(pending), outcome=Outcome.BLOCKED, reason=reason, at=time())


def _tell(one: NotMade) -> None:
    """Say which file was not written and why; a person's own no needs no telling."""
    name, reason = spoken(one.entry["target_path"][:4096]), one.entry["reason"]
    if one.told:
        LOG.info("rejected: `%s`: %s", name, reason)
        return
    LOG.error("blocked: `%s`: %s", name, reason)
    with suppress(AttributeError, OSError, ValueError):  # it may be closed, or not be there at all
        sys.stderr.write(f"penstock: `{name}` was not written: {reason}\n")


def _entries(value: object) -> list[Any]:
    """Return a list of state; what is none is empty, as in a state from before."""
    return list(value) if isinstance(value, list | tuple) else []


def _starts(value: object) -> dict[str, str | None]:
    if not isinstance(value, Mapping):
        return {}
    return {
        path: held
        for path, held in value.items()
        if isinstance(path, str) and (held is None or isinstance(held, str))
    }
