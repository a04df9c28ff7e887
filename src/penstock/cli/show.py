"""`penstock show`: one proposal or a set, as a person judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, workspace_option

if TYPE_CHECKING:
    from penstock.core.proposals.model import Proposal
    from penstock.gate import Gate


@click.command()
@click.argument("id_")
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Show a proposal: what would be lost, every warning, the diff."""
    from penstock.app import open_gate
    from penstock.cli import render
    from penstock.cli.queue import document
    from penstock.gate.lookup import named

    gate = open_gate(workspace)
    gate.expire()
    found = named(gate, id_)
    if as_json:
        print_json({"proposals": [{**document(one), **_seen(gate, one)} for one in found]})
        return OK
    out = console()
    for one in found:
        render.show(out, one, *gate.contents(one))
    return OK


def _seen(gate: Gate, one: Proposal) -> dict[str, object]:
    """Return what a person would see: the lines that would be lost, the diff, its hunks."""
    from penstock.core.diff.hunks import hunks, unified
    from penstock.core.diff.measure import lost_lines
    from penstock.core.diff.rows import listed

    before, after = gate.contents(one)
    gone = lost_lines(before or b"", after or b"") if one.change.unit == "lines" else ()
    parts = hunks(before, after) if before is not None and after is not None else ()
    return {
        "lost_lines": [{"line": at, "text": _text(line).rstrip("\r\n")} for at, line in gone],
        "diff": _text(unified(before, after, path=one.path)),
        "hunks": listed(parts),
    }


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
