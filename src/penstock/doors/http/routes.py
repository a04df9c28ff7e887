"""Say who is admitted where: the path, the method, the token, the names we answer to.

All of it is settled by the head alone, so nobody without a token gets to send a body.
Always true: what is not named here is not there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from penstock.core.loopback import brought, is_ours, same
from penstock.doors.http.wire import Head, Later, Live, Refusal, Response

LARGEST_BODY = 64 * 1024 * 1024  # as much as the command hook reads

# What agents and watchdogs ask for: exactly the routes that are named, and nothing beside them.
STRICT = ("/hook", "/health", "/readyz")

Handle = Callable[[Head, bytes], Response | Later | Live | Awaitable[Response]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One path with its method; `token` empty means that nobody is asked for one."""

    method: str
    path: str
    handle: Handle
    token: str = ""
    largest: int = LARGEST_BODY


class Rest(Protocol):
    """What is behind all other paths; it says itself whom it answers."""

    def admit(self, head: Head) -> Route:
        """Return the route of a request that may send its body. Raises Refusal."""


class Routes:
    """The routes by path. Another door joins the process by adding its own, or as the rest."""

    def __init__(self, routes: Iterable[Route], *, rest: Rest | None = None) -> None:
        self._by_path: Mapping[str, Route] = {route.path: route for route in routes}
        self._rest = rest

    def admit(self, head: Head) -> Route:
        """Return the route of a request that may come in. Raises Refusal."""
        headers = head.headers
        _check_host(headers)
        route = self._by_path.get(head.path)
        if route is None and self._rest is not None and not head.path.startswith(STRICT):
            return self._rest.admit(head)
        _check_origin(headers)
        if route is None:
            raise Refusal(404, "not-found", "there is nothing here")
        if head.method != route.method:
            allow = f"Allow: {route.method}\r\n"
            raise Refusal(405, "wrong-method", f"only {route.method} works here", headers=allow)
        if route.token and not same(brought(headers), route.token):
            ask = "WWW-Authenticate: Bearer\r\n"
            raise Refusal(401, "no-token", "the token is missing or wrong", headers=ask)
        if head.length > route.largest:
            raise Refusal(413, "too-large", f"the body is larger than {route.largest} bytes")
        return route


def _check_host(headers: Mapping[str, str]) -> None:
    """A page in a browser could send us requests under a name of its own (DNS rebinding)."""
    host = headers.get("host")
    if host is None:
        raise Refusal(400, "bad-head", "there is no Host header")
    if not is_ours(host):
        raise Refusal(403, "wrong-host", "only loopback names are answered to")


def _check_origin(headers: Mapping[str, str]) -> None:
    if "origin" in headers:
        raise Refusal(403, "wrong-origin", "pages in a browser are not answered")
