"""`penstock undo`: revert a change that was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import click

from penstock.cli import COULD_NOT, OK, WAITING
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import receipt_ids
from penstock.cli.terminal.output import console, json_option, print_json, tell, workspace_option
from penstock.core.errors import InputError, RefusedError, StaleError

if TYPE_CHECKING:
    from penstock.core.proposals.model import Proposal, Receipt
    from penstock.gate import Gate, Item, Proof


@click.command(
    cls=PlainCommand,
    examples=(
        "penstock undo --dry-run",
        "penstock undo r-3f2a1c9e",
        "penstock undo --last 3",
        "penstock undo --path src/app.py",
    ),
)
@click.argument("receipt", metavar="[RECEIPT]", default="", shell_complete=receipt_ids)
@click.option(
    "--last", type=click.IntRange(min=1), metavar="N", help="Revert the last N applied changes."
)
@click.option("--path", default="", metavar="FILE", help="Revert the last change of this file.")
@click.option("--dry-run", is_flag=True, help="Show what would be reverted; change nothing.")
@click.option("--rebase", is_flag=True, help="Keep later edits of the file, unless they overlap.")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@click.option(
    "--unseen", is_flag=True, help="Also revert parts that can't be shown (binary content)."
)
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
    """Revert a change that Penstock or an agent wrote; without arguments, the last one.

    RECEIPT is the id that was printed when the change was applied, or the id of a change set,
    which is reverted as a whole. A file that was modified later is left alone and its diff is
    shown; `--rebase` keeps both.
    """
    from penstock.app import open_workspace
    from penstock.cli.review.queue import document
    from penstock.cli.terminal import render
    from penstock.cli.terminal.ask import agreed, without
    from penstock.cli.terminal.proof import may_answer, person, refuse_inside_agent
    from penstock.core.text.quantities import counted
    from penstock.gate.doors import Door

    if sum(map(bool, (receipt, last, path))) > 1:
        raise click.UsageError("choose one of RECEIPT, `--last` and `--path`")
    here = open_workspace(workspace, door=Door.COMMAND)
    if not dry_run:
        refuse_inside_agent(here)
    receipts = here.gate.undoable(receipt=receipt, last=last or 0, path=path)
    if not receipts:
        raise InputError(
            "nothing-to-undo",
            f"there is no change of `{path}` to undo" if path else "there is no change to undo",
            because="only changes that Penstock wrote or saw an agent write can be reverted",
            hint="see what was written with `penstock log`",
        )
    if not dry_run:
        may_answer(here, yes=yes, terminal=False)
    plan = _shown(here.gate, receipts, rebase=rebase, to_stdout=dry_run and not as_json)
    if dry_run:
        if as_json:
            print_json(
                {"would_undo": [document(r) for r in receipts], "diffs": _diffs(plan, receipts)}
            )
        return OK
    hidden = [
        part for item, now in plan for part in render.not_printed(item.path, now, item.content)
    ]
    said = without(hidden, yes=yes, accepted=unseen)
    if not agreed(f"revert {counted(len(plan), 'file')}?", yes=yes):
        tell("nothing was written")
        _tell_done((), (), as_json=as_json)
        return COULD_NOT
    proof = person(here, terminal=False)
    done, left = _revert(here.gate, receipts, proof, said, rebase=rebase)
    _tell_done(done, _lacking(here.gate, left), as_json=as_json)
    return WAITING if left else OK


# An approval that does not count: an owner has to give it.
OF_OTHERS = frozenset({"owner-needed", "author-cannot-approve"})


def _revert(
    gate: Gate, receipts: tuple[Receipt, ...], proof: Proof, said: str, *, rebase: bool
) -> tuple[tuple[Receipt, ...], tuple[Proposal, ...]]:
    """Undoing is a change like any other: it is proposed, answered and applied.

    What owners have to approve first is returned beside the receipts, and stays pending.
    """
    from penstock.cli.terminal.progress import measuring
    from penstock.core.proposals.model import State

    with measuring(gate):
        made = gate.undo(receipts, rebase=rebase)
    try:
        answered = gate.answer_all([one.id for one in made], approve=True, proof=proof, reason=said)
    except RefusedError as fault:
        if fault.code not in OF_OTHERS:
            raise
        return (), made
    left = tuple(one for one in answered if one.state is State.WAITING)
    return (() if left else gate.apply(made[0].set_id or made[0].id)), left


def _lacking(gate: Gate, left: tuple[Proposal, ...]) -> tuple[tuple[Proposal, str], ...]:
    """Return what stays pending, each with the approvals that it has of those that it needs."""
    found = ((one, gate.approvals(one)) for one in left)
    return tuple((one, tally.said if tally else "pending") for one, tally in found)


def _tell_done(
    done: tuple[Receipt, ...], lacking: tuple[tuple[Proposal, str], ...], *, as_json: bool
) -> None:
    from penstock.cli.review.queue import document, tell_written
    from penstock.core.proposals.short_id import short

    if as_json:
        pending = {"pending": [document(one) for one, _ in lacking]} if lacking else {}
        print_json({"receipts": [document(one) for one in done], **pending})
    for one, said in lacking:
        tell(f"{one.path}: the revert is pending as {short(one.id)}, with {said}")
    if done or not lacking:
        tell_written("reverted", done)


Plan: TypeAlias = "tuple[tuple[Item, bytes | None], ...]"


def _shown(gate: Gate, receipts: tuple[Receipt, ...], *, rebase: bool, to_stdout: bool) -> Plan:
    """Show what each file would be again; of one that was modified since, show how."""
    from penstock.cli.terminal import render
    from penstock.cli.terminal.progress import comparing

    try:
        plan = gate.preview_undo(receipts, rebase=rebase)
    except StaleError as stale:
        _show_changes(gate, receipts, stale)
        raise
    for item, now in plan:
        tell(f"{'delete' if item.content is None else 'revert'} {item.path}")
        with comparing(now, item.content, steps=2) as step:
            step("removed lines")
            lines = list(render.lost(now, item.content))
            step("diff")
            lines += render.diff(item.path, now, item.content, _modes(item, receipts))
        render.write(console(stderr=not to_stdout), lines)
    return plan


def _show_changes(gate: Gate, receipts: tuple[Receipt, ...], stale: StaleError) -> None:
    from penstock.cli.terminal import render

    if stale.code != "changed-since":
        return
    for path, written in gate.changed_since(receipts):
        tell(f"changes to {path} since Penstock wrote it:")
        render.write(console(stderr=True), render.diff(path, written, gate.current(path)))


def _modes(item: Item, receipts: tuple[Receipt, ...]) -> tuple[str | None, str | None]:
    """Return the modes before and after an undo; receipts are the newest first."""
    written = next((one.after_mode for one in receipts if one.path == item.path), None)
    return written, item.mode


def _diffs(plan: Plan, receipts: tuple[Receipt, ...]) -> list[dict[str, str]]:
    from penstock.core.diff.hunks import unified

    return [
        {
            "path": item.path,
            "diff": unified(now, item.content, path=item.path, modes=_modes(item, receipts)).decode(
                "utf-8", "replace"
            ),
        }
        for item, now in plan
    ]
