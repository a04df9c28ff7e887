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
    from penstock.cli.queue import document, named_by_person, tell_written
    from penstock.gate.lookup import still_open

    here, group = named_by_person(workspace, id_)
    first = still_open(group)[0]
    receipts = here.gate.apply(first.set_id or first.id)
    if as_json:
        print_json({"receipts": [document(receipt) for receipt in receipts]})
    tell_written("applied", receipts)
    return OK
