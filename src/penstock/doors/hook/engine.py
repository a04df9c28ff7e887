"""The engine: everything a hook can be asked, judged with all rules and facts.

Keeps one workspace open for each project that it was asked about, so that the daemon answers
in microseconds and a process that just started pays only for what it needs. Judging is the gate's,
wording is the agents' modules'; here is only what happens at each event of a hook.
Always true: every call gets an answer, whatever fails; a verdict that was reached is given, one
that cannot be reached is `last_resort`'s; what is denied or asked about is on the record before it
is said, or the answer says that it is not.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from penstock.app.places import moved_settings
from penstock.app.workspace import Workspace, workspace_of
from penstock.core.audit.event import judged
from penstock.core.audit.judgement import is_wanted
from penstock.core.errors import PenstockError
from penstock.core.model import Action, Actor, Decision, Verdict
from penstock.doors.hook import agent_settings, before_after, last_resort, protected_files
from penstock.doors.hook.agents import agent_module
from penstock.doors.hook.alerts import alerted
from penstock.doors.hook.before_after import ChangedFile
from penstock.doors.hook.decision_text import greeting, spoken
from penstock.doors.hook.failures import code_of, told, tried
from penstock.doors.hook.fast_path import who
from penstock.doors.hook.messages import (
    AFTER,
    BEFORE,
    CONFIG,
    DENY,
    START,
    HookAnswer,
    HookCall,
    Reply,
    phrase,
    reply_of,
)
from penstock.doors.hook.news import with_news
from penstock.doors.hook.wire import HostileInputError, parse
from penstock.gate import Judgement
from penstock.gate.prepare import Call as ToolCall

MOST_OPEN = 64
DOOR = "hook"
PATIENCE = 0.5  # seconds for a lock that somebody else holds; several fit into `SECONDS`
CHANGES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})
ADVICE_SECONDS = 2.0  # less than the hook itself may take (`SECONDS` in `main`)


class Engine:
    """Answers hooks. `signs` for a process that lives long enough to sign checkpoints itself.

    Without `measures` a call is judged by names alone, for the time that is left when
    measuring took too long; a file that would be overwritten then counts as lost.
    `reached` is for a process of one call: the verdict, once it is known.
    """

    def __init__(self, *, signs: bool = False, measures: bool = True) -> None:
        self._signs = signs
        self._measures = measures
        self.reached: Reply | None = None
        self._open: dict[str, Workspace] = {}
        self._lock = threading.Lock()

    def hasty(self) -> Engine:
        """Return an engine that measures nothing, with the same workspaces open."""
        found = Engine(signs=self._signs, measures=False)
        found._open, found._lock = self._open, self._lock
        return found

    def reply(self, agent: str, data: bytes, environ: Mapping[str, str], *, hook: int = 0) -> Reply:
        """Return the agent's own words for what it sent, by a process `hook` if there is one."""
        module = agent_module(agent)
        # What cannot be read tells no project; the variables do, and its rules say what follows.
        root = module.read({}, environ).root or os.getcwd()
        call = last_resort.unread(agent, data, root)
        try:
            call = module.read(parse(data), environ)
            call.hook = hook
            return reply_of(module, call, self.answer(call, environ))
        except Exception as problem:  # noqa: BLE001 - the agent waits, whatever it is
            return reply_of(module, call, self.failing(call, problem, environ))

    def answer(self, call: HookCall, environ: Mapping[str, str]) -> HookAnswer:
        """Return what is said to a call."""
        if call.event not in EVENTS:
            return HookAnswer()
        here = self.workspace(call.root)
        return with_news(here, call, EVENTS[call.event](self, here, call, environ))

    def workspace(self, folder: str) -> Workspace:
        """Return the workspace that a directory lies in, opened once."""
        start = os.path.realpath(folder or os.getcwd())
        with self._lock:
            if start not in self._open:
                if len(self._open) >= MOST_OPEN:
                    self._open.clear()
                self._open[start] = workspace_of(
                    start,
                    signs="behind" if self._signs else "beside",
                    patience=PATIENCE,
                    compiles=True,
                )
            here = self._open[start]
        with suppress(PenstockError, OSError):  # judging needs no state; what does will tell
            here.ready()
        return here

    def opened(self) -> tuple[Workspace, ...]:
        """Return the workspaces that are kept open."""
        with self._lock:
            return tuple(self._open.values())

    def sign_if_due(self) -> None:
        """Have signed what hooks wrote by themselves, where a checkpoint is due."""
        for here in {here.root: here for here in self.opened()}.values():
            with suppress(PenstockError, OSError):
                here.record.log.sign_if_due()

    def warm(self, root: str) -> None:
        """Judge a command that does nothing, so that the next one waits for no import."""
        nothing = {"command": "true"}
        call = HookCall("", BEFORE, tool="Bash", tool_input=nothing, cwd=root, root=root)
        with suppress(PenstockError, OSError):
            here = self.workspace(call.root)
            here.judge(tool_call(here, call, {}))

    def failing(self, call: HookCall, problem: Exception, environ: Mapping[str, str]) -> HookAnswer:
        """Return what is said when a call could not be judged: by names, then `on_error`.

        Hostile input is no failure: two readers could see two calls in it, so it is denied.
        """
        hostile = isinstance(problem, HostileInputError)
        why = f"Penstock could not judge this call: {told(problem)}"
        on_error = str(Verdict.DENY) if hostile else ""
        with suppress(Exception):
            on_error = on_error or str(
                self.workspace(call.root).policy().in_force.when_failing(DOOR)
            )

        def record(event: Mapping[str, object]) -> None:
            self._add(self.workspace(call.root), event)

        answer = last_resort.unjudged(call, why, on_error=on_error, get=environ.get)
        self.reached = reply_of(agent_module(call.agent), call, answer)
        return last_resort.recorded(answer, call, code=code_of(problem), record=record)

    # -- the events ------------------------------------------------------------------------

    def before(self, here: Workspace, call: HookCall, environ: Mapping[str, str]) -> HookAnswer:
        """Judge a tool call, keep what it would overwrite, say what the rules say."""
        policy = here.policy()
        judged = here.judge(tool_call(here, call, environ), measures=self._measures)
        decision = self._advised(here, call, judged.decision, environ)
        asks = call.attended and policy.gate.mode != "propose"
        waits = decision.verdict is Verdict.ASK and (not asks or _has_owners(here, judged))
        self.reached = _if_interrupted(call, decision, held=waits)
        if waits:
            from penstock.doors.hook.tickets import held  # where a person can be asked, none is

            record = partial(self._record, here, call)
            judged = replace(judged, decision=decision)
            return held(here, call, judged, actor_of(call), record)
        record = partial(self._record, here, call, decision, would=judged.would)
        unrecorded = tried("log this call", record)
        allowed = decision.verdict is Verdict.ALLOW
        if unrecorded and allowed and policy.in_force.when_failing(DOOR) is not Verdict.ALLOW:
            because = f"{unrecorded}, and this project's rules deny calls that can't be logged"
            return HookAnswer(DENY, phrase(because, last_resort.DOCTOR))
        answer = spoken(decision)
        if unrecorded:
            answer.warnings += (f"{unrecorded}; it is not in the audit log",)
        if decision.verdict is not Verdict.DENY:
            self._watch(here, call, judged, answer)
        return answer

    def _watch(
        self, here: Workspace, call: HookCall, judged: Judgement, answer: HookAnswer
    ) -> None:
        """Keep what a call may change; say what could not be kept, and what somebody changed."""
        keep = partial(before_after.keep, here, call, judged)
        problems = [tried("save the overwritten content, so this can't be undone", keep)]

        def refresh() -> None:
            alert = self._alerted(here, call, protected_files.refresh(here, call))
            answer.notes += alert.notes
            answer.warnings += alert.warnings

        if any(one.request.action is Action.RUN for one in judged.prepared):
            problems.append(tried("check the protected files", refresh))
        answer.warnings += tuple(filter(None, problems))

    def _alerted(
        self, here: Workspace, call: HookCall, changes: Sequence[ChangedFile]
    ) -> HookAnswer:
        """Record changes of protected files, and say so to the agent and to the person."""
        return alerted(here, call, changes, partial(self._add, here))

    def after(self, here: Workspace, call: HookCall, environ: Mapping[str, str]) -> HookAnswer:
        """Record what the agent wrote by itself, and what slipped through."""
        del environ
        for event in before_after.settled(here, call):
            event.settle(self._add(here, event.facts))
        return self._alerted(here, call, protected_files.slipped(here, call))

    def config(self, here: Workspace, call: HookCall, environ: Mapping[str, str]) -> HookAnswer:
        """Refuse settings that would switch the hooks off."""
        why = agent_settings.switches_off(here, call, environ)
        if not why:
            return HookAnswer()
        facts = {"op": "settings_refused", "path": call.settings, "status": "denied", **who(call)}
        self._add(here, {**facts, "code": "hooks-off"})
        return HookAnswer(DENY, f"Penstock: {why}; the change was rejected")

    def start(self, here: Workspace, call: HookCall, environ: Mapping[str, str]) -> HookAnswer:
        """Look at what is protected, and say that Penstock is on."""
        agent_settings.remember(here, environ)
        alert = self._alerted(here, call, protected_files.look(here, call))
        policy = here.policy()
        facts = {"op": "session_started", "path": "", "status": "observed", **who(call)}
        self._add(here, {**facts, "revision": policy.revision})
        return HookAnswer(
            notes=(greeting(here, attended=call.attended), *alert.notes), warnings=alert.warnings
        )

    # -- steps -----------------------------------------------------------------------------

    def _advised(
        self, here: Workspace, call: HookCall, decision: Decision, environ: Mapping[str, str]
    ) -> Decision:
        """Ask the advisor where no rule decides; it can only make the answer stricter."""
        policy = here.policy()
        if not (policy.advisor.enabled and self._measures):  # without time for it, nor for advice
            return decision
        from penstock.core.policy.advice import CallFacts, tightened, undecided

        if not undecided(decision):
            return decision
        facts = CallFacts(
            tool=call.tool,
            tool_input=call.tool_input,
            path=decision.path,
            action=str(decision.action or ""),
        )
        around = {**os.environ, **environ}  # the daemon is told of few variables
        advice = here.advise(facts, environ=around, within=ADVICE_SECONDS)
        if advice is not None:
            self._add(here, {**advice.event(), "path": decision.path, **who(call)})
        # What the rules allow would not wait as a proposal, so nobody could be asked there.
        attended = call.attended and policy.gate.mode != "propose"
        return tightened(decision, advice, attended=attended)

    def _record(
        self, here: Workspace, call: HookCall, decision: Decision, would: Decision | None = None
    ) -> None:
        """Put a judgement on the record; what is denied or asked about has reached the disk."""
        said = would or decision
        rules = [reason.rule for reason in said.reasons]
        if is_wanted(here.policy().audit.level, said.verdict, rules):
            self._add(here, judged(decision, who(call), would=would, command=_command(call)))

    def _add(self, here: Workspace, event: Mapping[str, object]) -> str:
        return here.record.log.append(event, durable=False).event_hash


