"""`penstock runs`: isolated runs, and what they left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK, WAITING
from penstock.cli.shape import CommandGroup
from penstock.cli.terminal.output import echo, json_option, print_json, tell, workspace_option

if TYPE_CHECKING:
    from penstock.app import Workspace

LONGEST_COMMAND = 60


class RunsGroup(CommandGroup):
    """A group that lists the runs when it is called alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; none at all means the list."""
        return click.Group.parse_args(self, ctx, args)


@click.group(cls=RunsGroup, invoke_without_command=True)
@workspace_option
@json_option
@click.pass_context
def command(context: click.Context, workspace: str | None, as_json: bool) -> int:
    """List isolated runs; show, apply, enter or drop what they left."""
    return _list(workspace, as_json=as_json) if context.invoked_subcommand is None else OK


def _here(workspace: str | None) -> Workspace:
    from penstock.app import open_workspace
    from penstock.gate.doors import Door

    return open_workspace(workspace, door=Door.COMMAND)


@command.command(examples=("penstock runs ls --json",))
@workspace_option
@json_option
def ls(workspace: str | None, as_json: bool) -> int:
    """List the runs whose layers are kept."""
    return _list(workspace, as_json=as_json)


def _list(workspace: str | None, *, as_json: bool) -> int:
    import shlex
    import time

    from msgspec import to_builtins

    from penstock.core.text.display import visible
    from penstock.core.text.quantities import ago
    from penstock.doors.run.listing import listed

    found = listed(_here(workspace))
    if as_json:
        print_json({"runs": [{**to_builtins(one.record), "state": one.state} for one in found]})
        return OK
    for one in found:
        words = visible(shlex.join(one.record.command), keep_newlines=False)
        what = words if len(words) <= LONGEST_COMMAND else f"{words[: LONGEST_COMMAND - 3]}..."
        began = ago(time.time() - one.record.started)
        more = f": {one.record.counts}" if one.record.counts else ""
        echo(f"{one.record.id}  {one.state:8} {began:10} {what}{more}")
    if not found:
        tell("no runs are kept here")
    return OK


@command.command(examples=("penstock runs diff r-7f3a1c",))
@click.argument("run", default="")
@workspace_option
@json_option
def diff(run: str, workspace: str | None, as_json: bool) -> int:
    """Show what a run would change in the project (default: the latest run)."""
    from penstock.core.text.display import spoken, visible_diff
    from penstock.doors.run.listing import diffs, find

    here = _here(workspace)
    record = find(here, run)
    found = [(path, visible_diff(text)) for path, text in diffs(here, record.id)]
    if as_json:
        print_json({"run": record.id, "diffs": [{"path": p, "diff": text} for p, text in found]})
        return OK
    for path, text in found:
        echo(spoken(path))
        echo(text.rstrip("\n"))
    return OK


@command.command(examples=("penstock runs apply r-7f3a1c",))
@click.argument("run", default="")
@workspace_option
@json_option
def apply(run: str, workspace: str | None, as_json: bool) -> int:
    """Write what the rules allow of a run's changes, and propose the rest."""
    from msgspec import to_builtins

    from penstock.core.run.summary import cautions, counts
    from penstock.doors.run.listing import apply_run, find

    here = _here(workspace)
    record = find(here, run)
    result = apply_run(here, record)
    if as_json:
        print_json({"run": record.id, **to_builtins(result)})
    else:
        for line in (f"run {record.id}: {counts(result)}", *cautions(result)):
            tell(line)
    if result.failed:
        return COULD_NOT
    return WAITING if result.pending else OK


@command.command(
    context_settings={"allow_interspersed_args": False},
    examples=("penstock runs enter", "penstock runs enter r-7f3a1c git log"),
)
@click.argument("run", default="")
@click.argument("command_line", nargs=-1, type=click.UNPROCESSED)
@workspace_option
def enter(run: str, command_line: tuple[str, ...], workspace: str | None) -> int:
    """Open a shell, or run COMMAND, in the layer of a run (default: the latest).

    It sees the project as the run left it, commits included: push or export them from there.
    What it changes goes through the gate when it ends.
    """
    from penstock.doors.run.launch import run_command
    from penstock.doors.run.listing import find

    here = _here(workspace)
    words = command_line or (os.environ.get("SHELL") or "/bin/sh",)
    return run_command(here, words, say=tell, again=find(here, run).id).code


@command.command(examples=("penstock runs merge r-7f3a1c",))
@click.argument("run", default="")
@click.option("--yes", is_flag=True, help="Do not ask.")
@workspace_option
def merge(run: str, yes: bool, workspace: str | None) -> int:
    """Fast-forward your branch to the commits of a run (default: the latest).

    Every file of these commits must be in your work tree already: approve what is pending first.
    Only the branch and the index change, and those of submodules. Tags and stashes of the run
    stay where they are, below `refs/penstock/run/`.
    """
    from penstock.cli.terminal.ask import agreed
    from penstock.cli.terminal.proof import may_answer, person
    from penstock.core.text.quantities import counted
    from penstock.doors.run.commits import merge_run
    from penstock.doors.run.listing import find

    here = _here(workspace)
    may_answer(here, yes=yes, terminal=False)
    record = find(here, run)
    if not agreed(f"fast-forward your branch to the commits of {record.id}?", yes=yes):
        tell("nothing was changed")
        return COULD_NOT
    for one in merge_run(here, record.id, person(here, terminal=False)):
        before = one.old[:7] or "no commit"
        tell(f"{one.branch}: {before} -> {one.new[:7]} ({counted(one.files, 'file')})")
    return OK


@command.command(examples=("penstock runs drop r-7f3a1c",))
@click.argument("run")
@click.option("--yes", is_flag=True, help="Do not ask.")
@workspace_option
def drop(run: str, yes: bool, workspace: str | None) -> int:
    """Remove a run with everything that was not applied."""
    from penstock.cli.terminal.ask import agreed
    from penstock.doors.run.listing import drop as drop_run
    from penstock.doors.run.listing import find

    here = _here(workspace)
    record = find(here, run)
    if not agreed(f"remove run {record.id} ({record.counts or 'not synced'})?", yes=yes):
        tell("nothing was removed")
        return COULD_NOT
    drop_run(here, record.id)
    tell(f"removed {record.id}")
    return OK


@command.command(examples=("penstock runs clean",))
@workspace_option
@json_option
def clean(workspace: str | None, as_json: bool) -> int:
    """Remove the runs that left nothing but scratch files."""
    from penstock.doors.run.listing import clean as clean_runs

    gone = clean_runs(_here(workspace))
    if as_json:
        print_json({"removed": gone})
        return OK
    for one in gone:
        echo(one)
    if not gone:
        tell("nothing was removed")
    return OK
