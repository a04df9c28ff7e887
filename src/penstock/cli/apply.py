"""`penstock apply`: write what was approved before."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.output import json_option, print_json, workspace_option


@click.command()
@click.argument("id_")
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Write an approved proposal, with its set if it is part of one."""
    from penstock.app import open_workspace
    from penstock.cli.proof import refuse_inside_agent
    from penstock.cli.queue import document, tell_written
    from penstock.gate.finding import named, still_open

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    here.gate.expire()
    first = still_open(named(here.gate, id_))[0]
    receipts = here.gate.apply(first.set_id or first.id)
    if as_json:
        print_json({"receipts": [document(receipt) for receipt in receipts]})
    tell_written("applied", receipts)
    return OK
