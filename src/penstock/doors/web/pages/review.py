"""The pages on which one file's change is judged, and its raw contents.

A set's page is `change_set`'s, answers are in `answer_forms`, what can be done is
`proposal_state`'s to say, what was done is in `history`. Every handler runs in a thread.
Always true: a page shows the bytes behind the digests that its form carries; where it shows
only a part, it says of how much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.diff.coverage import fingerprint
from penstock.core.errors import InputError, PenstockError
from penstock.core.merge.strategies import line_count
from penstock.core.proposals.model import OPEN, Proposal
from penstock.doors.web import answers, wording
from penstock.doors.web import drift as seen
from penstock.doors.web.diff.content_type import picture_type
from penstock.doors.web.diff.file import (
    NUMBERED_PAGE,
    FileView,
    numbered,
    of_bytes,
    of_proposal,
)
from penstock.doors.web.pages import proposal_state
from penstock.doors.web.pages import queue_values as pages
from penstock.doors.web.pages.comment_fields import boxes_of
from penstock.doors.web.pages.flash import flash_of
from penstock.doors.web.pages.queue import mark_of
from penstock.doors.web.render import page
from penstock.doors.web.request import (
    asked,
    editors_of,
    looks,
    options_of,
    reader_of,
    remember_view,
    single,
)
from penstock.doors.web.textarea import offered
from penstock.gate.lookup import next_attempt
from penstock.gate.views import change_key

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

# A picture is shown by itself: nothing in it may load or run, even when it is opened alone.
PICTURE_POLICY = "default-src 'none'; sandbox"


# -- a proposal ------------------------------------------------------------------------------------


def one_page(
    request: Request,
    here: Workspace,
    one: Proposal,
    *,
    status: int = 200,
    answered: answers.AnswerResult | None = None,
) -> Response:
    """Return the page of one proposal, with what came of an answer where one was just given."""
    head = _head(request, here, one) | refusal(answered)
    try:
        before, after = here.gate.contents(one)
    except PenstockError as gone:
        return page(request, "gone.html", status=410, here="queue", gone=gone, **head)
    change = _change(request, here.gate, one, before, after)
    response = page(request, "proposal.html", status=status, here="queue", **head, **change)
    remember_view(request, response)
    return response


def _head(request: Request, here: Workspace, one: Proposal) -> dict[str, Any]:
    """Return what is known of a proposal even when its contents are gone."""
    gate = here.gate
    return {
        "one": pages.facts(one, gate.now()),
        "flash": flash_of(request),
        "editors": editors_of(request, here, [one]),
        "workspace": wording.name_of(here),
        "digest": seen.shown([one]),
        "mark": mark_of([one]),
        "key": proposal_state.key_of(request, here, lambda: [one]),
        "newer": proposal_state.newer(gate, one),
        "owners": proposal_state.owners(gate, [one]).get(one.id, ""),
        "later": next_attempt(gate, one),
        "neighbours": proposal_state.neighbours(gate, one),
        "set_files": proposal_state.files_beside(gate, one),
        "renamed": proposal_state.renamed(gate, gate.members(one.set_id)).get(one.path, ""),
    }


def _change(
    request: Request, gate: Gate, one: Proposal, before: bytes | None, after: bytes | None
) -> dict[str, Any]:
    """Return the diff, which of its hunks are ticked, what was not shown, and what can be done."""
    reader = reader_of(request)
    options = options_of(request)
    shown = of_proposal(one, before, after, options=options)
    shown = replace(shown, boxes=boxes_of(reader, one))
    if looks(request):
        shown.sent_to(reader, change_key(one))
    dropped = reader.unticked(one.id)
    unseen = reader.unseen([one])
    return {
        "shown": shown,
        "dropped": dropped,
        "dropped_text": wording.as_ranges(dropped),
        "dropped_before": () if dropped else seen.unticked(gate, reader, one),
        "unseen": unseen,
        "unseen_name": fingerprint(unseen),
        "can": proposal_state.possible(one, before, after, shown),
        "moved": proposal_state.moved(gate, one) if one.state in OPEN else None,
        "last_line": line_count(before or b""),
        "rejected": proposal_state.rejected_version(gate, one),
    }


def refusal(answered: answers.AnswerResult | None) -> dict[str, Any]:
    """Return why an answer was refused, and what is different now."""
    if answered is None or answered.error is None:
        return {"error": None, "differences": ()}
    return {"error": answered.error, "differences": [difference(d) for d in answered.differences]}


def difference(one: seen.Difference) -> tuple[seen.Difference, FileView]:
    """Return a difference and how it looks."""
    return one, of_bytes(one.path, one.shown, one.now)


# -- choosing, editing, the bytes themselves -------------------------------------------------------


def edit(request: Request) -> Response:
    """Offer the proposed content to be changed."""
    here, one = single(request)
    return edit_page(request, here, one, offered(here.gate.contents(one)[1]))


def edit_page(
    request: Request,
    here: Workspace,
    one: Proposal,
    text: str,
    *,
    status: int = 200,
    answered: answers.AnswerResult | None = None,
) -> Response:
    """Return the page with the text to change."""
    return page(
        request,
        "edit.html",
        status=status,
        here="queue",
        one=pages.facts(one, here.gate.now()),
        digest=seen.shown([one]),
        text=text,
        **refusal(answered),
    )


def insert(request: Request) -> Response:
    """Show the file that is there with its line numbers, to choose where the new content goes."""
    here, one = single(request)
    before, _ = here.gate.contents(one)
    if before is None:
        raise InputError(
            "nothing-there", f"`{one.path}` does not exist, so nothing can be inserted into it"
        )
    number = max(asked(request, "page"), 1)
    lines, total = numbered(before, number)
    return page(
        request,
        "insert.html",
        here="queue",
        one=pages.facts(one, here.gate.now()),
        digest=seen.shown([one]),
        lines=lines,
        total=total,
        number=number,
        pages=max(1, -(-total // NUMBERED_PAGE)),
    )


def raw(request: Request) -> Response:
    """Return the bytes of one side: a picture to be seen, anything else to be saved."""
    here, one = single(request)
    return one_side(request, one.path, *here.gate.contents(one))


def one_side(request: Request, path: str, before: bytes | None, after: bytes | None) -> Response:
    """Return the bytes of the side that an address names."""
    content = before if request.path_params["side"] == "before" else after
    if content is None:
        raise InputError("not-found", "there is no file on this side")
    kind = picture_type(path, content)
    headers = {"Content-Security-Policy": PICTURE_POLICY}
    if not kind or "save" in request.query_params:
        name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in path)
        headers["Content-Disposition"] = f'attachment; filename="{name[-80:].lstrip(".")}"'
    return Response(content, headers=headers, media_type=kind or "application/octet-stream")


def back_to(id_: str, *, at: str = "", **query: str | int) -> RedirectResponse:
    """Send the browser to a proposal's page, `at` a place on it."""
    from urllib.parse import quote, urlencode

    more = {name: value for name, value in query.items() if value}
    tail = (f"?{urlencode(more)}" if more else "") + (f"#{quote(at, safe='')}" if at else "")
    return RedirectResponse(f"/proposals/{quote(id_, safe='')}{tail}", 303)
