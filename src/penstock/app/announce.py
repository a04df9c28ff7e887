"""Have a person told of what waits, beside everything else that goes on.

A process of its own tells and ends (`telling.py`): the gate only leaves a mark and starts it, the
resident and `penstock watch` start it again for what is left over, after quiet hours or where a
service was down.
Always true: proposing never waits for a message and never fails by one.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.core.errors import PenstockError
from penstock.core.notify.settings import NotifySettings, settings_of
from penstock.core.proposals.model import Proposal, State
from penstock.stores.notify.outbox import Outbox, anything_pending
from penstock.stores.system.places import state_home, user_rules

if TYPE_CHECKING:
    from penstock.app.workspace import Workspace

SWITCH = "PENSTOCK_NOTIFY"  # `off` starts no process; one that stays tells all the same
START_EVERY, MOST_BETWEEN = 30.0, 600.0  # seconds between two processes for what is left over
LOOK_EVERY = 2.0
# Our own code, whatever the directory and the variables of whoever proposes would have us import.
# Descriptors that came down to us are closed: whoever waits for their end must not wait for this.
CODE = (
    "import os, sys; os.closerange(3, 1024); sys.path.insert(0, sys.argv.pop(1)); "
    "from penstock.cli import main; main()"
)


def settings_here(here: Workspace) -> NotifySettings:
    """Return how the person is told of this workspace."""
    return settings_of(here.policy().notify, user=user_rules())


def wants(settings: NotifySettings, environ: Mapping[str, str]) -> bool:
    """Say whether there is anybody to tell."""
    return bool(settings.targets) or (settings.desktop and _has_desktop(environ))


def _has_desktop(environ: Mapping[str, str]) -> bool:
    from penstock.stores.notify.send import has_desktop

    return has_desktop(environ)


# -- starting ------------------------------------------------------------------------------------


def announce(here: Workspace, made: Sequence[Proposal]) -> None:
    """Have somebody told of new proposals; never waits and never fails."""
    if not any(one.state is State.WAITING for one in made):
        return
    with suppress(Exception):  # whatever it is, the proposal stands and waits
        if wants(settings_here(here), os.environ):
            outbox = Outbox(here.state)
            outbox.mark()
            if os.environ.get(SWITCH) != "off" and not outbox.somebody_tells():
                start_process(here.root)


_STARTED: list[int] = []


def start_process(root: str) -> int:
    """Start the process that tells, and let it run on without us."""
    for pid in _STARTED[:]:
        with suppress(ChildProcessError):
            if os.waitpid(pid, os.WNOHANG)[0] == 0:
                continue
        _STARTED.remove(pid)
    quiet = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in (0, 1, 2)]
    beside = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    argv = [sys.executable, "-I", "-c", CODE, beside, "notify", "send", "--workspace", root]
    try:
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setsid=True)
    except NotImplementedError:  # a system that knows no sessions here; a group is enough
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setpgroup=0)
    _STARTED.append(pid)
    return pid


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
            if is_quiet(settings_here(here)):
                return
            self._started[here.root] = count + 1, time.monotonic() + pause
            if not outbox.somebody_tells():
                self._start(here.root)


def start(stop: threading.Event) -> threading.Thread:
    """Look after what is left over in every workspace, in a thread, until `stop` is set."""
    from penstock.app.servers import known_workspaces

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


def is_quiet(settings: NotifySettings) -> bool:
    """Say whether it is quiet now, by the clock on the wall."""
    now = time.localtime()
    return settings.quiet is not None and settings.quiet.covers(now.tm_hour * 60 + now.tm_min)
