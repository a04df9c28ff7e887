"""Tell everybody what they were not told yet: one process's turn, from the queue to the services.

Always true: a message that was sent is not sent again, except where a crash came between sending
and noting it; a turn ends in time; the record names targets by their labels.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, field

from penstock.app.announce import is_quiet, start_process
from penstock.app.push import Push, pushed, subscribers
from penstock.app.workspace import Workspace
from penstock.core.errors import PenstockError
from penstock.core.loopback import page_origin
from penstock.core.notify.message import Alert, Group, Message, Notice, groups, inert, message
from penstock.core.notify.settings import NotifyEvent, NotifySettings
from penstock.core.proposals.model import Moment, Proposal, State
from penstock.stores.notify.outbox import Deliveries, Outbox
from penstock.stores.notify.send import (
    DESKTOP,
    MessageTarget,
    has_desktop,
    send,
    show_on_desktop,
    targets_of,
)
from penstock.stores.notify.web_push import send_push
from penstock.stores.system.places import state_home, user_rules

LIFE = 60.0  # seconds that a turn may take, besides waiting between two messages
MOST_TRIES, TRIES_AT_ONCE = 30, 3
PREVIEW = 3000

Try = Callable[[MessageTarget, Message], str]


class Teller(Struct, dict=True):
    """One process's turn: tells everybody what they were not told yet."""

    here: Workspace
    environ: Mapping[str, str]
    tell: Try = send
    push: Push = send_push
    sleep: Callable[[float], None] = time.sleep
    go_on: Callable[[str], object] = start_process
    _not_before: dict[str, float] = field(default_factory=dict)
    _failures: dict[str, int] = field(default_factory=dict)

    def run(self, *, life: float = LIFE) -> None:
        """Tell what is due, wait where messages must not follow one another, and end in time.

        Whoever proposed while this had its turn started no process of their own, so the queue is
        read once more after the turn; where time is over, the next process goes on.
        """
        settings = self.here.notify_settings()
        outbox = Outbox(self.here.state)
        end = time.monotonic() + life + settings.every_seconds
        again = True
        while again:
            with outbox.turn(patience=max(0.0, end - time.monotonic())) as mine:
                in_time = mine and self._turn(outbox, settings, end)
            again = mine and not is_quiet(settings) and bool(self._left(outbox, settings))
            if again:
                outbox.mark()
            if again and not in_time:
                self.go_on(self.here.root)
                return

    def _left(
        self, outbox: Outbox, settings: NotifySettings
    ) -> dict[MessageTarget, tuple[Notice, ...]]:
        return self._open(self.targets(settings), outbox.told(), settings)

    def _turn(self, outbox: Outbox, settings: NotifySettings, end: float) -> bool:
        """Tell until nothing is left, or it is quiet; False when time is over before that."""
        targets = self.targets(settings)
        while not is_quiet(settings):
            told = outbox.told()
            left = self._open(targets, told, settings)
            if not left:
                self._finish(outbox, settings, told)
                return True
            pause = min(self._pause(one, told, settings) for one in left)
            if time.monotonic() + pause > end:
                return False
            if pause > 0:
                self.sleep(pause)
                continue
            for one, due in left.items():
                if self._pause(one, told, settings) <= 0:
                    self._told_to(one, due, told, settings)
                    outbox.keep(told)
        return True

    def _open(
        self, targets: Sequence[MessageTarget], told: Deliveries, settings: NotifySettings
    ) -> dict[MessageTarget, tuple[Notice, ...]]:
        """Return what each target is still to be told in this run."""
        found = self._due(settings)
        told.keep_only({one.key for one in found})
        left = {one: _left(found, told, one.name) for one in targets if self._may_try(one)}
        return {one: due for one, due in left.items() if due}

    def _due(self, settings: NotifySettings) -> tuple[Notice, ...]:
        """Return all that somebody has to be told of; an alert whatever `events` says."""
        waiting = groups(self._waiting(), _now(), settings.events)
        return (*Outbox(self.here.state).alerts(), *waiting)

    def targets(self, settings: NotifySettings) -> tuple[MessageTarget, ...]:
        """Return everybody to tell."""
        beside = os.path.dirname(user_rules())
        found = targets_of(settings.targets, self.environ, beside=beside)
        shown = settings.desktop and has_desktop(self.environ)
        desktop = (MessageTarget(name=DESKTOP),) if shown else ()
        pushes = (MessageTarget(name=one.name, browser=one) for one in subscribers().all())
        return (*found, *desktop, *pushes)

    def _finish(self, outbox: Outbox, settings: NotifySettings, told: Deliveries) -> None:
        """Keep the mark while something may still have to be told later."""
        targets = self.targets(settings)
        for alert in outbox.alerts():
            if not any(_left((alert,), told, one.name) for one in targets):
                outbox.drop_alert(alert)
        failed = any(_left(self._due(settings), told, one.name) for one in targets)
        later = NotifyEvent.EXPIRING in settings.events and bool(self._waiting())
        if not failed and not later:
            outbox.clear()

    def _may_try(self, target: MessageTarget) -> bool:
        return self._failures.get(target.name, 0) < TRIES_AT_ONCE

    def _pause(self, target: MessageTarget, told: Deliveries, settings: NotifySettings) -> float:
        """Return how long to wait before the next message to a target."""
        since = max(0.0, time.time() - told.last.get(target.name, 0.0))
        again = self._not_before.get(target.name, 0.0) - time.monotonic()
        return max(settings.every_seconds - since, again, 0.0)

    def _told_to(
        self,
        target: MessageTarget,
        due: Sequence[Notice],
        told: Deliveries,
        settings: NotifySettings,
    ) -> None:
        wrong = self.try_one(target, self._message(due, settings), due)
        if wrong:
            self._failed(target, due, told)
        else:
            told.last[target.name] = time.time()
        for group in due:
            if wrong:
                told.failed(group.key, target.name)
            else:
                told.done.setdefault(group.key, set()).add(target.name)
        self._record(target, due, wrong, told)

    def try_one(self, target: MessageTarget, said: Message, due: Sequence[Notice] = ()) -> str:
        """Send a message once; return what went wrong. A push does not say what is due."""
        if target.browser is not None:
            return pushed(target.browser, due, self.push)
        if target.name == DESKTOP:
            return show_on_desktop(said, self.environ)
        return self.tell(target, said)

    def _failed(self, target: MessageTarget, due: Sequence[Notice], told: Deliveries) -> None:
        count = self._failures.get(target.name, 0) + 1
        self._failures[target.name] = count
        self._not_before[target.name] = time.monotonic() + 2.0 ** (count - 1)

    def _record(
        self, target: MessageTarget, due: Sequence[Notice], wrong: str, told: Deliveries
    ) -> None:
        """Put on the record what was sent, what could not be, and what was given up."""
        tries = max(told.tried(group.key, target.name) for group in due)
        if wrong and tries not in (TRIES_AT_ONCE, MOST_TRIES):
            return
        event: dict[str, object] = {
            "op": "notified",
            "path": "",
            "status": "error" if wrong else "sent",
            "target": target.name,
            "proposals": [one.id for one in due if isinstance(one, Group)][:20],
        }
        alerts = [one.id for one in due if isinstance(one, Alert)]
        event |= {"alerts": alerts[:20]} if alerts else {}
        with suppress(PenstockError, OSError):
            more = {"reason": wrong} if wrong else {}
            self.here.record.log.append(event | more, durable=False)

    def _message(self, due: Sequence[Notice], settings: NotifySettings) -> Message:
        waiting = [one for one in due if isinstance(one, Group)]
        contents = self._contents(waiting) if settings.contents else {}
        return message(
            due,
            workspace=os.path.basename(self.here.root),
            now=_now(),
            link=settings.link or _page(),
            contents=contents,
        )

    def _contents(self, due: Sequence[Group]) -> dict[str, str]:
        from penstock.core.diff.hunks import preview, unified
        from penstock.core.text.display import visible_diff
        from penstock.stores.queue.blobs import DiskBlobs

        blobs = DiskBlobs(os.path.join(self.here.state, "blobs"))
        made = {}
        for one in [one for group in due for one in group.files][:10]:
            before = blobs.get(one.base) if one.base else None
            after = blobs.get(one.content) if one.content else None
            whole = unified(before, after, path=one.path, modes=one.modes)
            shown = preview(whole, limit=PREVIEW)
            made[one.id] = visible_diff(shown.encode("utf-8", "surrogateescape"))
        return made

    def _waiting(self) -> tuple[Proposal, ...]:
        """Return what waits, read from the queue alone: whoever tells repairs nothing."""
        from penstock.stores.queue.sqlite import SqliteProposals

        path = os.path.join(self.here.state, "penstock.db")
        if not os.path.exists(path):
            return ()
        now = _now()
        found = SqliteProposals(path).find(states=(State.WAITING,))
        return tuple(one for one in found if not one.expired(now))


def _left(found: Sequence[Notice], told: Deliveries, target: str) -> tuple[Notice, ...]:
    """Return what a target was not told yet and was not tried too often for."""
    return tuple(
        group
        for group in found
        if target not in told.done.get(group.key, ()) and told.tried(group.key, target) < MOST_TRIES
    )


def _now() -> Moment:
    from penstock.stores.system.clock import boot_id, boot_time

    return Moment(wall=time.time(), boot=boot_time(), boot_id=boot_id())


def _page() -> str:
    """Return where the approval page is, if a server of it runs."""
    from penstock.stores.system.known_roots import serving

    found = serving(state_home())
    return page_origin(found.port) if found is not None else ""


def tried(
    here: Workspace, settings: NotifySettings, environ: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Send a test message to every target; return each one's label and what went wrong."""
    said = Message(
        title=f"Penstock: a test from {inert(os.path.basename(here.root))}",
        body="If you can read this, notifications about pending changes work.",
    )
    teller = Teller(here, environ)
    return [(one.name, teller.try_one(one, said)) for one in teller.targets(settings)]
