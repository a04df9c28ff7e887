"""`penstock proposals`: the queue."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, workspace_option
from penstock.core.proposals.model import OPEN, State


@click.command()
@click.option("--all", "everything", is_flag=True, help="Closed ones too.")
@click.option("--state", type=click.Choice([str(s) for s in State]), help="Only those.")
@click.option("--path", default="", help="Only those of one file.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="At most so many, the newest.",
)
@workspace_option
@json_option
def command(
    everything: bool, state: str | None, path: str, limit: int, workspace: str | None, as_json: bool
) -> int:
    """List what waits for a person."""
    from penstock.app import open_gate
    from penstock.cli.queue import document
    from penstock.cli.render import one_line

    gate = open_gate(workspace)
    gate.expire()
    states = (State(state),) if state else () if everything else tuple(OPEN)
    found = gate.find(states=states, path=path, limit=limit)
    if as_json:
        print_json({"proposals": [document(one) for one in found]})
        return OK
    out = console()
    for one in found:
        out.print(one_line(one, gate.now()))
    if not found:
        console(stderr=True).print("nothing waits")
    return OK
