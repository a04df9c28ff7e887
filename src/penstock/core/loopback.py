"""Which names lead to this machine alone: as an address to listen on, and in a Host header.

Opening the socket is `app.loopback`'s work, refusing a request the doors'.
Always true: a name counts only when it is exactly one of ours; `127.0.0.1.example` is none.
"""

from __future__ import annotations

from penstock.core.errors import InputError

ADDRESS = "127.0.0.1"
PORT = 7717  # of `penstock serve`, unless it is told another
HOSTS = frozenset({ADDRESS, "::1", "localhost"})
IN_HEADERS = frozenset({ADDRESS, "[::1]", "localhost"})


def check(host: str) -> None:
    """Raise InputError `not-loopback` for an address that others can connect to."""
    if host not in HOSTS:
        raise InputError(
            "not-loopback",
            f"`{host}` is not listened on",
            because="whoever can connect can ask",
            hint=f"use {ADDRESS}, and forward a port with ssh to reach it from elsewhere",
        )


def is_ours(host_header: str) -> bool:
    """True for a Host header, with a port or without, that names this machine."""
    name, colon, port = host_header.rpartition(":")
    return (name if colon and port.isdigit() else host_header).lower() in IN_HEADERS
