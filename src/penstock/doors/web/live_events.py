"""What changed, told to every open page as server-sent events.

One thread looks at the files of all workspaces and tells whoever listens; it runs while somebody
does. A page that was away says which event it saw last and gets those that it missed, or is told
to load again.
Always true: a viewer that does not take its events holds up nobody and loses nothing silently;
an event holds ids and counts, never content or a path.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from penstock.core.errors import PenstockError, StoreError
from penstock.doors.web.wording import name_of

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

EVERY = 0.3  # seconds between two looks
EXPIRE_EVERY = 2.0  # seconds between two looks at what is over, and for other workspaces
HEARTBEAT = 15.0
MOST_VIEWERS = 128
MOST_BEHIND = 64  # events that one viewer may be behind
REMEMBERED = 256
MOST_NAMED = 50  # ids in one event
RETRY = b"retry: 2000\n\n"
BEAT = b": still here\n\n"

Stamp = tuple[tuple[int, int, int], ...]


class LiveEvent(Struct, frozen=True, kw_only=True):
    """One thing that changed; `number` counts within this process."""

    number: int
    name: str
    data: Mapping[str, object]

    def encoded(self, run: str) -> bytes:
        """Return the event as it goes over the wire."""
        data = json.dumps(self.data, separators=(",", ":"))
        return f"id: {run}-{self.number}\nevent: {self.name}\ndata: {data}\n\n".encode()


class Viewer(Struct, eq=False):
    """One open page."""

    loop: asyncio.AbstractEventLoop
    pieces: asyncio.Queue[bytes] = field(default_factory=lambda: asyncio.Queue(MOST_BEHIND))
    behind: bool = False  # it missed something and has to load again

    def take(self, piece: bytes) -> None:
        """Hand an event over, or remember that it did not get through."""
        try:
            self.pieces.put_nowait(piece)
        except asyncio.QueueFull:
            self.behind = True


class Watched(Protocol):
    """What the thread looks at: the workspaces, and the gate of each."""

    @property
    def workspaces(self) -> tuple[Workspace, ...]:
        """Every workspace that is served."""

    def look_around(self) -> None:
        """Take in the workspaces that have a state by now."""

    def gate_of(self, here: Workspace) -> Gate:
        """Return the gate of a workspace."""


class Hub:
    """Everybody who listens, and the one thread that looks."""

    def __init__(self, world: Watched, *, every: float = EVERY) -> None:
        self._world = world
        self._every = every
        self._run = secrets.token_hex(4)
        self._number = 0
        self._recent: deque[LiveEvent] = deque(maxlen=REMEMBERED)
        self._viewers: set[Viewer] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._joined = threading.Event()  # what a new viewer sees has to be known before it changes
        self._seen: dict[str, Stamp] = {}
        self._known: dict[str, OpenSnapshot] = {}
        self._expired_at = 0.0

    @property
    def viewers(self) -> int:
        """How many listen."""
        return len(self._viewers)

    @property
    def threads(self) -> int:
        """How many threads look for them."""
        return sum(1 for one in threading.enumerate() if one.name == f"events {self._run}")

    def need_room(self) -> None:
        """Refuse one more where too many listen. Raises StoreError `too-many-viewers`."""
        if len(self._viewers) >= MOST_VIEWERS:
            raise StoreError("too-many-viewers", f"{MOST_VIEWERS} pages are already connected")

    async def stream(
        self, last: str = "", *, lasts: Callable[[], bool] = lambda: True
    ) -> AsyncIterator[bytes]:
        """Yield what a page is sent, until its reader closes this or its session is over."""
        viewer = self._join()
        try:
            yield RETRY
            for piece in self._missed(last):
                yield piece
            while True:
                piece = await self._next(viewer)
                if not lasts():
                    return
                yield piece
        finally:
            self._leave(viewer)

    async def _next(self, viewer: Viewer) -> bytes:
        if viewer.behind and viewer.pieces.empty():
            viewer.behind = False
            return self._reload()
        try:
            return await asyncio.wait_for(viewer.pieces.get(), HEARTBEAT)
        except TimeoutError:
            return BEAT

    def _join(self) -> Viewer:
        viewer = Viewer(asyncio.get_running_loop())
        with self._lock:
            self._viewers.add(viewer)
            self._joined.set()
            if self._thread is None:
                name = f"events {self._run}"
                self._thread = threading.Thread(target=self._look, name=name, daemon=True)
                self._thread.start()
        return viewer

    def _leave(self, viewer: Viewer) -> None:
        with self._lock:
            self._viewers.discard(viewer)

    # -- what was missed ----------------------------------------------------------------------

    def _missed(self, last: str) -> list[bytes]:
        """Return the events after one, or the order to load again where they are not known."""
        if not last:
            return []
        run, _, number = last.partition("-")
        known = run == self._run and number.isascii() and number.isdecimal() and len(number) < 16
        with self._lock:
            recent = list(self._recent)
            first = recent[0].number if recent else self._number + 1
            if not known or not first - 1 <= int(number) <= self._number:
                return [self._reload()]
        return [event.encoded(self._run) for event in recent if event.number > int(number)]

    def _reload(self) -> bytes:
        return LiveEvent(number=self._number, name="reload", data={}).encoded(self._run)

    # -- the thread that looks ----------------------------------------------------------------

    def _look(self) -> None:
        while True:
            with suppress(Exception):  # whatever it was, the next look may go better
                self._look_around()
            self._joined.wait(self._every)
            self._joined.clear()
            with self._lock:
                if not self._viewers:
                    self._thread = None
                    return

    def _look_around(self) -> None:
        expires = time.monotonic() - self._expired_at > EXPIRE_EVERY
        if expires:
            self._expired_at = time.monotonic()
            self._world.look_around()
        for here in self._world.workspaces:
            with suppress(PenstockError, OSError):  # told by whoever asks for its page
                self._look_at(here, expires=expires)

    def _look_at(self, here: Workspace, *, expires: bool) -> None:
        name, gate = name_of(here), self._world.gate_of(here)
        if expires:
            gate.expire()
        stamp = _stamp(here.state)
        if self._seen.get(name) == stamp:
            return
        before, now = self._known.get(name, OpenSnapshot()), _known(gate)
        # Remembered last: a look that failed is made again.
        self._seen[name], self._known[name] = stamp, now
        if before != now:
            self._tell("queue", _changes(name, before, now))

    def _tell(self, name: str, data: Mapping[str, object]) -> None:
        with self._lock:
            self._number += 1
            event = LiveEvent(number=self._number, name=name, data=data)
            self._recent.append(event)
            viewers = tuple(self._viewers)
        piece = event.encoded(self._run)
        for viewer in viewers:
            with suppress(RuntimeError):  # its loop has ended meanwhile
                viewer.loop.call_soon_threadsafe(viewer.take, piece)


class OpenSnapshot(Struct, frozen=True, kw_only=True):
    """What is open, with its states, and the last thing that was written."""

    open: Mapping[str, str] = field(default_factory=dict)
    last: str = ""


def _known(gate: Gate) -> OpenSnapshot:
    found = gate.open()
    written = gate.receipts(limit=1)
    states = {one.id: str(one.state) for one in found}
    return OpenSnapshot(open=states, last=written[0].id if written else "")


def _changes(name: str, before: OpenSnapshot, now: OpenSnapshot) -> Mapping[str, object]:
    ids = {**before.open, **now.open}
    changed = sorted(id_ for id_ in ids if before.open.get(id_) != now.open.get(id_))
    waiting = sum(1 for state in now.open.values() if state == "waiting")
    return {"workspace": name, "waiting": waiting, "changed": changed[:MOST_NAMED]}


def _stamp(state: str) -> Stamp:
    """Return what changes with the queue: the sizes and times of its files."""
    names = ("penstock.db", "penstock.db-wal")
    return tuple(_one_stamp(os.path.join(state, name)) for name in names)


def _one_stamp(path: str) -> tuple[int, int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return -1, 0, 0
    return status.st_size, status.st_mtime_ns, status.st_ino
