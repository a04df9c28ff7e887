"""Questions to the person at the terminal.

Always true: nothing is asked without a terminal, and the end of input is never a yes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from penstock.cli.terminal.output import tell
from penstock.core.diff.coverage import Unseen, fingerprint, require_shown
from penstock.core.errors import InputError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

ATTEMPTS = 3


def at_terminal() -> bool:
    """Say whether standard input is a terminal."""
    try:
        return os.isatty(0)
    except OSError:  # it was closed
        return False


def agreed(question: str, *, yes: bool) -> bool:
    """Ask for a yes at a terminal; without one, only `--yes` is a yes."""
    if yes:
        return True
    need_answer(yes=yes)
    return click.confirm(question, default=False, err=True)


def without(unseen: Sequence[Unseen], *, yes: bool, accepted: bool) -> str:
    """Name what could not be printed, and have it accepted: by the person, or by `--unseen`.

    Return what the audit log says of it. Raises RefusedError `not-shown`.
    """
    for one in unseen:
        tell(f"not shown: {one.words}")
    asked = bool(unseen) and not accepted and not yes and at_terminal()
    accepted = accepted or (asked and agreed("approve these parts without seeing them?", yes=False))
    name = fingerprint(unseen) if accepted else ""
    return require_shown(
        unseen, acknowledged=name, hint="view the file with another tool, or add `--unseen`"
    )


def need_answer(*, yes: bool) -> None:
    """Refuse early what would have to be asked later and cannot be."""
    if not yes and not at_terminal():
        raise RefusedError(
            "needs-yes",
            "this needs a confirmation",
            because="standard input is not a terminal, so you can't be asked",
            hint="add `--yes`, or run it in a terminal",
        )


def line(question: str) -> str:
    """Ask for a line. Raises InputError `cancelled` at the end of input."""
    try:
        return input(f"{question}: ").strip()
    except EOFError:
        raise InputError("cancelled", "cancelled: the input ended before an answer") from None


def insertion_point(out: Console, content: bytes) -> int:
    """Show the file with its line numbers, then ask, three times at most."""
    from penstock.cli.terminal import render
    from penstock.core.merge.strategies import line_count

    render.numbered(out, content)
    most = line_count(content)
    for _ in range(ATTEMPTS):
        text = line(f"insert after line (0: top, {most}: end)")
        if text.isascii() and text.isdecimal() and int(text[:12]) <= most:
            return int(text)
        out.print(f"`{text}` is not a line number from 0 to {most}", markup=False)
    raise InputError("bad-insertion-point", f"no valid line number in {ATTEMPTS} attempts")
