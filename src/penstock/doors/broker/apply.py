"""Apply or reject a proposal: what only a person's program asks for.

The eight checks are numbered as in the spec; those from the third on are the gate's own, in
that order. Always true: what is written is what waited; a proposal is used once; whoever asks
about one that is closed is told what became of it and what to do next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from penstock.core.errors import InputError, PenstockError
from penstock.core.proposals.line_comment import of_values
from penstock.core.proposals.model import OPEN, Proposal, Receipt, State
from penstock.core.proposals.outcome import answer_text
from penstock.doors.broker.parameters import ToolRequest
from penstock.doors.broker.propose import withdraw
from penstock.doors.broker.responses import (
    NOTHING,
    BrokerRefusal,
    Status,
    ToolResponse,
    of_error,
    refuse,
    shortened,
)
from penstock.doors.broker.targets import find, named
from penstock.doors.broker.workspace_log import Ledger, who
from penstock.gate import Gate, Proof

APPLY, REJECT = "fs.apply_patch", "fs.reject_patch"
SAID_AS = "write_file"  # the name under which the agent knows the call
# A file of it is not what it was; anything else may pass, or is somebody else's doing.
OVERTAKEN = frozenset({"base-changed", "path-moved", "expired"})
DO_NOT_RETRY = "do not send the same again unchanged"

# What became of a proposal that is not there to be applied any more, and what to do about it.
CLOSED: Mapping[State, tuple[str, str]] = {
    State.APPLIED: ("it is already written", "read the file to see it"),
    State.REJECTED: ("the user rejected it", DO_NOT_RETRY),
    State.STALE: ("the file has changed since it was proposed", "read the file and propose again"),
    State.DENIED: ("the rules deny it", DO_NOT_RETRY),
    State.SUPERSEDED: ("a newer version replaced it", "read the file and propose again"),
    State.EXPIRED: ("it expired without an answer", "propose it again if it is still needed"),
}
OPEN_STILL = ("the user has not answered yet", "continue with other work")


def apply_proposal(gate: Gate, ledger: Ledger, asked: ToolRequest, proof: Proof) -> ToolResponse:
    """Write a proposal, or the whole set that it is part of."""
    known, path = asked.text("hitl_id"), asked.text("path")
    group = _group(gate, known)
    one = _of_path(gate, group, path)
    # (1) The record exists; (2) the path is the one that was proposed.
    refusal = _not_there(group, known) or _other_path(group, one, path)
    if refusal is not None or one is None:
        return _told(refusal or _unknown(known), group, path, APPLY)
    try:
        # (3) Its time is not over, looked at here first; what is approved needs no second word.
        waiting = [each.id for each in group if each.state is not State.APPROVED]
        gate.answer_all(waiting, approve=True, proof=proof)
        # (3) to (8): see `gate.apply`, which looks at all of them again as it writes.
        receipts = gate.apply(one.id)
    except PenstockError as error:
        return _failed(gate, group, error, path)
    return _written(one, receipts, ledger, path)


def reject_proposal(gate: Gate, asked: ToolRequest, proof: Proof) -> ToolResponse:
    """Close a proposal, or the whole set that it is part of; nothing is written."""
    known, path, reason = asked.text("hitl_id"), asked.text("path"), asked.optional("reason")
    group = _group(gate, known)
    one = _of_path(gate, group, path)
    refusal = _not_there(group, known) or _other_path(group, one, path)
    if refusal is not None or one is None:
        return _told(refusal or _unknown(known), group, path, REJECT)
    try:
        ids = [each.id for each in group]
        comments = of_values(asked.said.get("comments"), path=one.path)
        closed = gate.answer_all(ids, approve=False, proof=proof, reason=reason, comments=comments)
    except PenstockError as error:
        return _told(of_error(error), group, path, REJECT)
    reason = answer_text(closed)
    why = f"the user rejected the change to `{one.path}`" + (f": {reason}" if reason else "")
    refusal = BrokerRefusal(code="rejected", message=why, hint=DO_NOT_RETRY)
    answer = _told(refusal, group, path, REJECT)
    facts = _facts(one, status="rejected", reason=reason)
    data = {**answer.data, "reason": reason, "comments": _comments(closed)}
    return replace(answer, data=data, facts=facts)


def _comments(group: Sequence[Proposal]) -> list[dict[str, object]]:
    """Return what a person wrote beside the lines of what they rejected."""
    answers = [one.answer for one in group if one.answer and not one.answer.approved]
    return [comment.as_json() for answer in answers for comment in answer.comments]


def became(gate: Gate, hitl_id: str) -> str:
    """Return what became of a proposal, in one sentence; empty where there is none."""
    group = _group(gate, hitl_id)
    if not group:
        return ""
    one = group[0]
    what, then = CLOSED.get(one.state, OPEN_STILL)
    said = answer_text(group) or (one.answer.said if one.answer else "")
    why = f" ({said})" if said else ""
    return f"proposal for `{one.path}`: {what}{why}; {then}"


# --- finding ----------------------------------------------------------------------------


def _group(gate: Gate, known: str) -> tuple[Proposal, ...]:
    """Return what is written together: one proposal, or the set that an id names or is part of.

    Files of a set that were replaced by other versions are left out.
    """
    one = gate.get(known)
    group = gate.of_set(one.set_id if one is not None else known)
    kept = tuple(each for each in group if each.state is not State.SUPERSEDED)
    if one is None or not one.set_id:
        return kept or ((one,) if one is not None else ())
    return (one, *(each for each in kept if each.id != one.id))


def _of_path(gate: Gate, group: Sequence[Proposal], path: str) -> Proposal | None:
    """Return the one of a group that a path means: by its name, else by where a link leads.

    Where the name leads by now is not asked here: that is the fifth check, and the gate's.
    """
    try:
        name = named(gate, path)
        known = next((one for one in group if one.path == name.text), None)
        if known is not None:
            return known
        reached = find(gate, path).path.text
    except InputError:
        return None
    return next((one for one in group if one.path == reached), None)


def _not_there(group: Sequence[Proposal], known: str) -> BrokerRefusal | None:
    if not group:
        return _unknown(known)
    closed = next((one for one in group if one.state not in OPEN), None)
    if closed is None or closed.state is State.EXPIRED:
        return None  # the path is looked at before the time
    what, then = CLOSED[closed.state]
    said = answer_text(group) or (closed.answer.said if closed.answer else "")
    why = f": {said}" if said else ""
    return BrokerRefusal(
        code="hitl_not_found",
        message=f"the proposal for `{closed.path}` is {closed.state}",
        because=what + why,
        hint=then,
    )


def _unknown(known: str) -> BrokerRefusal:
    return BrokerRefusal(
        code="hitl_not_found",
        message=f"there is no proposal `{shortened(known)}`",
        hint="propose the change again",
    )


def _other_path(group: Sequence[Proposal], one: Proposal | None, path: str) -> BrokerRefusal | None:
    if one is not None:
        return None
    return BrokerRefusal(
        code="hitl_path_mismatch",
        message=f"the proposal is for `{group[0].path}`, not for `{shortened(path)}`",
        hint="send the path that was proposed",
    )


# --- answering --------------------------------------------------------------------------


EXPIRED = BrokerRefusal(
    code="hitl_expired",
    message="the proposal has expired",
    hint=f"{DO_NOT_RETRY}; ask the user first, then propose it again",
)


def _failed(gate: Gate, group: Sequence[Proposal], error: PenstockError, path: str) -> ToolResponse:
    """Answer from what happened; of a set that the world overtook, nothing stays open."""
    if error.code in OVERTAKEN and len(group) > 1:
        withdraw(gate, group, f"its set can't be written as a whole: {error.message}")
    refusal = of_error(error)
    return _told(EXPIRED if refusal.code == EXPIRED.code else refusal, group, path, APPLY)


def _told(
    refusal: BrokerRefusal, group: Sequence[Proposal], path: str, method: str
) -> ToolResponse:
    """Return a refusal under the name and the number of the agent's own call."""
    one = group[0] if group else None
    answer = refuse(refusal, method=method, path=shortened(path))
    if one is None:
        return replace(answer, tool_name=SAID_AS)
    said = _comments(group)
    return replace(
        answer,
        data={
            "path": one.path,
            "created": one.creates,
            "hitl_id": one.id,
            **({"comments": said} if said else {}),
        },
        facts={**answer.facts, **_facts(one)},
        tool_name=SAID_AS,
        tool_call_id=one.actor.tool_call_id or None,
    )


