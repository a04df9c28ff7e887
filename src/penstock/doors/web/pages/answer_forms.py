"""The forms: what a person decides on the page, handed to `answers` with the digest they saw.

Always true: a form that is refused comes back with the reason and what is different now; one
that is done sends the browser on, so that loading again does nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import InputError
from penstock.core.proposals.model import Proposal
from penstock.doors.web import drift as seen
from penstock.doors.web import wording
from penstock.doors.web.answers import AnswerResult
from penstock.doors.web.diff.file import SHELF
from penstock.doors.web.errors import status_of
from penstock.doors.web.middleware import FormFields
from penstock.doors.web.pages.review import back_to, edit_page, one_page, set_page
from penstock.doors.web.request import form_of, single, world_of
from penstock.doors.web.textarea import taken

if TYPE_CHECKING:
    from penstock.app import Workspace

MOST_REASON = 1000


def _do(request: Request, action: str, **given: object) -> AnswerResult:
    id_ = request.path_params["id"]
    return world_of(request).answer(request.state.session, action, id_, **given)


def _shown_again(request: Request, answered: AnswerResult) -> Response:
    """Return the page of what was answered, with why it was not done."""
    assert answered.error is not None
    here, found = world_of(request).find(request.path_params["id"])
    status = status_of(answered.error)
    if found[0].id != request.path_params["id"]:
        return set_page(request, here, found, status=status, answered=answered)
    return one_page(request, here, found[0], status=status, answered=answered)


def approve(request: Request) -> Response:
    """Approve what was shown, and write it."""
    form = form_of(request)
    answered = _do(
        request,
        "approve",
        digest=form.get("digest"),
        passphrase=form.get("passphrase"),
        code=form.get("code").replace(" ", ""),
        keep=_kept(form),
    )
    if not answered.ok:
        return _shown_again(request, answered)
    if answered.receipts:
        return RedirectResponse(f"/history/{answered.receipts[0].id}?done=1", 303)
    return back_to(answered.proposals[0].id)


def _kept(form: FormFields) -> tuple[str, ...]:
    """Return the files of a set that are ticked; none of a form that had no boxes."""
    if form.get("boxes") and not form.all("keep"):
        return ("no file is ticked",)
    return form.all("keep")


def reject(request: Request) -> Response:
    """Send it back with a reason."""
    form = form_of(request)
    reason = form.get("reason").strip()[:MOST_REASON]
    answered = _do(request, "reject", reason=reason, digest=form.get("digest"))
    return RedirectResponse("/", 303) if answered.ok else _shown_again(request, answered)


def strategy(request: Request) -> Response:
    """Join the proposal with what is there; what comes out is shown before anything else."""
    form = form_of(request)
    wanted, at = form.get("strategy"), _line(form.get("at"))
    if wanted == "insert" and at is None:
        return RedirectResponse(f"/proposals/{request.path_params['id']}/insert", 303)
    return _onward(
        request, _do(request, "strategy", digest=form.get("digest"), strategy=wanted, at=at)
    )


def _line(text: str) -> int | None:
    plain = text.strip()
    return int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 9 else None


def hunks(request: Request) -> Response:
    """Keep the ticked hunks, and those of other pages that were not dropped."""
    form, total = form_of(request), _hunks(request)
    dropped = _dropped(form, total)
    chosen = [number for number in range(1, total + 1) if number not in dropped]
    return _onward(request, _do(request, "hunks", digest=form.get("digest"), hunks=chosen))


def choose(request: Request) -> Response:
    """Remember which hunks are not ticked, and go to another page of the diff."""
    form = form_of(request)
    page = _line(form.get("to")) or 1
    dropped = wording.as_ranges(_dropped(form, _hunks(request)))
    return back_to(request.path_params["id"], page=page, drop=dropped)


def _hunks(request: Request) -> int:
    """Return how many hunks there are, whatever the form says."""
    here, one = single(request)
    before, after = here.gate.contents(one)
    return len(SHELF.compared((one.base, one.content), before, after).hunks)


def _dropped(form: FormFields, total: int) -> frozenset[int]:
    """Return the hunks that are not ticked: of this page by their boxes, of others as before."""
    here = wording.from_ranges(form.get("here"), most=total)
    ticked = frozenset(filter(None, (_line(text) for text in form.all("hunk"))))
    return (here - ticked) | (wording.from_ranges(form.get("drop"), most=total) - here)


def edit(request: Request) -> Response:
    """Put the person's own text in the place of what was proposed."""
    form = form_of(request)
    here, one = single(request)
    was = here.gate.contents(one)[1] or b""
    content = taken(was, form.get("text"))
    if content == was and form.get("digest") == seen.shown([one]):
        return back_to(one.id)
    answered = _do(request, "edit", digest=form.get("digest"), content=content)
    if answered.ok:
        return back_to(answered.proposals[0].id)
    assert answered.error is not None
    # What the person typed is not lost because somebody was quicker.
    status = status_of(answered.error)
    return edit_page(request, here, one, form.get("text"), status=status, answered=answered)


def restore(request: Request) -> Response:
    """Go back to what the agent proposed, as a new version."""
    form = form_of(request)
    here, one = single(request)
    content = here.gate.contents(_first(here, one))[1]
    if content is None:
        raise InputError("nothing-to-edit", "the agent proposed to remove this file")
    return _onward(request, _do(request, "edit", digest=form.get("digest"), content=content))


def _first(here: Workspace, one: Proposal) -> Proposal:
    """Return the version that came from the agent."""
    seen = {one.id}
    while one.parent and one.parent not in seen:
        seen.add(one.parent)
        above = here.gate.get(one.parent)
        if above is None:
            break
        one = above
    return one


def rebase(request: Request) -> Response:
    """Carry the proposal over to what the file holds now."""
    return _onward(request, _do(request, "rebase", digest=form_of(request).get("digest")))


def renew(request: Request) -> Response:
    """Give it its whole time again."""
    answered = _do(request, "renew")
    return back_to(request.path_params["id"]) if answered.ok else _shown_again(request, answered)


def _onward(request: Request, answered: AnswerResult) -> Response:
    """Show the new version, or why there is none."""
    if not answered.ok:
        return _shown_again(request, answered)
    return back_to(answered.proposals[0].id)


ACTIONS: dict[str, Callable[[Request], Response]] = {
    "approve": approve,
    "reject": reject,
    "strategy": strategy,
    "hunks": hunks,
    "choose": choose,
    "edit": edit,
    "restore": restore,
    "rebase": rebase,
    "renew": renew,
}


def act(request: Request) -> Response:
    """Do what a form asks for."""
    action = ACTIONS.get(request.path_params["action"])
    if action is None:
        raise InputError("no-page", "there is nothing here")
    return action(request)
