"""Who may ask over a socket: names that lead to this machine alone, and the token that comes along.

Opening the socket is `app.listen`'s work, keeping tokens the stores', refusing the doors'.
Always true: a name counts only when it is exactly one of ours; `127.0.0.1.example` is none. How
much of a guessed token was right is not told by the time of the answer.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from penstock.core.errors import InputError

ADDRESS, ADDRESS6, NAME = "127.0.0.1", "::1", "localhost"
PORT = 7717  # of `penstock serve`, unless it is told another
HOSTS = frozenset({ADDRESS, ADDRESS6, NAME})
IN_HEADERS = frozenset({ADDRESS, f"[{ADDRESS6}]", NAME})


def page_origin(port: int) -> str:
    """Return where people find the page: by a name, because a passkey belongs to no number."""
    return f"http://{NAME}:{port}"


def check(host: str) -> None:
    """Raise InputError `not-loopback` for an address that others can connect to."""
    if host not in HOSTS:
        raise InputError(
            "not-loopback",
            f"Penstock listens on this machine only, not on `{host}`",
            because="anyone who can connect could use it",
            hint=f"use {ADDRESS}, and forward a port with ssh to reach it from elsewhere",
        )


def is_ours(host_header: str) -> bool:
    """True for a Host header, with a port or without, that names this machine."""
    name, colon, port = host_header.rpartition(":")
    return (name if colon and port.isdigit() else host_header).lower() in IN_HEADERS


def brought(headers: Mapping[str, str]) -> str:
    """Return the token that a request brings along; empty where it brings none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-penstock-token", "")


def same(given: str, expected: str) -> bool:
    """Compare two secrets; what is no text at all is as wrong as any other."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


def from_our_pages(headers: Mapping[str, str]) -> bool:
    """Say whether no other page is behind a request, by the browser's word; true without one."""
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")
