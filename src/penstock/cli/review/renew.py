"""`penstock renew`: reset the expiry timer of a pending change."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, print_json, tell, workspace_option


@click.command(cls=PlainCommand, examples=("penstock renew 3f2a1c9e",))
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Reset the expiry timer of a pending change or change set."""
    from penstock.cli.review.queue import document, named_by_person
    from penstock.core.text.quantities import duration
    from penstock.gate.lookup import waiting

    here, group = named_by_person(workspace, id_)
    renewed = [here.gate.renew(one.id) for one in waiting(group)]
    if as_json:
        print_json({"renewed": [document(one) for one in renewed]})
    for one in renewed:
        tell(f"renewed {one.path}: expires in {duration(one.ttl)}")
    return OK
