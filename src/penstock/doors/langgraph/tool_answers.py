"""What follows from a person's answer to a tool call: written by the gate, run, or neither.

Where the content is known the gate writes it itself and the tool never runs, so that a file
which changed meanwhile stays as it is. Where only running it tells, the tool runs, unless a
file that it would write has changed since the person was asked.
Always true: doing the same answer again writes nothing twice; what cannot be done is said, and
nothing else happens then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.merge import Strategy
from penstock.core.model import Verdict
from penstock.core.proposal import OPEN, Proposal, State
from penstock.doors.langgraph import approver
from penstock.doors.langgraph.tool_calls import FAULTS, Asked, Wanted, phrase
from penstock.doors.langgraph.tool_proposals import latest, living
from penstock.doors.langgraph.tool_writes import ToolGate, left
from penstock.gate import Judged
from penstock.gate.finding import closed

AGAIN = "read the file again and make the change to what is there now"


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What is answered in the tool's place; `facts` are the same as data."""

    text: str
    ok: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The tool runs, with these arguments."""

    wanted: Wanted
    judged: Judged


def settle(tools: ToolGate, wanted: Wanted, asked: Asked) -> Said | Run:
    """Do what was decided about a call."""
    if "refused" in asked:
        return Said(text=asked["refused"], facts={"status": "denied"})
    decision = asked.get("decision")
    if decision is None:
        return waits(asked)
    try:
        return ANSWERS[decision["type"]](tools, wanted, asked, decision)
    except FAULTS as problem:
        return failed(problem)


def failed(problem: Exception) -> Said:
    """Say why nothing was written, and what the agent can do."""
    if not isinstance(problem, PenstockError):
        return Said(text=f"Nothing was written: {problem}", facts={"status": "denied"})
    stale = isinstance(problem, StaleError)
    # What is to be typed at a terminal is for people.
    hint = "" if problem.hint.startswith("penstock ") else problem.hint
    why = f"{problem.message}: {problem.because}" if problem.because else problem.message
    return Said(
        text=f"Nothing was written: {phrase(why, AGAIN if stale else hint)}",
        facts={"status": "stale" if stale else "denied", "code": problem.code},
    )


def waits(asked: Asked) -> Said:
    """Say that nobody could be asked now."""
    if not asked["proposals"]:
        unknown = "what it writes is known only when it runs, and nobody can be asked now"
        return Said(
            text=phrase(f"Denied: {asked['because']}; {unknown}", asked["instead"]),
            facts={"status": "denied"},
        )
    return Said(
        text=(
            f"Nothing is written yet: {asked['because']}. It waits for a person as "
            f"{asked['known']}. Go on with other work and do not send it again; Penstock writes "
            "it once it is approved."
        ),
        facts={"status": "hitl_required", "proposals": asked["proposals"]},
    )


# -- approve ---------------------------------------------------------------------------------------


def _approve(
    tools: ToolGate, wanted: Wanted, asked: Asked, decision: Mapping[str, Any]
) -> Said | Run:
    if not asked["proposals"]:
        return _run(tools, wanted, asked)
    approver.by_resume(tools.here)  # what cannot be approved must not be changed either
    found = living(tools.gate, asked)
    chosen = Strategy(decision.get("strategy") or Strategy.REPLACE)
    if chosen is not Strategy.REPLACE and len(found) > 1:
        raise InputError("is-a-set", "a strategy is for one file, and this call changes several")
    if chosen is not Strategy.REPLACE and found[0].state is State.WAITING and not found[0].origin:
        at = decision.get("insertion_point")
        found = [tools.gate.with_strategy(found[0].id, chosen, at=at)]
    return write(tools, found)


def write(tools: ToolGate, found: Sequence[Proposal]) -> Said:
    """Approve what waits and write it; what somebody else wrote meanwhile is only told."""
    try:
        _written_now(tools, found)
    except StaleError:
        if any(latest(tools.gate, one.id).state is not State.APPLIED for one in found):
            raise
    return _told_written([latest(tools.gate, one.id) for one in found])


def _written_now(tools: ToolGate, found: Sequence[Proposal]) -> None:
    over = next((one for one in found if one.state not in (*OPEN, State.APPLIED)), None)
    if over is not None:
        raise closed(over)
    waiting = [one.id for one in found if one.state is State.WAITING]
    if waiting:
        tools.gate.answer_all(waiting, approve=True, proof=approver.by_resume(tools.here))
    if any(one.state is not State.APPLIED for one in found):
        tools.gate.apply(found[0].set_id or found[0].id)


def _told_written(found: Sequence[Proposal]) -> Said:
    said = "; ".join(
        f"{VERBS.get(one.change.kind, 'changed')} {one.path} "
        f"(+{one.change.lines_added} -{one.change.lines_deleted} {one.change.unit})"
        for one in found
    )
    other = any(one.origin for one in found)
    facts = {
        "status": "applied",
        "edited": other,
        "proposals": [one.id for one in found],
        "files": [{"path": one.path, "digest": one.content or ""} for one in found],
    }
    told_ = " The person changed it first: read the file before you go on." if other else ""
    text = f"A person approved this and it is written: {said}.{told_}"
    return Said(text=text, ok=True, facts=facts)


VERBS = {"new": "created", "delete": "deleted"}


def _run(tools: ToolGate, wanted: Wanted, asked: Asked) -> Run:
    """Let the tool run: what it leaves nobody can say before."""
    if tools.gate.key_needed():
        raise RefusedError(
            "key-needed",
            "this call needs an approver's key, and no key can sign what is not known yet",
            hint="use a tool that says the file's whole content",
        )
    changed = [path for path, base in asked["bases"].items() if tools.held(path) != base]
    if changed:
        names = ", ".join(f"`{path}`" for path in changed)
        raise StaleError("base-changed", f"{names} changed while a person was asked about this")
    return _judged_again(tools, wanted)


def _judged_again(tools: ToolGate, wanted: Wanted) -> Run:
    proof = approver.by_resume(tools.here)
    judged = tools.judge(wanted)
    if judged.decision.verdict is Verdict.DENY:
        tools.record(wanted, judged.decision)
        raise denied(judged)
    approved = replace(judged.decision, verdict=Verdict.ALLOW)
    tools.record(wanted, approved, by=proof.by, proof=proof.kind)
    return Run(wanted=wanted, judged=judged)


def denied(judged: Judged) -> RefusedError:
    """Return a denial as the error that says it."""
    decision = judged.decision
    because = decision.because or "the rules deny this"
    return RefusedError(decision.code or "path-denied", because, hint=decision.suggestion)


# -- edit, reject, respond -------------------------------------------------------------------------


def _edit(tools: ToolGate, wanted: Wanted, asked: Asked, decision: Mapping[str, Any]) -> Said | Run:
    """Do what the person put in the call's place; it is measured and judged like any other."""
    approver.by_resume(tools.here)
    mine = replace(wanted, args=decision["args"])
    judged = tools.judge(mine)
    if judged.decision.verdict is Verdict.DENY:
        tools.record(mine, judged.decision)
        _reject_all(tools, asked, "the edited call is denied")
        raise denied(judged)
    after = left(judged)
    if not after:
        _reject_all(tools, asked, "edited by a person")
        return _run(tools, mine, asked)
    found = living(tools.gate, asked)
    if [one.path for one in found] == list(after):
        return write(tools, [_revised(tools, one, after[one.path]) for one in found])
    _reject_all(tools, asked, "edited by a person")
    instead = tools.ask(mine, judged)
    if "refused" in instead:
        return Said(text=instead["refused"], facts={"status": "denied"})
    if not instead["proposals"]:
        raise StaleError("base-changed", "a file changed while the edited call was judged")
    return write(tools, [latest(tools.gate, known) for known in instead["proposals"]])


