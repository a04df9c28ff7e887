"""`penstock review`: pending changes, on the full screen or one after the other at a prompt.

The full screen is `doors/tui`'s and needs the extra `tui` and a terminal that can draw; the prompt
is here and needs neither.
Always true: what is approved is what was shown last; a strategy, a choice of hunks or an edit
shows its result and asks again. The end of input leaves a change pending.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from penstock.cli import OK, WAITING
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.ask import insertion_point, line
from penstock.cli.terminal.output import console, printable, workspace_option
from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.merge.combination import Combination
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.short_id import short

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.app import Workspace
    from penstock.gate import Gate, Proof

NO_DRAWING = ("", "dumb", "unknown")  # what TERM says where nothing can be drawn
CHOICES = "[a]pprove  [r]eject  [s]trategy  [h]unks  [e]dit  [n]ext  [q]uit"


@click.command(cls=PlainCommand, examples=("penstock review", "penstock review --plain"))
@click.option("--plain", is_flag=True, help="Use a simple prompt instead of the full screen.")
@workspace_option
def command(plain: bool, workspace: str | None) -> int:
    """Review pending changes in the terminal, one by one.

    Opens a full-screen view if the extra `tui` is installed, a prompt otherwise.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.ask import at_terminal
    from penstock.cli.terminal.proof import refuse_inside_agent
    from penstock.gate.doors import Door

    here = open_workspace(workspace, door=Door.COMMAND)
    refuse_inside_agent(here)
    here.gate.expire()
    waiting = here.gate.find(states=(State.WAITING,))
    if not waiting:
        console().print("no pending changes")
        return OK
    if not plain and can_draw():
        return _full_screen(here)
    if not at_terminal() or not sys.stdout.isatty():  # what goes elsewhere is shown to nobody
        raise RefusedError(
            "no-terminal",
            "a review needs a terminal",
            because="standard input or output is not a terminal",
            hint="use `penstock show ID` and `penstock approve ID`",
        )
    return _at_prompt(here, waiting)


def can_draw() -> bool:
    """Say whether there is a terminal to draw on, and the library that draws."""
    from importlib.util import find_spec

    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return terminal and os.environ.get("TERM", "") not in NO_DRAWING and bool(find_spec("textual"))


def _full_screen(here: Workspace) -> int:
    from penstock.app.proof import PASSPHRASE_VARIABLE
    from penstock.cli.review.edit import edited
    from penstock.cli.terminal.proof import person
    from penstock.doors.colours.child import Colours
    from penstock.doors.run.view import as_text
    from penstock.doors.tui.app import ReviewApp
    from penstock.doors.tui.gateway import ReviewDesk
    from penstock.doors.tui.proof import AtTerminal

    if os.environ.get("NO_COLOR") == "":  # an empty one asks for nothing
        del os.environ["NO_COLOR"]
    keys = AtTerminal(here)
    if here.keys.exists() and os.environ.get(PASSPHRASE_VARIABLE):
        keys.take(person(here))
    has_editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    colours = Colours()
    desk = ReviewDesk(here.gate, keys, runs=partial(as_text, here), colours=colours)
    left = ReviewApp(desk, edit=edited if has_editor else None).run()
    colours.close()
    return WAITING if left else OK


def _at_prompt(here: Workspace, waiting: tuple[Proposal, ...]) -> int:
    from penstock.cli.terminal.proof import person

    review = Review(here.gate, console(), partial(person, here))
    all(review.answered(one) for one in waiting)  # until the person leaves
    left = here.gate.find(states=(State.WAITING,), limit=1)
    return WAITING if left else OK


