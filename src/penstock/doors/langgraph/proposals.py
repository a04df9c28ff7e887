"""The proposals behind a question, found again in whatever state they are by now.

A question in a graph may stay open for days. The time to live of a proposal is for those that
lie in the queue; an answer that comes with the graph counts however long it took, under the id
that the first proposal's id and the number of renewals make.
Always true: finding makes no other content than was shown; the same ids lead to the same.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from hashlib import sha256

from penstock.core.errors import InputError
from penstock.core.proposals.intent import AgentIntent
from penstock.core.proposals.model import Proposal, State
from penstock.gate import Gate, Item

MOST_RENEWED = 1000
MOST_VERSIONS = 1000


def stored(gate: Gate, known: str) -> Proposal:
    """Return the newest version of a proposal by its id. Raises InputError `not-found`."""
    return latest(gate, _first(gate, known))


def _first(gate: Gate, known: str) -> Proposal:
    one = gate.get(known)
    if one is None:
        raise InputError(
            "not-found",
            f"there is no proposal `{known}` any more",
            hint="propose the change again",
        )
    return one


def latest(gate: Gate, one: Proposal) -> Proposal:
    """Return the newest version of a proposal: a strategy or an edit puts one in its place."""
    now = gate.get(one.id) or one
    if now.state is not State.SUPERSEDED:
        return now
    # Oldest first, so that one walk finds the end of the line.
    for version in gate.find(path=now.path, limit=MOST_VERSIONS):
        if version.parent == now.id:
            now = version
    return now


def standing(gate: Gate, ids: Sequence[str]) -> tuple[list[Proposal], list[str]]:
    """Return what stands for some proposals now, or nothing, and the ids to propose it under.

    Where the time of one is over they are all made again: several are one set.
    """
    names = list(ids)
    for again in range(1, MOST_RENEWED):
        found = [latest(gate, one) for each in names if (one := gate.get(each))]
        if len(found) < len(names):
            return [], names
        if not any(is_over(gate, one) for one in found):
            return found, names
        names = [_next_id(each, again) for each in ids]
    return [], names


def renewed(gate: Gate, ids: Sequence[str]) -> list[Proposal]:
    """Return what stands for proposals; where their time is over, they are proposed once more.

    The same content over the same base. Raises StaleError where a file is another by now.
    """
    found, names = standing(gate, ids)
    if found or not ids:
        return found
    first = [_first(gate, each) for each in ids]
    items = [Item(path=one.path, content=gate.contents(one)[1], expect=one.base) for one in first]
    words = AgentIntent(why=first[0].why, regions=tuple(r for one in first for r in one.regions))
    made = gate.propose(items, ids=names, actor=first[0].actor, intent=words)
    return [latest(gate, one) for one in made]


def is_over(gate: Gate, one: Proposal) -> bool:
    """Say whether its time is over, or a crash came before another could take its place."""
    closed = one.state in (State.EXPIRED, State.SUPERSEDED)
    return closed or one.expired(gate.now())


def _next_id(known: str, again: int) -> str:
    seed = sha256(f"{known} {again}".encode()).digest()
    return f"hitl-{uuid.UUID(bytes=seed[:16], version=4)}"
