"""What the functions of this door raise, under the names that the gate spec gives them.

Always true: each is one of Penstock's own errors, with a code and a hint; those about a wrong
value are Python's ValueError too, for callers who know no other.
"""

from __future__ import annotations

from penstock.core.errors import InputError, PenstockError


class InvalidInsertionPointError(InputError, ValueError):
    """There is no such line to insert after, or none was named in all attempts."""


class InsertionCancelledError(InputError):
    """The person did not want to say where to insert."""


class UnknownStrategyError(InputError, ValueError):
    """There is no merge strategy of that name."""


class BadTargetError(InputError, ValueError):
    """The path does not lead to a file in the project, or not to text."""


def in_one_line(problem: PenstockError) -> str:
    """Return a problem as one line: what, why, and what to do about it."""
    return f"{why(problem)} (try: {problem.hint})" if problem.hint else why(problem)


def why(problem: PenstockError) -> str:
    """Return what went wrong, and why."""
    return f"{problem.message}: {problem.because}" if problem.because else problem.message
