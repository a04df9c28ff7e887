"""The command `apply`: its words in, an answer out.

Always true: whatever the words are, exactly one document is printed, except for `--help`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from penstock.core.errors import InputError, StoreError
from penstock.doors.reviewer.apply import Apply
from penstock.doors.reviewer.arguments import UsageError, help_text, read_arguments
from penstock.doors.reviewer.output import keep_standard, put, tell
from penstock.doors.reviewer.responses import CommandResult, refused, wrong_usage

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Proof

Confirm = Callable[["Workspace", tuple[str, ...], bool], "Proof"]


def apply(arguments: Sequence[str], *, confirm: Confirm) -> int:
    """Run `apply` with these words and return the exit code.

    `confirm` gets the proof of a person; its last argument says that nothing need be asked.
    """
    keep_standard()
    if {"--help", "-h"} & {*arguments}:
        put(help_text().encode() + b"\n")
        return 0
    try:
        asked = read_arguments(arguments)
    except UsageError as wrong:
        return tell(wrong_usage(wrong))

    def prove(here: Workspace, reasons: tuple[str, ...]) -> Proof:
        return confirm(here, reasons, asked.yes)

    return tell(_whatever_happens(Apply(asked=asked, environ=os.environ, prove=prove)))


def _whatever_happens(work: Apply) -> CommandResult:
    """Answer in the one form, also to what nobody has thought of."""
    try:
        return work.run()
    except (KeyboardInterrupt, EOFError):
        return refused(work.operation, InputError("cancelled", "stopped before the end"))
    except Exception as fault:  # noqa: BLE001 - a script waits for a document, not for a trace
        what = f"an error of our own: {type(fault).__name__}: {str(fault)[:200]}"
        hint = "please report it; look at the file before you try again"
        return refused(work.operation, StoreError("internal-error", what, hint=hint))
