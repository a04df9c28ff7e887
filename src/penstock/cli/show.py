"""`penstock show`: one proposal or a set, as a person judges it."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, workspace_option


@click.command()
@click.argument("id_")
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Show a proposal: what would be lost, every warning, the diff."""
    from penstock.app import open_gate
    from penstock.cli import render
    from penstock.cli.queue import document, named
    from penstock.core.diff import unified

    gate = open_gate(workspace)
    gate.expire()
    found = named(gate, id_)
    if as_json:
        print_json(
            {
                "proposals": [
                    {
                        **document(one),
                        "diff": unified(*gate.contents(one), path=one.path).decode(
                            "utf-8", "replace"
                        ),
                    }
                    for one in found
                ]
            }
        )
        return OK
    out = console()
    for one in found:
        render.show(out, one, *gate.contents(one))
    return OK
