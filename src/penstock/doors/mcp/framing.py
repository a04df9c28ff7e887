"""Read protocol messages off a stream of bytes: one line, one message, or what is wrong with it.

The stream may be standard input and output, taken for the protocol alone. That is done before
any library is loaded, because one that prints while it is imported would already break the
protocol; so this module needs none.
Always true: a line that is too long is passed over without being held, a key that stands twice
is refused, and whoever sent a request that cannot be read gets an error under its own id where
that can be told. After `taken`, descriptor 1 is stderr and descriptor 0 is empty, for this process
and for every child of it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator

from msgspec import Struct, field

from penstock.core.strict_json import DuplicateKeyError, strict

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
LONGEST = 16 * 1024 * 1024
PIECE = 1 << 16
KEPT = 4096  # of a line that is too long: enough to see its id at either end

# An id can only be told where nothing nested stands between it and the line's own braces.
SCALAR = rb'("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})'
SIMPLE = rb'(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"\s*,\s*){0,2}'
AT_HEAD = re.compile(rb"\s*\{\s*" + SIMPLE + rb'"id"\s*:\s*' + SCALAR + rb"\s*[,}]")
AT_TAIL = re.compile(
    rb',\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*'
    + SCALAR
    + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z'
)


class LineFault(Struct, frozen=True, kw_only=True):
    """A line that is no message: what to answer, and to which request."""

    code: int
    message: str
    request_id: str | int | None = None

    def as_json(self) -> dict[str, object]:
        """Return the protocol's own error."""
        error = {"code": self.code, "message": self.message}
        return {"jsonrpc": "2.0", "id": self.request_id, "error": error}


class LineReader(Struct):
    """Lines from a function that returns some more bytes, and none at the end."""

    more: Callable[[int], bytes]
    longest: int = LONGEST
    held: bytearray = field(default_factory=bytearray)
    seen: int = 0  # of what is held, how much is known to have no line end

    def __iter__(self) -> Iterator[bytes | LineFault]:
        while True:
            end = self.held.find(b"\n", self.seen)
            if end >= 0:
                yield self._cut(end)
            elif len(self.held) > self.longest:
                yield self._passed_over()
            else:
                self.seen = len(self.held)
                piece = self.more(PIECE)
                if not piece:
                    break
                self.held += piece
        if self.held.strip():
            yield bytes(self.held)

    def _cut(self, end: int) -> bytes | LineFault:
        line = bytes(self.held[:end])
        del self.held[: end + 1]
        self.seen = 0
        if len(line) > self.longest:
            return too_long(line[:KEPT], line[-KEPT:], self.longest)
        return line

    def _passed_over(self) -> LineFault:
        """Read on to the end of a line that is too long, and keep only its ends."""
        head, tail = bytes(self.held[:KEPT]), bytes(self.held[-KEPT:])
        self.held.clear()
        self.seen = 0
        while piece := self.more(PIECE):
            line, found, rest = piece.partition(b"\n")
            tail = (tail + line)[-KEPT:]
            if found:
                self.held += rest
                break
        return too_long(head, tail, self.longest)


def too_long(head: bytes, tail: bytes, longest: int) -> LineFault:
    """Return the error for a message that nobody reads."""
    found = AT_HEAD.match(head) or AT_TAIL.search(tail)
    known = json.loads(found[1]) if found else None
    told = f"too-large: the message is longer than {longest} bytes; nothing was done"
    return LineFault(code=INVALID_REQUEST, message=told, request_id=known)


def parsed(line: bytes) -> dict[str, object] | LineFault:
    """Return a message as an object, or what is wrong with it."""
    try:
        found = strict(line)
    except DuplicateKeyError as problem:
        return LineFault(code=PARSE_ERROR, message=f"bad-json: {problem}")
    except ValueError:
        return LineFault(code=PARSE_ERROR, message="bad-json: the message is not JSON")
    if not isinstance(found, dict):
        return LineFault(code=INVALID_REQUEST, message="bad-json: the message is not an object")
    return found


# --- the two descriptors ------------------------------------------------------------------


class Wire(Struct, frozen=True, kw_only=True):
    """The two descriptors that the client holds the other ends of."""

    read: int
    write: int

    def more(self, most: int) -> bytes:
        """Return some more bytes of the client's, none at the end."""
        return os.read(self.read, most)

    def send(self, data: bytes) -> None:
        """Send all of some bytes. Raises BrokenPipeError when the client is gone."""
        left = memoryview(data)
        while left:
            left = left[os.write(self.write, left) :]


def taken() -> Wire:
    """Take both descriptors away from everybody else."""
    wire = Wire(read=os.dup(0), write=os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(_talk(), 1)
    return wire


def _talk() -> int:
    """Return where prints go: stderr, or nowhere when there is none."""
    try:
        os.fstat(2)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
    return 2
