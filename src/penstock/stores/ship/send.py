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
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from penstock.core.audit.export.formats import Format, encode
from penstock.core.audit.export.outcomes import Sender
from penstock.core.ship.answer import TAKEN, SinkAnswer, seconds_asked
from penstock.core.ship.frames import framed
from penstock.core.ship.otlp import otlp_body
from penstock.core.ship.sink import Sink, SinkKind
from penstock.stores.system.private import OWN_FILE, sync

WITHIN = 30.0  # seconds for each step of a connection
MOST_ANSWER = 1 << 16
NDJSON, JSON = "application/x-ndjson", "application/json"


@dataclass(frozen=True, kw_only=True, slots=True)
class SinkLine:
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
        except ssl.SSLCertVerificationError as fault:
            return SinkAnswer(problem=f"its certificate is not valid: {fault.verify_message}")
        except (OSError, http.client.HTTPException, ValueError) as fault:
            return SinkAnswer(problem=_said(fault))

    def trust(self) -> ssl.SSLContext:
        """Return what is checked of a certificate: all of it."""
        return ssl.create_default_context(cafile=self.ca_file or None)


def _said(fault: Exception) -> str:
    if isinstance(fault, TimeoutError):
        return "it did not answer in time"
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return (reason or type(fault).__name__).lower()


# --- HTTP ----------------------------------------------------------------------------------


def _by_lines(line: SinkLine, lines: Sequence[bytes]) -> SinkAnswer:
    body = "".join(f"{one}\n" for one in encode(lines, line.form, line.source))
    return _post(line, body.encode("utf-8", "replace"), NDJSON)


def _by_otlp(line: SinkLine, lines: Sequence[bytes]) -> SinkAnswer:
    return _post(line, otlp_body(lines, line.source), JSON)


def _post(line: SinkLine, body: bytes, kind: str) -> SinkAnswer:
    sink = line.sink
    made: http.client.HTTPConnection
    if sink.tls:
        context = line.trust()
        made = http.client.HTTPSConnection(
            sink.host, sink.port, timeout=line.within, context=context
        )
    else:
        made = http.client.HTTPConnection(sink.host, sink.port, timeout=line.within)
    headers = {"Content-Type": kind, "User-Agent": f"penstock/{line.source.version}"}
    if line.authorization:
        headers["Authorization"] = line.authorization
    with closing(made):
        made.request("POST", sink.path, body, headers)
        answer = made.getresponse()
        answer.read(MOST_ANSWER)
        asked = seconds_asked(answer.getheader("Retry-After") or "")
        return SinkAnswer(status=answer.status, retry_after=asked)


# --- syslog --------------------------------------------------------------------------------


def _by_syslog(line: SinkLine, lines: Sequence[bytes]) -> SinkAnswer:
    sink = line.sink
    data = framed(encode(lines, Format.SYSLOG, line.source))
    with socket.create_connection((sink.host, sink.port), timeout=line.within) as plain:
        if not sink.tls:
            plain.sendall(data)
            plain.shutdown(socket.SHUT_WR)
            return _closed(plain.recv)
        with line.trust().wrap_socket(plain, server_hostname=sink.host) as secured:
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
