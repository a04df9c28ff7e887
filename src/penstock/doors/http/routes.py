"""Say who is admitted where, and answer them: one application for hooks, health, API and page.

All of it is settled by the head alone, so nobody without a token gets to send a body. What two
readers could understand in two ways (a second Host, any Transfer-Encoding) is refused, so no
request can hide inside another; what is no HTTP at all the parser has refused before.
Always true: what is not named here is not there; what was admitted is what answers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from penstock.core.loopback import brought, is_ours, same
from penstock.doors.http.talk import Log

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024 * 1024  # as much as the command hook reads
SMALL = 64 * 1024  # what anybody may send to a page
LARGE = 32 * 1024 * 1024  # what a session or the person's token may
MOST_HEADERS = 64
VERSIONS = ("1.1", "1.0")
TOLD = frozenset({400, 503})  # answers of a hook that are logged

# What agents and watchdogs ask for: exactly the routes that are named, and nothing beside them.
STRICT = ("/hook", "/health", "/readyz")

# Two of these could be read in two ways.
ONCE = frozenset(
    {"host", "content-length", "authorization", "origin", "expect", "connection", "content-type"}
    | {"x-penstock-token", "x-penstock-project", "x-penstock-entrypoint", "x-penstock-settings"}
    | {"cookie", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "last-event-id"}
)
KEPT_OUT = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Known = Callable[[Mapping[str, str]], bool]
Named = Callable[[str], bool]


class Refusal(Exception):  # noqa: N818 - it is an answer, and the connection sends it
    """A request that is answered with an error; the connection ends with it."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers

    def response(self) -> Response:
        """Return the refusal as it is told."""
        error = {"code": self.code, "message": str(self), "because": "", "try": ""}
        more = {name.replace("_", "-"): value for name, value in self.headers.items()}
        return as_json(json.dumps({"error": error}).encode(), self.status, more)


def as_json(body: bytes, status: int = 200, more: Mapping[str, str] | None = None) -> Response:
    """Return a JSON answer that nobody keeps or takes for something else."""
    return Response(body, status, {**KEPT_OUT, **(more or {})}, "application/json")


class Head(Struct, frozen=True):
    """The request line and the headers, as the parser found them."""

    method: str
    target: str
    version: str
    fields: Sequence[tuple[bytes, bytes]]

    @property
    def path(self) -> str:
        """The target without its query, which may hold what opens a session."""
        return self.target.partition("?")[0]


class Route(Struct, frozen=True, kw_only=True):
    """One path with its method; `token` empty means that nobody is asked for one."""

    method: str
    path: str
    app: ASGIApp
    token: str = ""
    largest: int = LARGEST_BODY


def nobody(_headers: Mapping[str, str]) -> bool:
    """Nobody is known."""
    return False


class Routes:
    """The application. `rest` is behind all other paths; `known` may send it a large body.

    `named` says whether a Host header is ours.
    """

    def __init__(
        self,
        routes: Iterable[Route],
        *,
        rest: ASGIApp | None = None,
        known: Known = nobody,
        named: Named = is_ours,
        log: Log | None = None,
    ) -> None:
        self._named = named
        self._by_path = {route.path: route for route in routes}
        self._rest = rest
        self._known = known
        self._log = log or Log()

    def admit(self, head: Head) -> Route:
        """Return the route of a request that may come in. Raises Refusal."""
        headers = _headers(head)
        length = _length(headers)
        self._check_host(headers)
        route = self._by_path.get(head.path)
        if route is None and self._rest is not None and not head.path.startswith(STRICT):
            largest = LARGE if length > SMALL and self._known(headers) else SMALL
            route = Route(method=head.method, path="*", app=self._rest, largest=largest)
        elif "origin" in headers:
            raise Refusal(403, "wrong-origin", "requests from browsers are not allowed")
        if route is None:
            raise Refusal(404, "not-found", "not found")
        if head.method != route.method:
            only = f"only {route.method} is allowed"
            raise Refusal(405, "wrong-method", only, Allow=route.method)
        if route.token and not same(brought(headers), route.token):
            told = "the token is missing or wrong"
            raise Refusal(401, "no-token", told, WWW_Authenticate="Bearer")
        if length > route.largest:
            raise Refusal(413, "too-large", f"the body is larger than {route.largest} bytes")
        return route

    def _check_host(self, headers: Mapping[str, str]) -> None:
        """A page in a browser could send us requests under a name of its own (DNS rebinding)."""
        host = headers.get("host")
        if host is None:
            raise Refusal(400, "bad-head", "there is no Host header")
        if not self._named(host):
            raise Refusal(403, "wrong-host", "this host name is not served here")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that was admitted, its whole body at hand."""
        route: Route = scope["state"]["route"]
        # As it was sent: what is decoded could end the line of the log.
        asked = scope["method"], scope["raw_path"].decode("latin-1")
        start, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            body = await body_of(receive)
            await route.app(scope, once(body, receive), noting)
        except ClientDisconnect:
            return
        except Exception as fault:  # noqa: BLE001 - told and answered; the process goes on
            self._log.error(500, *asked, type(fault).__name__)
            if not status:  # half an answer is cut off by the server
                no = Refusal(500, "fault", "internal error")
                await no.response()(scope, receive, send)
            return
        if route.path == "*":
            self._log.request(status, *asked, time.perf_counter() - start)
        elif status in TOLD:
            self._log.error(status, *asked)


async def body_of(receive: Receive) -> bytes:
    """Return the whole body; whoever admitted it has bounded it. Raises ClientDisconnect."""
    pieces = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def once(body: bytes, receive: Receive) -> Receive:
    """Give a body out once, and afterwards whatever comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return left.pop() if left else await receive()

    return again


def _headers(head: Head) -> Mapping[str, str]:
    """Return the headers by their names, in lower case."""
    if head.version not in VERSIONS:
        raise Refusal(505, "bad-version", "only HTTP/1.1 and HTTP/1.0 are supported")
    if not head.target.startswith("/"):
        raise Refusal(400, "bad-head", "the target is not a path")
    if len(head.fields) > MOST_HEADERS:
        raise Refusal(431, "head-too-large", f"more than {MOST_HEADERS} headers")
    headers: dict[str, str] = {}
    for raw, value in head.fields:
        name = raw.decode("ascii")
        if not value.isascii():
            raise Refusal(400, "bad-head", "the headers are not plain text")
        if name in headers and name in ONCE:
            raise Refusal(400, "bad-head", f"two {name} headers")
        headers[name] = value.decode("ascii").strip()
    return headers


def _length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise Refusal(
            411, "length-required", "Content-Length is required; chunked bodies are not supported"
        )
    return int(headers.get("content-length", "0"))
