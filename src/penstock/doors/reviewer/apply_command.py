"""The command `apply`: its options in, an answer out.

Always true: whatever the words are, exactly one document is printed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock.core.errors import InputError, StoreError
from penstock.doors.reviewer.apply import Apply
from penstock.doors.reviewer.arguments import ApplyArguments
from penstock.doors.reviewer.output import keep_standard, tell
from penstock.doors.reviewer.responses import CommandResult, refused, wrong_usage

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Proof

Confirm = Callable[["Workspace", tuple[str, ...], bool], "Proof"]


def apply(asked: ApplyArguments, *, confirm: Confirm) -> int:
    """Run `apply` and return the exit code.

    `confirm` gets the proof of a person; its last argument says that nothing need be asked.
    """
    keep_standard()

    def prove(here: Workspace, reasons: tuple[str, ...]) -> Proof:
        return confirm(here, reasons, asked.yes)

    return tell(_whatever_happens(Apply(asked=asked, environ=os.environ, prove=prove)))


def not_understood(message: str) -> int:
    """Print what is wrong with the words, and return the exit code."""
    keep_standard()
    wrong = InputError("wrong-usage", message, hint="decision_reviewer apply --help")
    return tell(wrong_usage(wrong))


def _whatever_happens(work: Apply) -> CommandResult:
    """Answer in the one form, also to what nobody has thought of."""
    try:
        return work.run()
    except (KeyboardInterrupt, EOFError):
        return refused(work.operation, InputError("cancelled", "stopped before the end"))
    except Exception as fault:  # noqa: BLE001 - a script waits for a document, not for a trace
        what = f"internal error: {type(fault).__name__}: {str(fault)[:200]}"
        hint = "please report it; check the file before you retry"
        return refused(work.operation, StoreError("internal-error", what, hint=hint))
