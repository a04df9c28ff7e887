"""Where the HTTP transport listens: on loopback, and nowhere else.

Needs none of the libraries that serve, so that a wrong address is told at once.
Always true: a socket from here is bound to a loopback address.
"""

from __future__ import annotations

import socket

from penstock.app.listen import listening
from penstock.core.errors import InputError
from penstock.core.loopback import check

BACKLOG = 128


def host_and_port(text: str) -> tuple[str, int]:
    """Return HOST:PORT taken apart. Raises InputError `not-loopback`, `bad-address`."""
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InputError(
            "bad-address",
            f"`{text}` is not HOST:PORT",
            hint="for example `--http 127.0.0.1:7718`",
        )
    check(host)
    return host, int(port)


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one."""
    hint = "choose another with --http HOST:PORT; port 0 takes a free one"
    return listening(host, port, backlog=BACKLOG, hint=hint)
