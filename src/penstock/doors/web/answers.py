"""A person's answers from the page and the API: what is approved is exactly what was shown.

Each function takes the digest that stood in the form (`drift`). What needs a person's proof
(`proof`) takes who they are, and who reads (`reader`): what they were sent, what they unticked.
Before a passkey is touched, `ask` makes the same checks and returns what it has to sign. Who may
look at the page is `sessions`'s business.
Always true: nothing is written without a person's proof; nothing is written that is unticked, or
that was not shown and is not acknowledged; what comes out of a strategy, chosen hunks or an edit
waits to be looked at; nothing raises a PenstockError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from msgspec import Struct

from penstock.core.diff.coverage import Unseen, byte_parts, fingerprint, require_shown
from penstock.core.digest import digest as digest_of
from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.merge.combination import Combination
from penstock.core.merge.strategies import strategy_named
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import OPEN, Proposal, Receipt, State
from penstock.core.text.quantities import counted
from penstock.doors.web.drift import (
    Difference,
    NewerError,
    UndoPlan,
    as_shown,
    on_its_base,
    shown,
    shown_undo,
    undo_keys,
    unticked,
)
from penstock.doors.web.proof import PagePerson
from penstock.doors.web.reader import PageReader, disagrees
from penstock.doors.web.wording import as_ranges

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

P = ParamSpec("P")
PROOF = "page"
REVIVED = "revived"  # the origin of a change that came back after its time was over
LOOK = "view the missing parts, or confirm that you approve them without viewing"


class AnswerResult(Struct, frozen=True, kw_only=True):
    """What came of an answer: what was made or written, or why not and what is different."""

    proposals: tuple[Proposal, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    still_waiting: int = (
        0  # files that have to be approved, or by more owners, before it is written
    )
    rejected: tuple[Proposal, ...] = ()  # files of the set that were left out
    error: PenstockError | None = None
    differences: tuple[Difference, ...] = ()
    challenge: bytes = b""  # what a passkey has to sign
    credentials: tuple[bytes, ...] = ()  # and which of them may

    @property
    def ok(self) -> bool:
        """True when it was done."""
        return self.error is None


def told(do: Callable[P, AnswerResult]) -> Callable[P, AnswerResult]:
    """Have an inability returned, with the differences that belong to it."""

    @wraps(do)
    def doing(*args: P.args, **kwargs: P.kwargs) -> AnswerResult:
        try:
            return do(*args, **kwargs)
        except NewerError as newer:
            return AnswerResult(error=newer, differences=newer.differences)
        except PenstockError as error:
            return AnswerResult(error=error)

    return doing


class Approvable(Struct, frozen=True, kw_only=True):
    """What can be approved as it was shown: all of it, what is taken, and what was not viewed.

    `in_part` says that some files of the set are left out.
    """

    found: tuple[Proposal, ...]
    kept: tuple[Proposal, ...]
    in_part: bool
    said: str
    told: Mapping[str, str]

    @property
    def open(self) -> list[Proposal]:
        """Those that still can be answered."""
        return [one for one in self.found if one.state in OPEN]

    @property
    def paths(self) -> list[str]:
        """What is taken."""
        return [one.path for one in self.kept]


def approvable(
    here: Workspace,
    proposal_id: str,
    *,
    digest: str,
    person: PagePerson,
    reader: PageReader,
    acknowledged: str = "",
    keep: Sequence[str] = (),
) -> Approvable:
    """Check everything about an approval but who gives it."""
    gate = here.gate
    gate.expire()
    found = as_shown(gate, proposal_id, digest)
    kept = _answerable(_chosen(found, keep))
    _refuse_unticked(gate, kept, reader)
    on_its_base(gate, kept)
    told = {"command": "page approve", "proposal": proposal_id}
    person.admit(here, **told)
    unseen = reader.unseen(kept)
    if acknowledged == fingerprint(reader.unseen(found)):  # of more than is taken
        acknowledged = fingerprint(unseen)
    said = require_shown(unseen, acknowledged=acknowledged, hint=LOOK)
    in_part = bool(keep) and len(kept) < len(found)
    return Approvable(found=found, kept=kept, in_part=in_part, said=said, told=told)


@told
def ask(here: Workspace, proposal_id: str, *, person: PagePerson, **given: Any) -> AnswerResult:
    """Return what a passkey has to sign to approve a proposal or a set; nothing is changed."""
    ready = approvable(here, proposal_id, person=person, **given)
    found = ready.kept
    if ready.in_part:
        found = here.gate.draft_choice(ready.open, ready.paths)
    ids = {one.path: one.id for one in found} if ready.in_part else {}
    return _to_sign(here, person, found, ids)


@told
def ask_undo(here: Workspace, receipt_id: str, *, person: PagePerson, **given: Any) -> AnswerResult:
    """Return what a passkey has to sign to put back what a write replaced; nothing is changed."""
    ready = _undoable(here, receipt_id, person=person, **given)
    found = here.gate.draft_undo(ready.receipts, rebase=ready.rebase)
    return _to_sign(here, person, found, {one.path: one.id for one in found})


def _to_sign(
    here: Workspace, person: PagePerson, found: Sequence[Proposal], ids: Mapping[str, str]
) -> AnswerResult:
    challenge, credentials = person.ask(here, pending(found), ids)
    return AnswerResult(challenge=challenge, credentials=credentials)


@told
def approve(
    here: Workspace,
    proposal_id: str,
    *,
    person: PagePerson,
    comments: Sequence[LineComment] = (),
    **given: Any,
) -> AnswerResult:
    """Approve a proposal or a set as it was shown, and write it.

    `keep` names the proposals of a set that are taken; the others go back to the agent, with the
    comments. One file of a set is approved alone, and written when the last of them is.
    """
    gate = here.gate
    ready = approvable(here, proposal_id, person=person, **given)
    found, kept = ready.found, ready.kept
    proof = person.proof(here, **ready.told)
    if ready.in_part:
        drafts = gate.draft_choice(ready.open, ready.paths, ids=person.ids)
        person.check(here, drafts, proof, **ready.told)
        kept = gate.choose_files(
            ready.open, ready.paths, proof=proof, comments=comments, ids=person.ids
        )
    asked = pending(kept)
    if asked:
        person.approve(here, dict.fromkeys(_ids(asked), ready.said), proof, **ready.told)
    left = waiting_beside(gate, kept[0]) or len(pending(_again(gate, kept)))  # for more owners
    receipts = () if left else applied(gate, kept)
    return AnswerResult(
        proposals=_again(gate, kept),
        receipts=receipts,
        still_waiting=left,
        rejected=tuple(one for one in _again(gate, found) if one.state is State.REJECTED),
    )


@told
def reject(
    here: Workspace,
    proposal_id: str,
    *,
    reason: str,
    digest: str | None = None,
    comments: Sequence[object] = (),
) -> AnswerResult:
    """Send a proposal or a set back with a reason, and comments, that the agent gets to read."""
    from penstock.app.proof import who
    from penstock.core.proposals.line_comment import of_values
    from penstock.gate import Proof
    from penstock.gate.lookup import still_open

    gate = here.gate
    gate.expire()
    known = shown(gate.members(proposal_id)) if digest is None else digest
    found = still_open(as_shown(gate, proposal_id, known))
    proof = Proof(by=who(), kind=PROOF)
    ids = _ids(found)
    said = of_values(comments, path=found[0].path if len(found) == 1 else "")
    closed = gate.answer_all(ids, approve=False, proof=proof, reason=reason, comments=said)
    return AnswerResult(proposals=closed)


@told
def with_strategy(
    here: Workspace,
    proposal_id: str,
    *,
    digest: str,
    strategy: str,
    at: int | None = None,
    result: str = "",
) -> AnswerResult:
    """Combine a proposal with what is there; `result` is the digest of what a preview showed."""
    one = _changeable(here.gate, proposal_id, digest)
    asked = Combination(strategy=strategy_named(strategy[:80]), at=at)
    _as_previewed(here.gate, one, asked, result)
    return AnswerResult(proposals=(here.gate.with_strategy(one.id, asked.strategy, at=at),))


@told
def with_hunks(
    here: Workspace, proposal_id: str, *, digest: str, hunks: Sequence[int], result: str = ""
) -> AnswerResult:
    """Keep only the chosen hunks; `result` is the digest of what a preview showed."""
    one = _changeable(here.gate, proposal_id, digest)
    if len(set(hunks)) < len(hunks):
        raise disagrees("a hunk is named twice")
    _as_previewed(here.gate, one, Combination(hunks=frozenset(hunks)), result)
    return AnswerResult(proposals=(here.gate.with_hunks(one.id, set(hunks)),))


@told
def edit(here: Workspace, proposal_id: str, *, digest: str, content: bytes) -> AnswerResult:
    """Put a person's own content in its place."""
    one = _changeable(here.gate, proposal_id, digest)
    return AnswerResult(proposals=(here.gate.revise(one.id, content, origin="edit"),))


