"""Talk to one client: read a request, have it answered, write the response, in order.

The head decides alone whether a request comes in, so a body is only read for those who may
send one. Answers that take time are awaited; what the client sends meanwhile waits its turn.
Always true: a connection holds at most one head and one body, every state of it has a moment
at which it ends (`due`), and responses leave in the order of their requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, cast

from penstock.doors.http.line import OpenLine
from penstock.doors.http.routes import Route, Routes
from penstock.doors.http.wire import (
    CONTINUE,
    END,
    LARGEST_HEAD,
    Head,
    Later,
    Live,
    Refusal,
    Response,
    encode,
    parse_head,
    refused,
)

READ_AHEAD = 64 * 1024
TOLD = frozenset({400, 503})  # answers of a handler that are logged


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """How many connections, and the seconds that each part of one may take.

    A request that dawdles is cut off long before a client's own patience ends.
    """

    connections: int = 512
    idle: float = 300.0
    head: float = 5.0
    body: float = 15.0
    answer: float = 120.0
    goodbye: float = 2.0


class Host(Protocol):
    """What a connection needs from the server it belongs to."""

    routes: Routes
    bounds: Bounds
    date: bytes
    stopping: bool

    def joined(self, connection: Connection) -> bool:
        """Count a new connection; False when there are too many."""

    def left(self, connection: Connection) -> None:
        """Forget a connection."""

    def tell(self, status: int, head: Head | None, why: str) -> None:
        """Log an error without the body."""


class Connection(asyncio.Protocol):
    """One client."""

    __slots__ = (
        *("_admitted", "_asked", "_body", "_buffer", "_busy", "_ending", "_head", "_held"),
        *("_host", "_line", "_route", "_seen", "_silent", "_stuck", "_task", "_time"),
        *("_transport", "due"),
    )

    def __init__(self, host: Host, time: Callable[[], float]) -> None:
        self._host = host
        self._time = time
        self._transport = cast("asyncio.Transport", None)
        self._buffer = b""  # what was not looked at yet
        self._head: Head | None = None  # of the request whose body is being read
        self._seen: bytes | None = None  # the last head that was let in, with what it meant
        self._admitted: Head | None = None
        self._route: Route | None = None
        self._body: bytes | bytearray = b""
        self._asked = cast("Head", None)  # of the request that is being answered
        self._held = False  # nothing is read for now
        self._silent = False  # the client has said all it will
        self._busy = False  # an answer is awaited
        self._stuck = False  # the client does not take what we wrote
        self._ending = False  # the last response is written; what comes is thrown away
        self._task: asyncio.Task[None] | None = None
        self._line: OpenLine | None = None  # of a response that is written piece by piece
        self.due = time() + host.bounds.head

    # --- what asyncio calls ----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or say that there are too many."""
        self._transport = cast("asyncio.Transport", transport)
        if not self._host.joined(self):
            self._refuse(Refusal(503, "busy", "too many connections"))

    def data_received(self, data: bytes) -> None:
        """Take what came; a client that runs too far ahead is held up."""
        if self._ending:
            return
        self._buffer = self._buffer + data if self._buffer else data
        if self._busy or self._stuck:
            if len(self._buffer) > READ_AHEAD and not self._held:
                self._held = True
                self._transport.pause_reading()
        else:
            self._advance()

    def eof_received(self) -> bool:
        """Say whether to stay: a client that has said all may still wait for its answer."""
        self._silent = True
        # Who reads piece by piece and closes its side has left; nobody asks that way.
        return self._busy and not (self._line is not None and self._line.begun)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget everything."""
        self._ending = True
        self._host.left(self)
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        """Stop answering a client that does not read."""
        self._stuck = True
        self.due = self._time() + self._host.bounds.body

    def resume_writing(self) -> None:
        """Go on."""
        self._stuck = False
        self.due = self._time() + self._host.bounds.idle
        if self._line is not None:
            self._line.flows.set()
        if not self._busy:
            self._go_on()

    # --- one request after the other ---------------------------------------------------------

    def _advance(self) -> None:
        try:
            while not (self._busy or self._stuck or self._ending) and self._take():
                self._answer()
        except Refusal as refusal:
            self._refuse(refusal)

    def _take(self) -> bool:
        """Say whether a whole request is here; False waits for more."""
        if self._head is None and not (self._buffer and self._take_head()):
            return False
        head = cast("Head", self._head)
        missing = head.length - len(self._body)
        if missing and self._buffer:
            piece, self._buffer = self._buffer[:missing], self._buffer[missing:]
            if len(piece) == head.length:
                self._body = piece
            else:  # in place: a body in many pieces must not be copied for each of them
                self._body = bytearray(self._body) if not self._body else self._body
                self._body += piece
        return len(self._body) == head.length

    def _take_head(self) -> bool:
        end = self._buffer.find(END, 0, LARGEST_HEAD)
        if end < 0:
            if len(self._buffer) >= LARGEST_HEAD:
                raise Refusal(431, "head-too-large", f"the head exceeds {LARGEST_HEAD} bytes")
            self._hurry()
            return False
        head = self._admit(self._buffer[:end])
        self._buffer = self._buffer[end + len(END) :]
        if len(self._buffer) < head.length:
            self.due = self._time() + self._host.bounds.body
            if head.expects and not self._buffer:
                self._transport.write(CONTINUE)
        return True

    def _admit(self, block: bytes) -> Head:
        """Let a head in; a client mostly sends the same one again, which needs no second look."""
        if block != self._seen:
            self._head = self._admitted = parse_head(block)  # known from here on, for the log
            self._route = self._host.routes.admit(self._head)
            self._seen = block
        self._head = cast("Head", self._admitted)
        return self._head

    def _hurry(self) -> None:
        """Bound the time of a head that has begun; further bytes win no further time."""
        self.due = min(self.due, self._time() + self._host.bounds.head)

    def _answer(self) -> None:
        head, route = cast("Head", self._head), cast("Route", self._route)
        body, self._body = bytes(self._body), b""
        self._head = None
        try:
            response = route.handle(head, body)
        except Exception as fault:  # noqa: BLE001 - told and answered; the process goes on
            response = self._failed(fault, head)
        if isinstance(response, Response):
            self._respond(response, head)
            return
        self._busy = True
        self.due = self._time() + self._host.bounds.answer
        if isinstance(response, Later):
            self._asked, response.then = head, self._given
            return
        if isinstance(response, Live):
            self._task = asyncio.ensure_future(self._live(response, head))
            return
        self._task = asyncio.ensure_future(self._later(response, head))

    async def _later(self, response: Awaitable[Response], head: Head) -> None:
        try:
            answer = await response
        except Exception as fault:  # noqa: BLE001 - told and answered; the process goes on
            answer = self._failed(fault, head)
        self._asked, self._task = head, None
        self._given(answer)

    async def _live(self, response: Live, head: Head) -> None:
        """Have a response written piece by piece, and leave the line as a next one needs it."""
        line = self._line = OpenLine(self.put, self._host, keep=head.keep)
        answer: Response | None = None
        try:
            await response.run(line)
        except Exception as fault:  # noqa: BLE001 - told and answered; the process goes on
            answer = self._failed(fault, head)
        self._task = self._line = None
        self._asked = head
        if not line.begun:
            self._given(answer or self._failed(RuntimeError("no answer"), head))
            return
        self._busy = False
        if self._ending:
            return
        if not line.complete:  # half an answer must not look like a whole one
            self._transport.abort()
        elif not line.keep:
            self._end()
        else:
            self._go_on()

    def put(self, data: bytes) -> bool:
        """Write a piece; False when the client does not take it for now. Raises OSError."""
        if self._ending or self._transport.is_closing():
            raise ConnectionResetError("the client is gone")
        self.due = self._time() + self._host.bounds.answer
        self._transport.write(data)
        return not self._stuck

    def _given(self, answer: Response) -> None:
        self._busy = False
        if not self._ending:
            self._respond(answer, self._asked)
            self._go_on()

    def _go_on(self) -> None:
        if self._ending:
            return
        if self._buffer:
            self._advance()
        if self._held and not self._ending and len(self._buffer) <= READ_AHEAD:
            self._held = False
            self._transport.resume_reading()
        if self._silent and not self._busy:
            self._transport.close()

    def _respond(self, response: Response, head: Head) -> None:
        keep = head.keep and not self._host.stopping
        if response.status in TOLD:
            self._host.tell(response.status, head, "")
        self.due = self._time() + self._host.bounds.idle  # sooner when the write gets stuck
        self._transport.write(encode(response, keep=keep, date=self._host.date))
        if not keep:
            self._end()

    def _failed(self, fault: Exception, head: Head) -> Response:
        self._host.tell(500, head, type(fault).__name__)
        return refused(Refusal(500, "fault", "the request could not be answered"))

    # --- the end -----------------------------------------------------------------------------

    def _refuse(self, refusal: Refusal) -> None:
        self._host.tell(refusal.status, self._head, refusal.code)
        response = encode(refused(refusal), keep=False, date=self._host.date)
        self._transport.write(response)
        self._end()

    def _end(self) -> None:
        """Say goodbye, and listen a moment longer.

        Closing while the client still sends makes the kernel reset the connection, and the
        response would be lost with it.
        """
        self._ending = True
        self._buffer, self._body = b"", b""
        self.due = self._time() + self._host.bounds.goodbye
        if self._held:
            self._held = False
            self._transport.resume_reading()
        if self._transport.can_write_eof():
            try:
                self._transport.write_eof()
            except OSError:  # the other end is gone, and nothing is left to say to it
                self._transport.abort()

    def tidy(self, now: float) -> None:
        """End what took too long; called now and then."""
        if now < self.due:
            return
        if self._ending or self._busy or self._stuck or not (self._buffer or self._head):
            self._transport.abort()
        else:
            self._refuse(Refusal(408, "too-slow", "the request took too long"))

    def stop(self) -> None:
        """Close when nothing is on its way; what is being answered goes out first."""
        if self._line is not None and self._line.begun:
            self._line.left.set()
        if not (self._busy or self._buffer or self._head):
            self._transport.close()
