"""Who is admitted to the page and the API, and what every response tells the browser.

Settled before anything else runs: the name we are asked under, where a request comes from, who
sends it, how often, and that a form was one of ours. What a person may then do is `answers`'.
Always true: whatever is not let in here reaches no page; every response, errors included, has
the headers that keep other origins, frames and caches out.

The checks, in order:
1. Host is a name of this address: a page elsewhere can make its own name lead to us (DNS
   rebinding).
2. Origin, where there is one, is exactly ours, and a browser's form must have one. The browser's
   word on where a request comes from (Sec-Fetch-Site) must agree.
3. There are not too many requests.
4. The API has the person's token, and is there for this machine alone; a page has a session.
5. A form holds the session's own token.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.loopback import brought, from_our_pages, same
from penstock.doors.http.routes import body_of
from penstock.doors.web.context import World
from penstock.doors.web.errors import as_document, status_of
from penstock.doors.web.rate_limits import Bucket
from penstock.doors.web.render import problem
from penstock.doors.web.sessions import TO, Session

FORM = "application/x-www-form-urlencoded"
API = "/api/"
OPEN_API = "/api/v1/openapi.json"
# Shown to anybody: how to get in, and what a page looks like. None of it tells anything.
PUBLIC = ("/open", "/static/", OPEN_API)
PUBLIC_REMOTE = ("/open", "/static/", "/sign-in", "/certificate", "/worker.js")
SAFE = frozenset({"GET", "HEAD"})
MOST_FIELDS = 20_000
TO_SECONDS = 600.0  # for which the page that was asked for before signing in is remembered
SMALL_FORM = 64 * 1024

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: with that a browser sends `Origin: null` for our own forms, too.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class FormFields(Struct, frozen=True):
    """The fields of a form, each with all of its values."""

    fields: Mapping[str, tuple[str, ...]]

    def get(self, name: str, default: str = "") -> str:
        """Return the first value of a field."""
        return next(iter(self.fields.get(name, ())), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of a field: ticked boxes."""
        return self.fields.get(name, ())


NO_FORM = FormFields({})


class Admission:
    """Stands before the application; puts `session` and `form` into the request's state."""

    def __init__(self, app: ASGIApp, world: World) -> None:
        self._app = app
        self._world = world
        self._strangers = Bucket(rate=100, burst=1000)
        self._known = Bucket(rate=500, burst=5000)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or tell why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        scope.setdefault("state", {}).update(session=None, form=NO_FORM)
        try:
            await self._admit(scope, receive)
        except PenstockError as no:
            await self._refused(scope, no)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refused(self, scope: Scope, no: PenstockError) -> Response:
        """Tell an error; whoever has to sign in first is led on to this page afterwards."""
        asked = Request(scope)
        kind = asked.headers.get("sec-fetch-dest", "document")
        if no.code != "no-session" or asked.method != "GET" or kind != "document":
            return told(scope, no)
        remote, wanted = self._world.remote, inside(asked.url.path)
        response = RedirectResponse("/sign-in", 303) if remote else told(scope, no)
        response.headers["Set-Cookie"] = self._world.cookie_line(wanted, TO_SECONDS, what=TO)
        return response

    async def _admit(self, scope: Scope, receive: Receive) -> None:
        headers, path = Headers(scope=scope), scope["path"]
        if not self._world.answers_to(headers.get("host", "")):
            raise RefusedError("wrong-host", "this host name is not served here")
        _check_origin(headers, scope["method"], "https" if self._world.remote else "http")
        session = self._world.session_of(headers)
        by_token = path.startswith(API) and self._world.has_token(headers)
        bucket = self._known if session or by_token else self._strangers
        if not bucket.take():
            raise RefusedError("too-many-requests", "too many requests; wait a moment")
        scope["state"]["session"] = session
        if path.startswith(PUBLIC_REMOTE if self._world.remote else PUBLIC):
            if scope["method"] not in SAFE and self._world.remote:  # somebody signs in
                scope["state"]["form"] = await _form(headers, receive)
        elif path.startswith(API):
            self._check_token(headers)
        else:
            await self._check_session(scope, receive, session)

    def _check_token(self, headers: Headers) -> None:
        given, world = brought(headers), self._world
        if world.remote:
            raise InputError("no-page", "page not found")
        if same(given, world.token):
            return
        if world.hook_token and same(given, world.hook_token):
            raise RefusedError(
                "hook-token",
                "the hook's token only allows judging",
                because="agents can read it in their settings",
            )
        raise RefusedError(
            "no-token",
            "the token is missing or wrong",
            hint="send `Authorization: Bearer` with the content of admin.token (state directory)",
        )

    async def _check_session(self, scope: Scope, receive: Receive, session: Session | None) -> None:
        if session is None:
            raise no_session(remote=self._world.remote)
        if scope["method"] in SAFE:
            return
        form = scope["state"]["form"] = await _form(Headers(scope=scope), receive)
        if not same(form.get("csrf"), session.csrf):
            raise RefusedError(
                "wrong-form",
                "this form is invalid or belongs to an older session",
                hint="reload the page",
            )


def inside(to: str) -> str:
    """Return a path of ours, whatever was asked for."""
    plain = to.isascii() and to.replace("/", "").replace("-", "").replace("_", "").isalnum()
    return to if plain and to.startswith("/") and not to.startswith("//") else "/"


def no_session(*, remote: bool) -> RefusedError:
    """Return the answer to a request that is not signed in."""
    command = "penstock open --qr" if remote else "penstock open"
    return RefusedError(
        "no-session",
        "this page needs a sign-in link from your terminal",
        hint=f"run `{command}` in your terminal",
    )


def _check_origin(headers: Headers, method: str, scheme: str) -> None:
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    ours = f"{scheme}://{headers.get('host', '').lower()}"
    wrong = origin is not None and origin.lower() != ours
    foreign = not from_our_pages(headers)
    if method not in SAFE:
        # A browser of today sends an Origin with a form. One that sends neither word is none, or
        # so old that the cookie's own rule and the token in the form have to do.
        wrong = wrong or foreign or (origin is None and site is not None)
        wrong = wrong or (origin is None and not _refers_to(headers.get("referer"), ours))
    elif foreign:
        # Somebody else's page may send a person here, and may not load anything from us.
        wrong = wrong or headers.get("sec-fetch-mode") != "navigate"
        wrong = wrong or headers.get("sec-fetch-dest") != "document"
    if wrong:
        raise RefusedError("wrong-origin", "requests from other sites are not allowed")


def _refers_to(referer: str | None, ours: str) -> bool:
    return referer is None or referer.lower().startswith(f"{ours}/")


async def _form(headers: Headers, receive: Receive) -> FormFields:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise InputError("not-a-form", "only form posts are accepted")
    data = await body_of(receive)
    if len(data) <= SMALL_FORM:
        return _parsed(data)
    return await run_in_threadpool(_parsed, data)  # an edited file may be large


def _parsed(data: bytes) -> FormFields:
    try:
        text = data.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise InputError("bad-form", "the form can't be read") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return FormFields({name: tuple(values) for name, values in fields.items()})


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def told(scope: Scope, error: PenstockError) -> Response:
    """Return an error as JSON, or as a page."""
    if scope["path"].startswith(API):
        return as_json(as_document(error), status_of(error))
    return problem(Request(scope), error)


def as_json(document: Any, status: int = 200) -> Response:
    """Return a document; a lone surrogate stands as its escape."""
    return Response(json.dumps(document).encode(), status, media_type="application/json")
