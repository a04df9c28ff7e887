"""Say what an event means in the words of others: its outcome, activity and severity.

Tables that the export forms share. Always true: an event that is in no table still has an
outcome and an activity, called unknown and other.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from penstock.core.timestamps import seconds_of

PRODUCT = "Penstock"

Event = Mapping[str, object]


class Sender(Struct, frozen=True, kw_only=True):
    """Where the events come from."""

    version: str
    host: str = ""
    log: str = ""


class OutcomeWords(Struct, frozen=True, kw_only=True):
    """How each form speaks of one outcome: OCSF ids with their captions, and severities.

    `cef` goes from 0 to 10; `syslog` is the severity of RFC 5424, where less is worse.
    """

    status: tuple[int, str] = (99, "Other")
    action: tuple[int, str] = (0, "Unknown")
    disposition: tuple[int, str] = (0, "Unknown")
    severity: tuple[int, str] = (1, "Informational")
    cef: int = 3
    syslog: int = 6


_DONE = OutcomeWords(status=(1, "Success"), action=(1, "Allowed"), disposition=(1, "Allowed"))
_NOT_DONE = (2, "Failure")
_DENIED = OutcomeWords(
    status=_NOT_DONE,
    action=(2, "Denied"),
    disposition=(2, "Blocked"),
    severity=(3, "Medium"),
    cef=6,
    syslog=4,
)
_REJECTED = OutcomeWords(
    status=_NOT_DONE,
    action=(2, "Denied"),
    disposition=(25, "Rejected"),
    severity=(2, "Low"),
    cef=5,
    syslog=5,
)
_ERROR = OutcomeWords(
    status=_NOT_DONE, disposition=(27, "Error"), severity=(4, "High"), cef=8, syslog=3
)
_APPROVED = OutcomeWords(status=(1, "Success"), action=(1, "Allowed"), disposition=(8, "Approved"))
_WAITING = OutcomeWords(action=(99, "Waiting"), disposition=(14, "Delayed"))
_RECOVERED = OutcomeWords(severity=(4, "High"), disposition=(19, "Alert"), cef=8, syslog=3)
# Four ways not to be done stay four: denied, rejected, expired and error each keep their word in
# `status_detail` where the form has no id of its own.
OUTCOMES: Mapping[str, OutcomeWords] = {
    **dict.fromkeys(("allow", "allowed", "applied", "done", "undone", "observed"), _DONE),
    **dict.fromkeys(("deny", "denied"), _DENIED),
    **dict.fromkeys(("approve", "approved"), _APPROVED),
    **dict.fromkeys(("reject", "rejected"), _REJECTED),
    **dict.fromkeys(("ask", "hitl_required", "waiting", "proposed"), _WAITING),
    **dict.fromkeys(("error", "failed"), _ERROR),
    **dict.fromkeys(("restarted", "recovered"), _RECOVERED),
    "expired": OutcomeWords(status=_NOT_DONE, action=(2, "Denied"), disposition=(99, "Expired")),
    "stale": OutcomeWords(status=_NOT_DONE, action=(2, "Denied"), disposition=(99, "Stale")),
}
UNKNOWN = OutcomeWords()

ACTIVITIES: Mapping[str, tuple[int, str]] = {
    "create": (1, "Create"),
    "new": (1, "Create"),
    "read": (2, "Read"),
    "read_file": (2, "Read"),
    "write": (3, "Update"),
    "modify": (3, "Update"),
    "replace": (3, "Update"),
    "delete": (4, "Delete"),
}
WRITES = ("write_file", "propos", "appl", "approv", "reject", "undo")


def text(event: Event, *names: str) -> str:
    """Return the first of some fields that holds a text."""
    for name in names:
        value = event.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def outcome_of(event: Event) -> OutcomeWords:
    """Return how the forms speak of an event's outcome."""
    return OUTCOMES.get(text(event, "status", "verdict", "decision"), UNKNOWN)


def activity_of(event: Event) -> tuple[int, str]:
    """Return the activity id and its caption; an operation of ours without one is Other."""
    if event.get("created") is True:
        return ACTIVITIES["create"]
    for name in ("action", "kind", "op"):
        if text(event, name) in ACTIVITIES:
            return ACTIVITIES[text(event, name)]
    op = text(event, "op")
    return ACTIVITIES["write"] if op.startswith(WRITES) else (99, op or "Other")


def moment(event: Event) -> int:
    """Return an event's time in seconds since 1970; 0 where it has none."""
    return max(seconds_of(text(event, "ts")), 0)


def message_of(event: Event) -> str:
    """Return an event as one short line for people."""
    parts = (text(event, "op"), text(event, "path"), text(event, "status"))
    return " ".join(part for part in parts if part)
