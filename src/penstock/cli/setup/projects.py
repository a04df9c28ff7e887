"""`penstock projects`: what Penstock stores for each project, and how to delete it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import console, json_option, print_json, tell
from penstock.cli.terminal.words import day
from penstock.core.text.display import in_line
from penstock.core.text.quantities import counted, size

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.app.projects import ProjectState


@click.command(
    cls=PlainCommand, examples=("penstock projects", "penstock projects --forget ~/old-project")
)
@click.option("--forget", metavar="DIR", help="Delete the stored data of the project in DIR.")
@click.option("--yes", is_flag=True, help="With --forget: don't ask for confirmation.")
@json_option
def command(forget: str | None, yes: bool, as_json: bool) -> int:
    """List the projects that Penstock stores data for.

    The data of a project is its audit log, its pending changes and what `penstock undo` needs.
    It is stored outside the project, in ~/.local/state/penstock.
    """
    from penstock.app.projects import projects

    if forget is not None:
        return _forget(forget, yes=yes, as_json=as_json)
    found = projects()
    if as_json:
        print_json({"projects": [document(one) for one in found]})
        return OK
    out = console()
    for one in found:
        gone = "" if one.there else "  (deleted)" if one.root else "  (unknown project)"
        line = f"{size(one.size):>10}  since {day(one.since)}  {one.root or one.state}{gone}"
        out.print(in_line(line), markup=False)
    if not found:
        out.print("no data is stored for any project", markup=False)
    return OK


def document(one: ProjectState) -> dict[str, object]:
    """Return one state as data."""
    return {
        "project": one.root or None,
        "exists": one.there,
        "state": one.state,
        "bytes": one.size,
        "since": _instant(one.since),
        "last_used": _instant(one.used),
    }


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _forget(folder: str, *, yes: bool, as_json: bool) -> int:
    """Delete the data of a project that may be deleted itself."""
    import os

    from penstock.app.projects import projects
    from penstock.app.workspace import Workspace
    from penstock.cli.terminal.proof import refuse_inside_agent
    from penstock.core.errors import InputError

    wanted = os.path.realpath(folder)
    known = next((one for one in projects() if wanted in (one.root, one.state)), None)
    if known is None:
        raise InputError(
            "no-state",
            f"no data is stored for `{folder}`",
            hint="list the projects with `penstock projects`",
        )
    here = Workspace(known.root or known.state, known.state)
    refuse_inside_agent(here)
    purged = purge(here, yes=yes)
    if as_json:
        print_json({"forgotten": purged})
    return OK


def purge(here: Workspace, *, yes: bool) -> dict[str, object]:
    """Say what would be deleted, ask, and delete it; return what was deleted.

    Pending changes and the audit log are never deleted unasked.
    """
    from penstock.app.projects import contents, forget, state_of_project
    from penstock.cli.terminal.ask import agreed

    state = state_of_project(here)
    if state is None:
        return {}
    held = contents(here)
    if held.unknown:
        tell(f"the stored data can't be read: {held.unknown}")
    else:
        tell(f"this deletes the audit log: {counted(held.entries, 'entry', 'entries')}")
        tell("  to keep a copy: `penstock audit export > audit-export.jsonl`")
        tell(f"this deletes the undo data: {size(held.kept_bytes)}")
        tell(f"this deletes {counted(held.pending, 'pending change')}")
    agreed_to = agreed(f"delete {size(state.size)} in {in_line(state.state)}?", yes=yes)
    if not agreed_to:
        raise click.Abort
    forget(here)
    tell(in_line(f"deleted {state.state}"))
    return {**document(state), "audit_entries": held.entries, "pending": held.pending}
