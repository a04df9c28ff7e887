"""`penstock status`: the workspace at a glance."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, printable, workspace_option

MOST_SLIPPED = 1000


@click.command()
@workspace_option
@json_option
def command(workspace: str | None, as_json: bool) -> int:
    """Tell the workspace, the policy in force, what waits, the head of the record."""
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
    if as_json:
        print_json(facts)
        return OK
    out = console()
    for name, value in facts.items():
        if value is not None:
            out.print(printable(f"{name:14} {value}"), markup=False)
    return OK
