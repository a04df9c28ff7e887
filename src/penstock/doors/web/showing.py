"""The pages on which a change is judged: the queue, a proposal, a set, its raw contents.

Answers are in `answering`, what was done in `looking_back`. Every handler runs in a thread.
Always true: a page shows the bytes behind the digests that its form carries; where it shows
only a part, it says of how much.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.digest import digest
from penstock.core.errors import InputError, PenstockError
from penstock.core.merge import line_count
from penstock.core.proposal import Proposal, State
from penstock.doors.web import answers, pages
from penstock.doors.web import shown as seen
from penstock.doors.web.diffview import View
from penstock.doors.web.filediff import LOST_PAGE, SHELF, Shown, numbered, of_contents, of_proposal
from penstock.doors.web.looks import Look, is_wide, picture_type
from penstock.doors.web.render import VIEW_COOKIE, YEAR, page
from penstock.doors.web.textarea import editable, offered
from penstock.doors.web.world import World

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

SET_ROWS = 1600
ANSWERED_LATELY = 8
MOST_WAITING = 2000
CLOSED = frozenset({State.APPLIED, State.REJECTED, State.DENIED, State.EXPIRED, State.STALE})
REPLACED = frozenset({State.SUPERSEDED})
AGAIN = frozenset({State.WAITING, State.APPROVED, State.STALE, State.EXPIRED})
# A picture is shown by itself: nothing in it may load or run, even when it is opened alone.
PICTURE_POLICY = "default-src 'none'; sandbox"


def world_of(request: Request) -> World:
    """Return what the pages stand on."""
    world: World = request.app.state.world
    return world


def asked(request: Request, name: str, *, most: int = 10**6) -> int:
    """Return a number of the query, 0 where there is none."""
    text = request.query_params.get(name, "")
    plain = text.isascii() and text.isdecimal() and len(text) < 8
    return min(int(text), most) if plain else 0


# -- the queue -----------------------------------------------------------------------------------


def queue(request: Request) -> Response:
    """Show what waits, in every workspace; one that cannot be opened hides no other."""
    world = world_of(request)
    world.look_around()
    SHELF.warm()
    waiting: list[pages.Item] = []
    lately: list[pages.Item] = []
    closed: list[tuple[str, PenstockError]] = []
    for here in world.workspaces:
        name = os.path.basename(here.root)
        try:
            found = _in_queue(world, here, name if len(world.workspaces) > 1 else "")
        except PenstockError as fault:
            closed.append((name, fault))
            continue
        waiting += found[0]
        lately += found[1]
    waiting.sort(key=lambda item: item.created)
    lately.sort(key=lambda item: item.created, reverse=True)
    return page(
        request,
        "queue.html",
        here="queue",
        items=waiting,
        most=MOST_WAITING,
        lately=lately[:ANSWERED_LATELY],
        closed=closed,
    )


def _in_queue(world: World, here: Workspace, name: str) -> tuple[list[pages.Item], ...]:
    """Return what waits in a workspace, and what was closed lately."""
    gate = world.gate_of(here)
    gate.expire()
    now, find = gate.parts.clock.now(), gate.parts.proposals.find
    return tuple(
        pages.items(find(states=states, limit=most), now, workspace=name)
        for states, most in ((frozenset({State.WAITING}), MOST_WAITING), (CLOSED, 60))
    )


# -- a proposal or a set ---------------------------------------------------------------------------


def proposal(request: Request) -> Response:
    """Show one proposal, or a set of them."""
    world = world_of(request)
    here, found = world.find(request.path_params["id"])
    world.gate_of(here).expire()
    here, found = world.find(request.path_params["id"])
    if request.path_params["id"] != found[0].id:
        return _set(request, here, found)
    return one_page(request, here, found[0])


def one_page(
    request: Request,
    here: Workspace,
    one: Proposal,
    *,
    status: int = 200,
    answered: answers.Answered | None = None,
) -> Response:
    """Return the page of one proposal, with what came of an answer where one was just given."""
    gate, view = here.gate, view_of(request)
    facts = pages.facts(one, gate.parts.clock.now())
    about: dict[str, Any] = {
        "one": facts,
        "digest": seen.shown([one]),
        "key": key_of(here),
        "newer": newer(gate, one),
        "neighbours": neighbours(gate, one),
        "set_files": _files_beside(gate, one),
        **_told(answered),
    }
    try:
        before, after = gate.contents(one)
    except PenstockError as gone:
        return page(request, "gone.html", status=410, here="queue", gone=gone, **about)
    shown = of_proposal(
        one,
        before,
        after,
        view=view,
        number=max(asked(request, "page"), 1),
        lost_page=asked(request, "lost"),
    )
    dropped = pages.from_ranges(request.query_params.get("drop", ""), most=shown.hunks)
    about |= {
        "shown": shown,
        "dropped": dropped,
        "dropped_text": pages.as_ranges(dropped),
        "can": possible(one, before, after, shown),
        "moved": _moved(gate, one) if facts.open else None,
        "last_line": line_count(before or b""),
    }
    response = page(request, "proposal.html", status=status, here="queue", **about)
    _remember_view(request, response)
    return response


def _told(answered: answers.Answered | None) -> dict[str, Any]:
    """Return why an answer was refused, and what is different now."""
    if answered is None or answered.error is None:
        return {"error": None, "differences": ()}
    return {"error": answered.error, "differences": [difference(d) for d in answered.differences]}


def difference(one: seen.Difference) -> tuple[seen.Difference, Shown]:
    """Return a difference and how it looks."""
    key = (_digest(one.shown), _digest(one.now))
    return one, of_contents(key, one.path, one.shown, one.now)


def _digest(content: bytes | None) -> str | None:
    return None if content is None else digest(content)


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """What approving asks for."""

    exists: bool
    totp: bool
    agent: str


def key_of(here: Workspace) -> Key:
    """Say whether there is a key, whether it wants codes, and what stands against approving."""
    exists = here.keys.exists()
    totp = False
    if exists:
        try:
            totp = bool(here.keys.current().totp)
        except PenstockError:
            totp = False  # told when it is used
    return Key(exists=exists, totp=totp, agent=here.inside_agent() or "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Possible:
    """What can be done with a proposal as it stands."""

    answer: bool
    reject: bool
    edit: bool
    merge: bool
    choose: bool
    restore: bool


def possible(one: Proposal, before: bytes | None, after: bytes | None, shown: Shown) -> Possible:
    """Say what can be done with a proposal."""
    waiting = one.state is State.WAITING
    text = shown.look is Look.TEXT and after is not None
    both = text and before is not None and not is_wide(before) and not is_wide(after)
    return Possible(
        answer=waiting,
        reject=one.state in (State.WAITING, State.APPROVED),
        edit=waiting and text and editable(after),
        merge=waiting and both and not one.origin.startswith("strategy:"),
        choose=waiting and both and shown.hunks > 1,
        restore=waiting and bool(one.parent) and one.origin != "rebase",
    )


def newer(gate: Gate, one: Proposal) -> str:
    """Return the id of the version that took this one's place; empty where none did."""
    return seen.newest(gate, one).id if one.state is State.SUPERSEDED else ""


