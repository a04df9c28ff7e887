"""What `penstock status` knows: the document of `--json`, collected once.

Always true: every key is there; what can't be read is null, and `state_error` says why.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from penstock.core.errors import PenstockError, StoreError
from penstock.core.timestamps import stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.app import Workspace
    from penstock.app.approval_state import ApprovalState
    from penstock.core.policy.expiry import RuleEnd

Facts = dict[str, Any]
MOST_SLIPPED = 1000
MOST_DENIED = 1000
VERIFIED_AT_ONCE = 10_000  # entries of an audit log that take no noticeable time
PRESET = "preset:"  # how a shipped file is named among the files of a policy
DECIDED = frozenset({"tool_call", "proposed"})


def facts(here: Workspace, now: float) -> Facts:
    """Return all that is known of a project."""
    from penstock.app.approval_state import approval_state
    from penstock.app.bundle.status import bundle_status
    from penstock.app.rules.nested_rules import nested_files
    from penstock.app.whereabouts import whereabouts
    from penstock.core.policy.expiry import endings
    from penstock.doors.setup.agent_files import place_of
    from penstock.doors.setup.inspect import registered_hooks

    state = _state(here, now)  # first: where it can be used, good rules are kept in it
    hooks = registered_hooks(place_of(here.root))
    policy = here.policy()
    ends = list(endings((rule for layer in policy.layers for rule in layer.rules), now))
    nested, all_seen = nested_files(here.root)
    return {
        "workspace": here.root,
        "checkout": whereabouts(here.root)[1] or None,
        "policy": policy.revision,
        "policy_files": list(policy.files),
        "preset": preset_of(policy.files),
        "nested_rules": [*nested, *([] if all_seen else ["..."])] or None,
        "degraded": policy.degraded or None,
        "observe": True if policy.enforced is not None else None,
        **state,
        "state": here.state,
        "approver_key": here.keys.exists(),
        "images_most": policy.audit.keep_blobs_bytes,
        "kept_days": policy.audit.keep_days or None,
        "hooks": hooks,
        "agents_without_hook": _without_hook(here.root, hooks),
        "protected_since": _registered_at(here) if hooks else None,
        "approval": approval_document(approval_state(here)),
        "ending": [*map(_ending, ends)],
        "sinks": _sinks(here),
        "cosigned": _cosigned(here),
        "bundle": bundle_status(now),
    }


def _sinks(here: Workspace) -> list[dict[str, object]] | None:
    """Return how far each sink has the audit log; None where there are none."""
    if not any(here.policy().ship.values()):
        return None
    from penstock.app.ship import turns

    try:
        return [one.status().as_json() for one in turns(here)] or None
    except PenstockError as fault:
        return [{"sink": "", "log": "", "seq": -1, "lag": 0, "error": fault.message}]


def _cosigned(here: Workspace) -> dict[str, int] | None:
    """Return how many witnesses of others have cosigned the log; None where there are none."""
    try:
        found = here.record.quorum()
    except (PenstockError, OSError):
        return None  # what is wrong with the log is said where it is verified
    return found.as_json() if found else None


def preset_of(files: tuple[str, ...]) -> str | None:
    """Return the presets among the files of a policy; None where the rules start from none."""
    found = [name.removeprefix(PRESET) for name in files if name.startswith(PRESET)]
    return ", ".join(name.removesuffix(".toml") for name in found) or None


def _without_hook(root: str, hooks: list[dict[str, object]]) -> list[str]:
    """Return the agents that are on this machine or in this project, and ask no hook."""
    from penstock.doors.setup.agents_present import present

    known = {hook["agent"] for hook in hooks}
    found = present(root, os.path.expanduser("~"), environ=os.environ)
    return [name for name in found if name not in known]


def _registered_at(here: Workspace) -> float | None:
    """Return when `init` last wrote a registration here, or for all projects."""
    from penstock.doors.setup.install_record import NAME

    for folder in (here.state, os.path.dirname(here.state)):
        with suppress(OSError):
            return os.stat(os.path.join(folder, NAME)).st_mtime
    return None


def _state(here: Workspace, now: float) -> Facts:
    """Return what the state says, or why it can't be used."""
    from penstock.app.workspace import SLIPPED
    from penstock.core.proposals.model import State

    names = ("waiting", "oldest_pending_seconds", "slipped", "audit_head", "images_bytes")
    found: Facts = dict.fromkeys((*names, "denied_today", "last_denied", "audit"))
    try:
        here.gate.expire()
        slipped = {r.path for r in here.gate.undoable(last=MOST_SLIPPED) if r.note == SLIPPED}
        pending, at = here.gate.find(states=(State.WAITING,)), here.gate.now()
        found["waiting"] = len(pending)
        if pending:
            found["oldest_pending_seconds"] = int(max(at.since(one.created) for one in pending))
        found["slipped"] = sorted(slipped) or None
        found["audit_head"] = here.audit_head()
        found["images_bytes"] = here.gate.kept_bytes()
    except StoreError as fault:
        return {**found, "state_error": fault.as_json()["error"]}
    return {**found, **_denials(here, now), "audit": _audit(here), "state_error": None}


def _denials(here: Workspace, now: float) -> Facts:
    """Return how many calls were denied since midnight here, and the last of them."""
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import Query, parse_line

    midnight = datetime.fromtimestamp(now, UTC).astimezone().replace(hour=0, minute=0, second=0)
    query = Query(since=stamp(midnight.timestamp()), ops=DECIDED, outcome="deny", last=MOST_DENIED)
    events: dict[str, Mapping[str, object]] = {}
    with suppress(PenstockError, OSError):
        for at, line in enumerate(lines_of(here.record.path, query)):
            event = parse_line(line) or {}
            events[str(event.get("tool_call_id") or at)] = event
    last = next(reversed(events.values()), None)
    return {
        "denied_today": len(events),
        "last_denied": {key: last.get(key) for key in ("ts", "tool", "command", "path", "agent")}
        if last
        else None,
    }


def _audit(here: Workspace) -> Facts | None:
    """Return how many entries the log has and whether they verify; a large one is only counted."""
    try:
        head = here.record.head()
        entries = head.seq + 1 if head else 0
        if entries > VERIFIED_AT_ONCE:
            return {"entries": entries, "ok": None}
        report = here.verify()
    except (PenstockError, OSError):
        return {"entries": 0, "ok": False}
    return {"entries": report.count, "ok": report.ok}


def _ending(end: RuleEnd) -> Facts:
    return {
        "id": end.id,
        "except_of": end.of or None,
        "expires_at": stamp(end.expires_at),
        "expired": end.ended,
        "owner": end.owner or None,
        "where": str(end.where),
    }


def approval_document(approval: ApprovalState) -> Facts:
    """Return the proof that approvals have now, as data."""
    return {
        "proof": approval.proof,
        "weak": approval.weak,
        "key_id": approval.key_id or None,
        "since": approval.since or None,
        "says": approval.says,
        "try": approval.hint or None,
        "exchanged": [to_builtins(one) for one in approval.exchanged],
    }
