"""`penstock undo`: put back what was there."""

from __future__ import annotations

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.output import console, json_option, print_json, workspace_option
from penstock.core.errors import InputError


@click.command()
@click.argument("receipt", default="")
@click.option("--last", default=0, help="Take the last N applied writes back.")
@click.option("--path", default="", help="Take the last write to this file back.")
@click.option("--dry-run", is_flag=True, help="Only show what would be put back.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@workspace_option
@json_option
def command(
    receipt: str,
    last: int,
    path: str,
    dry_run: bool,
    yes: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Put back what a write replaced, and remove what it created.

    RECEIPT is a receipt's id or a set's. A file that changed since is left alone.
    """
    from penstock.app import open_workspace
    from penstock.cli import render
    from penstock.cli.proof import agreed, person, refuse_inside_agent
    from penstock.cli.queue import document

    here = open_workspace(workspace)
    gate = here.gate
    out = console(stderr=True)
    receipts = gate.undoable(receipt=receipt, last=last, path=path)
    if not receipts:
        raise InputError("nothing-to-undo", "nothing that Penstock wrote is left to undo")
    if dry_run:
        shown = gate.preview_undo(receipts)
        if as_json:
            print_json({"would_undo": [document(r) for r in receipts]})
        for item, before in shown:
            out.print(f"would put back {item.path}", markup=False)
            render.diff(console(), item.path, before, item.content)
        return OK
    refuse_inside_agent(here)
    proof = person(here, terminal=False)
    made = gate.undo(receipts)
    for one in made:
        render.show(out, one, *gate.contents(one))
    if not agreed(f"put back {len(made)} file(s)?", yes=yes):
        for one in made:
            gate.answer(one.id, approve=False, proof=proof, reason="undo was not confirmed")
        out.print("nothing was written")
        return COULD_NOT
    for one in made:
        gate.answer(one.id, approve=True, proof=proof)
    done = gate.apply(made[0].set_id or made[0].id)
    if as_json:
        print_json({"receipts": [document(r) for r in done]})
    for r in done:
        out.print(f"put back {r.path}: receipt {r.id}", markup=False)
    return OK
