"""One question about many writes, in LangChain's human-in-the-loop shape.

`payload` is what an interrupt carries: `action_requests` and `review_configs`. How the answer is
read is in `decisions`; what a decision leads to is for whoever asked.
Always true: the graph stops once for all actions; where the rules want the approver's key, an
approval without a signature is asked about again and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langgraph.types import interrupt
from msgspec.structs import replace

from penstock.core.text.display import harmless
from penstock.doors.langgraph.decisions import read, response_type
from penstock.doors.langgraph.records import ReviewAction, ReviewDecision
from penstock.doors.langgraph.thread import answers_at_hand
from penstock.gate import Gate
from penstock.gate.lookup import short_name

MOST_ASKED = 20  # times, about the same actions


def payload(actions: Sequence[ReviewAction]) -> dict[str, object]:
    """Return the value of the interrupt: plain JSON values."""
    return {
        "action_requests": [_request(one) for one in actions],
        "review_configs": [
            {"action_name": one.name, "allowed_decisions": [str(kind) for kind in one.allowed]}
            for one in actions
        ],
    }


def _request(one: ReviewAction) -> dict[str, object]:
    # People read the description and the reasons; `args` are what the tool gets, to the letter.
    said = {"name": one.name, "args": dict(one.args), "description": harmless(one.description)}
    known = {"proposal_id": one.proposal} if one.proposal else {}
    return {**said, **known, **one.facts}


def ask(actions: Sequence[ReviewAction]) -> tuple[ReviewDecision, ...]:
    """Stop the graph with one question about all actions; return the answer once it is there."""
    return read(interrupt(payload(actions), response_schema=response_type(actions)))


def ask_signed(
    gate: Gate, actions: Sequence[ReviewAction], waiting: Callable[[int], Sequence[str]]
) -> tuple[ReviewDecision, ...]:
    """Ask, and ask again while a yes needs a signature, which no answer can carry.

    `waiting` returns what of the action at a place waits in the queue. A step that asked twice is
    run again with both answers, and the last one counts.
    """
    given, asked = answers_at_hand(), actions
    answers: tuple[ReviewDecision, ...] = ()
    for turn in range(1, MOST_ASKED + 1):
        answers = ask(asked)
        keyed = gate.key_needed()
        notes = [
            _unsigned(gate, waiting(at)) if keyed and one.yes else ""
            for at, one in enumerate(answers)
        ]
        if turn >= given and not any(notes):
            break
        asked = [
            replace(one, description=f"{note}{one.description}")
            for one, note in zip(actions, notes, strict=True)
        ]
    return answers


def _unsigned(gate: Gate, waiting: Sequence[str]) -> str:
    if not waiting:
        return ""
    commands = " and ".join(
        f"`penstock approve {short_name(gate, known)} --no-apply`"
        for known in dict.fromkeys(waiting)
    )
    return (
        "An approval needs the approver key, and an answer here can't carry its signature. "
        f"Run {commands} in a terminal, then approve here again.\n\n"
    )
