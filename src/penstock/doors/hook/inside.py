"""Answers to hooks of agents that run inside an isolated run; the supervisor outside gives them.

Inside, nothing has to be asked in advance: what a tool writes is judged by its content before it
becomes real. So a question becomes a yes with a note; a denial stays, so that the model learns
early. Nothing is kept to undo, because the real files do not change by the call.
Always true: what is decided is in the audit log with the run; nothing here approves a change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from penstock.app import Workspace
from penstock.core.audit.event import judged
from penstock.core.audit.judgement import is_wanted
from penstock.core.model import Verdict
from penstock.core.run.news import CONTINUE
from penstock.doors.hook.agents import HEARS
from penstock.doors.hook.decision_text import spoken
from penstock.doors.hook.engine import Engine, tool_call
from penstock.doors.hook.failures import tried
from penstock.doors.hook.fast_path import who
from penstock.doors.hook.messages import ALLOW, BEFORE, START, HookAnswer, HookCall, phrase


class InsideEngine(Engine):
    """Answers the hooks of one run. `sync` hands changes to the gate; `heard` gives the news."""

    def __init__(
        self,
        here: Workspace,
        run: str,
        *,
        sync: Callable[[], None],
        heard: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__()
        self._here, self._run = here, run
        self._sync, self._heard = sync, heard

    def workspace(self, folder: str) -> Workspace:
        """Return the workspace of the run, whatever a call says."""
        del folder
        return self._here

    def answer(self, call: HookCall, environ: Mapping[str, str]) -> HookAnswer:
        """Return what is said to a call; all but what comes before a tool is a reason to sync."""
        if call.event == BEFORE:
            found = self.before(self._here, call, environ)
        else:
            self._sync()
            found = HookAnswer(notes=(self._greeting(),) if call.event == START else ())
        if call.event in HEARS.get(call.agent, ()):
            found.notes += tuple(self._heard())
        return found

    def before(self, here: Workspace, call: HookCall, environ: Mapping[str, str]) -> HookAnswer:
        """Judge a tool call; only a denial stops it."""
        found = here.judge(tool_call(here, call, environ))
        said = found.would or found.decision
        rules = [reason.rule for reason in said.reasons]
        unlogged = ""
        if is_wanted(here.policy().audit.level, said.verdict, rules):
            facts = {**judged(found.decision, who(call), would=found.would), "run": self._run}
            unlogged = tried("log this call", lambda: self._add(here, facts))
        answer = spoken(found.decision)
        if found.decision.verdict is Verdict.ASK:
            note = phrase(f"Penstock: {answer.reason.rstrip('.')}", CONTINUE)
            answer = replace_verdict(answer, note)
        answer.warnings += (f"{unlogged}; it is not in the audit log",) if unlogged else ()
        return answer

    def _greeting(self) -> str:
        return (
            f"Penstock: isolated run {self._run}. Files change in this run at once and in the "
            "project when the rules or the user allow it. You need not ask before you write."
        )


def replace_verdict(answer: HookAnswer, note: str) -> HookAnswer:
    """Return an answer that lets a call through, with a note."""
    return HookAnswer(
        ALLOW, note, notes=(*answer.notes, note), granted=True, warnings=answer.warnings
    )
