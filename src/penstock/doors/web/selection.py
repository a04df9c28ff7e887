"""Several changes answered at once: what a form names, and what came of each.

Every change is checked by itself, as `answers` does it for one; one proof is for all that pass,
and each is written by itself, or with its set. What is not as it was is left out and told.
Always true: nothing is written that the form does not name with what was shown of it; a change
with danger flags, or of which a part was never shown, needs a tick of its own that names them;
where the proof is refused, nothing is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.diff.coverage import fingerprint
from penstock.core.digest import digest as digest_of
from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.proposals.model import Proposal, Receipt
from penstock.core.text.quantities import counted
from penstock.doors.web import answers
from penstock.doors.web.answers import AnswerResult, Approvable, applied, approvable, pending
from penstock.doors.web.proof import PagePerson
from penstock.doors.web.reader import PageReader, disagrees

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

MOST = 500  # changes in one selection
SEPARATOR = "|"
Find = Callable[[str], tuple["Workspace", tuple[Proposal, ...]]]


class Outcome(StrEnum):
    """What came of one change."""

    APPLIED = "applied"
    APPROVED = "approved"  # written once the rest of its set is approved
    REJECTED = "rejected"
    OUT_OF_DATE = "out of date"
    REFUSED = "refused"


class SelectedChange(Struct, frozen=True, kw_only=True):
    """One change as a form names it: what was shown, and what its tick acknowledges."""

    id: str
    digest: str
    acknowledged: str = ""

    @property
    def text(self) -> str:
        """The value of its tick."""
        return SEPARATOR.join((self.id, self.digest, self.acknowledged))


class ChangeResult(Struct, frozen=True, kw_only=True):
    """What came of one change, and why where it was not done."""

    id: str
    paths: tuple[str, ...]
    outcome: Outcome
    error: PenstockError | None = None
    receipts: tuple[Receipt, ...] = ()


class SelectionResult(Struct, frozen=True, kw_only=True):
    """What came of each; `error` is why none was answered."""

    changes: tuple[ChangeResult, ...] = ()
    error: PenstockError | None = None

    @property
    def undo(self) -> str:
        """The name by which all that was written is undone together; empty without a write."""
        return ",".join(one.id for each in self.changes for one in each.receipts)

    def count(self, *outcomes: Outcome) -> int:
        """Return how many had one of these outcomes."""
        return sum(each.outcome in outcomes for each in self.changes)


def read(values: Sequence[str]) -> tuple[SelectedChange, ...]:
    """Return what the ticks of a form name. Raises InputError."""
    parts = [tuple(value.split(SEPARATOR)) for value in values]
    if not parts:
        raise InputError("nothing-selected", "no change is selected", hint="select one")
    if len(parts) > MOST:
        raise InputError(
            "too-many-selected",
            f"at most {MOST} changes can be answered at once",
            because=f"{len(parts):,} are selected",
            hint="select fewer",
        )
    if any(len(each) != 3 for each in parts):
        raise disagrees("a selected change can't be read")
    made = tuple(SelectedChange(id=a, digest=b, acknowledged=c) for a, b, c in parts)
    if len({one.id for one in made}) < len(made):
        raise disagrees("a change is named twice")
    return made


def place_of(find: Find, chosen: Sequence[SelectedChange]) -> Workspace:
    """Return where all of some changes are. Raises InputError where they are not together."""
    places = {}
    for each in chosen:
        here = find(each.id)[0]
        places[here.state] = here
    if len(places) != 1:
        raise InputError(
            "other-workspace",
            "these changes are in several workspaces",
            because="one proof covers changes of one workspace",
            hint="answer those of one workspace at a time",
        )
    return places.popitem()[1]


def tick(gate: Gate, found: Sequence[Proposal], reader: PageReader) -> str:
    """Return what the tick of a change has to acknowledge; empty where it says no more than yes."""
    unseen = fingerprint(reader.unseen(found))
    dangers = [f"{one.id} {text}" for one in pending(found) for text in gate.dangers(one)]
    if not unseen and not dangers:
        return ""
    return digest_of("\n".join([unseen, *dangers]).encode("utf-8", "surrogatepass"))


# -- answering -------------------------------------------------------------------------------------


def ask(
    here: Workspace, chosen: Sequence[SelectedChange], *, person: PagePerson, reader: PageReader
) -> AnswerResult:
    """Return what a passkey has to sign to approve those that can be; nothing is changed."""
    try:
        ready, left = _sorted_out(here, chosen, person, reader)
        if not ready:
            raise left[0].error or disagrees("none of these changes is pending")
        found = [one for each in ready.values() for one in pending(each.kept)]
        challenge, credentials = person.ask(here, found, {}, in_part=True)
    except PenstockError as error:
        return AnswerResult(error=error)
    return AnswerResult(challenge=challenge, credentials=credentials)


def approve(
    here: Workspace, chosen: Sequence[SelectedChange], *, person: PagePerson, reader: PageReader
) -> SelectionResult:
    """Approve what is as it was shown with one proof, and write each; tell of the others."""
    told = {"command": "page approve", "proposal": chosen[0].id}
    try:
        ready, left = _sorted_out(here, chosen, person, reader)
        reasons = {one.id: each.said for each in ready.values() for one in pending(each.kept)}
        if reasons:
            person.approve(here, reasons, person.proof(here, **told), **told)
    except PenstockError as error:
        return SelectionResult(error=error)
    done = [_written(here.gate, id_, each.kept) for id_, each in ready.items()]
    order = {each.id: at for at, each in enumerate(chosen)}
    return SelectionResult(changes=tuple(sorted((*done, *left), key=lambda one: order[one.id])))


def reject(
    here: Workspace, chosen: Sequence[SelectedChange], *, reason: str, reader: PageReader
) -> SelectionResult:
    """Reject each with one reason, and with the comments on it that were not sent yet."""
    return SelectionResult(changes=tuple(_rejected(here, each, reason, reader) for each in chosen))


def _sorted_out(
    here: Workspace, chosen: Sequence[SelectedChange], person: PagePerson, reader: PageReader
) -> tuple[Mapping[str, Approvable], list[ChangeResult]]:
    """Return those that can be approved as they were shown, by id, and what is left out and why."""
    person.admit(here, command="page approve", proposal=chosen[0].id)
    ready: dict[str, Approvable] = {}
    left: list[ChangeResult] = []
    for each in chosen:
        try:
            ready[each.id] = _approvable(here, each, person, reader)
        except PenstockError as error:
            left.append(_failed(here.gate, each.id, error))
    return ready, left


def _approvable(
    here: Workspace, each: SelectedChange, person: PagePerson, reader: PageReader
) -> Approvable:
    """Check one change: all that `answers` checks, then that its tick names what is to be named."""
    unseen = fingerprint(reader.unseen(here.gate.members(each.id)))
    given = {"digest": each.digest, "acknowledged": unseen}
    ready = approvable(here, each.id, person=person, reader=reader, **given)
    _refuse_left_out(reader, each.id, ready.found)
    if each.acknowledged != tick(here.gate, ready.found, reader):
        raise RefusedError(
            "not-acknowledged",
            f"`{ready.kept[0].path}` has to be selected by itself",
            because="it has danger flags, or a part of it was never shown",
            hint="open it, or select it on the page that lists the selected changes",
        )
    return ready


def _refuse_left_out(reader: PageReader, id_: str, found: Sequence[Proposal]) -> None:
    """What is not ticked on the page of a set is not written with the others."""
    left = reader.left_out(id_) & {one.path for one in found}
    if left:
        raise RefusedError(
            "files-unticked",
            f"{counted(len(left), 'file')} of this change set not selected, nothing written",
            because="files were deselected on its page",
            hint="open the change set and approve the selected files there",
        )


def _written(gate: Gate, id_: str, kept: Sequence[Proposal]) -> ChangeResult:
    paths = tuple(one.path for one in kept)
    try:
        if answers.waiting_beside(gate, kept[0]):
            return ChangeResult(id=id_, paths=paths, outcome=Outcome.APPROVED)
        receipts = applied(gate, kept)
    except PenstockError as error:
        return _failed(gate, id_, error)
    return ChangeResult(id=id_, paths=paths, outcome=Outcome.APPLIED, receipts=receipts)


def _rejected(
    here: Workspace, each: SelectedChange, reason: str, reader: PageReader
) -> ChangeResult:
    said = [some for one in here.gate.members(each.id) for some in reader.comments(one.id)]
    done = answers.reject(here, each.id, reason=reason, digest=each.digest, comments=said)
    if done.error is not None:
        return _failed(here.gate, each.id, done.error)
    for one in done.proposals:
        reader.keep_comments(one.id, ())
    paths = tuple(one.path for one in done.proposals)
    return ChangeResult(id=each.id, paths=paths, outcome=Outcome.REJECTED)


def _failed(gate: Gate, id_: str, error: PenstockError) -> ChangeResult:
    outcome = Outcome.OUT_OF_DATE if isinstance(error, StaleError) else Outcome.REFUSED
    paths = tuple(one.path for one in gate.members(id_))
    return ChangeResult(id=id_, paths=paths, outcome=outcome, error=error)
