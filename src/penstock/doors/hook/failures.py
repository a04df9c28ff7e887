"""What the engine says and does about its own failures: in one line, by a code, and going on.

What follows for a call is `engine`'s and `last_resort`'s.
Always true: nothing here raises.
"""

from __future__ import annotations

from collections.abc import Callable

from penstock.core.errors import PenstockError
from penstock.doors.hook.wire import HostileInputError


def tried(what: str, step: Callable[[], object]) -> str:
    """Take a step that changes no verdict; return what went wrong, or nothing."""
    try:
        step()
    except Exception as problem:  # noqa: BLE001 - the verdict is known, and it is given
        return f"Penstock could not {what}: {told(problem)}"
    return ""


def code_of(problem: Exception) -> str:
    """Return the code under which a problem is recorded."""
    if isinstance(problem, PenstockError):
        return problem.code
    if isinstance(problem, HostileInputError):
        return "hostile-input"
    return "bad-input" if isinstance(problem, ValueError) else "hook-failed"


def told(problem: Exception) -> str:
    """Return a problem in one line."""
    if not isinstance(problem, PenstockError):
        kind = "" if isinstance(problem, OSError | ValueError) else type(problem).__name__
        return ": ".join(filter(None, (kind, " ".join(str(problem).split())))) or "unknown"
    return f"{problem.message}: {problem.because}" if problem.because else problem.message
