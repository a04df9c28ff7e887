"""The answer to one question about many writes, in LangChain's human-in-the-loop shape.

It is `{"decisions": [...]}`, one decision for each action, in their order.
Always true: an answer that does not fit the question is an error that says what is wrong, it is
not remembered, and the same question can be answered again. Nothing is guessed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from penstock.core.errors import InputError
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.line_comment import MOST_COMMENTS, of_values
from penstock.doors.langgraph.records import (
    ITS_FILE,
    DecisionType,
    ReviewAction,
    ReviewDecision,
)

LONGEST_MESSAGE = 10_000


class _Strict(BaseModel):
    """An unknown key is refused: it may be a misspelt strategy."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Decision(_Strict):
    # With the id of the proposal, an answer in the wrong order is noticed.
    proposal_id: str | None = None


class _Approve(_Decision):
    type: Literal["approve"]
    strategy: Literal["append", "insert", "extend", "replace"] = "replace"
    insertion_point: Annotated[int, Field(ge=0)] | None = None


class _EditedAction(_Strict):
    name: str
    args: dict[str, Any]


class _Edit(_Decision):
    type: Literal["edit"]
    edited_action: _EditedAction


class _Reject(_Decision):
    type: Literal["reject"]
    message: Annotated[str, Field(max_length=LONGEST_MESSAGE)] = ""
    # Each as `path:14: text`, or `14: text` where the action changes one file.
    comments: Annotated[list[str], Field(max_length=MOST_COMMENTS)] = []


class _Respond(_Decision):
    type: Literal["respond"]
    message: Annotated[str, Field(max_length=LONGEST_MESSAGE)]


_Any: TypeAlias = Annotated[_Approve | _Edit | _Reject | _Respond, Field(discriminator="type")]


class _Answer(_Strict):
    decisions: list[_Any]


def response_type(actions: Sequence[ReviewAction]) -> Any:
    """Return the type of the answer: LangGraph shows its schema, and checks answers against it.

    LangGraph checks before it keeps an answer, so one that does not fit can be given again.
    """
    count = len(actions)
    exactly = Annotated[list[_Any], Field(min_length=count, max_length=count)]
    answer: Any = create_model("Decisions", __base__=_Answer, decisions=(exactly, ...))
    return Annotated[answer, AfterValidator(partial(_checked, tuple(actions)))]


def _checked(actions: Sequence[ReviewAction], answer: _Answer) -> _Answer:
    """Compare each decision with the action at its place. Raises ValueError."""
    for at, (action, decision) in enumerate(zip(actions, answer.decisions, strict=True)):
        fault = _fault(action, decision)
        if fault:
            raise ValueError(f"decisions[{at}]: {fault}")
    return answer


def _fault(action: ReviewAction, decision: _Any) -> str:
    """Return what is wrong with a decision at its place; empty when it fits."""
    if decision.proposal_id is not None and decision.proposal_id != action.proposal:
        return f"it is for `{decision.proposal_id}`, and `{action.proposal}` is at this place"
    if decision.type not in action.allowed:
        return f"`{decision.type}` is not allowed here, only {', '.join(action.allowed)}"
    if isinstance(decision, _Approve):
        return _fault_of_approval(action, decision)
    if isinstance(decision, _Reject):
        return _fault_of_comments(decision)
    return _fault_of_edit(action, decision) if isinstance(decision, _Edit) else ""


def _fault_of_comments(decision: _Reject) -> str:
    try:
        of_values(decision.comments, path=ITS_FILE)
    except InputError as problem:
        return problem.message
    return ""


def _fault_of_approval(action: ReviewAction, decision: _Approve) -> str:
    chosen = Strategy(decision.strategy)
    inserts = chosen is Strategy.INSERT
    if inserts and decision.insertion_point is None:
        return "`insert` needs an `insertion_point`"
    if inserts and not 0 <= (decision.insertion_point or 0) <= action.lines:
        return f"`insertion_point` is not a line from 0 to {action.lines}"
    if not inserts and decision.insertion_point is not None:
        return f"`insertion_point` can't be used with `{decision.strategy}`"
    if chosen is not Strategy.REPLACE and not action.joins:
        return f"`{decision.strategy}` needs an existing file; approve without a strategy"
    return ""


def _fault_of_edit(action: ReviewAction, decision: _Edit) -> str:
    edited = decision.edited_action
    if edited.name != action.name:
        return f"an edit cannot turn `{action.name}` into `{edited.name}`"
    if edited.args.keys() != action.args.keys():
        return f"an edit keeps the arguments {', '.join(sorted(action.args))}"
    for name, value in action.args.items():
        given = edited.args[name]
        if type(given) is not type(value):
            return f"`{name}` has another type than it had"
        if name in action.pinned and given != value:
            return f"an edit cannot change `{name}`"
    return ""


def read(answer: Any) -> tuple[ReviewDecision, ...]:
    """Return what an answer of the right type decides, one for each action."""
    return tuple(_decided(one) for one in answer.decisions)


def _decided(decision: _Any) -> ReviewDecision:
    if isinstance(decision, _Approve):
        return ReviewDecision(
            strategy=Strategy(decision.strategy), insertion_point=decision.insertion_point
        )
    if isinstance(decision, _Edit):
        return ReviewDecision(kind=DecisionType.EDIT, args=decision.edited_action.args)
    said = of_values(decision.comments, path=ITS_FILE) if isinstance(decision, _Reject) else ()
    kind = DecisionType(decision.type)
    return ReviewDecision(kind=kind, message=decision.message, comments=said)