@told
def rebase(here: Workspace, proposal_id: str, *, digest: str) -> AnswerResult:
    """Carry a proposal over to what the file holds now; of a set, every file that changed."""
    here.gate.expire()
    found = as_shown(here.gate, proposal_id, digest)
    if len(found) == 1:
        return AnswerResult(proposals=(here.gate.rebase(found[0].id),))
    return AnswerResult(proposals=here.gate.rebase_all(found) or found)


@told
def renew(here: Workspace, proposal_id: str) -> AnswerResult:
    """Give a waiting proposal or a set its whole time again."""
    from penstock.gate.lookup import waiting

    found = here.gate.members(proposal_id)
    if not found:
        raise InputError("not-found", f"there is no proposal `{proposal_id}`")
    return AnswerResult(proposals=tuple(here.gate.renew(one.id) for one in waiting(found)))


@told
def revive(here: Workspace, proposal_id: str, *, digest: str) -> AnswerResult:
    """Bring back what has expired, as a new version that is pending; a file that changed is merged.

    The files of a set come back together, or none does.
    """
    from penstock.gate.lookup import closed

    gate = here.gate
    gate.expire()
    found = as_shown(gate, proposal_id, digest)
    over = [one for one in found if one.state is State.EXPIRED]
    if not over:
        raise closed(found[0])
    for one in over:
        gate.contents(one)  # fails first where content is no longer stored
    if len(over) > 1:
        on_its_base(gate, over)
    return AnswerResult(proposals=tuple(_revived(gate, one) for one in over))


