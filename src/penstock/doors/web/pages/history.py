"""The pages about what was written: the history, one write, and undoing it.

Always true: an undo puts back exactly what its page showed; a file that changed since is shown
with how, and left alone. What was written together is listed and taken back together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.diff.coverage import fingerprint
from penstock.core.errors import InputError, PenstockError, StaleError
from penstock.doors.web import answers
from penstock.doors.web import drift as seen
from penstock.doors.web.diff.file import FileView, fitting, of_bytes
from penstock.doors.web.diff.options import DiffOptions, View
from penstock.doors.web.errors import status_of
from penstock.doors.web.pages import history_values
from penstock.doors.web.pages.answer_forms import brought
from penstock.doors.web.pages.flash import offer_of
from penstock.doors.web.pages.passkeys import challenge_response
from penstock.doors.web.pages.preview import TwoSides, line_page
from penstock.doors.web.pages.proposal_state import key_of, waiting_ids
from penstock.doors.web.pages.review import difference, one_side
from penstock.doors.web.render import page
from penstock.doors.web.request import (
    asked,
    choice_of,
    form_of,
    looks,
    place,
    reader_of,
    view_of,
    world_of,
)

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.proposals.model import Proposal, Receipt
    from penstock.gate import Item

    Plan = tuple[tuple[Item, bytes | None], ...]

MOST_RECEIPTS = 300


def history(request: Request) -> Response:
    """Show what was written, newest first."""
    from penstock.gate.receipts import standing

    here = place(request)
    receipts = world_of(request).gate_of(here).receipts(limit=MOST_RECEIPTS)
    stands = standing(receipts)
    return page(
        request,
        "history.html",
        here="history",
        written=[history_values.written(each, stands) for each in receipts],
        most=MOST_RECEIPTS,
        **choice_of(request, here),
    )


def receipt(request: Request) -> Response:
    """Show one write, or those of a set, and what undoing it would put back."""
    here, found = world_of(request).find_receipts(request.path_params["id"])
    group = found[0].set_id if "," not in request.path_params["id"] else ""
    if group and group != request.path_params["id"] and len(here.gate.receipts(set_id=group)) > 1:
        # What was written together is shown and taken back together.
        tail = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/history/{quote(group, safe='')}{tail}", 303)
    return _receipt_page(request, here, found)


def _receipt_page(
    request: Request,
    here: Workspace,
    found: tuple[Receipt, ...],
    *,
    answered: answers.AnswerResult | None = None,
) -> Response:
    from penstock.gate.receipts import standing

    gate = here.gate
    rebase = "rebase" in request.query_params or form_of(request).get("rebase") == "1"
    stands = standing(gate.receipts(limit=MOST_RECEIPTS * 4))
    error = answered.error if answered else None
    waiting = waiting_ids(gate)
    return page(
        request,
        "undo.html",
        status=status_of(error) if error else 200,
        here="history",
        id=request.path_params["id"],
        written=[history_values.written(each, stands) for each in found],
        rejected=history_values.rejections(here.gate, found),
        done="done" in request.query_params,
        offer=offer_of(here, found) if "done" in request.query_params else "",
        next=waiting[0] if waiting else "",
        error=error,
        rebase=rebase,
        key=key_of(request, here, lambda: _drafts(request, here, rebase=rebase)),
        **_preview(request, here, found, rebase=rebase),
    )


def _preview(
    request: Request, here: Workspace, found: tuple[Receipt, ...], *, rebase: bool
) -> dict[str, Any]:
    """Return what undoing would put back, or why it cannot and what changed since."""
    told: dict[str, Any] = {"plan": (), "changed": (), "stale": None, "digest": "", "unseen": ()}
    told["unseen_name"] = ""
    try:
        planned = here.gate.preview_undo(_standing(request, here), rebase=rebase)
    except StaleError as since:
        return told | {"stale": since, "changed": _changed(here, found, since)}
    except PenstockError as no:
        return told | {"stale": no}
    shown = tuple(_planned(planned, view_of(request), first=asked(request, "from")))
    keys, reader = seen.undo_keys(planned), reader_of(request)
    if looks(request):
        for key, (_, _, look) in zip(keys, shown, strict=True):
            if look is not None:
                look.sent_to(reader, key)
    unseen = answers.unseen_of_undo(reader, planned)
    return told | {
        "plan": shown,
        "digest": seen.shown_undo(planned),
        "unseen": unseen,
        "unseen_name": fingerprint(unseen),
    }


def _drafts(request: Request, here: Workspace, *, rebase: bool) -> tuple[Proposal, ...]:
    """Return what undoing would propose."""
    return here.gate.draft_undo(_standing(request, here), rebase=rebase)


def _standing(request: Request, here: Workspace) -> tuple[Receipt, ...]:
    """Return what an undo of this page takes back: of a set, what was not taken back before."""
    return here.gate.undoable(receipt=request.path_params["id"])


def _planned(
    planned: Plan, view: View, *, first: int
) -> Iterator[tuple[str, str, FileView | None]]:
    """Yield each file with its change, as far as they fit a page; the others by name."""
    options = DiffOptions(view=view)
    looks_of = fitting(
        (
            partial(of_bytes, item.path, now, item.content, options=options, drawn=True)
            for item, now in planned
        ),
        first=first,
    )
    for (item, now), shown in zip(planned, looks_of, strict=True):
        what = "remove" if item.content is None else "create" if now is None else "change"
        yield item.path, what, shown


def file(request: Request) -> Response:
    """Show all of what undoing does to one file, page by page."""
    change = _one_of_plan(request)
    shown = of_bytes(
        change.path,
        change.before,
        change.after,
        options=DiffOptions(view=view_of(request), number=max(asked(request, "page"), 1)),
        drawn=True,
    )
    if looks(request):
        shown.sent_to(reader_of(request), change.key)
    return page(
        request,
        "undo_file.html",
        here="history",
        change=change,
        shown=shown,
    )


def raw(request: Request) -> Response:
    """Return the bytes of one side of a file of an undo."""
    change = _one_of_plan(request)
    return one_side(request, change.path, change.before, change.after)


def line(request: Request) -> Response:
    """Show one line of what undoing does, piece by piece."""
    return line_page(request, _one_of_plan(request))


def _one_of_plan(request: Request) -> TwoSides:
    """Return one file of an undo, by its number."""
    here, _ = world_of(request).find_receipts(request.path_params["id"])
    rebase = "rebase" in request.query_params
    planned = here.gate.preview_undo(_standing(request, here), rebase=rebase)
    number = asked(request, "n")
    if not 1 <= number <= len(planned):
        raise InputError("not-found", "this undo has no such file")
    item, now = planned[number - 1]
    base = f"/history/{quote(request.path_params['id'], safe='')}"
    query = {"n": number, **({"rebase": 1} if rebase else {})}
    return TwoSides(
        path=item.path,
        before=now,
        after=item.content,
        address=f"{base}/file",
        line_address=f"{base}/line",
        query=urlencode(query),
    )


def _changed(here: Workspace, found: tuple[Receipt, ...], since: StaleError) -> tuple[Any, ...]:
    if since.code != "changed-since":
        return ()
    gate = here.gate
    return tuple(
        difference(seen.Difference(path=path, shown=was, now=gate.current(path)))
        for path, was in gate.changed_since(found)
    )


def challenge(request: Request) -> Response:
    """Return what a passkey has to sign to put back what a write replaced."""
    form = form_of(request)
    answered = world_of(request).answer(
        request.state.session,
        "ask-undo",
        request.path_params["id"],
        digest=form.get("digest"),
        rebase=form.get("rebase") == "1",
        acknowledged=form.get("unseen"),
        unlock=form.get("unlock"),
    )
    return challenge_response(answered)


def undo(request: Request) -> Response:
    """Put back what a write replaced."""
    form, world = form_of(request), world_of(request)
    answered = world.answer(
        request.state.session,
        "undo",
        request.path_params["id"],
        digest=form.get("digest"),
        rebase=form.get("rebase") == "1",
        acknowledged=form.get("unseen"),
        **brought(form),
    )
    if answered.ok:
        first = answered.receipts[0]
        return RedirectResponse(f"/history/{first.set_id or first.id}?done=1", 303)
    here, found = world.find_receipts(request.path_params["id"])
    return _receipt_page(request, here, found, answered=answered)
