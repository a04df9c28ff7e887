"""`penstock rebase`: merge a pending change with the current file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, tell, workspace_option

if TYPE_CHECKING:
    from penstock.core.proposals.model import Proposal


@click.command(cls=PlainCommand, examples=("penstock rebase 3f2a1c9e",))
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Merge a pending change or change set with the current files.

    Use it when a file was modified after the change was proposed. The result is a new pending
    change, which needs approval again. Where both change the same lines, the rebase fails. In a
    change set, files that were not modified stay as they are.
    """
    from penstock.app import open_workspace
    from penstock.cli.review.queue import show_versions
    from penstock.cli.terminal.progress import measuring
    from penstock.cli.terminal.proof import refuse_inside_agent
    from penstock.gate.lookup import named

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    found = named(here.gate, id_)
    with measuring(here.gate):
        if len(found) == 1:
            made: tuple[Proposal, ...] = (here.gate.rebase(found[0].id),)
        else:
            made = here.gate.rebase_all(found)
    if not made:
        tell("every file is as it was when this was proposed; nothing to rebase")
    return show_versions(here.gate, made, as_json=as_json)
