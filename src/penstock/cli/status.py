"""`penstock status`: the workspace at a glance."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.output import console, json_option, print_json, printable, workspace_option
from penstock.core.errors import StoreError
from penstock.core.text.display import in_line
from penstock.core.timestamps import stamp

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.app import Workspace
    from penstock.app.approval_state import ApprovalState
    from penstock.core.policy.expiry import RuleEnd

MOST_SLIPPED = 1000


@click.command()
@workspace_option
@json_option
def command(workspace: str | None, as_json: bool) -> int:
    """Tell the workspace, the policy in force, what waits, the head of the record."""
    from penstock.app.approval_state import approval_state
    from penstock.app.nested_rules import nested_files
    from penstock.app.whereabouts import whereabouts
    from penstock.app.workspace import open_workspace
    from penstock.core.policy.expiry import endings
    from penstock.doors.setup.agent_files import place_of
    from penstock.doors.setup.inspect import registered_hooks

    here = open_workspace(workspace)
    state = _state(here)  # first: where it can be used, good rules are kept in it
    hooks = registered_hooks(place_of(here.root))
    policy = here.policy()
    ends = list(endings((rule for layer in policy.layers for rule in layer.rules), time.time()))
    nested, all_seen = nested_files(here.root)
    facts: dict[str, object] = {
        "workspace": here.root,
        "checkout": whereabouts(here.root)[1] or None,
        "policy": policy.revision,
        "policy_files": list(policy.files),
        "nested_rules": [*nested, *([] if all_seen else ["..."])] or None,
        "degraded": policy.degraded or None,
        "observe": True if policy.enforced is not None else None,
        **state,
        "state": here.state,
        "approver_key": here.keys.exists(),
        "images_most": policy.audit.keep_blobs_bytes,
        "kept_days": policy.audit.keep_days or None,
    }
    approval = approval_state(here)
    code = COULD_NOT if facts["state_error"] else OK
    if as_json:
        more = {"approval": document(approval), "ending": [*map(_ending, ends)]}
        print_json({**facts, "hooks": hooks, **more})
        return code
    out = console()
    if facts.pop("observe") is not None:
        from penstock.cli.observe import LOUD

        out.print(printable(LOUD.upper()[:12] + LOUD[12:]), markup=False, style="bold")
    for name, value in facts.items():
        if value is not None:
            out.print(in_line(f"{name:14} {_plain(value)}"), markup=False)
    for line in [_hook_line(hook) for hook in hooks] or ["none is registered; run: penstock init"]:
        out.print(in_line(f"{'hook':14} {line}"), markup=False)
    _show(out, approval)
    for end in ends:
        says = "expired, no longer counts" if end.ended else f"until {stamp(end.expires_at)}"
        out.print(printable(f"{'rule ends':14} {end.name}: {says}"), markup=False)
    return code


def _state(here: Workspace) -> dict[str, object]:
    """Return what the state says, or why it cannot be used."""
    from penstock.app.workspace import SLIPPED
    from penstock.core.proposals.model import State

    facts: dict[str, object] = dict.fromkeys(("waiting", "slipped", "audit_head", "images_bytes"))
    try:
        here.gate.expire()
        slipped = {r.path for r in here.gate.undoable(last=MOST_SLIPPED) if r.note == SLIPPED}
        facts["waiting"] = len(here.gate.find(states=(State.WAITING,)))
        facts["slipped"] = sorted(slipped) or None
        facts["audit_head"] = here.audit_head()
        facts["images_bytes"] = here.gate.kept_bytes()
    except StoreError as fault:
        return {**facts, "state_error": fault.as_json()["error"]}
    return {**facts, "state_error": None}


def _plain(value: object) -> object:
    """Return a value as a person reads it; an error is its sentences."""
    if not isinstance(value, dict):
        return value
    return f"{value['message']} ({value['because']}) [{value['code']}]; try: {value['try']}"


def _ending(end: RuleEnd) -> dict[str, object]:
    return {
        "id": end.id,
        "except_of": end.of or None,
        "expires_at": stamp(end.expires_at),
        "expired": end.ended,
        "owner": end.owner or None,
        "where": str(end.where),
    }


def _hook_line(hook: dict[str, object]) -> str:
    state = "ok" if hook["ok"] else "broken, see: penstock doctor"
    return f"{hook['agent']} in {hook['file']} ({hook['scope']}, {state})"


def document(approval: ApprovalState) -> dict[str, object]:
    """Return the proof that approvals have now, as data."""
    return {
        "proof": approval.proof,
        "weak": approval.weak,
        "key_id": approval.key_id or None,
        "since": approval.since or None,
        "says": approval.says,
        "try": approval.hint or None,
        "exchanged": [asdict(one) for one in approval.exchanged],
    }


def _show(out: Console, approval: ApprovalState) -> None:
    more = f"; try: {approval.hint}" if approval.hint else ""
    out.print(printable(f"{'approval':14} {approval.says}{more}"), markup=False)
    for one in approval.exchanged:
        out.print(printable(f"{'exchanged':14} {one.what}"), markup=False)
    if approval.exchanged:
        out.print(f"{'':14} if this was not you, see: penstock audit verify", markup=False)
