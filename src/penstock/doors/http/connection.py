"""One client: what uvicorn's connection reads and writes, with our bounds around it.

uvicorn and its parser speak HTTP; here is how large a head may be and how long each part of a
request may take. A refusal is told in JSON and outlives the client's sending.
Always true: every state of a connection has a moment at which it ends (`due`), except a stream
that its reader takes; responses leave in the order of their requests, and few wait their turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from penstock.doors.http.routes import Head, Refusal
from penstock.doors.http.talk import Log

if TYPE_CHECKING:
    import asyncio

LARGEST_HEAD = 16 * 1024
MOST_AHEAD = 32  # requests of a client that does not wait for its answers
LINE_ENDS = 4  # bytes of a header beside its name and its value
FRAMES = frozenset({b"content-length", b"transfer-encoding"})  # what says that there is a body
LAST_CHUNK = b"0\r\n\r\n"

Admit = Callable[[Head], object]


class Bounds(Struct, frozen=True, kw_only=True):
    """How many connections, and the seconds that each part of one may take.

    A request that dawdles is cut off long before a client's own patience ends.
    """

    connections: int = 512
    idle: float = 300.0
    head: float = 5.0
    body: float = 15.0
    answer: float = 120.0
    goodbye: float = 2.0


class At(Enum):
    """What is being read."""

    NOTHING = auto()
    HEAD = auto()
    BODY = auto()


class Connection(HttpToolsProtocol):
    """One client. `admit` raises Refusal for a head that may not come in."""

    def __init__(self, *, admit: Admit, bounds: Bounds, log: Log, **given: Any) -> None:
        super().__init__(**given)
        self._admit = admit
        self._bounds = bounds
        self._log = log
        self._at = At.NOTHING
        self._read = 0  # bytes of a head that is not complete
        self._silent = False  # the client has said all it will
        self._ending = False  # the last response is written; what comes is thrown away
        self.due = self.loop.time() + bounds.head

    @property
    def _busy(self) -> bool:
        """True while an answer is awaited."""
        return self.cycle is not None and not self.cycle.response_complete

    def _within(self, seconds: float) -> None:
        self.due = self.loop.time() + seconds

    # --- what asyncio calls ----------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or say that there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self._bounds.connections:
            self._refuse(Refusal(503, "busy", "too many connections"))

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if self._ending:
            return
        self._read += len(data)
        super().data_received(data)
        if self._at is At.HEAD and self._read > LARGEST_HEAD and not self._ending:
            self._refuse(_too_large())

    def eof_received(self) -> bool:  # type: ignore[override]
        """Say whether to stay: a client that has said all may still wait for its answer."""
        self._silent = True
        if self.scheme == "https":  # TLS has no half of a connection
            return False
        # Who reads piece by piece and closes its side has left; nobody asks that way.
        return self._busy and self._at is not At.BODY and not self.cycle.response_started

    def pause_writing(self) -> None:
        """Bound the time of a client that does not read."""
        super().pause_writing()
        self._within(self._bounds.body)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._within(self._bounds.answer if self._busy else self._bounds.idle)

    # --- what the parser calls -------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Bound the time of a head that has begun; further bytes win no further time."""
        super().on_message_begin()
        self._at, self._read = At.HEAD, 0
        if not self._busy:
            self.due = min(self.due, self.loop.time() + self._bounds.head)

    def on_headers_complete(self) -> None:
        """Let a head in. Raises Refusal, which the parser hands back as an error."""
        if sum(len(name) + len(value) + LINE_ENDS for name, value in self.headers) > LARGEST_HEAD:
            raise _too_large()
        if len(self.pipeline) >= MOST_AHEAD:  # uvicorn would take in as many as are sent
            raise Refusal(503, "busy", "too many pipelined requests")
        if self.parser.should_upgrade() and FRAMES.intersection(name for name, _ in self.headers):
            # The parser takes the body for the other protocol's: it could pass for a request.
            raise Refusal(400, "bad-head", "a protocol upgrade can't have a body")
        self.scope["state"]["route"] = self._admit(self._head())
        self._within(self._bounds.answer if self._busy else self._bounds.body)
        super().on_headers_complete()
        self._at = At.BODY

    def _head(self) -> Head:
        method, version = self.parser.get_method(), self.parser.get_http_version()
        return Head(method.decode("ascii"), self.url.decode("latin-1"), version, self.headers)

    def on_message_complete(self) -> None:
        """Wait for the answer."""
        super().on_message_complete()
        self._at = At.NOTHING
        self._within(self._bounds.answer if self._busy else self._bounds.idle)

    # --- the end ---------------------------------------------------------------------------

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of one."""
        super().on_response_complete()
        waits = {At.NOTHING: self._bounds.idle, At.HEAD: self._bounds.head}
        self._within(self._bounds.answer if self._busy else waits.get(self._at, self._bounds.body))
        if self._silent and not self._busy:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request; an error of ours in its place was raised by `admit`."""
        fault = sys.exception()
        cause = fault.__context__ if fault is not None else None
        wrong = Refusal(400, "bad-head", "not an HTTP request")
        self._refuse(cause if isinstance(cause, Refusal) else wrong)

    def _refuse(self, refusal: Refusal) -> None:
        """Tell a refusal, and listen a moment longer.

        Closing while the client still sends makes the kernel reset the connection, and the
        response would be lost with it.
        """
        self._ending = True
        head = self._head() if self._at is not At.NOTHING and self.url else None
        asked = (head.method, head.path) if head else ("", "")
        self._log.error(refusal.status, *asked, refusal.code)
        if self._busy and self._at is not At.BODY:  # an earlier request is answered first
            self.cycle.keep_alive = False
            return
        if self._busy:
            self._forget()
        self._within(self._bounds.goodbye)
        self.flow.resume_reading()
        self.transport.write(self._encoded(refusal))
        if not self.transport.can_write_eof():  # TLS; the answer says that it is the last
            return
        try:
            self.transport.write_eof()
        except OSError:  # the other end is gone, and nothing is left to say to it
            self.transport.abort()

    def _encoded(self, refusal: Refusal) -> bytes:
        response = refusal.response()
        close = (b"connection", b"close")
        fields = [*self.server_state.default_headers, *response.raw_headers, close]
        lines = [b"%s: %s\r\n" % field for field in fields]
        return b"".join([STATUS_LINE[refusal.status], *lines, b"\r\n", bytes(response.body)])

    def _forget(self) -> None:
        """Tell the application that its reader left."""
        self.cycle.disconnected = True
        self.cycle.message_event.set()

    def tidy(self) -> None:
        """End what took too long; called now and then."""
        if self.loop.time() < self.due:
            return
        begun = self._busy and self.cycle.response_started
        ends = self._ending or self.flow.write_paused or self.transport.is_closing()
        if begun and not ends:
            return  # a stream, and its reader takes it
        # A refusal is told where no other answer would have to come first.
        waits = {At.HEAD: not self._busy, At.BODY: self._busy and not self.pipeline}
        if waits.get(self._at) and not ends:
            self._refuse(Refusal(408, "too-slow", "the request took too long"))
        else:
            self.transport.abort()

    def shutdown(self) -> None:
        """Close when nothing is on its way; what is being answered goes out, a stream ends."""
        if self._busy and self.cycle.response_started and self.cycle.chunked_encoding:
            self._forget()
            self.transport.write(LAST_CHUNK)
            self.transport.close()
        else:
            super().shutdown()


def _too_large() -> Refusal:
    return Refusal(431, "head-too-large", f"the headers exceed {LARGEST_HEAD} bytes")
