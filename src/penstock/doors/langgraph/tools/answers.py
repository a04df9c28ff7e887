"""What follows from a person's answer to a tool call: written by the gate, run, or neither.

Where the content is known the gate writes it itself and the tool never runs, so that a file
which changed meanwhile stays as it is. Where only running it tells, the tool runs, unless a
file that it would write has changed since the person was asked.
Always true: doing the same answer again writes nothing twice; what cannot be done is said, and
nothing else happens then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.merge.strategies import Strategy
from penstock.core.model import Verdict
from penstock.core.proposals.facts import words
from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.short_id import short
from penstock.doors.langgraph import approver
from penstock.doors.langgraph.errors import why
from penstock.doors.langgraph.proposals import latest, renewed, stored
from penstock.doors.langgraph.records import DecisionType, ReviewDecision, decision_of
from penstock.doors.langgraph.settle import After, approve, reject, twice
from penstock.doors.langgraph.tools.calls import FAULTS, CallEntry, GraphCall, phrase
from penstock.doors.langgraph.tools.review import decided
from penstock.doors.langgraph.tools.writes import ToolGate, left
from penstock.gate import Judgement

AGAIN = "read the file again and change its current content"


class ToolReply(Struct, frozen=True, kw_only=True):
    """What is answered in the tool's place; `facts` are the same as data."""

    text: str
    ok: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)


class ToolRun(Struct, frozen=True, kw_only=True):
    """The tool runs, with these arguments."""

    wanted: GraphCall
    judged: Judgement


def ask_and_settle(
    tools: ToolGate, wanted: GraphCall, judged: Judgement, *, asks: bool, after: After | None = None
) -> ToolReply | ToolRun:
    """Ask about one call where somebody can be asked, and do what was decided.

    What it writes must be known: between this question and its answer nothing is kept that
    could tell whether a file changed.
    """
    asked = tools.ask(wanted, judged, after)
    if asks and asked["proposals"]:
        asked = decided(tools, [wanted], {wanted.id: asked})[wanted.id]
    return settle(tools, wanted, asked)


def settle(tools: ToolGate, wanted: GraphCall, asked: CallEntry) -> ToolReply | ToolRun:
    """Do what was decided about a call."""
    if "refused" in asked:
        return ToolReply(text=asked["refused"], facts={"status": "denied"})
    if "decision" not in asked:
        return _waits(asked)
    said = decision_of(asked["decision"])
    try:
        return twice(lambda: ANSWERS[said.kind](tools, wanted, asked, said))
    except FAULTS as problem:
        return failed(problem)


def failed(problem: Exception) -> ToolReply:
    """Say why nothing was written, and what the agent can do."""
    stale = isinstance(problem, StaleError)
    if not isinstance(problem, PenstockError):
        return ToolReply(text=f"Nothing was written: {problem}", facts={"status": "denied"})
    # What is to be typed at a terminal is for people.
    hint = "" if "`penstock " in problem.hint else problem.hint
    text = phrase(why(problem), AGAIN if stale else hint)
    facts = {"status": "stale" if stale else "denied", "code": problem.code}
    return ToolReply(text=f"Nothing was written: {text}", facts=facts)


def _waits(asked: CallEntry) -> ToolReply:
    """Say that nobody could be asked now."""
    if not asked["proposals"]:
        unknown = "its writes are only known when it runs, and this session is non-interactive"
        return ToolReply(
            text=phrase(f"Denied: {asked['because']}; {unknown}", asked["instead"]),
            facts={"status": "denied"},
        )
    name = short(asked["known"])
    return ToolReply(
        text=(
            f"Not written yet: {asked['because']}. Saved as pending change {name}. "
            "Continue with other work and do not send it again; Penstock writes it once the user "
            "approves it."
        ),
        facts={"status": "hitl_required", "proposals": asked["proposals"]},
    )


# -- approve ---------------------------------------------------------------------------------------


def _approve(
    tools: ToolGate, wanted: GraphCall, asked: CallEntry, said: ReviewDecision
) -> ToolReply | ToolRun:
    if not asked["proposals"]:
        return _run(tools, wanted, asked)
    approver.by_resume(tools.here)  # an agent's own yes counts for nothing, whatever waits
    return write(tools, renewed(tools.gate, asked["proposals"]), said)


