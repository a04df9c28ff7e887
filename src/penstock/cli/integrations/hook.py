"""`penstock hook`: what agents call, for testing by hand."""

from __future__ import annotations

import click

from penstock.cli.shape import OneOf, PlainCommand
from penstock.doors.hook.agents import NAMES


@click.command(cls=PlainCommand, examples=("penstock hook --agent claude < call.json",))
@click.option(
    "--agent",
    type=OneOf(NAMES),
    default="claude",
    metavar="NAME",
    help="Agent that sends the JSON (default: claude).",
)
@click.option("--closed", is_flag=True, help="Block calls that can't be judged.")
def command(agent: str, closed: bool) -> int:
    """Answer one hook call of an agent: its JSON on stdin, the answer on stdout.

    For testing. `penstock init` registers a faster way to start the same hook.
    """
    from penstock.doors.hook.main import main

    main([agent, *(["closed"] if closed else [])])
    return 0
