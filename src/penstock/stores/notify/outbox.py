"""What was told to whom, and whose turn it is to tell: a folder beside the queue.

Which proposals have to be told is worked out from the queue each time; what was told is kept here,
and so are alerts (protected files that were changed) until everybody was told. One
process tells at a time and one more may wait for its turn; the kernel gives both places free when
their process ends, however it ends.
Always true: something is noted as told after it was sent, so a crash in between sends it once
more and never loses it.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct, field

from penstock.core.notify.message import Alert
from penstock.stores.system.private import OWN_FILE, private_dir, put_file, read_file

FOLDER, LEDGER, PENDING, ALERT = "notify", "told.json", "pending", "alert-"
RUNNING, NEXT = "running.lock", "next.lock"
LARGEST, LARGEST_ALERT, MOST_ALERTS = 4 << 20, 1 << 20, 200
LOOK_EVERY = 0.05


class Deliveries(Struct):
    """What is known of the messages: by key, who was told and how often it was tried."""

    done: dict[str, set[str]] = field(default_factory=dict)
    tries: dict[str, dict[str, int]] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)

    def tried(self, key: str, target: str) -> int:
        """Return how often telling this to a target has failed."""
        return self.tries.get(key, {}).get(target, 0)

    def failed(self, key: str, target: str) -> None:
        """Count one more failure."""
        self.tries.setdefault(key, {})[target] = self.tried(key, target) + 1

    def keep_only(self, keys: set[str]) -> None:
        """Forget what waits no more."""
        self.done = {key: value for key, value in self.done.items() if key in keys}
        self.tries = {key: value for key, value in self.tries.items() if key in keys}


class Outbox:
    """The messages of one workspace."""

    def __init__(self, state: str) -> None:
        self.folder = os.path.join(state, FOLDER)

    def mark(self) -> None:
        """Note that there is something to tell."""
        private_dir(self.folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(self._path(PENDING), flags, OWN_FILE))

    def clear(self) -> None:
        """Note that there is nothing left."""
        with suppress(FileNotFoundError):
            os.unlink(self._path(PENDING))

    @property
    def pending(self) -> bool:
        """True while there may be something to tell."""
        return os.path.lexists(self._path(PENDING))

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    # -- alerts ------------------------------------------------------------------------------

    def add_alert(self, alert: Alert) -> None:
        """Keep an alert until everybody was told."""
        private_dir(self.folder)
        said = {"paths": alert.paths, "origin": alert.origin, "agent": alert.agent}
        put_file(self.folder, f"{ALERT}{alert.id}", json.dumps(said).encode())

    def alerts(self) -> tuple[Alert, ...]:
        """Return what is kept; a file that cannot be read is none."""
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.startswith(ALERT))
        except OSError:
            return ()
        found = [self._alert(name) for name in names[:MOST_ALERTS]]
        return tuple(one for one in found if one is not None)

    def drop_alert(self, alert: Alert) -> None:
        """Forget one: everybody was told, or was tried too often."""
        with suppress(OSError):
            os.unlink(self._path(f"{ALERT}{alert.id}"))

    def _alert(self, name: str) -> Alert | None:
        try:
            said = json.loads(read_file(self._path(name), limit=LARGEST_ALERT) or b"{}")
            paths = tuple(str(path) for path in said["paths"])
            origin, agent = str(said["origin"]), str(said["agent"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return Alert(id=name.removeprefix(ALERT), paths=paths, origin=origin, agent=agent)

    # -- turns -----------------------------------------------------------------------------

    @contextmanager
    def turn(self, patience: float) -> Iterator[bool]:
        """Wait for the turn to tell; False where another process waits already, or for too long.

        Whoever waits reads the queue once it is its turn, so it tells what came meanwhile.
        """
        private_dir(self.folder)
        queued = self._lock(NEXT)
        if queued is None:
            yield False
            return
        try:
            mine = self._wait(patience)
        finally:
            os.close(queued)
        if mine is None:
            yield False
            return
        try:
            yield True
        finally:
            os.close(mine)

    def somebody_tells(self) -> bool:
        """Say whether a process has its turn: it looks once more after its end."""
        with suppress(OSError):
            lock = self._lock(RUNNING)
            if lock is None:
                return True
            os.close(lock)
        return False

    def _wait(self, patience: float) -> int | None:
        end = time.monotonic() + patience
        while (lock := self._lock(RUNNING)) is None:
            if time.monotonic() > end:
                return None
            time.sleep(LOOK_EVERY)
        return lock

    def _lock(self, name: str) -> int | None:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(self._path(name), flags, OWN_FILE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        return lock

    # -- the ledger --------------------------------------------------------------------------

    def told(self) -> Deliveries:
        """Return what is known; a ledger that cannot be read is none, and things are told again."""
        try:
            data = json.loads(read_file(self._path(LEDGER), limit=LARGEST) or b"{}")
            return Deliveries(
                done={str(key): {str(one) for one in names} for key, names in data["done"].items()},
                tries={
                    str(key): {str(name): int(count) for name, count in counts.items()}
                    for key, counts in data["tries"].items()
                },
                last={str(name): float(at) for name, at in data["last"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Deliveries()

    def keep(self, told: Deliveries) -> None:
        """Keep what is known, whole and on the disk."""
        done = {key: sorted(names) for key, names in told.done.items()}
        text = json.dumps({"done": done, "tries": told.tries, "last": told.last})
        put_file(self.folder, LEDGER, text.encode())


def anything_pending(home: str) -> bool:
    """Say whether any workspace below a directory has something to tell; costs a name each."""
    try:
        names = os.listdir(home)
    except OSError:
        return False
    return any(os.path.lexists(os.path.join(home, name, FOLDER, PENDING)) for name in names)
