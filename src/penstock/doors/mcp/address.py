"""Where the HTTP transport listens: on loopback, and nowhere else.

Needs none of the libraries that serve, so that a wrong address is told at once.
Always true: a socket from here is bound to a loopback address.
"""

from __future__ import annotations

import socket

from penstock.core.errors import InputError, StoreError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
BACKLOG = 128


def host_and_port(text: str) -> tuple[str, int]:
    """Return HOST:PORT taken apart. Raises InputError `not-loopback`, `wrong-usage`."""
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InputError("wrong-usage", f"`{text}` is not HOST:PORT", hint="--http 127.0.0.1:7718")
    if host not in LOOPBACK:
        raise InputError(
            "not-loopback",
            f"`{host}` is not listened on",
            because="whoever can connect can ask",
            hint="use 127.0.0.1, and forward a port with ssh to reach it from elsewhere",
        )
    return host, int(port)


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(BACKLOG)
    except OSError as fault:
        made.close()
        raise StoreError(
            "port-taken",
            f"port {port} of {host} cannot be listened on",
            because=(fault.strerror or str(fault)).lower(),
            hint="choose another with --http HOST:PORT; port 0 takes a free one",
        ) from None
    return made