def _revived(gate: Gate, one: Proposal) -> Proposal:
    if gate.digest(one.path) != one.base:
        return gate.rebase(one.id)
    return gate.revise(one.id, gate.contents(one)[1], origin=REVIVED)


class Undoable(Struct, frozen=True, kw_only=True):
    """What can be put back as it was shown, and what of it was not viewed."""

    receipts: tuple[Receipt, ...]
    rebase: bool
    said: str
    told: Mapping[str, str]


def _undoable(
    here: Workspace,
    receipt_id: str,
    *,
    digest: str,
    person: PagePerson,
    reader: PageReader,
    acknowledged: str = "",
    rebase: bool = False,
) -> Undoable:
    """Check everything about an undo but who gives it."""
    receipts = here.gate.undoable(receipt=receipt_id)
    plan = _check_undo(here.gate, receipts, digest, rebase=rebase)
    told = {"command": "page undo", "proposal": receipt_id}
    person.admit(here, **told)
    said = require_shown(unseen_of_undo(reader, plan), acknowledged=acknowledged, hint=LOOK)
    return Undoable(receipts=receipts, rebase=rebase, said=said, told=told)


@told
def undo(here: Workspace, receipt_id: str, *, person: PagePerson, **given: Any) -> AnswerResult:
    """Put back what a write replaced, if that is still what was shown."""
    gate = here.gate
    ready = _undoable(here, receipt_id, person=person, **given)
    proof = person.proof(here, **ready.told)
    drafts = gate.draft_undo(ready.receipts, rebase=ready.rebase, ids=person.ids)
    person.check(here, drafts, proof, **ready.told)
    made = gate.undo(ready.receipts, rebase=ready.rebase, ids=person.ids)
    person.approve(here, dict.fromkeys(_ids(made), ready.said), proof, **ready.told)
    left = len(pending(_again(gate, made)))  # for more owners
    done = () if left else gate.apply(made[0].set_id or made[0].id)
    return AnswerResult(proposals=_again(gate, made), receipts=done, still_waiting=left)


ACTIONS: Mapping[str, Callable[..., AnswerResult]] = {
    "approve": approve,
    "reject": reject,
    "strategy": with_strategy,
    "hunks": with_hunks,
    "edit": edit,
    "rebase": rebase,
    "renew": renew,
    "revive": revive,
    "undo": undo,
    "ask": ask,
    "ask-undo": ask_undo,
}
# They write, or prepare to, so they need a person's proof.
PROVEN = frozenset({"approve", "undo", "ask", "ask-undo"})
OF_RECEIPTS = frozenset({"undo", "ask-undo"})


