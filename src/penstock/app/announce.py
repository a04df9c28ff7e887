"""Have a person told of what waits and of alerts, beside everything else that goes on.

A process of its own tells and ends (`deliver`): the gate only leaves a mark and starts it, what is
left over is `leftovers`' work.
Always true: proposing never waits for a message and never fails by one; nobody counts as told here,
because what becomes of a message is known to `deliver` alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from msgspec import Struct

from penstock.app.process import start_beside
from penstock.core.notify.message import Alert
from penstock.core.notify.settings import NotifySettings
from penstock.stores.notify.outbox import Outbox

SWITCH = "PENSTOCK_NOTIFY"  # `off` starts no process; one that stays tells all the same


class Announcement(Struct, frozen=True, kw_only=True):
    """How far a message came: `targets` it is queued for, or the `problem` that stopped it."""

    targets: int = 0
    problem: str = ""
    later: str = ""


def targets_in(settings: NotifySettings, environ: Mapping[str, str]) -> int:
    """Return how many there are to tell."""
    desktop = settings.desktop and _has_desktop(environ)
    return len(settings.targets) + desktop + len(_subscribed())


def _subscribed() -> tuple[object, ...]:
    from penstock.stores.notify.subscriptions import Subscriptions
    from penstock.stores.system.places import state_home

    return Subscriptions(state_home()).all()


def _has_desktop(environ: Mapping[str, str]) -> bool:
    from penstock.stores.notify.send import has_desktop

    return has_desktop(environ)


# -- starting ------------------------------------------------------------------------------------


def announce(
    root: str, state: str, settings: NotifySettings, *, alert: Alert | None = None
) -> Announcement:
    """Have somebody told of what is new in a workspace; never waits and never fails."""
    try:
        count = targets_in(settings, os.environ)
        if count:
            outbox = Outbox(state)
            if alert is not None:
                outbox.add_alert(alert)
            outbox.mark()
            if not switched_off() and not outbox.somebody_tells():
                start_process(root)
        return Announcement(targets=count, later=_later(settings) if count else "")
    except Exception as problem:  # noqa: BLE001 - whatever it is, the proposal stands and waits
        return Announcement(problem=str(problem) or type(problem).__name__)


def _later(settings: NotifySettings) -> str:
    if is_quiet(settings):
        return "it will be sent after your quiet hours"
    return f"{SWITCH} is off, so only a running `penstock watch` sends it" if switched_off() else ""


def switched_off() -> bool:
    """Say whether no process may be started."""
    return os.environ.get(SWITCH) == "off"


def start_process(root: str) -> int:
    """Start the process that tells, and let it run on without us."""
    return start_beside("notify", "send", "--workspace", root)


def is_quiet(settings: NotifySettings) -> bool:
    """Say whether it is quiet now, by the clock on the wall."""
    now = time.localtime()
    return settings.quiet is not None and settings.quiet.covers(now.tm_hour * 60 + now.tm_min)
