"""`penstock rebase`: merge a pending change with the current file."""

from __future__ import annotations

import click

from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, workspace_option


@click.command(cls=PlainCommand, examples=("penstock rebase 3f2a1c9e",))
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Merge a pending change with the current file.

    Use it when the file was modified after the change was proposed. The result is a new pending
    change, which needs approval again. Where both change the same lines, the rebase fails.
    """
    from penstock.app import open_workspace
    from penstock.cli.review.queue import show_version
    from penstock.cli.terminal.progress import measuring
    from penstock.cli.terminal.proof import refuse_inside_agent
    from penstock.gate.lookup import named, only

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    with measuring(here.gate):
        made = here.gate.rebase(only(named(here.gate, id_)).id)
    return show_version(here.gate, made, as_json=as_json)
