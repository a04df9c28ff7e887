"""The page of several selected changes: all of them shown, answered with one proof, and the result.

What is shown is `selection_values`', what an answer means `doors.web.selection`'s. Selecting is a
link with the ids, so looking at a selection changes nothing.
Always true: a form that is refused comes back with the reason; one that is done sends the browser
on to the result, so that loading again does nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import InputError, PenstockError
from penstock.doors.web import selection
from penstock.doors.web.diff.options import DiffOptions
from penstock.doors.web.errors import status_of
from penstock.doors.web.pages import comment_fields, proposal_state, selection_values
from penstock.doors.web.pages.answer_forms import MOST_REASON, brought
from penstock.doors.web.pages.passkeys import challenge_response
from penstock.doors.web.pages.selection_values import Found
from penstock.doors.web.proof import PagePerson
from penstock.doors.web.render import page
from penstock.doors.web.request import form_of, looks, reader_of, view_of, world_of
from penstock.doors.web.selection import SelectedChange, SelectionResult

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.proposals.model import Proposal


def selected(request: Request) -> Response:
    """Show the changes that an address names, all with their diffs, and one answer for them."""
    ids = request.query_params.getlist("id")
    if not ids:
        raise InputError(
            "nothing-selected", "no change is selected", hint="select changes in the queue"
        )
    return _page(request, ids)


def _page(request: Request, ids: Iterable[str], *, error: PenstockError | None = None) -> Response:
    here, found, elsewhere, missing = _looked_up(request, list(dict.fromkeys(ids)))
    reader = reader_of(request)
    shown = selection_values.view_of(
        here.gate,
        found,
        reader,
        options=DiffOptions(view=view_of(request)),
        looks=looks(request),
    )
    return page(
        request,
        "selection.html",
        status=status_of(error) if error else 200,
        here="queue",
        shown=shown,
        rest=",".join(shown.rest),
        elsewhere=address(elsewhere),
        elsewhere_count=len(elsewhere),
        missing=missing,
        key=proposal_state.key_of(request, here, lambda: shown.found),
        error=error,
    )


def _looked_up(
    request: Request, ids: Sequence[str]
) -> tuple[Workspace, list[Found], list[str], int]:
    """Return the workspace of the first change, those in it, the ids of others, what is gone."""
    world = world_of(request)
    places: dict[str, Workspace] = {}
    found: list[tuple[str, Found]] = []
    missing = 0
    for id_ in ids[: selection.MOST]:
        try:
            here, some = world.find(id_)
        except PenstockError:
            missing += 1
            continue
        places.setdefault(here.state, here)
        found.append((here.state, (id_, some)))
    if not found:
        raise InputError("not-found", "none of the selected changes exists")
    first = places[found[0][0]]
    first.gate.expire()
    own = [(id_, first.gate.members(id_)) for state, (id_, _) in found if state == first.state]
    return first, own, [id_ for state, (id_, _) in found if state != first.state], missing


def address(ids: Sequence[str]) -> str:
    """Return where some changes are shown together; empty for none."""
    return f"/selection?{urlencode([('id', id_) for id_ in ids])}" if ids else ""


# -- answering -------------------------------------------------------------------------------------


def _person(request: Request, **given: str) -> PagePerson:
    session = request.state.session
    world = world_of(request)
    origin, who = world.origin, session.key
    return PagePerson(prover=world.prover, session=session, origin=origin, who=who, **given)


def _chosen(request: Request) -> tuple[Workspace, tuple[SelectedChange, ...]]:
    chosen = selection.read(form_of(request).all("take"))
    return selection.place_of(world_of(request).find, chosen), chosen


def _members(here: Workspace, chosen: Sequence[SelectedChange]) -> list[Proposal]:
    return [one for each in chosen for one in here.gate.members(each.id)]


def challenge(request: Request) -> Response:
    """Return what a passkey has to sign to approve what is ticked."""
    here, chosen = _chosen(request)
    if unsent := comment_fields.unsent(reader_of(request), _members(here, chosen)):
        raise unsent
    person = _person(request, unlock=form_of(request).get("unlock"))
    return challenge_response(selection.ask(here, chosen, person=person, reader=reader_of(request)))


def approve(request: Request) -> Response:
    """Approve what is ticked, and write each."""
    here, chosen = _chosen(request)
    if unsent := comment_fields.unsent(reader_of(request), _members(here, chosen)):
        return _again(request, chosen, unsent)
    person = _person(request, **brought(form_of(request)))
    done = selection.approve(here, chosen, person=person, reader=reader_of(request))
    return _onward(request, done) if done.error is None else _again(request, chosen, done.error)


def _again(request: Request, chosen: Sequence[SelectedChange], error: PenstockError) -> Response:
    """Show the same changes with why nothing was written."""
    listed = [*filter(None, form_of(request).get("listed").split(","))]
    return _page(request, listed or [each.id for each in chosen], error=error)


def reject(request: Request) -> Response:
    """Reject all changes of the page with one reason, each with the comments on it."""
    here, chosen = _chosen(request)
    reason = form_of(request).get("reason").strip()[:MOST_REASON]
    done = selection.reject(here, chosen, reason=reason, reader=reader_of(request))
    return _onward(request, done)


def _onward(request: Request, done: SelectionResult) -> Response:
    name = request.state.session.keep(done)
    rest = [id_ for id_ in form_of(request).get("rest").split(",") if id_][: selection.MOST]
    tail = f"?{urlencode([('id', id_) for id_ in rest])}" if rest else ""
    return RedirectResponse(f"/selection/done/{name}{tail}", 303)


def result(request: Request) -> Response:
    """Show what came of each change of a selection."""
    done = request.state.session.results.get(request.path_params["name"])
    if not isinstance(done, SelectionResult):
        return RedirectResponse("/", 303)
    waiting: list[str] = []
    if done.changes:
        gate = world_of(request).find(done.changes[0].id)[0].gate
        waiting = proposal_state.waiting_ids(gate)
    return page(
        request,
        "selection_done.html",
        here="queue",
        done=done,
        outcomes=selection.Outcome,
        rest=address(request.query_params.getlist("id")[: selection.MOST]),
        next=waiting[0] if waiting else "",
    )
