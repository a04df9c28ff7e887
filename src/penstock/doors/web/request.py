"""What a request names: the world it came to, the workspace, the proposal, its numbers and form.

Always true: a number that cannot be one counts as none; a proposal that is not there is an error
and never another one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from penstock.core.diff import expansion
from penstock.core.errors import InputError
from penstock.core.loopback import from_our_pages
from penstock.core.proposals.model import Proposal
from penstock.core.review.editor_link import editor_link
from penstock.doors.web.context import World
from penstock.doors.web.diff.options import HIDE, DiffOptions, View
from penstock.doors.web.reader import PageReader
from penstock.doors.web.wording import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.app import Workspace
    from penstock.doors.web.middleware import FormFields

VIEW_COOKIE = "penstock_view"
YEAR = 365 * 86400


def world_of(request: Request) -> World:
    """Return what the pages stand on."""
    world: World = request.app.state.world
    return world


def place(request: Request) -> Workspace:
    """Return the workspace that a page is about."""
    return world_of(request).here(request.query_params.get("workspace", ""))


def choice_of(request: Request, here: Workspace) -> dict[str, Any]:
    """Return what the choice between workspaces shows."""
    known = [(name_of(each), os.path.basename(each.root)) for each in world_of(request).workspaces]
    return {"chosen": name_of(here), "workspaces": known, "root": here.root}


def editors_of(request: Request, here: Workspace, some: Iterable[Proposal]) -> dict[str, str]:
    """Return links that open files in the reader's editor, by proposal; none on another device."""
    text = "" if world_of(request).remote else here.editor()
    return {one.id: editor_link(text, os.path.join(here.root, one.path)) for one in some if text}


def single(request: Request) -> tuple[Workspace, Proposal]:
    """Return the one proposal that an address names."""
    here, found = world_of(request).find(request.path_params["id"])
    if found[0].id != request.path_params["id"]:
        raise InputError("is-a-set", "this is a change set; open one of its files")
    return here, found[0]


def reader_of(request: Request) -> PageReader:
    """Return who looks at this page: what they were sent, and what they unticked."""
    reader: PageReader = request.state.session.reader
    return reader


def looks(request: Request) -> bool:
    """Say whether a person looks at what this request is answered with.

    A script that compares, or a browser that loads ahead, shows nobody anything. Another server of
    this machine can send the browser here in a window that nobody looks at.
    """
    purpose = request.headers.get("sec-purpose", request.headers.get("purpose", ""))
    kind = request.headers.get("sec-fetch-dest", "document")
    if request.method != "GET" or kind != "document" or "prefetch" in purpose:
        return False
    return from_our_pages(request.headers)


def form_of(request: Request) -> FormFields:
    """Return the fields that were sent."""
    form: FormFields = request.state.form
    return form


def asked(request: Request, name: str, *, most: int = 10**6) -> int:
    """Return a number of the query, 0 where there is none."""
    text = request.query_params.get(name, "")
    plain = text.isascii() and text.isdecimal() and len(text) < 8
    return min(int(text), most) if plain else 0


def view_of(request: Request) -> View:
    """Return how this person looks at diffs: as asked, or as last time."""
    wanted = request.query_params.get("view") or request.cookies.get(VIEW_COOKIE, "")
    return View(wanted) if wanted in tuple(View) else View.UNIFIED


def options_of(request: Request) -> DiffOptions:
    """Return how this person wants to see a diff."""
    return DiffOptions(
        view=view_of(request),
        number=max(asked(request, "page"), 1),
        opened=expansion.read(request.query_params.get("open", "")),
        white_space=request.query_params.get("space") != HIDE,
    )


def remember_view(request: Request, response: Response) -> None:
    """Let the next page look the way that was asked for, if it shows all of a diff."""
    view = view_of(request)
    if "view" in request.query_params and view is not View.REMOVED:
        response.set_cookie(VIEW_COOKIE, view, max_age=YEAR, httponly=True, samesite="strict")