EVENTS: dict[str, Callable[[Engine, Workspace, HookCall, Mapping[str, str]], HookAnswer]] = {
    BEFORE: Engine.before,
    AFTER: Engine.after,
    CONFIG: Engine.config,
    START: Engine.start,
}


def _has_owners(here: Workspace, judged: Judgement) -> bool:
    """Say whether owners have to approve this: an agent's own prompt asks whoever sits there."""
    if here.policy().bundle is None:
        return False
    changes = [one.request for one in judged.prepared if one.request.action in CHANGES]
    return here.gate.has_owners([one.target for one in changes if one.target is not None])


def _if_interrupted(call: HookCall, decision: Decision, *, held: bool) -> Reply:
    """Return the answer of a verdict that nothing more could be done about."""
    answer = spoken(replace(decision, verdict=Verdict.DENY) if held else decision)
    late = "Penstock ran out of time after judging this call; it may not be in the audit log"
    answer.warnings = (*answer.warnings, late)
    return reply_of(agent_module(call.agent), call, answer)


def actor_of(call: HookCall) -> Actor:
    """Return who asks, as proposals and the record know them."""
    return Actor(agent=call.agent, session=call.session, tool_call_id=call.call_id)


def tool_call(here: Workspace, call: HookCall, environ: Mapping[str, str]) -> ToolCall:
    """Return a call as the gate judges it."""
    # The agent's variables, which the daemon has only been told of.
    moved = moved_settings(environ.get, here.root, here.files.resolve)
    return ToolCall(
        tool=call.tool,
        tool_input=call.tool_input,
        cwd=call.cwd,
        home=environ.get("HOME", ""),
        moved=tuple(moved),
        temporary=environ.get("TMPDIR", ""),
        actor=actor_of(call),
    )


def _command(call: HookCall) -> str:
    """Return a shell command as the record tells it; secrets are taken out by the record."""
    command = call.tool_input.get("command")
    return command if isinstance(command, str) else ""