def neighbours(gate: Gate, one: Proposal) -> tuple[str, str]:
    """Return the ids of what waits before and after this in the queue."""
    found = gate.parts.proposals.find(states=[State.WAITING], limit=MOST_WAITING)
    ids = [item.id for item in pages.items(found, gate.parts.clock.now())]
    own = one.set_id if one.set_id in ids else one.id
    if own not in ids:
        return "", ids[0] if ids else ""
    at = ids.index(own)
    return ids[at - 1] if at else "", ids[at + 1] if at + 1 < len(ids) else ""


def _files_beside(gate: Gate, one: Proposal) -> tuple[pages.File, ...]:
    group = seen.exactly(gate, one.set_id) if one.set_id else ()
    return tuple(pages.file_of(each) for each in group) if len(group) > 1 else ()


def _moved(gate: Gate, one: Proposal) -> Shown | None:
    """Return how the file differs from what the proposal was made on; None where it does not."""
    try:
        now = gate.current(one.path)
        if _digest(now) == one.base:
            return None
        before, _ = gate.contents(one)
    except PenstockError:
        return None  # told by whoever tries to write it
    return of_contents((one.base, _digest(now)), one.path, before, now)


def view_of(request: Request) -> View:
    """Return how this person looks at diffs: as asked, or as last time."""
    wanted = request.query_params.get("view") or request.cookies.get(VIEW_COOKIE, "")
    return View.SPLIT if wanted == View.SPLIT else View.UNIFIED


