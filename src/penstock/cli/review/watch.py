"""`penstock watch`: a terminal that rings when a change needs approval.

It only looks; `penstock review` answers. While it runs it also sends the notifications that were
held back during quiet hours.
Always true: it ends at Ctrl-C, or when it was asked to; where stdout is no terminal nothing is
sent but lines.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

import click

from penstock.cli import OK, WAITING
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import json_option, printable, workspace_option

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.proposals.model import Proposal

BELL = "\a"
KEEP_TITLE, RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"


@click.command(cls=PlainCommand, examples=("penstock watch", "penstock watch --once"))
@click.option("--once", is_flag=True, help="Exit as soon as there is a pending change.")
@click.option("--no-bell", is_flag=True, help="Don't ring the terminal bell.")
@click.option(
    "--for",
    "seconds",
    type=click.FloatRange(min=0.0),
    default=None,
    metavar="SECONDS",
    help="Exit after this many seconds.",
)
@click.option(
    "--every",
    type=click.FloatRange(min=0.05, max=60.0),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to check.",
)
@workspace_option
@json_option
def command(
    once: bool,
    no_bell: bool,
    seconds: float | None,
    every: float,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Print pending changes as they arrive, ring the bell and set the window title.

    Stop it with Ctrl-C. Exit code 3 means that changes are pending.
    """
    from penstock.app import open_workspace
    from penstock.app.announce import is_quiet
    from penstock.app.leftovers import Leftovers

    here = open_workspace(workspace)
    end = None if seconds is None else time.monotonic() + seconds
    screen = Screen(as_json=as_json)
    left, known = Leftovers(), dict[str, "Proposal"]()
    screen.begin()
    try:
        while True:
            now = {one.id: one for one in _waiting(here)}
            fresh = [one for name, one in now.items() if name not in known]
            known = now
            screen.show(fresh, len(now), ring=not no_bell and not is_quiet(here.notify_settings()))
            left.look([here])
            if (once and now) or (end is not None and time.monotonic() >= end):
                break
            time.sleep(every if end is None else max(0.0, min(every, end - time.monotonic())))
    except KeyboardInterrupt:
        pass
    finally:
        screen.end()
    return WAITING if known else OK


def _waiting(here: Workspace) -> tuple[Proposal, ...]:
    from penstock.core.proposals.model import State

    here.gate.expire()
    return here.gate.find(states=(State.WAITING,))


class Screen:
    """What is sent to the terminal: lines, and where it is one, the bell and the title."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.titled = sys.stdout.isatty() and not as_json
        self.count = -1

    def begin(self) -> None:
        """Save the title of the window."""
        self._send(KEEP_TITLE if self.titled else "")

    def end(self) -> None:
        """Restore the title of the window."""
        self._send(RESTORE_TITLE if self.titled else "")

    def show(self, fresh: list[Proposal], count: int, *, ring: bool) -> None:
        """Print new changes, one line each; one ring for all of them."""
        for one in fresh:
            self._send(self._line(one) + "\n")
        if self.titled and count != self.count:
            self._send(f"\x1b]0;penstock: {count} pending\a")
        if self.titled and ring and fresh:
            self._send(BELL)
        self.count = count

    def _line(self, one: Proposal) -> str:
        if self.as_json:
            from penstock.cli.review.queue import document

            return json.dumps(document(one))
        from penstock.core.proposals.short_id import short
        from penstock.core.text.display import spoken
        from penstock.core.text.quantities import change_counts

        who = f" ({spoken(one.actor.agent)})" if one.actor.agent else ""
        said = f"{short(one.id)}  {spoken(one.path)}: {change_counts(one.change)}{who}"
        return printable(said)

    def _send(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
