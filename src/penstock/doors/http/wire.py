"""Read the head of an HTTP/1.1 request, and write a response; nothing here touches a socket.

It is stricter than the standard asks: what two readers could understand in two ways (a second
Content-Length, any Transfer-Encoding, a folded or bare-LF line) is refused, so no request can
hide inside another.
Always true: a Head is well formed because it exists; whatever bytes come in, the answer is a
Head or a Refusal.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

LARGEST_HEAD = 16 * 1024
MOST_HEADERS = 64
MOST_DIGITS = 12
END = b"\r\n\r\n"
VERSIONS = {"HTTP/1.1": True, "HTTP/1.0": False}  # with whether a connection is kept by default
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

# Two of these could be read in two ways.
ONCE = frozenset(
    {"host", "content-length", "authorization", "origin", "expect", "connection", "content-type"}
    | {"x-penstock-token", "x-penstock-project", "x-penstock-entrypoint"}
    | {"cookie", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "last-event-id"}
)
NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_!#$%&'*+.^`|~")


class Refusal(Exception):  # noqa: N818 - it is an answer, and the connection sends it
    """A request that is answered with an error; the connection ends with it."""

    def __init__(self, status: int, code: str, message: str, *, headers: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers


@dataclass(frozen=True, slots=True)
class Head:
    """The request line and headers; names are in lower case. `length` is the body's.

    `chunks` says whether the client understands a body that comes in pieces.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    length: int
    keep: bool
    query: str = ""
    chunks: bool = True

    @property
    def expects(self) -> bool:
        """True when the client waits for a word before it sends the body."""
        return self.headers.get("expect", "").lower() == "100-continue"


@dataclass(frozen=True, slots=True)
class Response:
    """A status and a JSON body; `headers` are further lines, each with its line end."""

    status: int
    body: bytes
    headers: bytes = b""


class Later:
    """A response that is not there yet; whoever waits for it is told by `then`."""

    __slots__ = ("then",)

    def __init__(self) -> None:
        self.then: Callable[[Response], None] | None = None

    def give(self, response: Response) -> None:
        """Hand the response over; nobody may be waiting any more."""
        if self.then is not None:
            self.then(response)


class Line(Protocol):
    """The way back to a client, for a response that is written piece by piece."""

    keep: bool  # whether the connection stays after the response

    @property
    def date(self) -> bytes:
        """The header line of the date."""

    async def write(self, data: bytes, *, last: bool = False) -> None:
        """Send bytes; waits for a client that is slow. Raises OSError when it is gone."""

    async def ended(self) -> None:
        """Wait until the client is gone or we stop."""


@dataclass(frozen=True, slots=True)
class Live:
    """A response that whoever makes it writes to the line by itself."""

    run: Callable[[Line], Awaitable[None]]


def parse_head(block: bytes) -> Head:
    """Return the head that stands before the empty line. Raises Refusal."""
    try:
        text = block.decode("ascii")
    except UnicodeDecodeError:
        raise Refusal(400, "bad-head", "the head is not plain text") from None
    if not text.replace("\r\n", "").replace("\t", "").isprintable():
        raise Refusal(400, "bad-head", "the head holds a control character")
    line, *rest = text.split("\r\n")
    method, target, new = _request_line(line)
    path, _, query = target.partition("?")
    headers = _headers(rest)
    keep = _keeps(headers["connection"], new) if "connection" in headers else new
    return Head(method, path, headers, _length(headers), keep, query, new)


def _request_line(line: str) -> tuple[str, str, bool]:
    parts = line.split(" ")
    if len(parts) != 3:
        raise Refusal(400, "bad-head", "the request line has not three words")
    method, target, version = parts
    if version not in VERSIONS:
        raise Refusal(505, "bad-version", "only HTTP/1.1 and HTTP/1.0 are spoken")
    if not target.startswith("/"):
        raise Refusal(400, "bad-head", "the target is not a path")
    return method, target, VERSIONS[version]


def _headers(lines: list[str]) -> dict[str, str]:
    if len(lines) > MOST_HEADERS:
        raise Refusal(431, "head-too-large", f"more than {MOST_HEADERS} headers")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not (colon and name and NAME.issuperset(name)):
            raise Refusal(400, "bad-head", "a header is malformed")
        if name in headers and name in ONCE:
            raise Refusal(400, "bad-head", f"two {name} headers")
        headers[name] = value.strip(" \t")
    return headers


def _keeps(connection: str, default: bool) -> bool:
    words = {word.strip().lower() for word in connection.split(",")}
    return "close" not in words and (default or "keep-alive" in words)


def _length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise Refusal(411, "length-required", "say the body's length; chunks are not taken")
    value = headers.get("content-length", "0")
    if not value.isdigit() or len(value) > MOST_DIGITS:
        raise Refusal(400, "bad-length", "Content-Length is not a number")
    return int(value)


def _reason(status: int) -> str:
    return HTTPStatus(status).phrase


LINES = {
    status: (
        f"HTTP/1.1 {status} {_reason(status)}\r\nContent-Type: application/json\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: "
    ).encode()
    for status in (200, 400, 401, 403, 404, 405, 408, 411, 413, 431, 500, 503, 505)
}


def encode(response: Response, *, keep: bool, date: bytes) -> bytes:
    """Return a response as it goes over the wire; `date` is a whole header line."""
    return b"%s%d\r\n%s%s%s\r\n%s" % (
        LINES[response.status],
        len(response.body),
        date,
        response.headers,
        b"" if keep else b"Connection: close\r\n",
        response.body,
    )


def refused(refusal: Refusal) -> Response:
    """Return the response that tells a refusal."""
    error = {"code": refusal.code, "message": refusal.message, "because": "", "try": ""}
    body = json.dumps({"error": error}).encode()
    return Response(refusal.status, body, refusal.headers.encode())
