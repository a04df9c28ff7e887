"""Speak to an HTTP server once: connect, or post one body and return what it answered.

What is sent and what an answer means is the caller's business.
Always true: a certificate is checked, a redirect is not followed, no more than a little of an
answer is read, and a server that sends byte by byte does not keep us beyond the end of the time;
what a server says is told in one line that a terminal can be shown.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress

from msgspec import Struct, field

from penstock.core.text.display import spoken

MOST_ANSWER = 1 << 16
MOST_SAID = 300


class HttpAddress(Struct, frozen=True, kw_only=True):
    """Whom to speak to; `step` and `whole` are the seconds for each wait and for all of it."""

    host: str
    port: int
    path: str
    tls: bool = True
    ca_file: str = ""
    step: float = 30.0
    whole: float = 300.0


class HttpAnswer(Struct, frozen=True, kw_only=True):
    """What a server said; header names in lower case. `whole` unless the body ends early."""

    status: int
    whole: bool = True
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def trusted(ca_file: str) -> ssl.SSLContext:
    """Return what is checked of a certificate: all of it."""
    return ssl.create_default_context(cafile=ca_file or None)


@contextmanager
def connected(to: HttpAddress) -> Iterator[http.client.HTTPConnection]:
    """Hold a connection. Raises OSError, HTTPException or ValueError; `told` says them in words."""
    context = trusted(to.ca_file) if to.tls else None
    plain = socket.create_connection((to.host, to.port), timeout=to.step)
    with closing(plain), _ended_after(to.whole, plain):
        made = http.client.HTTPConnection(to.host, to.port)
        made.default_port = 443 if to.tls else 80  # which the Host header leaves out
        wrapped = context.wrap_socket(plain, server_hostname=to.host) if context else plain
        with closing(wrapped):
            made.sock = wrapped
            yield made


def post(to: HttpAddress, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
    """Post a body. Raises what `connected` raises."""
    with connected(to) as made:
        made.request("POST", to.path, body, dict(headers))
        with closing(made.getresponse()) as answer:
            text = answer.read(MOST_ANSWER)
            found = {name.lower(): value for name, value in answer.getheaders()}
        return HttpAnswer(status=answer.status, body=text, headers=found, whole=not answer.length)


def told(fault: Exception) -> str:
    """Return in words why nothing was answered."""
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {fault.verify_message}"
    if isinstance(fault, TimeoutError):
        return "it did not answer in time"
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return spoken(reason or type(fault).__name__).lower()[:MOST_SAID]


@contextmanager
def _ended_after(seconds: float, connection: socket.socket) -> Iterator[None]:
    """End a connection when the time is over, whoever waits for it; raises TimeoutError then."""
    twin = connection.dup()  # TLS takes the first one over
    over = threading.Event()

    def end() -> None:
        over.set()
        with suppress(OSError):
            twin.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException) as fault:
        if over.is_set():
            raise TimeoutError("the time is over") from fault
        raise
    finally:
        timer.cancel()
        twin.close()
    if over.is_set():  # an answer without a length ends where the connection does
        raise TimeoutError("the time is over")
