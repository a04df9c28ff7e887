"""Deliver what is left over, after quiet hours or where a service was down.

For processes that stay: the background server and `penstock watch`.
Always true: a workspace is looked at by a file name alone, and each new try waits longer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from penstock.app.announce import is_quiet, start_process
from penstock.app.servers import known_workspaces
from penstock.app.workspace import Workspace
from penstock.core.errors import PenstockError
from penstock.stores.notify.outbox import Outbox, anything_pending
from penstock.stores.system.places import state_home

START_EVERY, MOST_BETWEEN = 30.0, 600.0  # seconds between two processes
LOOK_EVERY = 2.0


class Leftovers:
    """Starts telling again where something was left over; for processes that stay."""

    def __init__(self, start: Callable[[str], object] = start_process) -> None:
        self._start = start
        self._started: dict[str, tuple[int, float]] = {}

    def look(self, places: Iterable[Workspace]) -> None:
        """Look at some workspaces once; costs a file name each."""
        for here in places:
            outbox = Outbox(here.state)
            if not outbox.pending:
                self._started.pop(here.root, None)
            elif time.monotonic() >= self._started.get(here.root, (0, 0.0))[1]:
                self._again(here, outbox)

    def _again(self, here: Workspace, outbox: Outbox) -> None:
        """Start it, and each time wait longer until the next: a service may be down for long."""
        count = self._started.get(here.root, (0, 0.0))[0]
        pause = min(START_EVERY * 2.0**count, MOST_BETWEEN)
        with suppress(OSError, PenstockError):
            if is_quiet(here.notify_settings()):
                return
            self._started[here.root] = count + 1, time.monotonic() + pause
            if not outbox.somebody_tells():
                self._start(here.root)


def start(stop: threading.Event) -> threading.Thread:
    """Look after what is left over in every workspace, in a thread, until `stop` is set."""

    def run() -> None:
        left = Leftovers()
        known: dict[str, Workspace] = {}
        while not stop.wait(LOOK_EVERY):
            with suppress(Exception):  # this never ends the process that it runs in
                if anything_pending(state_home()):
                    known |= {at.root: at for at in known_workspaces() if at.root not in known}
                    left.look(known.values())

    thread = threading.Thread(target=run, name="penstock-notify", daemon=True)
    thread.start()
    return thread
