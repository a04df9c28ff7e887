"""One sink: the address of a system that gets the audit log.

Always true: an address holds no credentials, so that it can be shown; nothing leaves this machine
without TLS, except over plain syslog, which the user has to write out.
"""

from __future__ import annotations

from enum import StrEnum
from urllib.parse import urlsplit

from msgspec import Struct

from penstock.core.digest import PREFIX, digest
from penstock.core.loopback import HOSTS
from penstock.core.text.display import spoken

LONGEST = 2000
LABEL_DIGITS = 12
OTLP_PATH = "/v1/logs"


class SinkKind(StrEnum):
    """How a sink is spoken to."""

    OTLP = "otlp"
    SYSLOG = "syslog"
    LINES = "lines"  # JSON lines over HTTP
    FILE = "file"


class Sink(Struct, frozen=True, kw_only=True):
    """Where entries go. `shown` is its address; of a file, `path` alone counts."""

    kind: SinkKind
    shown: str
    host: str = ""
    port: int = 0
    path: str = ""
    tls: bool = False

    @property
    def label(self) -> str:
        """A short name that no other sink has, for files of ours."""
        return digest(self.shown.encode()).removeprefix(PREFIX)[:LABEL_DIGITS]


# Scheme, how the sink is spoken to, whether by TLS, and the usual port.
SCHEMES: dict[str, tuple[SinkKind, bool, int]] = {
    "otlp+http": (SinkKind.OTLP, False, 4318),
    "otlp+https": (SinkKind.OTLP, True, 4318),
    "syslog+tcp": (SinkKind.SYSLOG, False, 601),
    "syslog+tls": (SinkKind.SYSLOG, True, 6514),
    "http": (SinkKind.LINES, False, 80),
    "https": (SinkKind.LINES, True, 443),
}


def sink_fault(text: str) -> str:
    """Return what is wrong with an address; nothing when it can be used."""
    found = _parsed(text)
    return found if isinstance(found, str) else ""


def sink_of(text: str) -> Sink:
    """Return the sink of an address that is not wrong."""
    found = _parsed(text)
    if isinstance(found, str):
        raise TypeError(found)
    return found


def _parsed(text: str) -> Sink | str:
    if len(text) > LONGEST or spoken(text) != text or " " in text:
        return "is not an address"
    scheme, colon, rest = text.partition(":")
    if scheme == "file" and colon:
        path = rest.removeprefix("//")
        if not path.startswith("/"):
            return "is a file without an absolute path; write `file:/path/to/file`"
        return Sink(kind=SinkKind.FILE, shown=f"file:{path}", path=path)
    known = SCHEMES.get(scheme)
    if known is None or not rest.startswith("//"):
        return f"begins with none of {', '.join(f'`{one}://`' for one in SCHEMES)} and `file:`"
    return _at_host(text, *known)


def _at_host(text: str, kind: SinkKind, tls: bool, usual: int) -> Sink | str:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port or usual
    except ValueError:
        return "has no valid host and port"
    if not host:
        return "has no host"
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return "holds more than host, port and path; put credentials into `authorization`"
    if kind is SinkKind.SYSLOG and parts.path not in ("", "/"):
        return "is a syslog address with a path"
    if kind is not SinkKind.SYSLOG and not tls and host not in HOSTS:
        return "sends without encryption; use TLS, or a host on this machine"
    path = parts.path or "/"
    if kind is SinkKind.OTLP and not path.endswith(OTLP_PATH):
        path = path.rstrip("/") + OTLP_PATH
    return Sink(kind=kind, shown=text, host=host, port=port, path=path, tls=tls)
