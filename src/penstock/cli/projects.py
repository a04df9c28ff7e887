"""`penstock projects`: the state that Penstock keeps for each project, and taking one away."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, tell
from penstock.core.text.display import in_line

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.app.projects import ProjectState

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


@click.command()
@click.option("--forget", metavar="DIR", help="Remove the state of the project in DIR.")
@click.option("--yes", is_flag=True, help="Remove it without asking.")
@json_option
def command(forget: str | None, yes: bool, as_json: bool) -> int:
    """List the projects that have state: its size, since when, and whether they still exist.

    The state of a project holds its audit log, its pending changes and what
    `penstock undo` needs. It lies outside of the project.
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
        gone = "" if one.there else "  (gone)" if one.root else "  (unknown project)"
        line = f"{size(one.size):>10}  since {day(one.since)}  {one.root or one.state}{gone}"
        out.print(in_line(line), markup=False)
    if not found:
        out.print("no project has state here", markup=False)
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


def day(seconds: float) -> str:
    """Return the local day of a time."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d")


def size(count: int) -> str:
    """Return a number of bytes in the unit that people would use."""
    amount, unit = float(count), UNITS[0]
    for unit in UNITS:
        if amount < 1024 or unit == UNITS[-1]:
            break
        amount /= 1024
    return f"{amount:.0f} {unit}" if unit == UNITS[0] else f"{amount:.1f} {unit}"


def _forget(folder: str, *, yes: bool, as_json: bool) -> int:
    """Remove the state of a project that may be gone itself."""
    import os

    from penstock.app.projects import projects
    from penstock.app.workspace import Workspace
    from penstock.cli.proof import refuse_inside_agent
    from penstock.core.errors import InputError

    wanted = os.path.realpath(folder)
    known = next((one for one in projects() if wanted in (one.root, one.state)), None)
    if known is None:
        raise InputError(
            "no-state", f"there is no state for `{folder}`", hint="see: penstock projects"
        )
    here = Workspace(known.root or known.state, known.state)
    refuse_inside_agent(here)
    purged = purge(here, yes=yes)
    if as_json:
        print_json({"forgotten": purged})
    return OK


def purge(here: Workspace, *, yes: bool) -> dict[str, object]:
    """Say what goes with a state, have it agreed to, and remove it; return what went.

    Pending changes and the audit log never go without a word: who does not say yes keeps them.
    """
    from penstock.app.projects import contents, forget, state_of_project
    from penstock.cli.ask import agreed

    state = state_of_project(here)
    if state is None:
        return {}
    held = contents(here)
    if held.unknown:
        tell(f"what is in the state cannot be counted: {held.unknown}")
    else:
        tell(f"the audit log goes: {held.entries} entries")
        tell("  keep a copy first: penstock audit export > audit-export.jsonl")
        tell(f"what `penstock undo` needs goes: {size(held.kept_bytes)}")
        tell(f"pending changes go: {held.pending}")
    agreed_to = agreed(f"remove {size(state.size)} in {in_line(state.state)}?", yes=yes)
    if not agreed_to:
        raise click.Abort
    forget(here)
    tell(in_line(f"removed {state.state}"))
    return {**document(state), "audit_entries": held.entries, "pending": held.pending}
