"""Have a person told of what waits, beside everything else that goes on.

A process of its own tells and ends (`deliver`): the gate only leaves a mark and starts it, what is
left over is `leftovers`' work.
Always true: proposing never waits for a message and never fails by one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from penstock.app.process import start_beside
from penstock.core.notify.settings import NotifySettings
from penstock.stores.notify.outbox import Outbox

SWITCH = "PENSTOCK_NOTIFY"  # `off` starts no process; one that stays tells all the same


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


def start_process(root: str) -> int:
    """Start the process that tells, and let it run on without us."""
    return start_beside("notify", "send", "--workspace", root)


def is_quiet(settings: NotifySettings) -> bool:
    """Say whether it is quiet now, by the clock on the wall."""
    now = time.localtime()
    return settings.quiet is not None and settings.quiet.covers(now.tm_hour * 60 + now.tm_min)
