"""`penstock renew`: give a waiting proposal its whole time again."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.output import json_option, print_json, tell, workspace_option


@click.command()
@click.argument("id_")
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Let a proposal wait for its whole time again."""
    from penstock.cli.queue import document, named_by_person
    from penstock.gate.lookup import waiting

    here, group = named_by_person(workspace, id_)
    renewed = [here.gate.renew(one.id) for one in waiting(group)]
    if as_json:
        print_json({"renewed": [document(one) for one in renewed]})
    for one in renewed:
        tell(f"{one.path} waits {one.ttl:g} seconds more")
    return OK
