"""What is around a process, as a test says it.

A test that runs in this process has no terminal of its own, and nobody shall look at whoever
started the tests. What the real surroundings show is tested in processes of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from penstock.app import Workspace


@dataclass(frozen=True)
class SaidSurroundings:
    """Surroundings that were said: by default a person at a terminal."""

    inside: str = ""
    at_terminal: bool = True

    def agent(self) -> str | None:
        """Say why an agent is taken to run this process, or None."""
        return self.inside or None

    def terminal(self) -> bool:
        """Say whether standard input is a terminal."""
        return self.at_terminal


class SeatedWorkspace(Workspace, frozen=True):
    """A workspace whose commands are taken to run at a person's terminal."""

    @cached_property
    def surroundings(self) -> SaidSurroundings:
        """A person at a terminal."""
        return SaidSurroundings()
