"""What the parts of a simple command need from the walk that they belong to.

Always true: `found` may be another collection from one call to the next, so nobody keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from penstock.core.shell.budget import Account
from penstock.core.shell.effects import Effect, Feed, RunText
from penstock.core.shell.expansion import Value
from penstock.core.shell.findings import ShellFindings
from penstock.core.shell.look import LookHere
from penstock.core.shell.programs.builtins import Outcome
from penstock.core.shell.scripts import ScriptBudget
from penstock.core.shell.state import ShellState, States
from penstock.core.shell.syntax.nodes import Node, Script


class Follows(Protocol):
    """The walk, as its simple commands see it."""

    found: ShellFindings
    scripts: ScriptBudget
    account: Account

    def text(self, text: str, states: States, feed: Feed) -> States:
        """Follow a text as shell commands."""

    def long_text(self, text: str, states: States, feed: Feed) -> States:
        """Follow a script of the project, however long it is."""

    def script(self, script: Script, states: States, feed: Feed) -> States:
        """Follow a script that has been read."""

    def node(self, node: Node, states: States, feed: Feed) -> Outcome:
        """Follow one node."""

    def printed(self, script: Script, state: ShellState) -> str | None:
        """Return what a substitution prints, if that is known."""

    def names(self, pattern: str, state: ShellState) -> Sequence[str] | None:
        """Return the files that a pattern meets, if that is known."""

    def hints(self, script: Script, state: ShellState) -> Sequence[str]:
        """Return files that a substitution may name whose output is not known."""

    def words_of(self, script: Script, state: ShellState) -> Sequence[Value]:
        """Return the words of a substitution that is one simple command; none where it is not."""

    def here(self, state: ShellState) -> LookHere:
        """Return what can be seen from a state."""

    def run_text(self, effect: RunText, state: ShellState, feed: Feed) -> States:
        """Follow a text of the project apart from the command that runs it."""

    def called(self, name: str) -> None:
        """A function was called."""

    def effects(self, effects: Iterable[Effect], state: ShellState, feed: Feed, by: str) -> States:
        """Carry out what a program does."""

    def program(
        self, argv: list[Value], state: ShellState, feed: Feed, *, functions: bool
    ) -> Outcome:
        """Do what a program does with its words."""
