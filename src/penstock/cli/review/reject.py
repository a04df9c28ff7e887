"""`penstock reject`: close a pending change with a reason for the agent."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, print_json, tell, workspace_option


@click.command(cls=PlainCommand, examples=('penstock reject 3f2a1c9e --reason "keep the old API"',))
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@click.option("--reason", required=True, metavar="TEXT", help="Reason (sent to the agent).")
@workspace_option
@json_option
def command(id_: str, reason: str, workspace: str | None, as_json: bool) -> int:
    """Reject a pending change or change set. Nothing is written."""
    from penstock.app.proof import who
    from penstock.cli.review.queue import document, named_by_person
    from penstock.gate import Proof
    from penstock.gate.lookup import still_open

    if not reason.strip():
        raise click.UsageError("`--reason` is empty; it is what the agent reads")
    here, group = named_by_person(workspace, id_)
    proof = Proof(by=who(), kind="command")
    ids = [one.id for one in still_open(group)]
    closed = here.gate.answer_all(ids, approve=False, proof=proof, reason=reason)
    if as_json:
        print_json({"rejected": [document(one) for one in closed]})
    for one in closed:
        tell(f"rejected {one.path}")
    return OK