# --- the steps they share ------------------------------------------------------------------------


def applied(gate: Gate, kept: Sequence[Proposal]) -> tuple[Receipt, ...]:
    """Write what was approved; of a file that was saved in this very moment, tell how it is."""
    try:
        return gate.apply(kept[0].set_id or kept[0].id)
    except StaleError:
        on_its_base(gate, kept)
        raise


def _changeable(gate: Gate, proposal_id: str, digest: str) -> Proposal:
    """Return the one open proposal that was shown, if its file is still as it was."""
    from penstock.gate.lookup import only, still_open

    gate.expire()
    one = only(still_open(as_shown(gate, proposal_id, digest)))
    on_its_base(gate, [one])
    return one


def unseen_of_undo(reader: PageReader, plan: UndoPlan) -> tuple[Unseen, ...]:
    """Return what of an undo was not shown to somebody."""
    left = (
        reader.unseen_of(key, byte_parts(now, item.content))
        for key, (item, now) in zip(undo_keys(plan), plan, strict=True)
    )
    return tuple(one for one in left if one is not None)


def _refuse_unticked(gate: Gate, kept: Sequence[Proposal], reader: PageReader) -> None:
    """What is not ticked is not written: the ticked hunks are shown as a version first."""
    for one in kept:
        dropped = unticked(gate, reader, one)
        if dropped and one.state is State.WAITING:
            raise RefusedError(
                "hunks-unticked",
                f"{counted(len(dropped), 'hunk')} of `{one.path}` not selected, nothing written",
                because=f"only selected hunks are written; not selected: {as_ranges(dropped)}",
                hint="preview the selected hunks and use that version, or select all",
            )


def _as_previewed(gate: Gate, one: Proposal, asked: Combination, result: str) -> None:
    """Refuse to make what a preview did not show; without a preview's digest nothing was shown."""
    if not result:
        return
    made = asked.of(one.path, *gate.contents(one)).content
    if digest_of(made) != result:
        raise NewerError(
            "not-as-shown",
            f"the result for `{one.path}` is not what the preview showed",
            [Difference(path=one.path, shown=gate.content(result), now=made)],
        )


def _check_undo(gate: Gate, receipts: Sequence[Receipt], digest: str, *, rebase: bool) -> UndoPlan:
    try:
        plan = gate.preview_undo(receipts, rebase=rebase)
    except StaleError as stale:
        since = gate.changed_since(receipts) if stale.code == "changed-since" else ()
        found = [Difference(path=path, shown=was, now=gate.current(path)) for path, was in since]
        raise NewerError(
            stale.code, stale.message, found, because=stale.because, hint=stale.hint
        ) from None
    if digest != shown_undo(plan):
        found = [Difference(path=item.path, shown=None, now=item.content) for item, _ in plan]
        raise NewerError("not-as-shown", "what would be reverted is not what was shown", found)
    return plan


def _answerable(found: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return those that can be answered; a set is written whole, so what is closed is told."""
    from penstock.gate.lookup import closed

    over = [one for one in found if one.state not in OPEN and one.state is not State.REJECTED]
    kept = tuple(one for one in found if one.state in OPEN)
    if over or not kept:
        raise closed((*over, *found)[0])
    return kept


def _chosen(found: Sequence[Proposal], keep: Sequence[str]) -> tuple[Proposal, ...]:
    if len(set(keep)) < len(keep):
        raise disagrees("a file is named twice")
    unknown = sorted(set(keep) - {one.id for one in found})
    if unknown:
        raise InputError("not-in-set", f"`{unknown[0][:80]}` is not in this set")
    return tuple(one for one in found if not keep or one.id in keep)


def _ids(found: Sequence[Proposal]) -> list[str]:
    return [one.id for one in found]


def pending(found: Sequence[Proposal]) -> list[Proposal]:
    """Return those that nobody has answered yet."""
    return [one for one in found if one.state is State.WAITING]


def waiting_beside(gate: Gate, one: Proposal) -> int:
    """Return how many files of its set are still pending."""
    group = gate.of_set(one.set_id)
    return sum(1 for other in group if other.state is State.WAITING)


def _again(gate: Gate, found: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return proposals as they are stored now."""
    return tuple(gate.get(one.id) or one for one in found)
