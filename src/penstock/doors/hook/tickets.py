"""What needs a person where nobody can be asked: stored as a proposal, or denied with the reason.

The agent is denied with the id, and hears at a later event what became of it (`news`).
Always true: what is stored is the whole result of the call, or nothing; the same change of the
same agent is one proposal as long as it is open; nothing that fails here allows a call.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app import tickets as store
from penstock.app.background import agent_above
from penstock.core.digest import digest, digest_of_pieces
from penstock.core.errors import InputError
from penstock.core.model import Action, Actor, Decision, Verdict
from penstock.core.policy.decide import unattended
from penstock.core.proposals.intent import AgentIntent, said_with
from penstock.core.proposals.model import OPEN, Proposal
from penstock.doors.hook import last_resort
from penstock.doors.hook.failures import told, tried
from penstock.doors.hook.messages import DENY, HookAnswer, HookCall, phrase
from penstock.gate import Gate, Item, Judgement
from penstock.gate.lookup import short_name

Record = Callable[[Decision], None]
Holding = frozenset[tuple[str, str | None, str | None]]  # path, what is there, what would be

UNKNOWN = "it can't be saved for review, because its result is only known when it runs"
READING = "it can't be saved for review, because it only reads"
OUTSIDE = "it can't be saved for review, because it changes files outside the project"
LATER = "continue with other work and do not retry: you will be notified of the result"


def held(
    here: Workspace, call: HookCall, judged: Judgement, actor: Actor, record: Record
) -> HookAnswer:
    """Have a person see it first; what cannot be stored for them is denied."""
    decision = judged.decision
    because = decision.because or "this needs the user's approval"
    if decision.degraded:
        because = f"{because} ({decision.degraded})"
    try:
        if not _is_known(judged):
            record(unattended(decision))
            return HookAnswer(DENY, phrase(f"{because}; {_unsaved(judged)}", decision.suggestion))
        made, is_new = _stored(here.gate, judged, call, actor)
        if not is_new:
            record(decision)
    except Exception as problem:  # noqa: BLE001 - whatever it is, the rules did not allow this
        return _not_stored(
            because, problem, lambda: record(replace(decision, verdict=Verdict.DENY))
        )
    known = made[0].set_id or made[0].id
    forgotten = tried("remember to notify you", lambda: _remember(here, call, known))
    name = short_name(here.gate, known)
    saved = f"the change {'was' if is_new else 'is already'} saved as pending change {name}"
    ways = f"`penstock review` or `penstock approve {name}`"
    later = f"{saved}; the user can approve it with {ways}. {LATER[0].upper()}{LATER[1:]}"
    warnings = (forgotten,) if forgotten else ()
    return HookAnswer(
        DENY,
        phrase(phrase(because, decision.suggestion).removesuffix("."), later),
        warnings=warnings,
    )


def _not_stored(because: str, problem: Exception, record: Callable[[], None]) -> HookAnswer:
    failed = f"the change could not be saved for review ({told(problem)})"
    unrecorded = tried("log this call", record)
    instead = f"continue with other work, and {last_resort.DOCTOR}"
    warnings = tuple(filter(None, (f"Penstock: {failed}", unrecorded)))
    return HookAnswer(DENY, phrase(f"{because}; {failed}", instead), warnings=warnings)


def _is_known(judged: Judgement) -> bool:
    """Say whether the whole result of a call can be stored."""
    found = judged.prepared
    return bool(found) and all(one.known and one.path is not None for one in found)


def _unsaved(judged: Judgement) -> str:
    """Say why a call cannot be stored."""
    requests = [one.request for one in judged.prepared]
    if requests and all(one.action is Action.READ for one in requests):
        return READING
    targets = [one.target for one in requests if one.target is not None]
    known = targets and len(targets) == len(requests)
    return OUTSIDE if known and any(one.outside for one in targets) else UNKNOWN


def _stored(
    gate: Gate, judged: Judgement, call: HookCall, actor: Actor
) -> tuple[Sequence[Proposal], bool]:
    """Return the proposal of a call, and whether it is new."""
    items = [
        Item(path=one.path.text, content=one.after)
        for one in judged.prepared
        if one.path is not None
    ]
    wanted: Holding = frozenset(
        (one.path, gate.digest(one.path), None if one.content is None else digest(one.content))
        for one in items
    )
    earlier = _same(gate, items[0].path, wanted, actor)
    now = gate.now()
    still = [
        group for group in earlier if all(o.state in OPEN and not o.expired(now) for o in group)
    ]
    if still:
        return still[-1], False
    ids = [_id(actor, wanted, len(earlier), at) for at in range(len(items))]
    words = AgentIntent(why=said_with(call.tool_input).why)  # its lines may be of a patch's text
    try:
        return gate.propose(items, actor=actor, ids=ids, judged=judged.decision, intent=words), True
    except InputError as problem:
        found = [gate.get(known) for known in ids]
        if problem.code != "id-taken" or None in found:
            raise
        return [one for one in found if one is not None], False


def _same(gate: Gate, path: str, wanted: Holding, actor: Actor) -> list[Sequence[Proposal]]:
    """Return what this agent proposed before and is the same to the byte, newest last."""
    found = [
        one for one in gate.find(path=path) if one.actor.agent == actor.agent and not one.parent
    ]
    groups = [gate.of_set(one.set_id) or (one,) for one in found]
    return [g for g in groups if frozenset((o.path, o.base, o.content) for o in g) == wanted]


def _id(actor: Actor, wanted: Holding, before: int, at: int) -> str:
    """Two hooks of one call at once make the same id, so that one of them finds the other's."""
    facts = [actor.agent, actor.session, str(before), str(at), *map(repr, sorted(wanted, key=repr))]
    made = digest_of_pieces(f"{fact}\n".encode("utf-8", "surrogatepass") for fact in facts)
    return f"hitl-{uuid.UUID(hex=made.removeprefix('sha256:')[:32], version=4)}"


def _remember(here: Workspace, call: HookCall, known: str) -> None:
    client = agent_above(call.hook) if call.hook else ""
    store.add(here.state, call.agent, known, session=call.session, client=client)
