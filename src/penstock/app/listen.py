"""Open a socket that listens, for every door that serves.

Always true: a socket from `listening` is bound to a loopback address; `opened` is for `phone`,
which has looked at the address.
"""

from __future__ import annotations

import socket

from penstock.core.errors import StoreError
from penstock.core.loopback import ADDRESS6, check


def has_ipv6() -> bool:
    """Say whether this machine has a loopback address of the newer kind."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as tried:
            tried.bind((ADDRESS6, 0))
    except OSError:
        return False
    return True


def listening(host: str, port: int, *, backlog: int, hint: str) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one. `hint` says how to choose another."""
    check(host)
    return opened(host, port, backlog=backlog, hint=hint)


def opened(host: str, port: int, *, backlog: int, hint: str) -> socket.socket:
    """Return a socket that listens at a number, whichever network it belongs to."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(backlog)
    except OSError as fault:
        made.close()
        raise StoreError(
            "port-taken",
            f"port {port} of {host} is not available",
            because=(fault.strerror or str(fault)).lower(),
            hint=hint,
        ) from None
    return made
