"""`penstock uninstall`: remove exactly what `penstock init` added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.setup.init import DONE, WOULD, show_changes
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import (
    console,
    json_option,
    print_json,
    printable,
    workspace_option,
)

if TYPE_CHECKING:
    from penstock.app import Workspace


@click.command(
    cls=PlainCommand, examples=("penstock uninstall --dry-run", "penstock uninstall --purge")
)
@click.option(
    "--global", "everywhere", is_flag=True, help="Also remove the hooks for all your projects."
)
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@click.option(
    "--purge", "purges", is_flag=True, help="Also delete pending changes and the audit log."
)
@click.option("--yes", is_flag=True, help="With --purge: don't ask for confirmation.")
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
    """Remove the hooks from the agents' settings, and what else `init` created.

    A settings file that nobody changed since is restored byte for byte; otherwise only Penstock's
    entries are removed. Pending changes and the audit log are kept, unless you use --purge.
    """
    from penstock.app import open_workspace
    from penstock.cli.setup.projects import purge
    from penstock.cli.terminal.ask import need_answer
    from penstock.cli.terminal.proof import refuse_inside_agent
    from penstock.doors.setup.install import carry_back, described, plan_back

    here = open_workspace(workspace)
    if not dry_run:
        refuse_inside_agent(here)
    if purges and not dry_run:
        need_answer(yes=yes)  # before anything is removed
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
        out.print("nothing to remove: no hook is registered in this project", markup=False)
    for path in left:
        more = "remove it with `penstock uninstall --global`"
        out.print(printable(f"{'kept':13} {path}: for all your projects; {more}"), markup=False)
    return OK


def _for_all_projects(here: Workspace) -> list[str]:
    """Return the files in the home that hold a registration."""
    from penstock.doors.setup.agent_files import place_of
    from penstock.doors.setup.registrations import find_everywhere
    from penstock.doors.setup.scopes import GLOBAL

    found = find_everywhere(place_of(here.root))
    return list(dict.fromkeys(one.file for one in found if one.scope == GLOBAL))
