"""`penstock broker`: the file broker on stdin and stdout, one JSON object a line."""

from __future__ import annotations

import os
import sys

import click

from penstock.cli import OK
from penstock.cli.shape import OneOf, PlainCommand
from penstock.cli.terminal.output import workspace_option


@click.command(
    cls=PlainCommand,
    examples=("penstock broker", "penstock broker --role front-end --config broker.yaml"),
)
@click.option(
    "--role",
    type=OneOf(["agent", "front-end"]),
    default="agent",
    show_default=True,
    metavar="ROLE",
    help="agent or front-end: who sends the requests; only a front end may apply or reject.",
)
@click.option("--config", metavar="FILE", help="Settings (default: config.yaml in the project).")
@workspace_option
def command(role: str, config: str | None, workspace: str | None) -> int:
    """Run the file broker on stdin and stdout: one JSON object per line.

    Reads are answered; writes become pending changes until a front end applies them. After a
    crash, a restart first completes interrupted writes.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import front_end
    from penstock.doors.broker.service import Broker, serve

    proof = front_end(open_workspace(workspace)) if role == "front-end" else None
    broker = Broker(workspace, config, role=role, proof=proof)
    serve(broker, lambda size: os.read(0, size), _written)
    return OK


def _written(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
