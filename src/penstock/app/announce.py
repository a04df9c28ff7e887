"""Have a person told of what waits, beside everything else that goes on.

A process of its own tells and ends (`deliver`): the gate only leaves a mark and starts it, what is
left over is `leftovers`' work.
Always true: proposing never waits for a message and never fails by one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from penstock.core.notify.settings import NotifySettings
from penstock.stores.notify.outbox import Outbox

SWITCH = "PENSTOCK_NOTIFY"  # `off` starts no process; one that stays tells all the same
# Our own code, whatever the directory and the variables of whoever proposes would have us import.
# Descriptors that came down to us are closed: whoever waits for their end must not wait for this.
CODE = (
    "import os, sys; os.closerange(3, 1024); sys.path.insert(0, sys.argv.pop(1)); "
    "from penstock.cli import main; main()"
)


def wants(settings: NotifySettings, environ: Mapping[str, str]) -> bool:
    """Say whether there is anybody to tell."""
    return bool(settings.targets) or (settings.desktop and _has_desktop(environ))


def _has_desktop(environ: Mapping[str, str]) -> bool:
    from penstock.stores.notify.send import has_desktop

    return has_desktop(environ)


# -- starting ------------------------------------------------------------------------------------


def announce(root: str, state: str, settings: NotifySettings) -> None:
    """Have somebody told of what is new in a workspace; never waits and never fails."""
    with suppress(Exception):  # whatever it is, the proposal stands and waits
        if wants(settings, os.environ):
            outbox = Outbox(state)
            outbox.mark()
            if os.environ.get(SWITCH) != "off" and not outbox.somebody_tells():
                start_process(root)


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


def is_quiet(settings: NotifySettings) -> bool:
    """Say whether it is quiet now, by the clock on the wall."""
    now = time.localtime()
    return settings.quiet is not None and settings.quiet.covers(now.tm_hour * 60 + now.tm_min)
