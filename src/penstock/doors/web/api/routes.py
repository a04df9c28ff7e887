"""The JSON API under `/api/v1`: the queue, its answers, the record and the rules, for programs.

Every call is a row of `ENDPOINTS`, with what it takes and what it gives; `handlers` does it, and
here a row becomes a route. Who may ask is settled in `middleware`: the person's token. Approving
and undoing ask for the same proof as the page does.
Always true: errors have the product's shape with a stable code; a call waits in a thread, so
nobody else waits for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from penstock.core.errors import InputError
from penstock.doors.web.api.endpoints import ENDPOINTS, Endpoint
from penstock.doors.web.api.handlers import ApiCall
from penstock.doors.web.api.openapi import document
from penstock.doors.web.api.schemas import checked, from_query, parsed
from penstock.doors.web.middleware import API, as_json

BASE = f"{API}v1"


def routes() -> list[Route]:
    """Return the routes of the API."""
    made = [Route(f"{BASE}{one.path}", _serve(one), methods=[one.method]) for one in ENDPOINTS]
    return [Route(f"{BASE}/openapi.json", described, methods=["GET"]), *made]


def described(_request: Request) -> Response:
    """Give the description of the API."""
    return as_json(document(ENDPOINTS, BASE))


def _serve(one: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        data = await request.body()
        # Reading and writing a large document takes its time, too; others go on meanwhile.
        return await run_in_threadpool(_done, one, request, data)

    return serve


def _done(one: Endpoint, request: Request, data: bytes) -> Response:
    asked = ApiCall(
        world=request.app.state.world,
        id=request.path_params.get("id", ""),
        query=_query(one, request),
        body=_body(one, request, data),
        gives=request.method != "HEAD",
    )
    status, found = one.handle(asked)
    return as_json(found, status)


def _query(one: Endpoint, request: Request) -> dict[str, Any]:
    pairs = request.query_params.multi_items()
    given = dict(pairs)
    if len(given) < len(pairs):
        raise InputError("bad-request", "a query parameter occurs twice")
    unknown = sorted(set(given) - set(one.query))
    if unknown:
        raise InputError("bad-request", f"`{unknown[0][:80]}` is not a known parameter")
    return {name: from_query(one.query[name], text, f"`{name}`") for name, text in given.items()}


def _body(one: Endpoint, request: Request, data: bytes) -> dict[str, Any]:
    if one.body is None:
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise InputError("not-json", "send the body as application/json")
    found: dict[str, Any] = checked(one.body, parsed(data))
    return found
