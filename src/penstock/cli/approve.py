"""`penstock approve`: show it, take the person's word, write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK, WAITING
from penstock.cli.output import console, json_option, print_json, tell, workspace_option
from penstock.core.errors import InputError
from penstock.core.merge.combination import Combination
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.model import Proposal, Receipt, State

if TYPE_CHECKING:
    from penstock.core.diff.coverage import Unseen
    from penstock.gate import Gate, Proof


@click.command()
@click.argument("id_")
@click.option("--strategy", type=click.Choice([str(s) for s in Strategy]), help="How to combine.")
@click.option(
    "--at", type=click.IntRange(min=0), default=None, help="insert: after this line (0 is the top)."
)
@click.option("--hunks", default="", help="Only these hunks of the diff: 1,3")
@click.option("--files", default="", help="Of a set, only these paths, separated by commas.")
@click.option("--reason", default="", help="Why the rest goes back; the agent is told.")
@click.option("--yes", is_flag=True, help="Do not ask again after showing it.")
@click.option("--unseen", is_flag=True, help="Also approve what cannot be printed; it is named.")
@click.option("--no-apply", is_flag=True, help="Approve only; `penstock apply` writes later.")
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
    """Approve a proposal or a set, exactly as it is shown, and write it."""
    from penstock.app import open_workspace
    from penstock.cli.ask import agreed, without
    from penstock.cli.progress import measuring
    from penstock.cli.proof import may_answer, person
    from penstock.gate.doors import Door
    from penstock.gate.lookup import named

    choice = Choice.of(strategy, at, hunks, files, reason)
    here = open_workspace(workspace, door=Door.COMMAND)
    may_answer(here, yes=yes)
    here.gate.expire()
    group = named(here.gate, id_)
    found, hidden = _shown(here.gate, group, choice)
    said = without(hidden, yes=yes, accepted=unseen)
    if not agreed(f"write {len(found)} file(s) exactly like this?", yes=yes):
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
    _tell_rest(here.gate, group, receipts)
    tell_offer(here.gate, answered)
    if left:
        tell(f"approved; its set is written once all of it is, {len(left)} file(s) wait")
    return WAITING if left else OK


def _shown(
    gate: Gate, group: tuple[Proposal, ...], choice: Choice
) -> tuple[tuple[Proposal, ...], tuple[Unseen, ...]]:
    """Show what was chosen, and say what could not be shown. Looking makes nothing."""
    from penstock.cli import render

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


def _tell_rest(gate: Gate, group: tuple[Proposal, ...], receipts: tuple[Receipt, ...]) -> None:
    """Say what of a set was not written, and how all that was is undone."""
    for one in group:
        now = gate.get(one.id)
        if len(group) > 1 and now is not None and now.state is State.REJECTED:
            tell(f"rejected {one.path}")
    if len(receipts) > 1:
        tell(f"undo all {len(receipts)} files with `penstock undo {receipts[0].set_id}`")


def tell_offer(gate: Gate, answered: tuple[Proposal, ...]) -> None:
    """Offer the rule that would spare this question, where it came often."""
    from penstock.app.places import user_rules
    from penstock.gate.rule_offer import rule_offer

    offered = rule_offer(gate, answered, user_file=user_rules())
    if offered:
        tell(offered)


def _tell_done(
    answered: tuple[Proposal, ...], receipts: tuple[Receipt, ...], *, as_json: bool
) -> None:
    from penstock.cli.queue import document, tell_written

    if as_json:
        approved = [document(one) for one in answered]
        print_json({"approved": approved, "receipts": [document(one) for one in receipts]})
    tell_written("applied", receipts)


@dataclass(slots=True)
class InsertionPoint:
    """The line that an insert goes after, once it is known."""

    at: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What of a proposal is approved, and how it is combined with what is there."""

    strategy: Strategy | None
    at: int | None
    hunks: tuple[int, ...]
    files: tuple[str, ...]
    reason: str = ""
    point: InsertionPoint = field(default_factory=InsertionPoint)

    @classmethod
    def of(
        cls, strategy: str | None, at: int | None, hunks: str, files: str, reason: str
    ) -> Choice:
        """Return the choice that the options make; those that contradict are wrong usage."""
        if at is not None and strategy != Strategy.INSERT:
            raise click.UsageError("--at is for --strategy insert")
        if files and (strategy or hunks):
            raise click.UsageError("--files chooses from a set, --strategy and --hunks in a file")
        if reason and not (files or hunks):
            raise click.UsageError("--reason tells why the rest of --files or --hunks goes back")
        paths = tuple(part.strip() for part in files.split(",") if part.strip())
        chosen = tuple(numbers(hunks)) if hunks else ()
        return cls(
            strategy=Strategy(strategy) if strategy else None,
            at=at,
            hunks=chosen,
            files=paths,
            reason=reason,
        )

    def named(self, group: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
        """Return what will be shown and asked about: all of a set, or what was chosen."""
        from penstock.gate.lookup import only, still_open, waiting

        if self.files:
            return _of_paths(still_open(group), self.files)
        found = waiting(group)
        if self.strategy or self.hunks:
            return (only(found),)
        return found if len(group) == 1 else _whole(group, found)

    def combination(self, before: bytes | None) -> Combination | None:
        """Return what is made of the proposal before it is approved; None for it as it is.

        Where an insert has no line yet, the person is shown the file and asked.
        """
        if not self.strategy and not self.hunks:
            return None
        if self.strategy and before is None and not self.hunks:
            return None  # there is nothing to combine a new file with
        self.point.at = self._at(before)
        return Combination(
            strategy=self.strategy or Strategy.REPLACE,
            at=self.point.at,
            hunks=self.hunks or None,
        )

    def _at(self, before: bytes | None) -> int | None:
        from penstock.cli.ask import at_terminal, insertion_point

        if self.strategy is not Strategy.INSERT or self.at is not None or before is None:
            return self.at
        if not at_terminal():
            raise click.UsageError("--strategy insert needs --at LINE")
        return insertion_point(console(stderr=True), before)

    def approved(
        self,
        gate: Gate,
        group: tuple[Proposal, ...],
        found: tuple[Proposal, ...],
        proof: Proof,
        said: str,
    ) -> tuple[Proposal, ...]:
        """Approve what was shown; files chosen from a set leave the others behind."""
        from penstock.gate.lookup import still_open, waiting

        if self.files:
            open_ones = still_open(group)
            found = gate.choose_files(open_ones, self.files, proof=proof, reason=self.reason)
        if self.strategy:
            found = (gate.with_strategy(found[0].id, self.strategy, at=self.point.at),)
        if self.hunks:
            found = (gate.with_hunks(found[0].id, self.hunks, reason=self.reason),)
        if self.strategy or self.hunks:
            waiting(found)  # the rules may deny what came out
        return _approved(gate, found, proof, said)


def _of_paths(found: tuple[Proposal, ...], paths: tuple[str, ...]) -> tuple[Proposal, ...]:
    unknown = sorted(set(paths) - {one.path for one in found})
    if unknown:
        raise InputError(
            "not-in-set",
            f"`{', '.join(unknown)}` is not in this set",
            because="it has " + ", ".join(f"`{one.path}`" for one in found[:10]),
        )
    return tuple(one for one in found if one.path in paths)


def _whole(group: tuple[Proposal, ...], found: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """A set is written whole, so all of it is shown, and what is closed stands in its way."""
    from penstock.gate.lookup import closed

    for one in group:
        if one.state in (State.DENIED, State.EXPIRED, State.STALE):
            said = closed(one)
            raise type(said)(
                said.code,
                f"the set cannot be written whole: {said.message}",
                because=said.because,
                hint="take the others alone: --files " + ",".join(each.path for each in found),
            )
    return tuple(one for one in group if one.state in (State.WAITING, State.APPROVED))


def _approved(
    gate: Gate, found: tuple[Proposal, ...], proof: Proof, said: str
) -> tuple[Proposal, ...]:
    """Approve what waits, all or none; what the rules have allowed already needs no answer."""
    waiting = [one.id for one in found if one.state is not State.APPROVED]
    done = {one.id: one for one in gate.answer_all(waiting, approve=True, proof=proof, reason=said)}
    return tuple(done.get(one.id, one) for one in found)


def waiting_beside(gate: Gate, one: Proposal) -> list[Proposal]:
    """Return the files of its set that still wait."""
    group = gate.of_set(one.set_id)
    return [other for other in group if other.state is State.WAITING]


def numbers(text: str) -> list[int]:
    """Return the numbers of `1,3-5`."""
    chosen: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last) if dash else (first, first)
        if not all(end.isascii() and end.isdecimal() and len(end) < 8 for end in ends):
            raise InputError("bad-hunks", f"`{text}` is not a list of hunks", hint="--hunks 1,3-5")
        chosen += range(int(ends[0]), int(ends[1]) + 1)[:10_000]
    if not chosen:
        raise InputError("bad-hunks", f"`{text}` names no hunk", hint="--hunks 1,3-5")
    return chosen
