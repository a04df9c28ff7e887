"""The application behind the page: what is admitted, which addresses there are, what errors say.

Pages are in `pages` and the API in `api`; here they are put together.
Always true: everything stands behind `Admission`; an error has the product's shape, and one that
nobody foresaw tells nothing of the inside.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.doors.web.api import routes as api
from penstock.doors.web.context import World
from penstock.doors.web.errors import fault
from penstock.doors.web.middleware import Admission, inside, told
from penstock.doors.web.pages import (
    answer_forms,
    change_set,
    decisions,
    history,
    passkeys,
    preview,
    push,
    queue,
    review,
    rule_form,
    runs,
    selection,
    sign_in,
)
from penstock.doors.web.proof import lock
from penstock.doors.web.sessions import SESSION_SECONDS, TO, cookies_of

STATIC = {
    "connection.js": "text/javascript",
    "comments.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "manifest.json": "application/manifest+json",
    "notify.js": "text/javascript",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "passkey.js": "text/javascript",
    "push.js": "text/javascript",
    "selection.js": "text/javascript",
}
HERE = os.path.dirname(os.path.abspath(__file__))
# Each is a plain function, which Starlette runs in a thread, because the gate blocks.
PAGES = (
    Route("/", queue.queue, methods=["GET"]),
    Route("/updates", queue.updates, methods=["GET"]),
    Route("/proposals/{id}/state", queue.state, methods=["GET"]),
    Route("/proposals/{id}", change_set.proposal, methods=["GET"]),
    Route("/proposals/{id}/preview", preview.preview, methods=["GET"]),
    Route("/proposals/{id}/line", preview.line, methods=["GET"]),
    Route("/proposals/{id}/edit", review.edit, methods=["GET"]),
    Route("/proposals/{id}/insert", review.insert, methods=["GET"]),
    Route("/proposals/{id}/raw/{side}", review.raw, methods=["GET"]),
    Route("/proposals/{id}/{action}", answer_forms.act, methods=["POST"]),
    Route("/selection", selection.selected, methods=["GET"]),
    Route("/selection/approve", selection.approve, methods=["POST"]),
    Route("/selection/challenge", selection.challenge, methods=["POST"]),
    Route("/rules/challenge", rule_form.challenge, methods=["POST"]),
    Route("/selection/reject", selection.reject, methods=["POST"]),
    Route("/selection/done/{name}", selection.result, methods=["GET"]),
    Route("/history", history.history, methods=["GET"]),
    Route("/history/{id}", history.receipt, methods=["GET"]),
    Route("/history/{id}/file", history.file, methods=["GET"]),
    Route("/history/{id}/line", history.line, methods=["GET"]),
    Route("/history/{id}/raw/{side}", history.raw, methods=["GET"]),
    Route("/history/{id}/undo", history.undo, methods=["POST"]),
    Route("/history/{id}/challenge", history.challenge, methods=["POST"]),
    Route("/passkeys", passkeys.passkeys, methods=["GET"]),
    Route("/passkeys/options", passkeys.options, methods=["POST"]),
    Route("/passkeys/add", passkeys.add, methods=["POST"]),
    Route("/passkeys/remove", passkeys.remove, methods=["POST"]),
    Route("/passkeys/confirm", passkeys.confirm, methods=["POST"]),
    Route("/lock", passkeys.locked, methods=["POST"]),
    Route("/runs", runs.runs, methods=["GET"]),
    Route("/runs/{run}", runs.run, methods=["GET"]),
    Route("/decisions", decisions.decisions, methods=["GET"]),
    Route("/rules", decisions.rules, methods=["GET"]),
    Route("/rules/new", rule_form.show, methods=["GET"]),
    Route("/rules/new", rule_form.add, methods=["POST"]),
    Route("/audit", decisions.audit, methods=["GET"]),
    Route("/audit/verify", decisions.verify, methods=["POST"]),
)


def make_app(world: World) -> Starlette:
    """Return the application; `app.state.world` is what its pages stand on."""
    app = Starlette(
        routes=_remote_routes() if world.remote else _routes(),
        middleware=[Middleware(Admission, world=world)],
        exception_handlers={PenstockError: _error, HTTPException: _http_error, Exception: _fault},
    )
    app.state.world = world
    return app


def _routes() -> list[BaseRoute]:
    return [*api.routes(), *_page_routes()]


def _remote_routes() -> list[BaseRoute]:
    """Return what other devices reach: the pages, and nothing that takes a token."""
    return [
        Route("/rules/new", sign_in.not_here, methods=["GET", "POST"]),
        Route("/sign-in", sign_in.show, methods=["GET"]),
        Route("/sign-in/options", sign_in.options, methods=["POST"]),
        Route("/sign-in/done", sign_in.done, methods=["POST"]),
        Route("/certificate", sign_in.certificate, methods=["GET"]),
        Route("/push/key", push.key, methods=["GET"]),
        Route("/push/add", push.add, methods=["POST"]),
        Route("/push/remove", push.remove, methods=["POST"]),
        Route("/worker.js", _file("worker.js", "text/javascript")),
        *_page_routes(),
    ]


def _page_routes() -> list[BaseRoute]:
    return [
        Route("/open", opened, methods=["GET"]),
        Route("/close", closed, methods=["POST"]),
        Route("/events", events, methods=["GET"]),
        Route("/here", present, methods=["GET"]),
        *(Route(f"/static/{name}", _file(name, kind)) for name, kind in STATIC.items()),
        *PAGES,
    ]


def _file(name: str, kind: str) -> Callable[[Request], Response]:
    """Return what answers with one of our own files, read once: they are few and small."""
    with open(os.path.join(HERE, "static", name), "rb") as file:
        data = file.read()

    def answer(_request: Request) -> Response:
        return Response(data, media_type=kind, headers={"Cache-Control": "no-cache"})

    return answer


# --- coming and going -----------------------------------------------------------------------------


def opened(request: Request) -> Response:
    """Turn a one-time link into a session."""
    world: World = request.app.state.world
    purpose = request.headers.get("sec-purpose", request.headers.get("purpose", ""))
    if "prefetch" in purpose or request.method == "HEAD":
        raise RefusedError("no-session", "prefetching is not allowed")
    made = world.sessions.open(request.query_params.get("t", ""))
    if made is None:
        raise RefusedError(
            "no-session",
            "this link was already used or has expired",
            hint="run `penstock open` in your terminal for a new one",
        )
    wanted = next(iter(cookies_of(request.headers, world.cookie_name(TO))), "")
    to = inside(request.query_params.get("to", "") or wanted)
    response = _onward(to, request.headers.get("sec-fetch-site", "none"))
    response.headers["Set-Cookie"] = world.cookie_line(made[0], SESSION_SECONDS)
    return response


def _onward(to: str, site: str) -> Response:
    if site in ("none", "same-origin"):
        return RedirectResponse(to, 303)
    # Whoever came from another page's link would be redirected without the new cookie.
    page = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={to}">'
    return Response(page, media_type="text/html")


def closed(request: Request) -> Response:
    """End the session."""
    world: World = request.app.state.world
    lock(request.state.session)
    world.sessions.close(request.state.session)
    response = RedirectResponse("/", 303)
    response.headers["Set-Cookie"] = world.cookie_line("", 0)
    return response


def present(_request: Request) -> Response:
    """Say to an open page that its server and its session are there."""
    return Response(status_code=204)


async def events(request: Request) -> Response:
    """Tell what changes, for as long as the page is open."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    world: World = request.app.state.world
    world.hub.need_room()
    stream = world.hub.stream(
        request.headers.get("last-event-id", ""),
        lasts=partial(world.sessions.lasts, request.state.session),
    )
    return StreamingResponse(stream, media_type="text/event-stream")


# --- errors ---------------------------------------------------------------------------------------


def _error(request: Request, error: Exception) -> Response:
    assert isinstance(error, PenstockError)
    return told(request.scope, error)


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known: dict[int, PenstockError] = {
        404: InputError("no-page", "page not found"),
        405: InputError("wrong-method", "method not allowed"),
    }
    response = told(request.scope, known.get(error.status_code, fault()))
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


def _fault(request: Request, _error: Exception) -> Response:
    return told(request.scope, fault())
