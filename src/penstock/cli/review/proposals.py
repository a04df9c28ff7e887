"""`penstock proposals`: the list of pending changes."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.shape import OneOf, PlainCommand
from penstock.cli.terminal.output import (
    json_option,
    print_json,
    print_styled,
    tell,
    workspace_option,
)
from penstock.core.proposals.model import OPEN, State


@click.command(
    cls=PlainCommand, examples=("penstock proposals", "penstock proposals --all --limit 20")
)
@click.option("--all", "everything", is_flag=True, help="Include closed changes.")
@click.option(
    "--state",
    type=OneOf(State),
    metavar="STATE",
    help=f"Show only changes in this state: {', '.join(State)}.",
)
@click.option("--path", default="", metavar="FILE", help="Show only changes of this file.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    default=200,
    show_default=True,
    help="Show at most N changes, the latest.",
)
@workspace_option
@json_option
def command(
    everything: bool, state: str | None, path: str, limit: int, workspace: str | None, as_json: bool
) -> int:
    """List pending changes: id, age, agent, change set and lines.

    Commands accept the short ids that are shown here, also those of change sets.
    """
    from penstock.app import open_gate
    from penstock.cli.review.queue import document, known_ids, set_document
    from penstock.cli.review.table import table
    from penstock.core.review.set_summary import sets_of, summary

    gate = open_gate(workspace)
    gate.expire()
    states = (State(state),) if state else () if everything else tuple(OPEN)
    found = gate.find(states=states, path=path, limit=limit)
    if as_json:
        sets = [set_document(summary(some)) for some in sets_of(found)]
        print_json({"proposals": [document(one) for one in found], "sets": sets})
        return OK
    chosen = everything or state is not None
    for line in table(found, gate.now(), known=known_ids(gate), states=chosen):
        print_styled(line)
    if not found:
        tell("no changes" if chosen else "no pending changes")
    return OK
