"""`penstock status`: the workspace at a glance."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, printable, workspace_option

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.app.approval_state import ApprovalState

MOST_SLIPPED = 1000


@click.command()
@workspace_option
@json_option
def command(workspace: str | None, as_json: bool) -> int:
    """Tell the workspace, the policy in force, what waits, the head of the record."""
    from penstock.app.approval_state import approval_state
    from penstock.app.workspace import SLIPPED, open_workspace
    from penstock.core.proposals.model import State

    here = open_workspace(workspace)
    here.gate.expire()
    policy = here.gate.policy()
    waiting = here.gate.find(states=(State.WAITING,))
    slipped = {r.path for r in here.gate.undoable(last=MOST_SLIPPED) if r.note == SLIPPED}
    facts: dict[str, object] = {
        "workspace": here.root,
        "policy": policy.revision,
        "policy_files": list(policy.files),
        "degraded": policy.degraded or None,
        "waiting": len(waiting),
        "slipped": sorted(slipped) or None,
        "audit_head": here.audit_head(),
        "state": here.state,
        "approver_key": here.keys.exists(),
        "images_bytes": here.gate.kept_bytes(),
        "images_most": policy.audit.keep_blobs_bytes,
        "kept_days": policy.audit.keep_days or None,
    }
    approval = approval_state(here)
    if as_json:
        print_json({**facts, "approval": document(approval)})
        return OK
    out = console()
    for name, value in facts.items():
        if value is not None:
            out.print(printable(f"{name:14} {value}"), markup=False)
    _show(out, approval)
    return OK


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
