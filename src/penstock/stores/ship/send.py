"""Send a batch to a sink and hear whether it was taken.

HTTP says so by its status. Syslog has no word for it: the connection is closed on our side, and
that the receiver closes its own side then says that it has read everything. A file has it when it
is on the disk.
Always true: a certificate is checked, a redirect is not followed, and every wait has an end.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.audit.export.formats import Format, encode
from penstock.core.audit.export.outcomes import Sender
from penstock.core.ship.answer import TAKEN, SinkAnswer, seconds_asked
from penstock.core.ship.frames import framed
from penstock.core.ship.otlp import otlp_body, otlp_rejected
from penstock.core.ship.sink import Sink, SinkKind
from penstock.stores.system.http_post import (
    MOST_ANSWER,
    HttpAddress,
    HttpAnswer,
    post,
    told,
    trusted,
)
from penstock.stores.system.private import OWN_FILE, sync

WITHIN = 30.0  # seconds for each step of a connection
NDJSON, JSON = "application/x-ndjson", "application/json"


class SinkLine(Struct, frozen=True, kw_only=True):
    """All that sending needs besides the lines."""

    sink: Sink
    source: Sender
    form: Format = Format.JSONL
    authorization: str = ""
    ca_file: str = ""
    within: float = WITHIN

    def send(self, lines: Sequence[bytes]) -> SinkAnswer:
        """Send lines of the log; say what the sink answered. Raises nothing."""
        try:
            return _WAYS[self.sink.kind](self, lines)
        except (OSError, http.client.HTTPException, ValueError) as fault:
            return SinkAnswer(problem=told(fault))


# --- HTTP ----------------------------------------------------------------------------------


def _by_lines(line: SinkLine, lines: Sequence[bytes]) -> SinkAnswer:
    body = "".join(f"{one}\n" for one in encode(lines, line.form, line.source))
    return _post(line, body.encode("utf-8", "replace"), NDJSON)


def _by_otlp(line: SinkLine, lines: Sequence[bytes]) -> SinkAnswer:
    answer = _answer(line, otlp_body(lines, line.source), JSON)
    if 200 <= answer.status < 300 and not answer.whole:
        return SinkAnswer(problem="its answer ends early, and may reject entries")
    return replace(_said(answer), rejected=otlp_rejected(answer.body))


def _post(line: SinkLine, body: bytes, kind: str) -> SinkAnswer:
    return _said(_answer(line, body, kind))


def _said(answer: HttpAnswer) -> SinkAnswer:
    asked = seconds_asked(answer.headers.get("retry-after", ""), time.time())
    return SinkAnswer(status=answer.status, retry_after=asked)


def _answer(line: SinkLine, body: bytes, kind: str) -> HttpAnswer:
    sink = line.sink
    to = HttpAddress(
        host=sink.host,
        port=sink.port,
        path=sink.path,
        tls=sink.tls,
        ca_file=line.ca_file,
        step=line.within,
    )
    headers = {"Content-Type": kind, "User-Agent": f"penstock/{line.source.version}"}
    if line.authorization:
        headers["Authorization"] = line.authorization
    return post(to, body, headers)


# --- syslog --------------------------------------------------------------------------------


def _by_syslog(line: SinkLine, lines: Sequence[bytes]) -> SinkAnswer:
    sink = line.sink
    data = framed(encode(lines, Format.SYSLOG, line.source))
    with socket.create_connection((sink.host, sink.port), timeout=line.within) as plain:
        if not sink.tls:
            plain.sendall(data)
            plain.shutdown(socket.SHUT_WR)
            return _closed(plain.recv)
        with trusted(line.ca_file).wrap_socket(plain, server_hostname=sink.host) as secured:
            secured.sendall(data)
            # Waits until the other side has ended as well; many end without a word of TLS.
            with suppress(ssl.SSLEOFError):
                secured.unwrap().close()
            return TAKEN


def _closed(read: Callable[[int], bytes]) -> SinkAnswer:
    """Wait until the other side closes; what it says before that is nobody's business."""
    for _ in range(MOST_ANSWER):
        if not read(MOST_ANSWER):
            return TAKEN
    return SinkAnswer(problem="it answers without end")


# --- a file --------------------------------------------------------------------------------


def _by_file(line: SinkLine, lines: Sequence[bytes]) -> SinkAnswer:
    how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    with open(os.open(line.sink.path, how, OWN_FILE), "ab") as file:
        for one in encode(lines, line.form, line.source):
            file.write(one.encode("utf-8", "replace") + b"\n")
        file.flush()
        sync(file.fileno())
    return TAKEN


_WAYS: Mapping[SinkKind, Callable[[SinkLine, Sequence[bytes]], SinkAnswer]] = {
    SinkKind.OTLP: _by_otlp,
    SinkKind.LINES: _by_lines,
    SinkKind.SYSLOG: _by_syslog,
    SinkKind.FILE: _by_file,
}
