"""What a person decided becomes an answer and a write, for pending writes and tool calls alike.

Each step is looked up in the queue before it is done, so that what a crash interrupted is taken
up where it ended. What the graph is told about it is left to whoever asked.
Always true: only `gate.apply` writes; what cannot be approved is not changed either; doing the
same again writes nothing twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from penstock.core.errors import PenstockError, RefusedError, StaleError
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.model import OPEN, Proposal, Receipt, State
from penstock.core.text.display import spoken
from penstock.doors.langgraph.records import DecisionType, ReviewDecision
from penstock.doors.langgraph.strategies import log_warnings
from penstock.gate import Gate, Proof
from penstock.gate.lookup import closed

LOOKS, BETWEEN = 200, 0.02  # while another process writes; seconds between two of them
After = Mapping[str, bytes | None]  # what files are to hold, None for one that goes
Result = TypeVar("Result")


def twice(settle: Callable[[], Result]) -> Result:
    """Settle; somebody else may have answered between our look and our answer, so look again."""
    try:
        return settle()
    except StaleError as problem:
        try:
            return settle()
        except PenstockError:
            raise problem from None  # the first one says more


def approve(
    gate: Gate,
    found: Sequence[Proposal],
    decided: ReviewDecision,
    prove: Callable[[], Proof],
    after: After | None = None,
) -> Sequence[Receipt]:
    """Approve what waits, as the person chose to have it, and write all of it together.

    `after` is what an edit puts in each file. Raises what became of it where it is closed.
    """
    _require_open(found)
    if any(one.state is State.WAITING for one in found):
        # Proven first: what cannot be approved must not be changed either.
        proof = _proven(gate, found[0], prove)
        found = [_chosen(gate, one, decided, after or {}) for one in found]
        _require_open(found)
        waiting = [one.id for one in found if one.state is State.WAITING]
        gate.answer_all(waiting, approve=True, proof=proof)
    return _receipts(gate, found) or _apply(gate, found)


def _require_open(found: Sequence[Proposal]) -> None:
    over = next((one for one in found if one.state not in (*OPEN, State.APPLIED)), None)
    if over is not None:
        raise closed(over)


def _proven(gate: Gate, one: Proposal, prove: Callable[[], Proof]) -> Proof:
    proof = prove()
    if proof.sign is None and gate.key_needed():
        raise RefusedError(
            "key-needed",
            f"`{spoken(one.path)}` needs an approver's key",
            because="once a key is set up or required by the rules, only it can approve",
        )
    return proof


def _chosen(gate: Gate, one: Proposal, decided: ReviewDecision, after: After) -> Proposal:
    """Put a person's choice in place, unless an earlier run or somebody else has changed it."""
    if one.origin or one.state is not State.WAITING:
        return one
    if decided.kind is DecisionType.EDIT:
        content = after[one.path]
        return one if gate.contents(one)[1] == content else gate.revise(one.id, content)
    if decided.strategy is Strategy.REPLACE:
        return one
    changed = gate.with_strategy(one.id, decided.strategy, at=decided.insertion_point)
    log_warnings(one.path, changed.warnings)
    return changed


def _apply(gate: Gate, found: Sequence[Proposal]) -> Sequence[Receipt]:
    """Write it, unless another process was faster: then what it did is what was asked."""
    try:
        return gate.apply(found[0].set_id or found[0].id)
    except StaleError:
        receipts = _by_another(gate, found)
        if not receipts:
            raise
        return receipts


def _by_another(gate: Gate, found: Sequence[Proposal]) -> Sequence[Receipt]:
    """Return the receipts of another process, which may be about to write it."""
    for _ in range(LOOKS):
        claimed = any(gate.is_being_written(one.id) for one in found)
        receipts = _receipts(gate, found)
        if receipts or not claimed:
            return receipts
        time.sleep(BETWEEN)
    return ()


def _receipts(gate: Gate, found: Sequence[Proposal]) -> list[Receipt]:
    """Return the receipts of what is written; none where any of it is not."""
    known = [gate.receipt(one.id) for one in found]
    return [one for one in known if one is not None] if all(known) else []


def reject(gate: Gate, found: Sequence[Proposal], proof: Proof, said: ReviewDecision) -> None:
    """Close what is open, with the comments on it; what is closed already stays as it is.

    A comment on a file that is none of these is part of the reason.
    """
    now = gate.now()
    still = [one for one in found if one.state in OPEN and not one.expired(now)]
    if not still:
        return
    paths = {one.path for one in still}
    own = said.about(paths)
    other = replace(own, comments=tuple(each for each in own.comments if each.path not in paths))
    gate.answer_all(
        [one.id for one in still],
        approve=False,
        proof=proof,
        reason=other.said,
        comments=[each for each in own.comments if each.path in paths],
    )
