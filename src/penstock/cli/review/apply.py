"""`penstock apply`: write a change that was approved earlier."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, print_json, workspace_option


@click.command(cls=PlainCommand, examples=("penstock apply 3f2a1c9e",))
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Write a change that was approved with `approve --no-apply`.

    A change that belongs to a change set is written together with the rest of the set.
    """
    from penstock.cli.review.queue import document, named_by_person, tell_written
    from penstock.gate.lookup import still_open

    here, group = named_by_person(workspace, id_)
    first = still_open(group)[0]
    receipts = here.gate.apply(first.set_id or first.id)
    if as_json:
        print_json({"receipts": [document(receipt) for receipt in receipts]})
    tell_written("applied", receipts)
    return OK
