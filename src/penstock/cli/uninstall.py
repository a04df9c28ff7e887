"""`penstock uninstall`: take back exactly what `penstock init` did."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.init import DONE, WOULD, show_changes
from penstock.cli.output import console, json_option, print_json, printable, workspace_option


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Nothing is asked anyway; for scripts.")
@workspace_option
@json_option
def command(
    dry_run: bool,
    yes: bool,  # noqa: ARG001 - taken so that scripts need not know which commands ask
    workspace: str | None,
    as_json: bool,
) -> int:
    """Take the hooks out of the agents' settings, and what else `init` wrote.

    A file that nobody changed since gets its old bytes back. In one that was
    changed, only our own entries go. Proposals and the record stay.
    """
    from penstock.app import open_workspace
    from penstock.cli.proof import refuse_inside_agent
    from penstock.doors.setup.install import carry_back, described, plan_back

    here = open_workspace(workspace)
    if not dry_run:
        refuse_inside_agent(here)
    steps = [step for step in plan_back(here) if step.changes or step.why]
    gone = [] if dry_run else carry_back(here, steps)
    changes = described(steps, WOULD if dry_run else DONE)
    if as_json:
        print_json({"workspace": here.root, "dry_run": dry_run, "changes": changes, "gone": gone})
        return OK
    out = console()
    show_changes(out, changes, diffs=dry_run)
    for path in gone:
        out.print(printable(f"{'removed':13} {path}/"), markup=False)
    if not changes:
        out.print("nothing of Penstock is registered here", markup=False)
    return OK
