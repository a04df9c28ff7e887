"""`penstock rebase`: carry a proposal over to what the file holds now."""

from __future__ import annotations

import click

from penstock.cli.output import json_option, workspace_option


@click.command()
@click.argument("id_")
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Merge a proposal with what was saved meanwhile; the old approval is void."""
    from penstock.app import open_workspace
    from penstock.cli.progress import measuring
    from penstock.cli.proof import refuse_inside_agent
    from penstock.cli.queue import show_version
    from penstock.gate.lookup import named, only

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    with measuring(here.gate):
        made = here.gate.rebase(only(named(here.gate, id_)).id)
    return show_version(here.gate, made, as_json=as_json)