def _remember_view(request: Request, response: Response) -> None:
    if "view" in request.query_params:
        view = view_of(request)
        response.set_cookie(VIEW_COOKIE, view, max_age=YEAR, httponly=True, samesite="strict")


# -- a set -----------------------------------------------------------------------------------------


def _set(request: Request, here: Workspace, found: Sequence[Proposal]) -> Response:
    return set_page(request, here, found)


def set_page(
    request: Request,
    here: Workspace,
    found: Sequence[Proposal],
    *,
    status: int = 200,
    answered: answers.Answered | None = None,
) -> Response:
    """Return the page of a set: every file with its change, and one answer for all."""
    gate = here.gate
    now = gate.parts.clock.now()
    left = SET_ROWS
    files: list[tuple[pages.Facts, Shown | None]] = []
    for one in found:
        shown = _in_set(gate, one, view_of(request)) if left > 0 else None
        left -= len(shown.page.rows) if shown and shown.page else 20
        files.append((pages.facts(one, now), shown))
    response = page(
        request,
        "set.html",
        status=status,
        here="queue",
        set_id=found[0].set_id,
        item=pages.item(found, now),
        files=files,
        view=view_of(request),
        digest=seen.shown(found),
        key=key_of(here),
        open=any(one.state is State.WAITING for one in found),
        neighbours=neighbours(gate, found[0]),
        **_told(answered),
    )
    _remember_view(request, response)
    return response


def _in_set(gate: Gate, one: Proposal, view: View) -> Shown | None:
    try:
        return of_proposal(one, *gate.contents(one), view=view)
    except PenstockError:
        return None


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
    answered: answers.Answered | None = None,
) -> Response:
    """Return the page with the text to change."""
    return page(
        request,
        "edit.html",
        status=status,
        here="queue",
        one=pages.facts(one, here.gate.parts.clock.now()),
        digest=seen.shown([one]),
        text=text,
        **_told(answered),
    )


def insert(request: Request) -> Response:
    """Show the file that is there with its line numbers, to choose where the new content goes."""
    here, one = single(request)
    before, _ = here.gate.contents(one)
    if before is None:
        raise InputError("nothing-there", f"there is no `{one.path}` to insert into")
    number = max(asked(request, "page"), 1)
    lines, total = numbered(before, number)
    return page(
        request,
        "insert.html",
        here="queue",
        one=pages.facts(one, here.gate.parts.clock.now()),
        digest=seen.shown([one]),
        lines=lines,
        total=total,
        number=number,
        pages=max(1, -(-total // LOST_PAGE)),
    )


def single(request: Request) -> tuple[Workspace, Proposal]:
    """Return the one proposal that an address names."""
    here, found = world_of(request).find(request.path_params["id"])
    if found[0].id != request.path_params["id"]:
        raise InputError("is-a-set", "this is a set; open one of its files")
    return here, found[0]


def raw(request: Request) -> Response:
    """Return the bytes of one side: a picture to be seen, anything else to be saved."""
    here, one = single(request)
    before, after = here.gate.contents(one)
    content = before if request.path_params["side"] == "before" else after
    if content is None:
        raise InputError("not-found", "there is no file on this side")
    kind = picture_type(content)
    headers = {"Content-Security-Policy": PICTURE_POLICY}
    if not kind or "save" in request.query_params:
        name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in one.path)
        headers["Content-Disposition"] = f'attachment; filename="{name[-80:].lstrip(".")}"'
    return Response(content, headers=headers, media_type=kind or "application/octet-stream")


def back_to(id_: str, **query: str | int) -> RedirectResponse:
    """Send the browser to a proposal's page."""
    from urllib.parse import quote, urlencode

    more = {name: value for name, value in query.items() if value}
    tail = f"?{urlencode(more)}" if more else ""
    return RedirectResponse(f"/proposals/{quote(id_, safe='')}{tail}", 303)
