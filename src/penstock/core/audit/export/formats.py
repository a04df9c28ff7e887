"""Write the record in the forms that other systems read: JSON lines, OCSF, CEF, syslog.

JSON lines are the lines themselves, so that what was exported can still be verified. OCSF has a
module of its own; CEF is version 0. Syslog is RFC 5424: structured data has only elements that are
registered (`origin`, `meta`), since elements of one's own need a registered enterprise number; the
fields of an entry follow in the message, as names and quoted values.
Always true: one line in, one line out, and no value of an event can end a line or a field
early; a line that cannot be read goes out as one that says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum

from penstock.core.audit.export.ocsf import ocsf
from penstock.core.audit.export.outcomes import (
    PRODUCT,
    Event,
    Sender,
    message_of,
    moment,
    outcome_of,
    text,
)
from penstock.core.audit.query import parse_line
from penstock.core.text.display import spoken
from penstock.core.timestamps import seconds_of

FACILITY = 13  # log audit
MOST_SEQUENCE = 2147483647  # of `sequenceId`, which begins at 1
UNREADABLE: Event = {"op": "unreadable_line", "status": "error", "ts": "", "path": ""}


class Format(StrEnum):
    """The forms that can be asked for."""

    JSONL = "jsonl"
    OCSF = "ocsf"
    CEF = "cef"
    SYSLOG = "syslog"


def encode(lines: Iterable[bytes], form: Format, source: Sender) -> Iterator[str]:
    """Yield each line of the record in another form, without its newline."""
    write = _WRITERS[form]
    for line in lines:
        yield write(line, parse_line(line) or UNREADABLE, source)


def _as_line(line: bytes, _event: Event, _source: Sender) -> str:
    return line.decode("utf-8", "replace").rstrip("\n")


def _as_ocsf(line: bytes, event: Event, source: Sender) -> str:
    return json.dumps(ocsf(event, line, source), separators=(",", ":"))


# --- CEF -----------------------------------------------------------------------------------

CEF_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("act", ("status",)),
    ("filePath", ("path",)),
    ("fileHash", ("after_hash", "content_hash", "base_hash")),
    ("suser", ("by",)),
    ("reason", ("reason", "because")),
    ("requestContext", ("context_id",)),
)
CEF_CUSTOM: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("rule", ("rule",)),
    ("agent", ("agent",)),
    ("toolCallId", ("tool_call_id",)),
    ("eventHash", ("event_hash",)),
    ("prevHash", ("prev_hash",)),
    ("policyRevision", ("revision",)),
)


def _as_cef(_line: bytes, event: Event, source: Sender) -> str:
    op = text(event, "op")
    header = ("CEF:0", PRODUCT, PRODUCT, source.version, op, op.replace("_", " "))
    severity = str(outcome_of(event).cef)
    fields = [f"rt={moment(event) * 1000}"]
    fields += [f"dvchost={_cef_value(source.host)}"] if source.host else []
    for key, names in CEF_FIELDS:
        if text(event, *names):
            fields.append(f"{key}={_cef_value(text(event, *names))}")
    if type(event.get("seq")) is int:  # true and false are none
        fields.append(f"cn1={event['seq']} cn1Label=seq")
    for at, (label, names) in enumerate(CEF_CUSTOM, 1):
        if text(event, *names):
            fields.append(f"cs{at}={_cef_value(text(event, *names))} cs{at}Label={label}")
    return "|".join([*(_cef_header(part) for part in header), severity, " ".join(fields)])


def _cef_header(value: str) -> str:
    return _one_line(value).replace("\\", "\\\\").replace("|", "\\|")


def _cef_value(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("=", "\\=")
    return _one_line(escaped.replace("\r", "\\r").replace("\n", "\\n"))


def _one_line(value: str) -> str:
    """Write out what could end a line, move a terminal or deceive a reader."""
    return spoken(value)


# --- syslog --------------------------------------------------------------------------------

SYSLOG_FIELDS = (
    *("seq", "op", "path", "status", "agent", "session", "rule", "by", "reason", "revision"),
    *("tool_call_id", "context_id", "base_hash", "content_hash", "before_hash", "after_hash"),
    *("prev_hash", "event_hash"),
)


def _as_syslog(_line: bytes, event: Event, source: Sender) -> str:
    priority = FACILITY * 8 + outcome_of(event).syslog
    ts = text(event, "ts") if seconds_of(text(event, "ts")) >= 0 else "-"
    head = (_token(source.host, 255), "penstock", "-", _token(text(event, "op"), 32))
    values = ((name, event.get(name)) for name in SYSLOG_FIELDS)
    fields = "".join(
        f' {name}="{_quoted(str(value))}"'
        for name, value in values
        if isinstance(value, str | int) and value != ""
    )
    message = _one_line(message_of(event)) + fields
    mark = "" if message.isascii() else "\ufeff"  # RFC 5424 wants it before UTF-8
    return f"<{priority}>1 {ts} {' '.join(head)} {_registered(event, source)} {mark}{message}"


def _registered(event: Event, source: Sender) -> str:
    """Return the elements of structured data that RFC 5424 itself registers."""
    origin = f'[origin software="{PRODUCT}" swVersion="{_quoted(source.version[:32])}"]'
    seq = event.get("seq")
    known = isinstance(seq, int) and not isinstance(seq, bool) and 0 <= seq < MOST_SEQUENCE
    return f'{origin}[meta sequenceId="{seq + 1}"]' if known and isinstance(seq, int) else origin


def _token(value: str, most: int) -> str:
    """Return a header field: printable ASCII without spaces, a dash for nothing."""
    kept = "".join(char for char in value if "!" <= char <= "~")
    return kept[:most] or "-"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("]", "\\]")
    return _one_line(escaped)


_WRITERS: Mapping[Format, Callable[[bytes, Event, Sender], str]] = {
    Format.JSONL: _as_line,
    Format.OCSF: _as_ocsf,
    Format.CEF: _as_cef,
    Format.SYSLOG: _as_syslog,
}
