"""Entries as the body of an OTLP request: logs, in the JSON form of the protocol.

Each entry is one log record with all its fields as attributes, and its own hash as the id that a
receiver can know it by again.
Always true: the line itself is the record's body, so what was sent can be verified.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from penstock.core.audit.export.outcomes import PRODUCT, Event, Sender, moment, outcome_of, text
from penstock.core.audit.query import parse_line

# By the severity of RFC 5424: the number of OTLP and its name.
SEVERITIES = {3: (17, "ERROR"), 4: (13, "WARN"), 5: (10, "INFO2"), 6: (9, "INFO")}
MOST_WHOLE = 2**63


def otlp_body(lines: Iterable[bytes], source: Sender) -> bytes:
    """Return the request that brings some lines of the log."""
    about = {
        "service.name": PRODUCT.lower(),
        "service.version": source.version,
        "host.name": source.host,
        "log.file.path": source.log,
    }
    records = [_record(line) for line in lines]
    document = {
        "resourceLogs": [
            {
                "resource": {"attributes": _attributes(about)},
                "scopeLogs": [{"scope": {"name": PRODUCT.lower()}, "logRecords": records}],
            }
        ]
    }
    return json.dumps(document, separators=(",", ":")).encode()


def otlp_rejected(body: bytes) -> int:
    """Return how many records a collector did not take although its status says that it did.

    A `partialSuccess` with the number 0 is a warning. Whatever else is no refusal.
    """
    try:
        said = json.loads(body)["partialSuccess"]["rejectedLogRecords"]
        return max(int(said), 0)
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return 0


def _record(line: bytes) -> dict[str, object]:
    event = parse_line(line) or {}
    number, name = SEVERITIES.get(outcome_of(event).syslog, (9, "INFO"))
    return {
        "timeUnixNano": str(max(moment(event), 0) * 10**9),
        "severityNumber": number,
        "severityText": name,
        "eventName": f"penstock.{text(event, 'op') or 'unreadable_line'}",
        "body": {"stringValue": line.decode("utf-8", "replace")},
        "attributes": _attributes(event),
    }


def _attributes(event: Event) -> list[dict[str, object]]:
    return [{"key": name, "value": _value(value)} for name, value in event.items() if value != ""]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and -MOST_WHOLE <= value < MOST_WHOLE:
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    whole = value if isinstance(value, str) else json.dumps(value)
    return {"stringValue": whole.encode("utf-8", "replace").decode()}  # no half of a pair
