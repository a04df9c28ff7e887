"""The gate as a node: pending writes in, decisions and written files out.

The order of the steps, and nothing else: judge every write, ask about those that a person must
see, settle all of them, tell.
Always true: nothing is written before everybody who has to be asked was asked; the state that
came in is not changed; whatever goes wrong with a write, it is not made, the state says why, and
the workflow goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import cache, partial
from time import time
from typing import Any, Literal, TypeVar, cast

from msgspec import Struct

from penstock.core.errors import InputError, PenstockError
from penstock.core.text.display import spoken
from penstock.doors.langgraph import approver
from penstock.doors.langgraph.ask import at_the_terminal, by_interrupt, result_of
from penstock.doors.langgraph.config import LOG, GateConfig, config_of
from penstock.doors.langgraph.errors import in_one_line
from penstock.doors.langgraph.outcomes import Settlement
from penstock.doors.langgraph.pending_writes import Write, WriteJudge
from penstock.doors.langgraph.project import Project, open_project
from penstock.doors.langgraph.prompts import Ask
from penstock.doors.langgraph.records import (
    Entry,
    ReviewDecision,
    WriteOutcome,
    not_made,
    unmeasured,
)
from penstock.doors.langgraph.state import TestingWorkflowState
from penstock.doors.langgraph.thread import Thread, thread_here

AskBy = Literal["terminal", "interrupt"]
INTERRUPT = "interrupt"
MADE = (WriteOutcome.APPROVED, WriteOutcome.AUTO_ALLOWED)
Starts = dict[str, str | None]
T = TypeVar("T")


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


class _Step(Struct, frozen=True, kw_only=True):
    """One run of the node."""

    state: Mapping[str, Any]
    thread: Thread
    ask: Ask | None
    ask_by: AskBy | None

    def run(self, config: GateConfig | None) -> dict[str, Any]:
        """Judge, ask, settle, tell; return what changes in state."""
        said = self.state.get("pending_writes")
        pending = [said] if isinstance(said, Mapping | str) else _entries(said)
        starts = _starts(self.state.get("files_at_start"))
        try:
            project = open_project(self.state.get("project_root"), config)
        except PenstockError as problem:
            done = [_refused(one, in_one_line(problem)) for one in pending]
        else:
            with closing(project):
                done, starts = self._gated(project, pending, starts)
        approved = [one for one in done if one["outcome"] in MADE]
        rejected = [one for one in done if one["outcome"] not in MADE]
        for one in rejected:
            _tell(one)
        return {
            "pending_writes": [],
            "approved_writes": [*_entries(self.state.get("approved_writes")), *approved],
            "rejected_writes": [*_entries(self.state.get("rejected_writes")), *rejected],
            "files_at_start": starts,
        }

    def _gated(
        self, project: Project, pending: list[Any], starts: Starts
    ) -> tuple[list[Entry], Starts]:
        attended = not self.state.get("auto_mode")
        judging = WriteJudge(project=project, thread=self.thread, attended=attended)
        judging.starts.update(starts)
        with suppress(PenstockError, OSError):  # what is over is noticed below as well
            judging.gate.expire()
        judged, decided = self._judged(judging, pending)
        asked = [one for one in judged if isinstance(one, Write) and one.asks]
        if asked and self.by_interrupt:
            decided = dict(by_interrupt(judging.gate, asked))
        settlement = self._settlement(judging)
        done = [
            _safely(partial(settlement.settle, one, decided.get(number)), one.request, "settled")
            if isinstance(one, Write)
            else one
            for number, one in enumerate(judged)
        ]
        # What was not written has no start: it may change by other hands before it is.
        kept = starts.keys() | judging.written
        return done, {path: held for path, held in judging.starts.items() if path in kept}

    def _judged(
        self, judging: WriteJudge, pending: list[Any]
    ) -> tuple[list[Write | Entry], dict[int, ReviewDecision | None]]:
        """Judge every write in order; at a terminal the person is asked on the way.

        What is decided about one write to a file is what the next one is measured against.
        """
        judged: list[Write | Entry] = []
        decided: dict[int, ReviewDecision | None] = {}
        for number, one in enumerate(pending):
            found = _safely(partial(judging.judge, number, one), one, "judged")
            judged.append(found)
            if isinstance(found, Write) and found.asks and not self.by_interrupt:
                # A program that wants interrupts, where nobody could answer them, gets no prompt.
                unasked = self.ask_by == INTERRUPT
                decided[number] = None if unasked else at_the_terminal(found, self.ask)
                judging.left[found.path] = result_of(found, decided[number])
        return judged, decided

    @property
    def by_interrupt(self) -> bool:
        """Say whether people are asked by an interrupt."""
        at_hand = self.ask is not None or approver.at_terminal()
        wants = not at_hand if self.ask_by is None else self.ask_by == INTERRUPT
        return self.thread.resumable and wants

    def _settlement(self, judging: WriteJudge) -> Settlement:
        prove, kind = approver.by_prompt, "terminal"
        if self.by_interrupt:
            prove, kind = approver.by_resume, approver.GRAPH
        # Whoever approves is asked for their proof once in a step.
        once = cache(partial(prove, judging.project.here))
        return Settlement(judging=judging, prove=once, kind=kind)


def _safely(step: Callable[[], T], pending: object, what: str) -> T | Entry:
    """Do one step for one write; whatever breaks, it is not made and the others go on."""
    try:
        return step()
    except PenstockError as problem:
        return _refused(pending, in_one_line(problem))
    except Exception as fault:  # noqa: BLE001 - whatever breaks, the answer is a no
        said = spoken(f"{type(fault).__name__}: {fault}"[:500])
        return _refused(pending, f"it could not be {what} ({said})")


def _refused(pending: object, reason: str) -> Entry:
    return not_made(unmeasured(pending), outcome=WriteOutcome.BLOCKED, reason=reason, at=time())


def _tell(one: Entry) -> None:
    """Say which file was not written and why; a person's own no needs no telling."""
    name, reason = spoken(one["target_path"][:4096]), one["reason"]
    if one["outcome"] == WriteOutcome.REJECTED:
        LOG.info("rejected: `%s`: %s", name, reason)
        return
    LOG.error("blocked: `%s`: %s", name, reason)
    with suppress(AttributeError, OSError, ValueError):  # it may be closed, or not be there at all
        sys.stderr.write(f"penstock: `{name}` was not written: {reason}\n")


def _entries(value: object) -> list[Any]:
    """Return a list of state; what is none is empty, as in a state from before."""
    return list(value) if isinstance(value, list | tuple) else []


def _starts(value: object) -> Starts:
    held = value if isinstance(value, Mapping) else {}
    return {
        path: known
        for path, known in held.items()
        if isinstance(path, str) and isinstance(known, str | None)
    }
