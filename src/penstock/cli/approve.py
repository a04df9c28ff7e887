"""`penstock approve`: show it, take the person's word, write it."""

from __future__ import annotations

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.output import console, json_option, print_json, workspace_option
from penstock.core.errors import InputError
from penstock.core.merge import Strategy


@click.command()
@click.argument("id_")
@click.option("--strategy", type=click.Choice([str(s) for s in Strategy]), help="How to combine.")
@click.option("--at", type=int, default=None, help="insert: after this line (0 is the top).")
@click.option("--hunks", default="", help="Only these hunks of the diff: 1,3")
@click.option("--files", default="", help="Of a set, only these paths, separated by commas.")
@click.option("--yes", is_flag=True, help="Do not ask again after showing it.")
@click.option("--no-apply", is_flag=True, help="Approve only; `penstock apply` writes later.")
@workspace_option
@json_option
def command(
    id_: str,
    strategy: str | None,
    at: int | None,
    hunks: str,
    files: str,
    yes: bool,
    no_apply: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Approve a proposal or a set, exactly as it is shown, and write it."""
    from penstock.app import open_workspace
    from penstock.cli import render
    from penstock.cli.proof import agreed, person
    from penstock.cli.queue import document, named, only, waiting

    here = open_workspace(workspace)
    gate = here.gate
    found = waiting(named(gate, id_))
    proof = person(here)
    if files:
        chosen = [part.strip() for part in files.split(",")]
        found = gate.choose_files(found, chosen, proof=proof)
    if strategy:
        found = (gate.with_strategy(only(found).id, Strategy(strategy), at=at),)
    if hunks:
        found = (gate.with_hunks(only(found).id, numbers(hunks)),)
    out = console(stderr=True)
    for one in found:
        render.show(out, one, *gate.contents(one))
    if not agreed(f"write {len(found)} file(s) exactly like this?", yes=yes):
        out.print("nothing was written")
        return COULD_NOT
    answered = [gate.answer(one.id, approve=True, proof=proof) for one in found]
    receipts = () if no_apply else gate.apply(answered[0].set_id or answered[0].id)
    if as_json:
        print_json(
            {
                "approved": [document(one) for one in answered],
                "receipts": [document(receipt) for receipt in receipts],
            }
        )
    for receipt in receipts:
        note = f" ({receipt.note})" if receipt.note else ""
        out.print(f"applied {receipt.path}: receipt {receipt.id}{note}", markup=False)
    return OK


def numbers(text: str) -> list[int]:
    """Return the numbers of `1,3-5`."""
    chosen: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError("bad-hunks", f"`{text}` is not a list of hunks", hint="--hunks 1,3-5")
        chosen += range(int(first), int(last or first) + 1)[:10_000]
    return chosen
