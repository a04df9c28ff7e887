"""`penstock broker`: the file broker on stdin and stdout, one JSON object a line."""

from __future__ import annotations

import os
import sys

import click

from penstock.cli import OK
from penstock.cli.output import workspace_option


@click.command()
@click.option(
    "--role",
    type=click.Choice(["agent", "front-end"]),
    default="agent",
    help="Who is at the other end; only a person's front end may apply or reject.",
)
@click.option("--config", metavar="FILE", help="Settings (default: config.yaml in the workspace).")
@workspace_option
def command(role: str, config: str | None, workspace: str | None) -> int:
    """Take tool requests as JSON lines: reads are answered, writes are proposed.

    Nothing is written before a front end applies it. Started again after a crash, it first
    ends what was left in the middle.
    """
    from penstock.app import open_workspace
    from penstock.cli.proof import front_end
    from penstock.doors.broker.service import Broker, serve

    proof = front_end(open_workspace(workspace)) if role == "front-end" else None
    broker = Broker(workspace, config, role=role, proof=proof)
    serve(broker, lambda size: os.read(0, size), _written)
    return OK


def _written(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
