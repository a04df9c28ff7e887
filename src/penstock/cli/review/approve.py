"""`penstock approve`: show a pending change, ask, write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK, WAITING
from penstock.cli.review.choice import Choice
from penstock.cli.shape import OneOf, PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import console, json_option, print_json, tell, workspace_option
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.model import Proposal, Receipt, State

if TYPE_CHECKING:
    from penstock.core.diff.coverage import Unseen
    from penstock.gate import Gate


@click.command(
    cls=PlainCommand,
    examples=(
        "penstock approve 3f2a1c9e",
        "penstock approve 3f2a1c9e --hunks 1,3",
        "penstock approve 3f2a1c9e --hunks src/a.py:1,3 --hunks src/b.py:2",
        "penstock approve 3f2a1c9e --strategy append",
    ),
)
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@click.option(
    "--strategy",
    type=OneOf(Strategy),
    metavar="NAME",
    help="Merge with the current file: append, insert, extend (add missing functions and "
    "classes) or replace.",
)
@click.option(
    "--at",
    type=click.IntRange(min=0),
    default=None,
    metavar="LINE",
    help="With --strategy insert: insert after this line (0: top).",
)
@click.option(
    "--hunks",
    multiple=True,
    metavar="[FILE:]LIST",
    help="Approve only these hunks: 1,3-5. In a change set, of one file: src/a.py:1,3. "
    "Can be repeated; the other files are approved whole.",
)
@click.option(
    "--files", default="", metavar="PATHS", help="Approve only these files of a change set: a,b."
)
@click.option(
    "--reason", default="", metavar="TEXT", help="Why the rest is rejected (sent to the agent)."
)
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@click.option(
    "--unseen", is_flag=True, help="Also approve parts that can't be shown (binary content)."
)
@click.option("--no-apply", is_flag=True, help="Don't write it yet; `penstock apply` does.")
@click.option(
    "--approver-key",
    default="",
    metavar="DIR",
    help="Sign with the approver key in this directory: an owner's who is not this machine's user.",
)
@workspace_option
@json_option
def command(
    id_: str,
    strategy: str | None,
    at: int | None,
    hunks: tuple[str, ...],
    files: str,
    reason: str,
    yes: bool,
    unseen: bool,
    no_apply: bool,
    approver_key: str,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Approve a pending change or change set and write it.

    The diff is shown first, and exactly that is written. A change set is applied atomically.
    Where the policy bundle asks for several owners, it stays pending until all have approved.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.ask import agreed, without
    from penstock.cli.terminal.progress import measuring
    from penstock.cli.terminal.proof import may_answer, person, refuse_inside_agent
    from penstock.core.text.quantities import counted
    from penstock.gate.doors import Door
    from penstock.gate.lookup import named

    choice = Choice.of(strategy, at, hunks, files, reason)
    here = open_workspace(workspace, door=Door.COMMAND)
    refuse_inside_agent(here)
    named(here.gate, id_)  # a wrong id is named before anything is asked of a person
    may_answer(here, yes=yes, keys=approver_key)
    here.gate.expire()
    group = named(here.gate, id_)
    found, hidden = _shown(here.gate, group, choice)
    said = without(hidden, yes=yes, accepted=unseen)
    if not agreed(f"write {counted(len(found), 'file')} exactly like this?", yes=yes):
        tell("nothing was written")
        _tell_done(here.gate, (), (), (), as_json=as_json)
        return COULD_NOT
    proof = person(here, keys=approver_key)
    with measuring(here.gate):
        answered = choice.approved(here.gate, group, found, proof, said)
    first = answered[0]
    lacking = [one for one in answered if one.state is State.WAITING]
    left = [] if no_apply or lacking else waiting_beside(here.gate, first)
    held = no_apply or left or lacking
    receipts = () if held else here.gate.apply(first.set_id or first.id)
    _tell_done(here.gate, answered, receipts, _rejected(here.gate, group), as_json=as_json)
    tell_offer(here.gate, answered)
    if left:
        rest = counted(len(left), "file")
        tell(f"approved; the change set is written when all of it is approved ({rest} pending)")
    return WAITING if left or lacking else OK


def _shown(
    gate: Gate, group: tuple[Proposal, ...], choice: Choice
) -> tuple[tuple[Proposal, ...], tuple[Unseen, ...]]:
    """Show what was chosen, and return what could not be shown. Nothing is stored."""
    from penstock.cli.review.queue import set_of
    from penstock.cli.terminal import render

    out = console(stderr=True)
    found = choice.named(group)
    whole = set_of(gate, found)
    if whole:
        render.show_set(out, whole, gate.now())
    hidden: list[Unseen] = []
    for one in found:
        before, after = gate.contents(one)
        made = choice.combination(one, before)
        if made is None:
            render.show(out, one, before, after, now=gate.now())
        else:
            result = made.of(one.path, before, after)
            after = result.content
            render.show_preview(out, one.path, made.words, before, after, result.warnings)
        hidden += render.not_printed(one.path, before, after)
    return found, tuple(hidden)


def _rejected(gate: Gate, group: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """Return the files of a set that were not chosen."""
    now = (gate.get(one.id) for one in group if len(group) > 1)
    return tuple(one for one in now if one is not None and one.state is State.REJECTED)


def tell_offer(gate: Gate, answered: tuple[Proposal, ...]) -> None:
    """Offer the rule that would save this question, where it was asked often."""
    from penstock.app.places import user_rules
    from penstock.gate.rule_offer import rule_offer

    offered = rule_offer(gate, answered, user_file=user_rules())
    if offered:
        tell(offered)


def _tell_done(
    gate: Gate,
    answered: tuple[Proposal, ...],
    receipts: tuple[Receipt, ...],
    rejected: tuple[Proposal, ...],
    *,
    as_json: bool,
) -> None:
    """Say of every file what became of it, and how the whole is undone."""
    from penstock.cli.review.queue import document, tell_written, with_owners

    if as_json:
        print_json(
            {
                "approved": [with_owners(gate, one) for one in answered],
                "receipts": [document(one) for one in receipts],
                "rejected": [document(one) for one in rejected],
            }
        )
    for one in rejected:
        tell(f"rejected {one.path}")
    for one in answered:
        lacking = gate.approvals(one) if one.state is State.WAITING else None
        if lacking is not None:
            tell(f"{one.path}: {lacking.said}; it stays pending")
    tell_written("applied", receipts)


def waiting_beside(gate: Gate, one: Proposal) -> list[Proposal]:
    """Return the files of its set that are still pending."""
    group = gate.of_set(one.set_id)
    return [other for other in group if other.state is State.WAITING]