class Review(Struct, frozen=True, dict=True):
    """One person going through the pending changes; `prove` asks them for a proof, once."""

    gate: Gate
    out: Console
    prove: Callable[[], Proof]

    @cached_property
    def proof(self) -> Proof:
        """What proves the person, asked for when something is approved and not before."""
        return self.prove()

    def answered(self, one: Proposal) -> bool:
        """Show a proposal until it is answered or left; False ends the review."""
        from penstock.cli.terminal import render

        current = self._still_waiting(one)
        while current is not None:
            render.show(self.out, current, *self.gate.contents(current), now=self.gate.now())
            try:
                letter = line(CHOICES).lower()[:1]
            except InputError:
                return False
            if letter == "q":
                return False
            current = self._step(letter, current)
        return True

    def _still_waiting(self, one: Proposal) -> Proposal | None:
        """Somebody else may have answered meanwhile, or its time is over."""
        self.gate.expire()
        now = self.gate.get(one.id)
        return now if now is not None and now.state is State.WAITING else None

    def _step(self, letter: str, one: Proposal) -> Proposal | None:
        """Do what a letter says; None when the proposal needs no more looking at."""
        from penstock.cli.terminal.progress import measuring

        step = STEPS.get(letter)
        if step is None:
            self.out.print(f"`{letter}` is not one of these", markup=False)
            return one
        try:
            with measuring(self.gate):
                return step(self, one)
        except PenstockError as error:
            self.out.print(printable(error.render()), markup=False)
            return self._still_waiting(one)

    def approve(self, one: Proposal) -> None:
        """Approve it; a set is written once all of it is approved."""
        from penstock.cli.review.approve import tell_offer, waiting_beside
        from penstock.cli.terminal import render
        from penstock.cli.terminal.ask import without
        from penstock.gate.lookup import rejected_beside

        hidden = render.not_printed(one.path, *self.gate.contents(one))
        said = without(hidden, yes=False, accepted=False)
        self.gate.answer(one.id, approve=True, proof=self.proof, reason=said)
        if waiting_beside(self.gate, one):
            self.out.print("approved; the change set is written when all of it is approved")
            return
        receipts = self.gate.apply(one.set_id or one.id)
        for receipt in receipts:
            self.out.print(printable(f"applied {receipt.path}"), markup=False)
        for other in rejected_beside(self.gate, one):
            self.out.print(printable(f"rejected {other.path}"), markup=False)
        tell_offer(self.gate, (one,))
        name = short(receipts[0].set_id if len(receipts) > 1 else receipts[0].id)
        self.out.print(printable(f"undo with `penstock undo {name}`"), markup=False)

    def reject(self, one: Proposal) -> None:
        """Reject it with a reason."""
        from penstock.app.proof import who
        from penstock.gate import Proof

        reason = line("reason (sent to the agent)") or "rejected without a reason"
        nobody_signs = Proof(by=who(), kind="terminal")
        self.gate.answer(one.id, approve=False, proof=nobody_signs, reason=reason)
        self.out.print("rejected")

    def strategy(self, one: Proposal) -> Proposal:
        """Show the result of a strategy; it becomes a version once the person uses it."""
        words = ", ".join(Strategy)
        word = line(f"strategy ({words})").lower()
        if word not in list(Strategy):
            raise InputError("unknown-strategy", f"`{word}` is not one of {words}")
        before, after = self.gate.contents(one)
        if before is None or after is None:
            return one
        at = insertion_point(self.out, before) if word == Strategy.INSERT else None
        made = Combination(strategy=Strategy(word), at=at)
        if not self._used(one, made):
            return one
        return self.gate.with_strategy(one.id, made.strategy, at=at)

    def hunks(self, one: Proposal) -> Proposal:
        """Show the result of some hunks; it becomes a version once the person uses it."""
        from penstock.cli.review.choice import numbers
        from penstock.cli.terminal import render

        render.hunks(self.out, *self.gate.contents(one))
        chosen = numbers(line("hunks to keep (1,3-5)"))
        if not self._used(one, Combination(hunks=frozenset(chosen))):
            return one
        return self.gate.with_hunks(one.id, chosen)

    def _used(self, one: Proposal, made: Combination) -> bool:
        """Show a result, and ask whether to use it; nothing is stored yet."""
        from penstock.cli.terminal import render

        before, after = self.gate.contents(one)
        result = made.of(one.path, before, after)
        shown = before, result.content, result.warnings
        render.show_preview(self.out, one.path, made.words, *shown)
        used = line("use this? [y/N]").lower() in ("y", "yes")
        if not used:
            self.out.print("not changed")
        return used

    def edit(self, one: Proposal) -> Proposal:
        """Change the content in an editor, and look again."""
        from penstock.cli.review.edit import edited

        after = self.gate.contents(one)[1]
        if after is None:
            raise InputError("nothing-to-edit", f"this change deletes `{one.path}`")
        content = edited(after, one.path.rsplit("/", 1)[-1])
        return one if content == after else self.gate.revise(one.id, content)

    def leave(self, one: Proposal) -> None:
        """Leave it pending."""
        self.out.print(f"{short(one.id)} stays pending", markup=False)


STEPS: Mapping[str, Callable[[Review, Proposal], Proposal | None]] = {
    "a": Review.approve,
    "r": Review.reject,
    "s": Review.strategy,
    "h": Review.hunks,
    "e": Review.edit,
    "n": Review.leave,
}
