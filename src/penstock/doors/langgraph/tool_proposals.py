"""The proposals behind a question, found again in whatever state they are by now.

A question in a graph may stay open for days. The time to live of a proposal is for those that
lie in the queue; an answer that comes with the graph counts however long it took, as long as the
file is still what was shown.
Always true: finding makes no other content than was shown; the same question finds the same.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from hashlib import sha256

from penstock.core.errors import InputError
from penstock.core.proposal import OPEN, Proposal, State
from penstock.doors.langgraph import writes
from penstock.doors.langgraph.tool_calls import Asked
from penstock.gate import Gate, Item

MOST_AGAIN = 100


def latest(gate: Gate, known: str) -> Proposal:
    """Return the newest version of a proposal: a strategy or an edit puts one in its place."""
    one = gate.get(known)
    if one is None:
        raise InputError(
            "not-found",
            f"there is no proposal `{known}` any more",
            hint="propose the change again",
        )
    return writes.latest(gate, one)


def living(gate: Gate, asked: Asked) -> list[Proposal]:
    """Return the proposals of a question; those whose time is over are made again.

    All of them together, because several are one set. Raises StaleError where a file is not
    what was shown any more.
    """
    found = [latest(gate, known) for known in asked["proposals"]]
    for again in range(1, MOST_AGAIN):
        if not any(_is_over(gate, one) for one in found):
            break
        found = _again(gate, asked["proposals"], again)
    return found


def _is_over(gate: Gate, one: Proposal) -> bool:
    """Say whether its time is over, or a crash came before another could take its place."""
    closed = one.state in (State.EXPIRED, State.SUPERSEDED)
    return closed or (one.state in OPEN and one.expired(gate.now()))


def _again(gate: Gate, known: Sequence[str], again: int) -> list[Proposal]:
    """Propose the same content over the same base once more, under ids that say which time."""
    ids = [_id(each, again) for each in known]
    there = [gate.get(each) for each in ids]
    if not all(there):
        first = [one for each in known if (one := gate.get(each)) is not None]
        items = [
            Item(path=one.path, content=gate.contents(one)[1], expect=one.base) for one in first
        ]
        gate.propose(items, ids=ids, actor=first[0].actor)
    return [latest(gate, each) for each in ids]


def _id(known: str, again: int) -> str:
    seed = sha256(f"{known} {again}".encode()).digest()
    return f"hitl-{uuid.UUID(bytes=seed[:16], version=4)}"
