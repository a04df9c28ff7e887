"""`penstock undo`: put back what was there."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.output import console, json_option, print_json, tell, workspace_option
from penstock.core.errors import InputError, StaleError

if TYPE_CHECKING:
    from penstock.core.proposals.model import Receipt
    from penstock.gate import Gate, Item, Proof


@click.command()
@click.argument("receipt", default="")
@click.option(
    "--last", type=click.IntRange(min=1), help="Take the last N applied writes back, sets whole."
)
@click.option("--path", default="", help="Take the last write to this file back.")
@click.option("--dry-run", is_flag=True, help="Only show what would be put back.")
@click.option("--rebase", is_flag=True, help="Keep what was saved since, where they do not meet.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--unseen", is_flag=True, help="Also approve what cannot be printed; it is named.")
@workspace_option
@json_option
def command(
    receipt: str,
    last: int | None,
    path: str,
    dry_run: bool,
    rebase: bool,
    yes: bool,
    unseen: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Put back what a write replaced, and remove what it created.

    RECEIPT is a receipt's id or a set's. A file that changed since is left alone
    and the difference is shown.
    """
    from penstock.app import open_workspace
    from penstock.cli import render
    from penstock.cli.ask import agreed, without
    from penstock.cli.proof import may_answer, person
    from penstock.cli.queue import document
    from penstock.gate.doors import Door

    if sum(map(bool, (receipt, last, path))) > 1:
        raise click.UsageError("name a RECEIPT, or --last, or --path")
    here = open_workspace(workspace, door=Door.COMMAND)
    if not dry_run:
        may_answer(here, yes=yes, terminal=False)
    receipts = here.gate.undoable(receipt=receipt, last=last or 0, path=path)
    if not receipts:
        raise InputError("nothing-to-undo", "nothing that Penstock wrote is left to undo")
    plan = _shown(here.gate, receipts, rebase=rebase, to_stdout=dry_run and not as_json)
    if dry_run:
        if as_json:
            print_json({"would_undo": [document(r) for r in receipts], "diffs": _diffs(plan)})
        return OK
    hidden = [
        part for item, now in plan for part in render.not_printed(item.path, now, item.content)
    ]
    said = without(hidden, yes=yes, accepted=unseen)
    if not agreed(f"put back {len(plan)} file(s)?", yes=yes):
        tell("nothing was written")
        _tell_done((), as_json=as_json)
        return COULD_NOT
    proof = person(here, terminal=False)
    done = _put_back(here.gate, receipts, proof, said, rebase=rebase)
    _tell_done(done, as_json=as_json)
    return OK


def _put_back(
    gate: Gate, receipts: tuple[Receipt, ...], proof: Proof, said: str, *, rebase: bool
) -> tuple[Receipt, ...]:
    """Undoing is a change like any other: it is proposed, answered and applied."""
    from penstock.cli.progress import measuring

    with measuring(gate):
        made = gate.undo(receipts, rebase=rebase)
    gate.answer_all([one.id for one in made], approve=True, proof=proof, reason=said)
    return gate.apply(made[0].set_id or made[0].id)


def _tell_done(done: tuple[Receipt, ...], *, as_json: bool) -> None:
    from penstock.cli.queue import document, tell_written

    if as_json:
        print_json({"receipts": [document(one) for one in done]})
    tell_written("put back", done)


Plan: TypeAlias = "tuple[tuple[Item, bytes | None], ...]"


def _shown(gate: Gate, receipts: tuple[Receipt, ...], *, rebase: bool, to_stdout: bool) -> Plan:
    """Show what each file would hold again; of one that changed since, show how."""
    from penstock.cli import render
    from penstock.cli.progress import comparing

    try:
        plan = gate.preview_undo(receipts, rebase=rebase)
    except StaleError as stale:
        _show_changes(gate, receipts, stale)
        raise
    for item, now in plan:
        tell(f"{'remove' if item.content is None else 'put back'} {item.path}")
        with comparing(now, item.content, steps=2) as step:
            step("what would be lost")
            lines = list(render.lost(now, item.content))
            step("the difference")
            lines += render.diff(item.path, now, item.content)
        render.write(console(stderr=not to_stdout), lines)
    return plan


def _show_changes(gate: Gate, receipts: tuple[Receipt, ...], stale: StaleError) -> None:
    from penstock.cli import render

    if stale.code != "changed-since":
        return
    for path, written in gate.changed_since(receipts):
        tell(f"{path}, since Penstock wrote it:")
        render.write(console(stderr=True), render.diff(path, written, gate.current(path)))


def _diffs(plan: Plan) -> list[dict[str, str]]:
    from penstock.core.diff.hunks import unified

    found = [(item.path, unified(now, item.content, path=item.path)) for item, now in plan]
    return [{"path": path, "diff": diff.decode("utf-8", "replace")} for path, diff in found]
