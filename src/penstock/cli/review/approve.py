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
@click.option("--hunks", default="", metavar="LIST", help="Approve only these hunks: 1,3-5.")
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
@workspace_option
@json_option
def command(
    id_: str,
    strategy: str | None,
    at: int | None,
    hunks: str,
    files: str,
    reason: str,
    yes: bool,
    unseen: bool,
    no_apply: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Approve a pending change or change set and write it.

    The diff is shown first, and exactly that is written. A change set is applied atomically.
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
    may_answer(here, yes=yes)
    here.gate.expire()
    group = named(here.gate, id_)
    found, hidden = _shown(here.gate, group, choice)
    said = without(hidden, yes=yes, accepted=unseen)
    if not agreed(f"write {counted(len(found), 'file')} exactly like this?", yes=yes):
        tell("nothing was written")
        _tell_done((), (), as_json=as_json)
        return COULD_NOT
    proof = person(here)
    with measuring(here.gate):
        answered = choice.approved(here.gate, group, found, proof, said)
    first = answered[0]
    left = [] if no_apply else waiting_beside(here.gate, first)
    receipts = () if no_apply or left else here.gate.apply(first.set_id or first.id)
    _tell_done(answered, receipts, as_json=as_json)
    _tell_rest(here.gate, group)
    tell_offer(here.gate, answered)
    if left:
        rest = counted(len(left), "file")
        tell(f"approved; the change set is written when all of it is approved ({rest} pending)")
    return WAITING if left else OK


def _shown(
    gate: Gate, group: tuple[Proposal, ...], choice: Choice
) -> tuple[tuple[Proposal, ...], tuple[Unseen, ...]]:
    """Show what was chosen, and return what could not be shown. Nothing is stored."""
    from penstock.cli.terminal import render

    out = console(stderr=True)
    found = choice.named(group)
    hidden: list[Unseen] = []
    for one in found:
        before, after = gate.contents(one)
        made = choice.combination(before)
        if made is None:
            render.show(out, one, before, after)
        else:
            result = made.of(one.path, before, after)
            after = result.content
            render.show_preview(out, one.path, made.words, before, after, result.warnings)
        hidden += render.not_printed(one.path, before, after)
    return found, tuple(hidden)


def _tell_rest(gate: Gate, group: tuple[Proposal, ...]) -> None:
    """Say what of a set was not written."""
    for one in group:
        now = gate.get(one.id)
        if len(group) > 1 and now is not None and now.state is State.REJECTED:
            tell(f"rejected {one.path}")


def tell_offer(gate: Gate, answered: tuple[Proposal, ...]) -> None:
    """Offer the rule that would save this question, where it was asked often."""
    from penstock.app.places import user_rules
    from penstock.gate.rule_offer import rule_offer

    offered = rule_offer(gate, answered, user_file=user_rules())
    if offered:
        tell(offered)


def _tell_done(
    answered: tuple[Proposal, ...], receipts: tuple[Receipt, ...], *, as_json: bool
) -> None:
    from penstock.cli.review.queue import document, tell_written

    if as_json:
        approved = [document(one) for one in answered]
        print_json({"approved": approved, "receipts": [document(one) for one in receipts]})
    tell_written("applied", receipts)


def waiting_beside(gate: Gate, one: Proposal) -> list[Proposal]:
    """Return the files of its set that are still pending."""
    group = gate.of_set(one.set_id)
    return [other for other in group if other.state is State.WAITING]
