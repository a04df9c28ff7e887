"""Tool calls as a person is asked about them: one question for all, before any of them runs.

The question has the shape of `interrupt`; what follows from an answer is `answers`.
Always true: what is shown is what would be written; a decision goes into the graph's state as
plain JSON values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from penstock.core.diff.hunks import preview, unified
from penstock.core.errors import InputError, PenstockError
from penstock.core.proposals.facts import facts
from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.remarks import remarks
from penstock.core.text.display import in_line, spoken, visible_diff
from penstock.core.text.quantities import change_counts
from penstock.doors.langgraph.interrupt import ask_signed
from penstock.doors.langgraph.proposals import renewed, stored
from penstock.doors.langgraph.records import ReviewAction
from penstock.doors.langgraph.tools.calls import CallEntry, GraphCall, phrase
from penstock.doors.langgraph.tools.writes import ToolGate
from penstock.gate import Gate
from penstock.gate.lookup import short_name

SHOWN = 20_000  # characters of one diff
LARGEST_SHOWN = 4 << 20  # bytes of a file whose diff is made for a question


def decided(
    tools: ToolGate, calls: Sequence[GraphCall], found: Mapping[str, CallEntry]
) -> dict[str, CallEntry]:
    """Stop the graph until a person has decided about every call that needs it."""
    # An entry is for one call, even where a model gives two of them the same id.
    asked = [
        (one, entry)
        for one in calls
        if (entry := found.get(one.id)) and "refused" not in entry and one.is_what(entry)
    ]
    if not asked:
        return dict(found)
    gate = tools.gate
    actions = [_action(gate, one, entry) for one, entry in asked]
    answers = ask_signed(gate, actions, lambda at: _waiting(gate, asked[at][1]))
    said = {
        one.id: CallEntry(**{**entry, "decision": answer.as_json()})
        for (one, entry), answer in zip(asked, answers, strict=True)
    }
    return {**found, **said}


def _waiting(gate: Gate, asked: CallEntry) -> list[str]:
    """Return what can be approved; what went wrong with it is said when it is to be written."""
    try:
        found = renewed(gate, asked["proposals"])
    except PenstockError:
        return []
    return [one.set_id or one.id for one in found if one.state is State.WAITING]


def _action(gate: Gate, wanted: GraphCall, asked: CallEntry) -> ReviewAction:
    try:
        found = [stored(gate, known) for known in asked["proposals"]]
    except InputError:  # a question may stay open for very long, longer than they are kept
        found = []
    one = found[0] if len(found) == 1 else None
    joins = one is not None and one.base is not None and one.content is not None
    return ReviewAction(
        name=wanted.name,
        args=wanted.args,
        description=_description(gate, asked, found),
        proposal=asked["known"],
        joins=joins,
        lines=one.change.existing_lines if one is not None and joins else 0,
        facts={
            "tool_call_id": wanted.id,
            "because": in_line(asked["because"]),
            "files": [
                {**facts(each), "warnings": [in_line(text) for text in each.warnings]}
                for each in found
            ],
        },
    )


def _facts(one: Proposal) -> dict[str, object]:
    return {**facts(one), "warnings": [in_line(text) for text in one.warnings]}


def _description(gate: Gate, asked: CallEntry, found: Sequence[Proposal]) -> str:
    """Return what a person reads: what would be lost first, then why, then the difference."""
    lines = [_lost(one) for one in found]
    if not asked["proposals"]:
        lines.append("What this call writes is only known when it runs; approving runs it.")
    lines.append(phrase(f"because: {asked['because']}", asked["instead"]))
    lines += [f"{flag.level}: {in_line(flag.text)}" for one in found for flag in remarks(one)]
    return "\n".join([*lines, *(_difference(gate, one) for one in found)])


def _lost(one: Proposal) -> str:
    return f"{one.change.kind.upper()} {spoken(one.path)}: {change_counts(one.change)}"


def _difference(gate: Gate, one: Proposal) -> str:
    if max(one.change.before_size, one.change.after_size) > LARGEST_SHOWN:
        return f"(diff too large to show here: run `penstock show {short_name(gate, one.id)}`)"
    try:
        before, after = gate.contents(one)
    except PenstockError as problem:
        return f"({problem.message})"
    whole = unified(before, after, path=one.path, modes=one.modes)
    return visible_diff(preview(whole, limit=SHOWN).encode())
