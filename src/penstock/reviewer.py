"""What `decision_reviewer` starts. `apply` goes its own short way; the rest is `penstock rules`.

Always true: an edit imports no command line library, which would cost more than the edit does.
"""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Proof


def main(argv: list[str] | None = None) -> None:
    """Run the command and exit."""
    gc.disable()  # what is made here lives until the end, which is near
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["apply"]:
        _end(_apply(arguments[1:]))
    if arguments[:1] == ["query"]:
        code = _query(arguments[1:])
        if code is not None:
            sys.exit(code)
    from penstock.cli.rules import main as rules

    gc.enable()
    rules(arguments)


def _query(words: list[str]) -> int | None:
    """Answer a question; most need little of the program."""
    from penstock.doors.reviewer.query_command import run

    return run(words)


def _end(code: int) -> None:
    """Leave without taking everything apart first, which takes longer than a commit."""
    import os

    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _apply(words: list[str]) -> int:
    from penstock.doors.reviewer.apply_command import apply

    return apply(words, confirm=_confirm)


def _confirm(here: Workspace, reasons: tuple[str, ...], yes: bool) -> Proof:
    """Ask for a person; imported only where one is needed."""
    from penstock.cli.rules_person import confirm

    return confirm(here, reasons, yes)
