"""`penstock run`: a command in an isolated run."""

from __future__ import annotations

import click

from penstock.cli import OK, WAITING
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import tell, workspace_option


@click.command(
    cls=PlainCommand,
    context_settings={"allow_interspersed_args": False},
    examples=(
        "penstock run -- claude",
        "penstock run --apply ask -- make test",
        "penstock run --require overlay -- codex exec 'fix the test' < notes.txt",
    ),
)
@click.option(
    "--require",
    type=click.Choice(["overlay", "copy"]),
    help="Use this isolation and no weaker one (default: `mode` in the rules, else the strongest).",
)
@click.option(
    "--apply",
    "when",
    type=click.Choice(["turn", "exit", "ask"]),
    help="Write allowed changes while the command runs, when it ends, or ask about every change "
    "(default: `apply` in the rules, else turn).",
)
@click.option("--no-wait", is_flag=True, help="Exit with 3 when changes are pending.")
@workspace_option
@click.argument(
    "command_line", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED
)
def command(
    require: str | None,
    when: str | None,
    no_wait: bool,
    workspace: str | None,
    command_line: tuple[str, ...],
) -> int:
    """Run COMMAND isolated from your files; its changes are reviewed first.

    Whatever the command and the programs it starts write stays in a separate layer. After each
    tool call of an agent with hooks, after two seconds without changes, and when the command ends,
    the rules decide: allowed changes are written, others need your approval, denied ones stay in
    the layer. Network access is open unless the rules switch it off.

    The exit code is the command's own (128 and the number of a signal), 126 or 127 if it can't be
    started, 69 if it can't be isolated.
    """
    from penstock.app import open_workspace
    from penstock.app.isolated_runs import IsolatedRuns
    from penstock.doors.run.launch import run_command
    from penstock.gate.doors import Door

    here = open_workspace(workspace, door=Door.COMMAND)
    said = IsolatedRuns(here).settings
    when = "ask" if said.apply == "ask" else when or said.apply
    if require == "copy" and said.mode == "overlay":
        raise click.UsageError("the rules require overlay mode; see `mode` of [run]")
    done = run_command(
        here,
        command_line,
        say=tell,
        ask=when == "ask",
        turns=when in ("turn", "ask"),
        mode=require or "",
    )
    if no_wait and done.code == OK and done.result.pending:
        return WAITING
    return done.code
