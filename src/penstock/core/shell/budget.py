"""What one shell command may cost to follow, counted and never timed.

Always true: every loop that a text can make longer charges this account, so the same text
stops at the same place on every machine.
"""

from __future__ import annotations

from penstock.core.shell.syntax.tree import MOST_SQUARES, SkeletonBudget
from penstock.core.shell.syntax.words import TooMuch

# A unit is about a microsecond of an ordinary machine. An honest script of a hundred and
# fifty lines takes some 4,000 of them.
MOST_UNITS = 8_000
MOST_NESTING = 24
# Nodes inside nodes, over all levels: this keeps us far from the interpreter's own limit.
MOST_NODES_DEEP = 100

TEXT = 60
PIECE = 8
COMMAND = 20
WORD = 2
REDIRECT = 10
EFFECT = 8
CODE = 400
PYTHON_TOKEN = 4
PATCH_LINE = 2
# Files that a look finds for one command, and what following one of them may cost.
MOST_NAMES = 400
NAME = 150


class Account:
    """The running costs of one command."""

    def __init__(self) -> None:
        self.units = 0
        self.steps = 0
        self.depth = 0
        self.nodes_deep = 0
        self.skeletons = SkeletonBudget()
        self.most = MOST_UNITS
        self.names = 0
        self.earlier = 0

    def grant(self, names: int) -> bool:
        """Make room for the work on files that a look has found; False where these are too many.

        They come from a disk and not from the text, so they must not use up what is there for it.
        """
        self.names += names
        if self.names > MOST_NAMES:
            return False
        self.most += names * NAME
        return True

    def charge(self, units: int) -> None:
        """Spend units; raise when there are none left."""
        self.units += units
        if self.units > self.most:
            raise TooMuch

    def refill(self) -> None:
        """Start anew with the next part of a long script."""
        self.earlier += self.units
        self.units = self.steps = self.depth = self.nodes_deep = 0
        self.skeletons = SkeletonBudget()

    def hurry(self) -> None:
        """Leave no more than a quarter of what can be spent."""
        self.units = max(self.units, self.most * 3 // 4)
        self.skeletons.spent = max(self.skeletons.spent, MOST_SQUARES * 3 // 4)

    def left(self) -> int:
        """Return how many units can still be spent."""
        return max(0, self.most - self.units)

    def deeper(self) -> Account:
        """Stand one level deeper, as long as a `with` lasts: a substitution, a nested shell."""
        self.depth += 1
        if self.depth > MOST_NESTING:
            raise TooMuch
        return self

    def __enter__(self) -> None:
        """`deeper` has counted the level already."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:  # whoever goes on after a failure refills the account
            self.depth -= 1
