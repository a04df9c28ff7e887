"""`proposal_status`, `explain_decision`, and the resources: policy in force, a file's history.

Always true: nothing here changes a proposal, and no content of a file is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.model import Change, Decision
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.rule import Rule
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.core.proposals.outcome import answer_text
from penstock.core.text.display import spoken
from penstock.doors.mcp.outcome_text import WAITS, applied, facts, waiting
from penstock.doors.mcp.tool_call import Json, ToolAnswer, ToolCall, denied, refuse, text_of
from penstock.doors.mcp.write_tools import places_of
from penstock.gate import Call, PreparedRequest
from penstock.gate.lookup import by_short_id

HISTORY = 200  # events about one file; the record has all of them

# What an agent does next, by what became of its proposal.
NEXT: Mapping[State, str] = {
    State.WAITING: "continue with other work and ask again later; do not send it again unchanged",
    State.APPROVED: "the user approved it; it will be written when it is applied",
    State.APPLIED: "it is written; read the file before you change it again",
    State.REJECTED: "do not send it again unchanged; change it as the reason says, or drop it",
    State.DENIED: "the rules deny it; do what `explain_decision` suggests instead",
    State.EXPIRED: "it expired without an answer; propose it again if it is still needed",
    State.STALE: "the file has changed; read it again and propose again",
    State.SUPERSEDED: "a newer version replaced it; see `replaced_by`",
}
# A set is told by what most needs somebody: what is refused, then what waits, then the rest.
FIRST = (
    State.REJECTED,
    State.DENIED,
    State.STALE,
    State.EXPIRED,
    State.WAITING,
    State.APPROVED,
    State.APPLIED,
    State.SUPERSEDED,
)


def proposal_status(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Tell what became of a proposal or a set."""
    found = _found(asked, text_of(arguments, "proposal_id"))
    now = asked.gate.now()
    states = [State.EXPIRED if one.expired(now) else one.state for one in found]
    state = next(known for known in FIRST if known in states)
    one = found[states.index(state)]
    rejected = [each for each in found if each.state is State.REJECTED]
    reason = answer_text(rejected) if state is State.REJECTED else _reason(one)
    data: Json = {
        "proposal_id": text_of(arguments, "proposal_id"),
        "status": WAITS if state is State.WAITING else str(state),
        "state": str(state),
        "open": state in OPEN,
        "next": NEXT[state],
        "reason": reason,
        "comments": [
            said.as_json() for each in rejected if each.answer for said in each.answer.comments
        ],
        "because": one.decision.because,
        "answered_by": one.answer.by if one.answer else "",
        "expires_in_seconds": max(0, round(one.expires_in(now))) if state in OPEN else 0,
        "replaced_by": _replaced_by(asked, found),
        "files": [
            facts(each) | {"state": str(told)} for each, told in zip(found, states, strict=True)
        ],
    }
    paths = ", ".join(spoken(each.path) for each in found[:5])
    why = f" ({reason})" if reason else ""
    return ToolAnswer(texts=(f"{paths}: {state}{why}. Next: {NEXT[state]}.",), data=data)


def _reason(one: Proposal) -> str:
    return one.answer.said if one.answer else ""


def _found(asked: ToolCall, known: str) -> tuple[Proposal, ...]:
    found = asked.gate.members(known) or by_short_id(asked.gate, known)
    if not found:
        raise InputError(
            "not-found",
            f"there is no proposal `{spoken(known[:80])}`",
            because="the id is unknown, or it was closed and deleted long ago",
            hint="use the `proposal_id` of the answer to your write",
        )
    return found


def _replaced_by(asked: ToolCall, found: Sequence[Proposal]) -> list[str]:
    """A person's own version of a proposal has it as its parent."""
    ids = {one.id for one in found if one.state is State.SUPERSEDED}
    if not ids:
        return []
    newer = asked.gate.find(path=found[0].path)
    return [one.id for one in newer if one.parent in ids]


def again(asked: ToolCall, arguments: Mapping[str, object], known: str) -> ToolAnswer | None:
    """Return the answer to a write that was proposed a moment ago; None when it is another's.

    Raises RefusedError or StaleError when it came to nothing meanwhile.
    """
    one = asked.gate.get(known)
    found = asked.gate.of_set(known) or (() if one is None else (one,))
    named = set(places_of(asked, arguments).values())
    if not found or not {each.path for each in found} <= named:
        return None
    closed = next((each for each in found if each.state in CLOSED), None)
    if closed is not None:
        raise _came_to_nothing(closed)
    if all(each.state is State.APPLIED for each in found):
        receipts = [asked.gate.receipt(each.id) for each in found]
        return applied(found, [receipt for receipt in receipts if receipt is not None])
    return waiting(asked, found)


CLOSED = frozenset(State) - {*OPEN, State.APPLIED}


def _came_to_nothing(one: Proposal) -> PenstockError:
    kind = RefusedError if one.state in (State.REJECTED, State.DENIED) else StaleError
    return kind(
        f"already-{one.state}",
        f"the proposal for `{spoken(one.path)}` is {one.state}",
        because=_reason(one),
        hint=NEXT[one.state],
    )


