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
    from penstock.app import open_workspace
    from penstock.app.proof import who
    from penstock.cli.proof import refuse_inside_agent
    from penstock.cli.queue import document
    from penstock.gate import Proof
    from penstock.gate.finding import named, still_open

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    proof = Proof(by=who(), kind="command")
    here.gate.expire()
    found = still_open(named(here.gate, id_))
    ids = [one.id for one in found]
    closed = here.gate.answer_all(ids, approve=False, proof=proof, reason=reason)
    if as_json:
        print_json({"rejected": [document(one) for one in closed]})
    for one in closed:
        tell(f"rejected {one.path}")
    return OK
