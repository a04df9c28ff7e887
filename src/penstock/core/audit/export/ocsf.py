"""Write an event as OCSF 1.9: File System Activity (1001).

With the profiles `ai_operation` (which agent acted), `record_integrity` (the chain's hashes as an
attestation) and `security_control` (what was allowed or denied). The original line goes along as
`raw_data`: the hashes are over exactly those bytes, which OCSF calls a flat serialization.
Always true: every attribute that the class requires is there, whatever the event lacks.
"""

from __future__ import annotations

from penstock.core.audit.chain import GENESIS
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

OCSF_VERSION = "1.9.0"
CLASS, CLASS_NAME = 1001, "File System Activity"
MAPPED = frozenset({"ts", "seq", "op", "path", "status", "agent", "prev_hash", "event_hash"})


def ocsf(event: Event, line: bytes, source: Sender) -> dict[str, object]:
    """Return one event as OCSF."""
    activity, outcome, agent = activity_of(event), outcome_of(event), text(event, "agent")
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
        "actor": _actor(event, agent),
        "device": {"type_id": 0, "type": "Unknown", "hostname": source.host or "unknown"},
        "file": _file(event, ("before_hash", "base_hash")),
        "attestation_list": [_attestation(event, source)],
        "raw_data": line.decode("utf-8", "replace").rstrip("\n"),
        "unmapped": {name: value for name, value in event.items() if name not in MAPPED},
    }
    if text(event, "after_hash", "content_hash"):
        found["file_result"] = _file(event, ("after_hash", "content_hash"))
    if agent:
        found["ai_agent"] = _ai_agent(event, agent)
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
        "profiles": ["ai_operation", "record_integrity", "security_control"],
        "uid": text(event, "event_hash"),
        "event_code": text(event, "op"),
        "original_time": text(event, "ts"),
        "log_provider": "penstock",
    }
    if isinstance(event.get("seq"), int):
        found["sequence"] = event["seq"]
    if text(event, "context_id"):
        found["correlation_uid"] = text(event, "context_id")
    return {**found, "log_name": source.log} if source.log else found


def _actor(event: Event, agent: str) -> dict[str, object]:
    found: dict[str, object] = {"application": {"name": agent or "penstock"}}
    if text(event, "by"):
        found["user"] = {"name": text(event, "by")}
    if text(event, "session"):
        found["session"] = {"uid": text(event, "session")}
    return found


def _ai_agent(event: Event, agent: str) -> dict[str, object]:
    found: dict[str, object] = {"uid": agent, "name": agent, "type_id": 0, "type": "Unknown"}
    instance = text(event, "session", "context_id")
    return {**found, "instance_uid": instance} if instance else found


def _file(event: Event, hashes: tuple[str, ...]) -> dict[str, object]:
    path = text(event, "path")
    found: dict[str, object] = {"name": path.rpartition("/")[2] or "unknown", "path": path}
    found |= {"type_id": 1, "type": "Regular File"}
    digest = text(event, *hashes)
    return {**found, "hashes": [_fingerprint(digest)]} if digest.startswith("sha256:") else found


def _fingerprint(digest: str) -> dict[str, object]:
    return {
        **_pair("algorithm_id", "algorithm", (3, "SHA-256")),
        **_pair("encoding_id", "encoding", (1, "Hex")),
        **_pair("serialization_id", "serialization", (1, "Flat")),
        "value": digest.removeprefix("sha256:"),
    }


def _attestation(event: Event, source: Sender) -> dict[str, object]:
    """Carry the chain: the hash of the raw line, and the one before it except at the start."""
    own, prev = text(event, "event_hash"), text(event, "prev_hash")
    found: dict[str, object] = {"uid": own, "chain_uid": source.log or "penstock"}
    found["fingerprint"] = _fingerprint(own)
    if prev and prev != GENESIS:
        found["prev_event"] = {"uid": prev, "fingerprint": _fingerprint(prev)}
    return found
