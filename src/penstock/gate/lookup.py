"""Find what a person names in the queue, and say what can still be done with it.

Always true: the unique beginning of an id is enough; each way in which a proposal is over has
an error of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.proposals.model import OPEN, STATE_WORDS, Proposal, State
from penstock.core.proposals.short_id import SHORT, short
from penstock.core.text.quantities import duration
from penstock.gate.service import Gate

MOST = 10_000
MOST_ATTEMPTS = 200  # versions of one file among which an earlier one is looked for
SETTLED = (State.REJECTED, State.APPLIED)


def named(gate: Gate, text: str) -> tuple[Proposal, ...]:
    """Return the proposal or the set that an id, or the unique beginning of one, names.

    Of a set, versions that were replaced by others are left out.
    """
    return gate.members(text) or gate.members(_by_beginning(gate, text))


def rejected_before(gate: Gate, one: Proposal) -> Proposal | None:
    """Return what this agent session proposed for the same file and a person rejected last.

    None where something of it was written since, and for versions that a person made.
    """
    if one.parent:
        return None
    earlier, _ = _attempts(gate, one)
    last = next((each for each in reversed(earlier) if each.state in SETTLED), None)
    return last if last is not None and last.state is State.REJECTED else None


def next_attempt(gate: Gate, one: Proposal) -> Proposal | None:
    """Return what the agent session proposed for the file after a person had rejected this."""
    if one.state is not State.REJECTED:
        return None
    later = (each for each in _attempts(gate, one)[1] if not each.parent)
    return next(later, None)


def _attempts(gate: Gate, one: Proposal) -> tuple[list[Proposal], list[Proposal]]:
    """Return what the same session proposed for the same file, before and after a proposal."""
    if not one.actor.agent and not one.actor.session:
        return [], []
    found = gate.find(path=one.path, limit=MOST_ATTEMPTS)  # the oldest first
    at = next((at for at, each in enumerate(found) if each.id == one.id), None)
    if at is None:
        return [], []
    who = one.actor.agent, one.actor.session
    same = [[each for each in some if (each.actor.agent, each.actor.session) == who]
            for some in (found[:at], found[at + 1 :])]  # fmt: skip
    return same[0], same[1]


def _by_beginning(gate: Gate, text: str) -> str:
    known = gate.find(limit=MOST)
    ids = {known_id for one in known for known_id in (one.id, one.set_id)}
    begins = [known_id for known_id in ids if text and _begins(known_id, text)]
    if len(begins) == 1:
        return begins[0]
    raise InputError(
        "ambiguous-id" if begins else "not-found",
        f"`{text}` matches {len(begins)} ids" if begins else f"there is no proposal `{text}`",
        hint="list them with `penstock proposals --all`",
    )


def _begins(known: str, text: str) -> bool:
    """The word before the first dash, `hitl` or `set`, need not be typed."""
    return known.startswith(text) or known.partition("-")[2].startswith(text)


def by_short_id(gate: Gate, text: str) -> tuple[Proposal, ...]:
    """Return what an id names that was shortened as texts show it; nothing where none is it."""
    if len(text) < SHORT:
        return ()
    try:
        return gate.members(_by_beginning(gate, text))
    except InputError:
        return ()


def short_name(gate: Gate, known: str) -> str:
    """Return an id as short as no other open one begins; whole where the queue cannot be read."""
    try:
        found = gate.find(states=OPEN)
    except Exception:  # noqa: BLE001 - the whole id is as good a name
        return known
    return short(known, {name for one in found for name in (one.id, one.set_id) if name})


def only(found: Sequence[Proposal]) -> Proposal:
    """Return the one proposal that a command for single files was given."""
    if len(found) != 1:
        raise InputError(
            "is-a-set",
            f"this is a set of {len(found)} files",
            hint="use one of its ids: " + ", ".join(short(one.id) for one in found[:5]),
        )
    return found[0]


def rejected_beside(gate: Gate, one: Proposal) -> tuple[Proposal, ...]:
    """Return what was rejected of the set that a proposal, or the one before it, belongs to."""
    parent = gate.get(one.parent) if one.parent else None
    sets = {each.set_id for each in (one, parent) if each is not None and each.set_id}
    found = (each for group in sorted(sets) for each in gate.of_set(group))
    return tuple(each for each in found if each.state is State.REJECTED)


def still_open(found: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return those that are pending or approved; raise what became of them when none is."""
    kept = tuple(one for one in found if one.state in OPEN)
    if not kept:
        raise closed(found[0])
    return kept


def waiting(found: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return those that are pending; raise what became of them when none is."""
    kept = tuple(one for one in still_open(found) if one.state is State.WAITING)
    if not kept:
        raise StaleError(
            "already-approved",
            f"the proposal for `{found[0].path}` is approved",
            hint=f"write it with `penstock apply {short(found[0].id)}`",
        )
    return kept


def closed(one: Proposal) -> PenstockError:
    """Return the error that says what became of a proposal: each outcome is its own."""
    why = {
        State.DENIED: one.decision.because,
        State.REJECTED: one.answer.said if one.answer else "",
        State.EXPIRED: f"it was pending longer than {duration(one.ttl)}",
        State.STALE: "the file has changed since this proposal was created",
        State.SUPERSEDED: "a newer version replaced it",
        State.APPLIED: "it is already written",
    }
    kind = RefusedError if one.state in (State.DENIED, State.REJECTED) else StaleError
    way = "rebase" if one.state is State.STALE else "show"
    hint = f"run `penstock {way} {short(one.id)}`"
    code = "expired" if one.state is State.EXPIRED else f"already-{one.state}"
    said = f"the proposal for `{one.path}` is {STATE_WORDS[one.state]}"
    return kind(code, said, because=why.get(one.state, ""), hint=hint)
