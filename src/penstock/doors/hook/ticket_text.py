"""What became of the changes behind a ticket, in words for the agent that proposed them.

Which tickets are told, and when, is `news`'s.
Always true: nothing is said of a ticket while one of its files is still to be decided.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.app.tickets import Ticket
from penstock.core.diff.hunks import unified
from penstock.core.proposals.model import OPEN, Proposal
from penstock.core.proposals.outcome import outcome
from penstock.core.proposals.short_id import short
from penstock.core.text.display import visible_diff
from penstock.core.text.quantities import counted
from penstock.gate import Gate

MOST_FILES = 10  # of one set
MOST_TEXT = 4000
GONE = "its result is no longer stored; check the file"


def members_of(gate: Gate, known: str) -> tuple[Proposal, ...]:
    """Return what was proposed under an id, as the agent proposed it."""
    one = gate.get(known)
    return (one,) if one is not None else tuple(m for m in gate.of_set(known) if not m.parent)


def ends(gate: Gate, members: tuple[Proposal, ...]) -> list[float]:
    """Return when those that are still open run out."""
    now = map(gate.latest, members)
    return [one.created.wall + one.ttl for one in now if one.state in OPEN]


def told(gate: Gate, ticket: Ticket, members: tuple[Proposal, ...]) -> str:
    """Return what is said of a ticket; "" while a file of it is open."""
    head = f"Penstock: pending change {short(ticket.id)}: "
    if not members:
        return head + GONE
    said = [*_outcomes(gate, members[:MOST_FILES])]
    if "" in said:
        return ""
    more = (
        [f"{counted(len(members) - MOST_FILES, 'more file')}"] if len(members) > MOST_FILES else []
    )
    text = head + "; ".join([*said, *more])
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} [cut]"


def _outcomes(gate: Gate, members: tuple[Proposal, ...]) -> Iterator[str]:
    for asked in members:
        now = gate.latest(asked)
        yield outcome(asked, now, diff=_difference(gate, asked, now))


def _difference(gate: Gate, asked: Proposal, now: Proposal) -> str:
    """Return the lines by which what stands now differs from what was proposed."""
    contents = [gate.content(one) for one in (asked.content, now.content) if one]
    known = [one for one in contents if one is not None and b"\0" not in one]
    if now.content == asked.content or len(known) != 2:
        return ""
    found = unified(*known, path=asked.path, context=1)
    return visible_diff(b"".join(found.splitlines(keepends=True)[2:]))  # without the names
