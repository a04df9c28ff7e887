"""One question about many writes, and the answer to it, in LangChain's human-in-the-loop shape.

`payload` is what an interrupt carries: `action_requests` and `review_configs`. The answer is
`{"decisions": [...]}`, one decision for each action, in their order. What a decision leads to
is for whoever asked.
Always true: an answer that does not fit the question is an error that says what is wrong, it is
not remembered, and the same question can be answered again. Nothing is guessed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from langgraph.types import interrupt
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)

from penstock.core.errors import InputError
from penstock.core.merge import Strategy
from penstock.doors.langgraph.decided import Kind

__all__ = ["Action", "Kind", "Reviewed", "ask", "payload", "read_response", "response_type"]

LONGEST_MESSAGE = 10_000
MOST_TOLD = 5  # faults of one answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """One write that a person is asked about.

    `args` are the call's own; an edit keeps their names and types, and the values of those in
    `pinned`. `joins` says that there is a file to join the new content with, and `lines` how
    many lines it has. `facts` are shown beside: the proposal, the counts, the digests.
    """

    name: str
    args: Mapping[str, object]
    description: str = ""
    proposal: str = ""
    allowed: tuple[Kind, ...] = tuple(Kind)
    pinned: tuple[str, ...] = ()
    joins: bool = False
    lines: int = 0
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """What a person decided about one action; `args` are those of an edit."""

    kind: Kind
    strategy: Strategy = Strategy.REPLACE
    insertion_point: int | None = None
    args: Mapping[str, object] = field(default_factory=dict)
    message: str = ""


# --- the question -----------------------------------------------------------------------


def payload(actions: Sequence[Action]) -> dict[str, object]:
    """Return the value of the interrupt: plain JSON values."""
    return {
        "action_requests": [_request(one) for one in actions],
        "review_configs": [
            {"action_name": one.name, "allowed_decisions": [str(kind) for kind in one.allowed]}
            for one in actions
        ],
    }


def _request(one: Action) -> dict[str, object]:
    said = {"name": one.name, "args": dict(one.args), "description": one.description}
    known = {"proposal_id": one.proposal} if one.proposal else {}
    return {**said, **known, **one.facts}


def ask(actions: Sequence[Action]) -> tuple[Reviewed, ...]:
    """Stop the graph with one question about all actions; return the answer once it is there."""
    return _read(interrupt(payload(actions), response_schema=response_type(actions)))


# --- the answer -------------------------------------------------------------------------


class _Decision(BaseModel):
    """What all decisions share. An unknown key is refused: it may be a misspelt strategy."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    # With the id of the proposal, an answer in the wrong order is noticed.
    proposal_id: str | None = None


class _Approve(_Decision):
    type: Literal["approve"]
    strategy: Literal["append", "insert", "extend", "replace"] = "replace"
    insertion_point: Annotated[int, Field(ge=0)] | None = None


class _EditedAction(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str
    args: dict[str, Any]


class _Edit(_Decision):
    type: Literal["edit"]
    edited_action: _EditedAction


class _Reject(_Decision):
    type: Literal["reject"]
    message: Annotated[str, Field(max_length=LONGEST_MESSAGE)] = ""


class _Respond(_Decision):
    type: Literal["respond"]
    message: Annotated[str, Field(max_length=LONGEST_MESSAGE)]


_Any: TypeAlias = Annotated[_Approve | _Edit | _Reject | _Respond, Field(discriminator="type")]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    decisions: list[_Any]


def response_type(actions: Sequence[Action]) -> Any:
    """Return the type of the answer: LangGraph shows its schema, and checks answers against it.

    LangGraph checks before it keeps an answer, so one that does not fit can be given again.
    """
    count = len(actions)
    exactly = Annotated[list[_Any], Field(min_length=count, max_length=count)]
    answer: Any = create_model("Decisions", __base__=_Answer, decisions=(exactly, ...))
    return Annotated[answer, AfterValidator(partial(_checked, tuple(actions)))]


def read_response(value: object, actions: Sequence[Action]) -> tuple[Reviewed, ...]:
    """Return what an answer decides, one for each action. Raises InputError `bad-decisions`."""
    try:
        return _read(TypeAdapter(response_type(actions)).validate_python(value))
    except ValidationError as wrong:
        raise _told(wrong, len(actions)) from None


def _checked(actions: Sequence[Action], answer: _Answer) -> _Answer:
    """Compare each decision with the action at its place. Raises ValueError."""
    for at, (action, decision) in enumerate(zip(actions, answer.decisions, strict=True)):
        fault = _fault(action, decision)
        if fault:
            raise ValueError(f"decisions[{at}]: {fault}")
    return answer


def _fault(action: Action, decision: _Any) -> str:
    """Return what is wrong with a decision at its place; empty when it fits."""
    if decision.proposal_id is not None and decision.proposal_id != action.proposal:
        return f"it is for `{decision.proposal_id}`, and `{action.proposal}` is at this place"
    if decision.type not in action.allowed:
        return f"`{decision.type}` is not allowed here, only {', '.join(action.allowed)}"
    check: Callable[[Action, Any], str] | None = _FAULTS.get(type(decision))
    return check(action, decision) if check else ""


def _fault_of_approval(action: Action, decision: _Approve) -> str:
    chosen = Strategy(decision.strategy)
    inserts = chosen is Strategy.INSERT
    if inserts and decision.insertion_point is None:
        return "`insert` needs an `insertion_point`"
    if inserts and not 0 <= (decision.insertion_point or 0) <= action.lines:
        return f"`insertion_point` is not a line from 0 to {action.lines}"
    if not inserts and decision.insertion_point is not None:
        return f"`insertion_point` means nothing with `{decision.strategy}`"
    if chosen is not Strategy.REPLACE and not action.joins:
        return f"`{decision.strategy}` needs a file that is there; approve without a strategy"
    return ""


def _fault_of_edit(action: Action, decision: _Edit) -> str:
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


_FAULTS: Mapping[type, Callable[[Action, Any], str]] = {
    _Approve: _fault_of_approval,
    _Edit: _fault_of_edit,
}


def _read(answer: _Answer) -> tuple[Reviewed, ...]:
    return tuple(_reviewed(decision) for decision in answer.decisions)


def _reviewed(decision: _Any) -> Reviewed:
    if isinstance(decision, _Approve):
        return Reviewed(
            kind=Kind.APPROVE,
            strategy=Strategy(decision.strategy),
            insertion_point=decision.insertion_point,
        )
    if isinstance(decision, _Edit):
        return Reviewed(kind=Kind.EDIT, args=decision.edited_action.args)
    return Reviewed(kind=Kind(decision.type), message=decision.message)


def _told(wrong: ValidationError, count: int) -> InputError:
    faults = [
        f"{'.'.join(str(part) for part in one['loc']) or 'the answer'}: {one['msg']}"
        for one in wrong.errors(include_url=False, include_input=False)[:MOST_TOLD]
    ]
    return InputError(
        "bad-decisions",
        "the answer does not fit what was asked",
        because="; ".join(faults),
        hint=f'answer with {{"decisions": [...]}}, {count} of them in the order of the actions',
    )
