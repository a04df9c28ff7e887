"""Put an ASGI application behind all paths that are not the hook's: pages, streams, an API.

The head is read and bounded as every other; here it becomes a scope, and what the application
sends becomes HTTP/1.1 again. A whole answer goes out with its length, a stream in chunks.
Always true: who is not known to the application sends a small body at most; when we stop, the
application is told that its reader left, and the stream ends in good order.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_to_bytes

from penstock.doors.http.routes import Route
from penstock.doors.http.wire import Head, Line, Live, Refusal

SMALL = 64 * 1024
LARGE = 32 * 1024 * 1024
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
Known = Callable[[Mapping[str, str]], bool]
Log = Callable[..., None]

# What the connection itself settles; an application has no say in it.
OURS = frozenset({b"connection", b"transfer-encoding", b"date", b"keep-alive", b"upgrade"})
NO_BODY = frozenset({204, 304})
LAST_CHUNK = b"0\r\n\r\n"


def nobody(_headers: Mapping[str, str]) -> bool:
    """Nobody is known."""
    return False


def unlogged(_line: str, **_facts: str | float) -> None:
    """Nothing is logged."""


def instead(text: str) -> Application:
    """Return an application that only says why there is none."""

    async def answer(_scope: MutableMapping[str, Any], _receive: Receive, send: Send) -> None:
        kind = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 501, "headers": kind})
        await send({"type": "http.response.body", "body": f"{text}\n".encode()})

    return answer


class Pages:
    """The application as the rest of the routes. `known` tells who may send a large body."""

    def __init__(
        self, application: Application, *, known: Known = nobody, log: Log = unlogged
    ) -> None:
        self._application = application
        self._log = log
        self._known = known
        self._strangers = self._route(SMALL)
        self._friends = self._route(LARGE)

    def _route(self, largest: int) -> Route:
        return Route(method="*", path="*", handle=self, largest=largest)

    def admit(self, head: Head) -> Route:
        """Return the route; how much may be sent is settled by the head alone."""
        if head.length <= self._strangers.largest:
            return self._strangers
        route = self._friends if self._known(head.headers) else self._strangers
        if head.length > route.largest:
            raise Refusal(413, "too-large", f"the body is larger than {route.largest} bytes")
        return route

    def __call__(self, head: Head, body: bytes) -> Live:
        """Answer one request."""

        async def run(line: Line) -> None:
            exchange, start = Exchange(head, body, line), time.perf_counter()
            await self._application(scope_of(head), exchange.receive, exchange.send)
            await exchange.close()
            # The query is left out: it may hold what opens a session.
            self._log(
                f"{exchange.status} {head.method[:16]} {head.path[:100]}",
                level="info",
                status=exchange.status,
                method=head.method[:16],
                path=head.path[:100],
                ms=round((time.perf_counter() - start) * 1000, 1),
            )

        return Live(run)


def scope_of(head: Head) -> MutableMapping[str, Any]:
    """Return a request as an application is told of it."""
    return {
        "type": "http",
        # Streams of this version listen for the reader's leaving by themselves.
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1" if head.chunks else "1.0",
        "method": head.method,
        "scheme": "http",
        "path": unquote_to_bytes(head.path).decode("utf-8", "replace"),
        "raw_path": head.path.encode("ascii"),
        "query_string": head.query.encode("ascii"),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in head.headers.items()],
        "client": ("127.0.0.1", 0),
        "server": None,
        "state": {},
    }


class Exchange:
    """One request of an application and its answer."""

    def __init__(self, head: Head, body: bytes, line: Line) -> None:
        self._head = head
        self._body: bytes | None = body
        self._line = line
        self._start: bytes | None = None  # the head of the answer, until its first piece is here
        self._sized = False  # the application said the length
        self._chunks = False
        self._done = False
        self.status = 0

    async def receive(self) -> Message:
        """Give the body, then nothing until the reader has left."""
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._line.ended()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._start = self._encoded(message["headers"])
            return
        data, more = message.get("body", b""), message.get("more_body", False)
        if self._done:
            return
        await self._write(data, last=not more)

    async def close(self) -> None:
        """End an answer that its application left open because we stop."""
        if self._done or not self._chunks:
            return
        await self._line.write(LAST_CHUNK, last=True)

    async def _write(self, data: bytes, *, last: bool) -> None:
        self._done = last
        silent = self._head.method == "HEAD" or self.status in NO_BODY
        if self._start is not None:
            begin, self._start = self._start, None
            begin += self._framing(len(data), last=last, silent=silent)
            self._line.keep = self._line.keep and (self._sized or self._chunks)
            begin += b"" if self._line.keep else b"Connection: close\r\n"
            data = begin + b"\r\n" + (b"" if silent else self._framed(data, last=last))
        else:
            data = b"" if silent else self._framed(data, last=last)
        if data or last:
            await self._line.write(data, last=last)

    def _framing(self, length: int, *, last: bool, silent: bool) -> bytes:
        """Return how the body's end is told: by a length, by chunks, or by closing."""
        if self._sized:
            return b""
        if last or silent:
            self._sized = True
            return b"" if self.status in NO_BODY else b"Content-Length: %d\r\n" % length
        self._chunks = self._head.chunks
        return b"Transfer-Encoding: chunked\r\n" if self._chunks else b""

    def _framed(self, data: bytes, *, last: bool) -> bytes:
        if not self._chunks:
            return data
        piece = b"%x\r\n%s\r\n" % (len(data), data) if data else b""
        return piece + LAST_CHUNK if last else piece

    def _encoded(self, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        lines = [f"HTTP/1.1 {self.status} {_phrase(self.status)}\r\n".encode(), self._line.date]
        for name, value in headers:
            known = name.lower()
            if known in OURS or b"\r" in name + value or b"\n" in name + value:
                continue
            self._sized = self._sized or known == b"content-length"
            lines.append(b"%s: %s\r\n" % (name, value))
        return b"".join(lines)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
