"""Make one move of the table on a proposal: what the stored one becomes.

The queue in SQLite and the one that tests keep in memory both ask here inside their own
transaction, so that what is true at that moment decides and not what a caller has read before.
Keeping and locking are theirs.
Always true: only state, answer and, for a renewal, the starting time ever change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from penstock.core.errors import InputError, StaleError
from penstock.core.proposals.model import Answer, Moment, Proposal, State, Transition, after
from penstock.core.text.quantities import duration

ANSWERS = {Transition.APPROVE: True, Transition.REJECT: False}


def moved(
    proposal: Proposal, move: Transition, *, answer: Answer | None = None, at: Moment | None = None
) -> Proposal:
    """Return the proposal after a move. Raises StaleError for one that does not exist."""
    state = after(proposal.state, move)
    if answer is not None and ANSWERS.get(move, answer.approved) is not answer.approved:
        raise InputError("answer-mismatch", f"this answer does not match the step `{move}`")
    _check_time(proposal, move, at)
    created = at if move is Transition.RENEW and at is not None else proposal.created
    return replace(proposal, state=state, answer=answer or proposal.answer, created=created)


def _check_time(proposal: Proposal, move: Transition, at: Moment | None) -> None:
    """A renewal comes before the end, an expiry after it, whoever looked first."""
    if move is Transition.RENEW:
        if at is None:
            raise InputError("no-time", "a renewal needs a start time")
        if proposal.expired(at):
            raise StaleError(
                "expired",
                "this proposal has expired and can't be renewed",
                because=f"its {duration(proposal.ttl)} are over",
                hint="propose the change again",
            )
    if move is Transition.EXPIRE and at is not None and not proposal.expired(at):
        raise StaleError(
            "not-expired",
            "this proposal has time left",
            because=f"it was renewed; {duration(proposal.expires_in(at))} left",
            hint="run `penstock proposals` again",
        )


def supersessions(
    parents: Sequence[str], rejected: Collection[str]
) -> list[tuple[str, Transition]]:
    """Return the moves that new versions make: their parents', then those of what is sent back."""
    back = [name for name in rejected if name not in parents]
    return [(name, Transition.SUPERSEDE) for name in parents] + [
        (name, Transition.REJECT) for name in back
    ]


def check_claimable(proposal: Proposal, holder: str) -> None:
    """Raise StaleError unless this proposal can be taken for writing now."""
    if holder:
        raise claimed(proposal)
    assert after(proposal.state, Transition.APPLY) is State.APPLIED


def check_unclaimed(proposal: Proposal, move: Transition, *, holder: str, token: str) -> None:
    """Raise StaleError when someone else is writing this proposal just now.

    Whoever holds the claim may make any move. Without naming the claim only APPLY is made:
    to reject or expire what is half written would leave the queue and the disk in disagreement.
    """
    if holder and token != holder and (token or move is not Transition.APPLY):
        raise claimed(proposal)


def claimed(proposal: Proposal) -> StaleError:
    """Return the error for a proposal that another process has taken."""
    return StaleError(
        "claimed",
        f"the proposal for `{proposal.path}` is being written by another process",
        because="only one process can write it",
        hint="run `penstock proposals` again",
    )


def not_found(proposal_id: str) -> InputError:
    """Return the error for an id that the queue does not know."""
    return InputError(
        "not-found",
        f"there is no proposal `{proposal_id[:80]}`",
        hint="list them with `penstock proposals --all`",
    )


def id_taken(name: str) -> InputError:
    """Return the error for an id that is in use."""
    return InputError("id-taken", f"the id `{name[:80]}` is already taken")
