"""Show long output through a pager, as git does.

`PENSTOCK_PAGER` names the program, else `PAGER`, else `less`; an empty value or `cat` switches it
off, and so does `--no-pager`. `LESS` is `FRX` unless it is set.
Always true: without a terminal, at one whose size nobody set, and for output that fits on the
screen, there is no pager; a pager that can't be started loses nothing.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from penstock.cli.terminal.output import console

if TYPE_CHECKING:
    from rich.console import Console

F = TypeVar("F", bound=Callable[..., Any])
VARIABLES = ("PENSTOCK_PAGER", "PAGER")
SETTINGS = {"LESS": "FRX", "LV": "-c"}
NO_SCROLLING = ("", "dumb", "unknown")  # what TERM says where a pager can't move the cursor
NO_SCREEN = os.terminal_size((0, 0))  # a terminal without a size: a program holds it
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def pager_option(function: F) -> F:
    """Add `--no-pager` to a command."""
    return click.option(
        "--no-pager", "pager", flag_value=False, default=True, help="Print without a pager."
    )(function)


@contextmanager
def paged(*, use: bool = True) -> Iterator[Console]:
    """Give a console; what was printed to it is shown at the end, in a pager where that helps."""
    scrolls = sys.stdout.isatty() and os.environ.get("TERM", "") not in NO_SCROLLING
    program = pager() if use and scrolls else []
    if not program:
        yield console()
        return
    kept = io.StringIO()
    try:
        yield console(into=kept)
    finally:
        _show(kept.getvalue(), program)


def pager() -> list[str]:
    """Return the command of the pager, nothing where none is wanted."""
    named = next((os.environ[name] for name in VARIABLES if name in os.environ), "less")
    try:
        words = shlex.split(named)
    except ValueError:
        return []
    known = words and os.path.basename(words[0]) != "cat" and shutil.which(words[0])
    return words if known else []


def _show(text: str, program: list[str]) -> None:
    if fits(text, shutil.get_terminal_size(fallback=NO_SCREEN)) or not _run(text, program):
        sys.stdout.write(text)
        sys.stdout.flush()


def fits(text: str, screen: os.terminal_size) -> bool:
    """Say whether a text fits on the screen, its long lines folded, above the next prompt."""
    if not screen.lines:
        return True
    rows = 0
    for line in STYLE.sub("", text).splitlines():
        rows += 1 + max(0, len(line.expandtabs()) - 1) // max(1, screen.columns)
        if rows >= screen.lines:
            return False
    return True


def _run(text: str, program: list[str]) -> bool:
    """Hand a text to the pager and wait; False where it could not be started."""
    environ = {**SETTINGS, **os.environ}
    try:
        child = subprocess.Popen(program, stdin=subprocess.PIPE, env=environ)  # noqa: S603
    except OSError:
        return False
    # Ctrl-C is the pager's while it is open: it stops a search there.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError):  # the person has seen enough
            child.communicate(text.encode("utf-8", "backslashreplace"))
        child.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return True