def _revised(tools: ToolGate, one: Proposal, content: bytes | None) -> Proposal:
    """Put the person's content in a proposal's place, unless an earlier run has done so."""
    if one.origin or one.state is not State.WAITING or tools.gate.contents(one)[1] == content:
        return one
    return tools.gate.revise(one.id, content)


def _reject(tools: ToolGate, wanted: Wanted, asked: Asked, decision: Mapping[str, Any]) -> Said:
    reason = decision.get("message") or ""
    _reject_all(tools, asked, reason)
    because = f"A person rejected this call of `{wanted.name}`"
    return Said(
        text=phrase(
            f"{because}: {reason}" if reason else because,
            "" if reason else "do something else; do not send it again unless you are asked to",
        ),
        facts={"status": "rejected", "proposals": asked["proposals"]},
    )


def _respond(tools: ToolGate, wanted: Wanted, asked: Asked, decision: Mapping[str, Any]) -> Said:
    del wanted
    _reject_all(tools, asked, "a person answered in the tool's place")
    facts = {"status": "answered", "proposals": asked["proposals"]}
    return Said(text=str(decision.get("message") or ""), ok=True, facts=facts)


def _reject_all(tools: ToolGate, asked: Asked, reason: str) -> None:
    """Close what is open; what is closed already stays as it is."""
    found = [latest(tools.gate, known) for known in asked["proposals"]]
    now = tools.gate.now()
    open_now = [one.id for one in found if one.state in OPEN and not one.expired(now)]
    if open_now:
        no = approver.rejecting(approver.RESUME)
        tools.gate.answer_all(open_now, approve=False, proof=no, reason=reason)


ANSWERS = {"approve": _approve, "edit": _edit, "reject": _reject, "respond": _respond}
