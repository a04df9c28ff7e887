"""`penstock show`: the diff of one pending change or change set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, print_json, workspace_option
from penstock.cli.terminal.pager import paged, pager_option
from penstock.core.proposals.model import OPEN

if TYPE_CHECKING:
    from penstock.core.proposals.model import Proposal
    from penstock.gate import Gate


@click.command(
    cls=PlainCommand, examples=("penstock show 3f2a1c9e", "penstock show 3f2a1c9e --json")
)
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@pager_option
@workspace_option
@json_option
def command(id_: str, pager: bool, workspace: str | None, as_json: bool) -> int:
    """Show a pending change or change set: removed lines, warnings and the diff.

    Closed changes can be shown, too. Hidden characters are written out, for example ⟦U+202E RLO⟧.
    """
    from penstock.app import open_gate
    from penstock.cli.review.queue import set_document, set_of, with_owners
    from penstock.cli.terminal import render
    from penstock.gate.lookup import named

    gate = open_gate(workspace)
    gate.expire()
    found = named(gate, id_)
    whole = set_of(gate, found)
    if as_json:
        shown = [{**with_owners(gate, one), **_seen(gate, one)} for one in found]
        about = {"set": set_document(whole)} if whole else {}
        print_json({"proposals": shown, **about})
        return OK
    now = gate.now()
    with paged(use=pager) as out:
        if whole:
            render.show_set(out, whole, now)
        for one in whole.files if whole else found:
            render.show(out, one, *gate.contents(one), now=now)
            owners = gate.approvals(one) if one.state in OPEN else None
            if owners is not None:
                out.print(f"approvals: {owners.said}", markup=False)
    return OK


def _seen(gate: Gate, one: Proposal) -> dict[str, object]:
    """Return what a person would see: the lines that would be lost, the diff, its hunks."""
    from penstock.core.diff.hunks import hunks, unified
    from penstock.core.diff.measure import lost_lines
    from penstock.core.diff.rows import listed
    from penstock.core.file_mode import FileMode

    before, after = gate.contents(one)
    old, new = before or b"", after or b""
    gone = lost_lines(old, new, white_space=False) if one.change.unit == "lines" else ()
    parts = hunks(before, after) if before is not None and after is not None else ()
    return {
        "lost_lines": [{"line": at, "text": _text(line).rstrip("\r\n")} for at, line in gone],
        "diff": _text(unified(before, after, path=one.path, modes=one.modes)),
        "hunks": listed(parts),
        **({"link": _text(after or b"")} if one.mode is FileMode.LINK else {}),
    }


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
