"""`penstock apply`: write what was approved before."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, workspace_option


@click.command()
@click.argument("id_")
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Write an approved proposal or set."""
    from penstock.app import open_workspace
    from penstock.cli.proof import refuse_inside_agent
    from penstock.cli.queue import document, named

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    found = named(here.gate, id_)
    receipts = here.gate.apply(id_ if len(found) > 1 else found[0].id)
    if as_json:
        print_json({"receipts": [document(receipt) for receipt in receipts]})
    for receipt in receipts:
        console(stderr=True).print(f"applied {receipt.path}: receipt {receipt.id}", markup=False)
    return OK
