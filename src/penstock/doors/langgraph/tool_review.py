"""Ask a person about tool calls: one question for all of them, before any of them runs.

What is asked and answered has the shape of `review`; what follows from an answer is
`tool_answers`.
Always true: what is shown is what would be written; a decision goes into the graph's state as
plain JSON values. Where the rules want the approver's key, an approval without a signature is
asked about again and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.core.diff import preview, unified
from penstock.core.display import spoken, visible_diff
from penstock.core.errors import InputError, PenstockError
from penstock.core.proposal import Proposal, State
from penstock.doors.langgraph import review
from penstock.doors.langgraph.thread import answers_at_hand
from penstock.doors.langgraph.tool_calls import Asked, Wanted, phrase
from penstock.doors.langgraph.tool_proposals import latest, living
from penstock.doors.langgraph.tool_writes import ToolGate

SHOWN = 20_000  # characters of one diff
LARGEST_SHOWN = 4 << 20  # bytes of a file whose diff is made for a question
ALL = tuple(review.Kind)


def decided(
    tools: ToolGate, calls: Sequence[Wanted], found: Mapping[str, Asked]
) -> dict[str, Asked]:
    """Stop the graph until a person has decided about every call that needs it."""
    open_calls = [one for one in calls if _is_open(one, found.get(one.id))]
    if not open_calls:
        return dict(found)
    # A step that asked twice is run again with both answers, and the last one counts.
    note, turns, given = "", 0, answers_at_hand()
    while note or turns < max(1, given):  # each turn is an answer that a person gave
        actions = [_action(tools, one, found[one.id], note) for one in open_calls]
        answers = review.ask(actions)
        turns += 1
        note = _unsigned(tools, [found[one.id] for one in open_calls], answers)
    said = {
        one.id: Asked(**{**found[one.id], "decision": _plain(answer)})
        for one, answer in zip(open_calls, answers, strict=True)
    }
    return {**found, **said}


def _is_open(one: Wanted, asked: Asked | None) -> bool:
    """An entry is for one call, even where a model gives two of them the same id."""
    return asked is not None and "refused" not in asked and one.is_what(asked)


def _plain(answer: review.Reviewed) -> dict[str, Any]:
    return {
        "type": str(answer.kind),
        "strategy": str(answer.strategy),
        "insertion_point": answer.insertion_point,
        "args": dict(answer.args),
        "message": answer.message,
    }


def _unsigned(tools: ToolGate, asked: Sequence[Asked], answers: Sequence[review.Reviewed]) -> str:
    """Return what is missing where approvals need a signature that a resume cannot carry."""
    if not tools.gate.key_needed():
        return ""
    wants = (review.Kind.APPROVE, review.Kind.EDIT)
    waiting = [
        one.set_id or one.id
        for each, answer in zip(asked, answers, strict=True)
        if answer.kind in wants
        for one in _living(tools, each)
        if one.state is State.WAITING
    ]
    if not waiting:
        return ""
    commands = " and ".join(f"`penstock approve {known}`" for known in dict.fromkeys(waiting))
    return f"an approval needs the approver's key here: {commands}, then approve again"


def _living(tools: ToolGate, asked: Asked) -> list[Proposal]:
    """Return what can be approved; what went wrong with it is said when it is to be written."""
    try:
        return living(tools.gate, asked)
    except PenstockError:
        return []


def _action(tools: ToolGate, wanted: Wanted, asked: Asked, note: str) -> review.Action:
    found = _found(tools, asked)
    one = found[0] if len(found) == 1 else None
    joins = one is not None and one.base is not None and one.content is not None
    return review.Action(
        name=wanted.name,
        args=wanted.args,
        description=_description(tools, asked, found, note),
        proposal=asked["known"],
        allowed=ALL,
        joins=joins,
        lines=one.change.existing_lines if one is not None and joins else 0,
        facts={
            "tool_call_id": wanted.id,
            "because": asked["because"],
            "files": [_facts(each) for each in found],
        },
    )


def _found(tools: ToolGate, asked: Asked) -> list[Proposal]:
    """Return the proposals that are still kept: a question may stay open for very long."""
    try:
        return [latest(tools.gate, known) for known in asked["proposals"]]
    except InputError:
        return []


def _facts(one: Proposal) -> dict[str, object]:
    return {
        "path": one.path,
        "kind": str(one.change.kind),
        "proposal_id": one.id,
        "base_digest": one.base or "",
        "content_digest": one.content or "",
        "lines_added": one.change.lines_added,
        "lines_deleted": one.change.lines_deleted,
        "existing_lines": one.change.existing_lines,
        "warnings": list(one.warnings),
    }


def _description(tools: ToolGate, asked: Asked, found: Sequence[Proposal], note: str) -> str:
    """Return what a person reads: what would be lost first, then why, then the difference."""
    lines = [note] if note else []
    lines += [_lost(one) for one in found]
    if not asked["proposals"]:
        lines.append("What this call writes is known only when it runs; approving it runs it.")
    lines.append(phrase(f"because: {asked['because']}", asked["instead"]))
    lines += [f"warning: {spoken(text)}" for one in found for text in one.warnings]
    return "\n".join([*lines, *(_difference(tools, one) for one in found)])


def _lost(one: Proposal) -> str:
    change = one.change
    lost = f"{change.lines_deleted} of {change.existing_lines} {change.unit} would be lost"
    return f"{change.kind.upper()} {spoken(one.path)}: {lost}, {change.lines_added} new"


def _difference(tools: ToolGate, one: Proposal) -> str:
    if max(one.change.before_size, one.change.after_size) > LARGEST_SHOWN:
        return f"(too large to be shown here: penstock show {one.id})"
    try:
        before, after = tools.gate.contents(one)
    except PenstockError as problem:
        return f"({problem.message})"
    return visible_diff(preview(unified(before, after, path=one.path), limit=SHOWN).encode())
