"""`penstock reject`: close a proposal with a reason that the agent gets to read."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.output import json_option, print_json, tell, workspace_option


@click.command()
@click.argument("id_")
@click.option("--reason", required=True, help="Why; the agent is told.")
@workspace_option
@json_option
def command(id_: str, reason: str, workspace: str | None, as_json: bool) -> int:
    """Reject a proposal or a set; nothing is written."""
    from penstock.app.proof import who
    from penstock.cli.queue import document, named_by_person
    from penstock.gate import Proof
    from penstock.gate.lookup import still_open

    here, group = named_by_person(workspace, id_)
    proof = Proof(by=who(), kind="command")
    ids = [one.id for one in still_open(group)]
    closed = here.gate.answer_all(ids, approve=False, proof=proof, reason=reason)
    if as_json:
        print_json({"rejected": [document(one) for one in closed]})
    for one in closed:
        tell(f"rejected {one.path}")
    return OK