# Decisions


def explain_decision(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Tell the verdict, the rules behind it and what to do instead; records nothing."""
    known = text_of(arguments, "proposal_id")
    if known:
        found = _found(asked, known)
        return _explained([(one.decision, one.change) for one in found])
    tool, given = text_of(arguments, "tool"), arguments.get("input")
    if not tool or not isinstance(given, Mapping):
        raise InputError(
            "bad-tool-input",
            "nothing to explain",
            hint="give `proposal_id`, or `tool` and `input` of a call",
        )
    root = asked.here.files.root
    call = Call(tool=tool, tool_input=given, cwd=root, actor=asked.actor)
    judged = asked.here.judge(call).by_all_rules
    parts = judged.decision.parts or (judged.decision,)
    told = [_told(asked, part, one) for part, one in zip(parts, judged.prepared, strict=False)] or [
        (judged.decision, None)
    ]
    if len(told) == 1:
        return _explained(told)
    lead = next(part for part in told if part[0].verdict is judged.decision.verdict)
    return _explained([(lead[0], None), *told])


def _told(
    asked: ToolCall, decision: Decision, one: PreparedRequest
) -> tuple[Decision, Change | None]:
    """How much of a file would change tells what is in it: told of readable files only."""
    change = one.request.change
    path = one.path.text if one.path else ""
    readable = path and asked.in_roots(path) and not denied(asked.may_read(path))
    if change is None or readable:
        return decision, change
    spoke = (r if r.text == decision.because else replace(r, text="") for r in decision.reasons)
    return replace(decision, reasons=tuple(spoke), notes=()), None


def _explained(decisions: Sequence[tuple[Decision, Change | None]]) -> ToolAnswer:
    lead = decisions[0][0]
    data = _decision(*decisions[0])
    data["revision"], data["degraded"] = lead.revision, lead.degraded
    data["parts"] = [_decision(*one) for one in decisions[1:]]
    lines = [f"{lead.verdict}: {lead.because or 'no rule matches'}"]
    lines += [f"instead: {lead.suggestion}"] if lead.suggestion else []
    lines += [f"rule {r.rule}: {r.verdict or 'note'} ({r.where})" for r in lead.reasons]
    lines += [f"note: {note}" for note in lead.notes]
    return ToolAnswer(texts=("\n".join(lines),), data=data)


def _decision(decision: Decision, change: Change | None) -> Json:
    return {
        "verdict": str(decision.verdict),
        "path": decision.path,
        "action": str(decision.action or ""),
        "code": decision.code,
        "because": decision.because,
        "instead": decision.suggestion,
        "notes": list(decision.notes),
        "rules": [
            {
                "id": reason.rule,
                "verdict": str(reason.verdict or "note"),
                "reason": reason.text,
                "where": reason.where,
            }
            for reason in decision.reasons
        ],
        "change": _change(change) if change else {},
    }


def _change(change: Change) -> Json:
    return {
        "kind": str(change.kind),
        "existing_lines": change.existing_lines,
        "lines_deleted": change.lines_deleted,
        "lines_added": change.lines_added,
        "unit": change.unit,
    }


# Resources


def policy_in_force(asked: ToolCall) -> Json:
    """Return the rules as they are now."""
    policy = asked.here.policy()
    return {
        "revision": policy.revision,
        "degraded": policy.degraded,
        "files": list(policy.files),
        "layers": [_layer(layer) for layer in policy.layers],
        "limits": _limits(policy),
        "waits_seconds": policy.approval.ttl_seconds,
        "warnings": list(policy.warnings),
    }


def _limits(policy: Policy) -> Json:
    limits = policy.limits
    return {
        "max_read_bytes_default": limits.max_read_bytes_default,
        "max_read_bytes_hard": limits.max_read_bytes_hard,
        "max_write_bytes": limits.max_write_bytes,
    }


def _layer(layer: Layer) -> Json:
    return {
        "name": layer.name,
        "defaults": {str(action): str(verdict) for action, verdict in layer.defaults.items()},
        "rules": [_rule(rule) for rule in layer.rules if rule.enabled],
    }


def _rule(rule: Rule) -> Json:
    said: Json = {
        "id": rule.id,
        "verdict": str(rule.verdict or ("warn" if rule.warns else "note")),
        "actions": sorted(str(action) for action in rule.actions),
        "paths": list(rule.paths),
        "within": list(rule.within),
        "not_paths": list(rule.not_paths),
        "tool": rule.tool or rule.tool_regex,
        "description": rule.description,
        "reason": rule.reason,
        "note": rule.note,
        "instead": rule.instead,
        "where": str(rule.where),
    }
    return {name: value for name, value in said.items() if value}


def history_of(asked: ToolCall, path: str) -> Json:
    """Return what the record tells of one file, oldest first."""
    reached = asked.reach(path)
    decision = asked.may_read(reached.text)
    if denied(decision):
        raise refuse(decision)
    events = asked.here.record.of_path(reached.text, last=HISTORY)
    return {"path": reached.text, "events": [dict(event) for event in events]}