def write(
    tools: ToolGate,
    found: Sequence[Proposal],
    said: ReviewDecision | None = None,
    after: After | None = None,
) -> ToolReply:
    """Approve what waits and write it; what somebody else wrote meanwhile is only told."""
    said = said or ReviewDecision()
    if said.strategy is not Strategy.REPLACE and len(found) > 1:
        raise InputError("is-a-set", "a strategy is for one file, and this call changes several")
    if any(one.state is not State.APPLIED for one in found):
        approve(tools.gate, found, said, partial(approver.by_resume, tools.here), after)
    return _told_written([latest(tools.gate, one) for one in found])


def _told_written(found: Sequence[Proposal]) -> ToolReply:
    other = any(one.origin for one in found)
    facts = {
        "status": "applied",
        "edited": other,
        "proposals": [one.id for one in found],
        "files": [{"path": one.path, "digest": one.content or ""} for one in found],
    }
    told = " The user edited it first: read the file before you continue." if other else ""
    text = f"Approved by the user and written: {'; '.join(map(words, found))}.{told}"
    return ToolReply(text=text, ok=True, facts=facts)


def _run(tools: ToolGate, wanted: GraphCall, asked: CallEntry) -> ToolRun:
    """Let the tool run: what it leaves nobody can say before."""
    if tools.gate.key_needed():
        raise RefusedError(
            "key-needed",
            "this call needs an approver key, which can't sign content that is not known yet",
            hint="use a tool that sends the file's whole content",
        )
    changed = [path for path, base in asked["bases"].items() if tools.held(path) != base]
    if changed:
        names = ", ".join(f"`{path}`" for path in changed)
        raise StaleError("base-changed", f"{names} changed while this was being approved")
    proof = approver.by_resume(tools.here)
    judged = tools.require(wanted)
    approved = replace(judged.decision, verdict=Verdict.ALLOW)
    tools.record(wanted, approved, by=proof.by, proof=proof.kind)
    return ToolRun(wanted=wanted, judged=judged)


# -- edit, reject, respond -------------------------------------------------------------------------


def _edit(
    tools: ToolGate, wanted: GraphCall, asked: CallEntry, said: ReviewDecision
) -> ToolReply | ToolRun:
    """Do what the person put in the call's place; it is measured and judged like any other."""
    approver.by_resume(tools.here)
    mine = replace(wanted, args=said.args)
    try:
        judged = tools.require(mine)
    except RefusedError:
        _reject_all(tools, asked, _because("the edited call is denied"))
        raise
    after = left(judged)
    if after:
        found = renewed(tools.gate, asked["proposals"])
        if [one.path for one in found] == list(after):
            return write(tools, found, said, after)
    _reject_all(tools, asked, _because("edited by the user"))
    if not after:
        return _run(tools, mine, asked)
    instead = tools.ask(mine, judged)
    if "refused" in instead:
        return settle(tools, mine, instead)
    if not instead["proposals"]:
        raise StaleError("base-changed", "a file changed while the edited call was judged")
    return write(tools, [stored(tools.gate, known) for known in instead["proposals"]])


def _reject(
    tools: ToolGate, wanted: GraphCall, asked: CallEntry, said: ReviewDecision
) -> ToolReply:
    said = said.about([stored(tools.gate, known).path for known in asked["proposals"]])
    _reject_all(tools, asked, said)
    because = f"The user rejected this call of `{wanted.name}`"
    otherwise = "try another way; do not send it again unless you are asked to"
    return ToolReply(
        text=f"{because}: {said.said}" if said.said else phrase(because, otherwise),
        facts={
            "status": "rejected",
            "proposals": asked["proposals"],
            "comments": [one.as_json() for one in said.comments],
        },
    )


def _respond(
    tools: ToolGate, wanted: GraphCall, asked: CallEntry, said: ReviewDecision
) -> ToolReply:
    del wanted
    _reject_all(tools, asked, _because("the user answered in place of the tool"))
    facts = {"status": "answered", "proposals": asked["proposals"]}
    return ToolReply(text=said.message, ok=True, facts=facts)


def _because(reason: str) -> ReviewDecision:
    return ReviewDecision(kind=DecisionType.REJECT, message=reason)


def _reject_all(tools: ToolGate, asked: CallEntry, said: ReviewDecision) -> None:
    found = [stored(tools.gate, known) for known in asked["proposals"]]
    reject(tools.gate, found, approver.rejecting(approver.GRAPH), said)


ANSWERS = {
    DecisionType.APPROVE: _approve,
    DecisionType.EDIT: _edit,
    DecisionType.REJECT: _reject,
    DecisionType.RESPOND: _respond,
}
