"""What the commands of the queue share: finding what is named, and who is answering."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.codec import to_plain
from penstock.core.errors import InputError
from penstock.core.proposal import Proposal, Receipt, State
from penstock.gate import Gate

PREFIX = "hitl-"


def named(gate: Gate, text: str) -> tuple[Proposal, ...]:
    """Return the proposal or the set that an id, or the unique beginning of one, names."""
    proposals = gate.parts.proposals
    of_set = proposals.of_set(text)
    exact = proposals.get(text)
    if of_set or exact is not None:
        return of_set or ((exact,) if exact else ())
    return _by_beginning(proposals.find(limit=10_000), text)


def _by_beginning(known: Sequence[Proposal], text: str) -> tuple[Proposal, ...]:
    begins = [one for one in known if one.id.removeprefix(PREFIX).startswith(text) and text]
    if len(begins) == 1:
        return (begins[0],)
    raise InputError(
        "ambiguous-id" if begins else "not-found",
        f"`{text}` is the beginning of {len(begins)} proposals"
        if begins
        else f"there is no proposal `{text}`",
        hint="list them with `penstock proposals --all`",
    )


def only(found: Sequence[Proposal]) -> Proposal:
    """Return the one proposal that a command for single files was given."""
    if len(found) != 1:
        raise InputError(
            "is-a-set",
            f"this is a set of {len(found)} files",
            hint="name one of its proposals: " + ", ".join(one.id for one in found[:5]),
        )
    return found[0]


def waiting(found: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return those that still wait; the others as they are, when none does."""
    return tuple(one for one in found if one.state is State.WAITING) or tuple(found)


def document(one: Proposal | Receipt) -> dict[str, object]:
    """Return a proposal or a receipt as `--json` prints it."""
    return dict(to_plain(one))
