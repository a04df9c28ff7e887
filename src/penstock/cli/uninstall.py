"""`penstock uninstall`: take back exactly what `penstock init` did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.init import DONE, WOULD, show_changes
from penstock.cli.output import console, json_option, print_json, printable, workspace_option

if TYPE_CHECKING:
    from penstock.app import Workspace


@click.command()
@click.option("--global", "everywhere", is_flag=True, help="Also the hooks for all your projects.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--purge", "purges", is_flag=True, help="Also remove the state, with the audit log.")
@click.option("--yes", is_flag=True, help="Remove the state without asking.")
@workspace_option
@json_option
def command(
    everywhere: bool,
    purges: bool,
    dry_run: bool,
    yes: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Take the hooks out of the agents' settings, and what else `init` wrote.

    A file that nobody changed since gets its old bytes back. In one that was
    changed, only our own entries go. Pending changes and the audit log stay,
    unless you say `--purge`: then the project's whole state is removed, after
    it has said what is in it and you have agreed.
    """
    from penstock.app import open_workspace
    from penstock.cli.ask import need_answer
    from penstock.cli.projects import purge
    from penstock.cli.proof import refuse_inside_agent
    from penstock.doors.setup.install import carry_back, described, plan_back

    here = open_workspace(workspace)
    if not dry_run:
        refuse_inside_agent(here)
    if purges and not dry_run:
        need_answer(yes=yes)  # before anything is taken back
    steps = [step for step in plan_back(here, everywhere=everywhere) if step.changes or step.why]
    gone = [] if dry_run else carry_back(here, steps, everywhere=everywhere)
    changes = described(steps, WOULD if dry_run else DONE)
    purged = purge(here, yes=yes) if purges and not dry_run else {}
    if as_json:
        facts = {"workspace": here.root, "dry_run": dry_run, "changes": changes, "gone": gone}
        print_json({**facts, "purged": purged} if purges else facts)
        return OK
    left = [] if everywhere else _for_all_projects(here)
    out = console()
    show_changes(out, changes, diffs=dry_run)
    for path in gone:
        out.print(printable(f"{'removed':13} {path}/"), markup=False)
    if not changes:
        out.print("nothing of Penstock is registered here", markup=False)
    for path in left:
        more = "remove it with: penstock uninstall --global"
        out.print(
            printable(f"{'left':13} {path}: it is for all your projects; {more}"), markup=False
        )
    return OK


def _for_all_projects(here: Workspace) -> list[str]:
    """Return the files in the home that hold a registration."""
    from penstock.doors.setup.agent_files import place_of
    from penstock.doors.setup.registrations import find_everywhere
    from penstock.doors.setup.scopes import GLOBAL

    found = find_everywhere(place_of(here.root))
    return list(dict.fromkeys(one.file for one in found if one.scope == GLOBAL))
