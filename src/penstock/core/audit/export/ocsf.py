"""Write an event as OCSF 1.8: File System Activity (1001).

With the profile `security_control` (what was allowed or denied). The original line goes along as
`raw_data`, so that whoever has the events can verify the chain; OCSF 1.8 has no place for a chain's
hashes, and they are `unmapped`.
Always true: every attribute that the class requires is there, whatever the event lacks, and none
that the published schema does not know.
"""

from __future__ import annotations

from penstock.core.audit.export.outcomes import (
    PRODUCT,
    Event,
    Sender,
    activity_of,
    message_of,
    moment,
    outcome_of,
    text,
)
from penstock.core.digest import digest

OCSF_VERSION = "1.8.0"
SUCCESS = 1
CLASS, CLASS_NAME = 1001, "File System Activity"
MAPPED = frozenset({"ts", "seq", "op", "path", "status", "agent"})


def ocsf(event: Event, line: bytes, source: Sender) -> dict[str, object]:
    """Return one event as OCSF."""
    activity, outcome = activity_of(event), outcome_of(event)
    raw = line.decode("utf-8", "replace").rstrip("\n")
    found: dict[str, object] = {
        "category_uid": 1,
        "category_name": "System Activity",
        "class_uid": CLASS,
        "class_name": CLASS_NAME,
        **_pair("activity_id", "activity_name", activity),
        "type_uid": CLASS * 100 + activity[0],
        "type_name": f"{CLASS_NAME}: {activity[1]}",
        "time": moment(event) * 1000,
        **_pair("severity_id", "severity", outcome.severity),
        **_pair("status_id", "status", outcome.status),
        "status_detail": text(event, "status"),
        **_pair("action_id", "action", outcome.action),
        **_pair("disposition_id", "disposition", outcome.disposition),
        "message": message_of(event),
        "metadata": _metadata(event, source),
        "actor": _actor(event),
        "device": {"type_id": 0, "type": "Unknown", "hostname": source.host or "unknown"},
        "file": _file(event, ("before_hash", "base_hash")),
        "raw_data": raw,
        "raw_data_hash": _fingerprint(digest(raw.encode())),
        "unmapped": {name: value for name, value in event.items() if name not in MAPPED},
    }
    if outcome.status[0] == SUCCESS and text(event, "after_hash", "content_hash"):
        found["file_result"] = _file(event, ("after_hash", "content_hash"))
    if text(event, "revision"):
        found["policy"] = {"uid": text(event, "revision"), "name": "penstock.toml"}
    return found


def _pair(number: str, caption: str, value: tuple[int, str]) -> dict[str, object]:
    return {number: value[0], caption: value[1]}


def _metadata(event: Event, source: Sender) -> dict[str, object]:
    product = {"name": PRODUCT, "vendor_name": PRODUCT, "version": source.version}
    found: dict[str, object] = {
        "version": OCSF_VERSION,
        "product": product,
        "profiles": ["security_control"],
        "uid": text(event, "event_hash"),
        "event_code": text(event, "op"),
        "original_time": text(event, "ts"),
        "log_provider": "penstock",
    }
    if type(event.get("seq")) is int:  # true and false are none
        found["sequence"] = event["seq"]
    if text(event, "context_id"):
        found["correlation_uid"] = text(event, "context_id")
    return {**found, "log_name": source.log} if source.log else found


def _actor(event: Event) -> dict[str, object]:
    """Return who acted: the agent as the application, the person who answered as the user."""
    found: dict[str, object] = {"app_name": text(event, "agent") or "penstock"}
    if text(event, "by"):
        found["user"] = {"name": text(event, "by")}
    session = text(event, "session", "context_id")
    return {**found, "session": {"uid": session}} if session else found


def _file(event: Event, hashes: tuple[str, ...]) -> dict[str, object]:
    path = text(event, "path")
    found: dict[str, object] = {"name": path.rpartition("/")[2] or "unknown", "path": path}
    found |= {"type_id": 1, "type": "Regular File"}
    known = text(event, *hashes)
    return {**found, "hashes": [_fingerprint(known)]} if known.startswith("sha256:") else found


def _fingerprint(known: str) -> dict[str, object]:
    return {
        **_pair("algorithm_id", "algorithm", (3, "SHA-256")),
        "value": known.removeprefix("sha256:"),
    }
