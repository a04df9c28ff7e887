"""`penstock review`: the queue, one proposal after the other, at a prompt.

Always true: what is approved is what was shown last; a strategy, a choice of hunks or an edit
shows its result and asks again. The end of input is "leave it waiting".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.output import console, workspace_option
from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.merge import Strategy
from penstock.core.proposal import Proposal, State

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.gate import Gate, Proof

ATTEMPTS = 3
CHOICES = "[a]pprove  [r]eject  [s]trategy  [h]unks  [e]dit  [n]ext  [q]uit"


@click.command()
@workspace_option
def command(workspace: str | None) -> int:
    """Go through what waits: look, choose, approve or reject."""
    from penstock.app import open_workspace
    from penstock.cli.proof import person

    here = open_workspace(workspace)
    here.gate.expire()
    waiting = here.gate.parts.proposals.find(states=(State.WAITING,))
    out = console()
    if not waiting:
        out.print("nothing waits")
        return OK
    if not sys.stdin.isatty():
        raise RefusedError(
            "no-terminal", "a review needs a terminal", hint="penstock show ID, penstock approve ID"
        )
    review = Review(here.gate, out, person(here))
    return OK if all(review.answered(one) for one in waiting) else COULD_NOT


def _asked(question: str) -> str:
    try:
        return input(f"{question}: ").strip().lower()[:1]
    except EOFError:
        return ""


@dataclass(frozen=True)
class Review:
    """One person going through the queue."""

    gate: Gate
    out: Console
    proof: Proof

    def answered(self, one: Proposal) -> bool:
        """Show a proposal until it is answered or left; False ends the review."""
        from penstock.cli import render

        current: Proposal | None = one
        while current is not None:
            render.show(self.out, current, *self.gate.contents(current))
            letter = _asked(CHOICES)
            if letter in ("q", ""):
                return False
            current = self._step(letter, current)
        return True

    def _step(self, letter: str, one: Proposal) -> Proposal | None:
        """Do what a letter says; None when the proposal needs no more looking at."""
        step = STEPS.get(letter)
        if step is None:
            self.out.print(f"`{letter}` is none of these", markup=False)
            return one
        try:
            return step(self, one)
        except PenstockError as error:
            self.out.print(error.render(), markup=False)
            return one

    def approve(self, one: Proposal) -> None:
        """Approve it; a set is written once all of it is approved."""
        self.gate.answer(one.id, approve=True, proof=self.proof)
        others = self.gate.parts.proposals.of_set(one.set_id) if one.set_id else ()
        if any(other.state is State.WAITING for other in others):
            self.out.print("approved; its set is written once all of it is approved")
            return
        for receipt in self.gate.apply(one.set_id or one.id):
            self.out.print(f"applied {receipt.path}: receipt {receipt.id}", markup=False)

    def reject(self, one: Proposal) -> None:
        """Send it back with a reason."""
        reason = input("why (the agent is told): ").strip() or "rejected without a reason"
        self.gate.answer(one.id, approve=False, proof=self.proof, reason=reason)
        self.out.print("rejected")

    def strategy(self, one: Proposal) -> Proposal:
        """Combine it with what is there, and look again."""
        words = ", ".join(Strategy)
        word = input(f"strategy ({words}): ").strip().lower()
        if word not in list(Strategy):
            raise InputError("unknown-strategy", f"`{word}` is none of {words}")
        at = self._insertion_point(one) if word == Strategy.INSERT else None
        return self.gate.with_strategy(one.id, Strategy(word), at=at)

    def _insertion_point(self, one: Proposal) -> int:
        """Show the file with its line numbers, then ask, three times at most."""
        from penstock.cli import render

        before = self.gate.contents(one)[0] or b""
        render.numbered(self.out, before)
        most = before.count(b"\n")
        for _ in range(ATTEMPTS):
            text = input(f"insert after line (0 to {most}): ").strip()
            if text.isdecimal() and int(text) <= most:
                return int(text)
            self.out.print(f"`{text}` is not a line of this file", markup=False)
        raise InputError("bad-insertion-point", f"no line was chosen in {ATTEMPTS} attempts")

    def hunks(self, one: Proposal) -> Proposal:
        """Keep some hunks only, and look again."""
        from penstock.cli import render
        from penstock.cli.approve import numbers

        render.hunks(self.out, *self.gate.contents(one))
        return self.gate.with_hunks(one.id, numbers(input("hunks to keep (1,3-5): ")))

    def edit(self, one: Proposal) -> Proposal:
        """Change the content in an editor, and look again."""
        from penstock.cli.edit import edited

        after = self.gate.contents(one)[1]
        if after is None:
            raise InputError("nothing-to-edit", f"the proposal removes `{one.path}`")
        return self.gate.revise(one.id, edited(after, one.path.rsplit("/", 1)[-1]))

    def leave(self, one: Proposal) -> None:
        """Leave it waiting."""
        self.out.print(f"{one.id} is left waiting", markup=False)


STEPS: Mapping[str, Callable[[Review, Proposal], Proposal | None]] = {
    "a": Review.approve,
    "r": Review.reject,
    "s": Review.strategy,
    "h": Review.hunks,
    "e": Review.edit,
    "n": Review.leave,
}