def _written(one: Proposal, receipts: Sequence[Receipt], ledger: Ledger, path: str) -> ToolResponse:
    mine = next((r for r in receipts if r.path == one.path), receipts[0])
    data: dict[str, object] = {
        "path": path.removeprefix("./"),
        "created": mine.before is None,
        "before_hash": mine.before or NOTHING,
        "after_hash": mine.after or NOTHING,
        "hitl_id": one.id,
    }
    if len(receipts) > 1:
        data |= {"set_id": one.set_id, "files": [_file(receipt) for receipt in receipts]}
    names = one.path if len(receipts) == 1 else f"{len(receipts)} files"
    return ToolResponse(
        status=Status.ALLOWED,
        method=APPLY,
        path=path.removeprefix("./"),
        output=f"applied {names}; undo with `penstock undo {one.set_id or mine.id}`",
        data=data,
        warnings=tuple(dict.fromkeys(r.note for r in receipts if r.note)),
        logged=ledger.applied.pop(one.set_id or one.id, None),
        tool_name=SAID_AS,
        tool_call_id=one.actor.tool_call_id or None,
    )


def _file(receipt: Receipt) -> dict[str, object]:
    return {
        "path": receipt.path,
        "created": receipt.before is None,
        "before_hash": receipt.before or NOTHING,
        "after_hash": receipt.after or NOTHING,
    }


def _facts(one: Proposal, **more: object) -> dict[str, object]:
    """Return what the log tells of a proposal; the call is the one that proposed it."""
    known = {"hitl_id": one.id, "created": one.creates, "base_hash": one.base or NOTHING}
    return {**known, **who(one.actor), **more}
