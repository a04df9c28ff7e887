"""The short way in a process that stays: the policy loaded, the log open, images written behind.

The same steps as the cold hook takes (`fast_path`), reached by other means; what they leave open
goes to the engine.
Always true: an answer is on the record before it is given, and what a file held is in memory
by then, and on the disk before it is compared with anything; a policy is used only while none
of its files changed.
"""

from __future__ import annotations

import posix
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from penstock.app import before_images as watched
from penstock.app.places import in_worktree, moved_settings, stamp
from penstock.app.workspace import Workspace, policy_of, workspace_of
from penstock.core.errors import PenstockError
from penstock.core.paths.spellings import normal, renamed, spellings
from penstock.core.policy.fast_decide import Short
from penstock.doors.hook.engine import Engine, agent_module
from penstock.doors.hook.fast_path import (
    Cold,
    NotShortError,
    load,
    require_fresh,
    resolved,
    short_answer,
)
from penstock.doors.hook.messages import AFTER, HookCall, Reply
from penstock.doors.hook.wire import parse

MOST_KNOWN = 64
MOST_ANSWERS = 4096
MOST_BEHIND = 20_000  # images that wait to be written, and how many bytes of them
MOST_BYTES = 64 << 20
SETTLE_SECONDS = 3.0
A_TURN, TURN_SECONDS = 10, 0.05  # images that are written at once, and the time between
SIGN_SECONDS = 2.0

Found = tuple[bytes, int] | None
Spelled = tuple[str, tuple[str, ...], tuple[str, ...], bool]
Image = tuple[str, str]  # the state and the key of the call


class Images:
    """Holds what files held, and writes it in a thread of its own, so that nobody waits for it.

    Making a file may cost more than judging a call, so in a flood of calls only so many are
    made in a second; `take` writes the one that is needed now.
    """

    def __init__(self) -> None:
        self._waiting: dict[Image, tuple[str, Found]] = {}  # the oldest first
        self._bytes = 0
        self._changed = threading.Condition()
        self._asleep = True
        threading.Thread(target=self._run, name="images", daemon=True).start()

    def put(self, state: str, key: str, path: str, found: Found) -> None:
        """Hold an image; where too many are held the oldest are let go."""
        with self._changed:
            self._drop((state, key))
            self._waiting[state, key] = (path, found)
            self._bytes += len(found[0]) if found else 0
            while len(self._waiting) > MOST_BEHIND or self._bytes > MOST_BYTES:
                self._drop(next(iter(self._waiting)))
            if self._asleep:
                self._asleep = False
                self._changed.notify()

    def take(self, state: str, key: str) -> None:
        """Write the image of one call, if it is still held."""
        with self._changed:
            held = self._drop((state, key))
            if held is not None:
                watched.keep(state, key, 0, *held)

    def settle(self, seconds: float = SETTLE_SECONDS) -> None:
        """Write what is held, the newest first, for a bounded time."""
        end = time.monotonic() + seconds
        while self._waiting and time.monotonic() < end:
            for image in list(reversed(self._waiting))[:A_TURN]:
                self.take(*image)

    def _drop(self, image: Image) -> tuple[str, Found] | None:
        held = self._waiting.pop(image, None)
        if held is not None and held[1] is not None:
            self._bytes -= len(held[1][0])
        return held

    def _run(self) -> None:
        while True:
            with self._changed:
                self._asleep = not self._waiting
                self._changed.wait_for(lambda: bool(self._waiting))
            for image in list(self._waiting)[:A_TURN]:
                self.take(*image)
            time.sleep(TURN_SECONDS)


class Warm(Cold):
    """Answers hooks; `quick` never waits for anybody, `reply` always answers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._hasty = engine.hasty()
        self._images = Images()
        self._policies: dict[str, tuple[object, dict[str, Any]]] = {}
        self._here: dict[str, Workspace] = {}
        # What was looked at in this moment: policies, workspaces, where directories lead.
        self._fresh: set[str] = set()
        self._roots: dict[str, tuple[str, str]] = {}
        self._folders: dict[str, str] = {}
        self._twins: dict[tuple[str, str], str] = {}
        # What follows from its key alone, whenever that is.
        self._spelled: dict[tuple[object, ...], Spelled] = {}
        self._answers: dict[tuple[object, ...], Short | None] = {}
        self._signing = CheckpointSigner()
        self._environ: Mapping[str, str] = {}

    def quick(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Reply | None:
        """Return the answer where the short way has one. For one thread at a time."""
        self._environ = environ
        self._fresh.clear()
        self._roots.clear()
        self._folders.clear()
        self._twins.clear()
        module = _module(agent)
        try:
            call = module.read(parse(data), environ)
        except (ValueError, TypeError, AttributeError):
            return None
        if call.event == AFTER:
            self._needed(call)
        answer = short_answer(call, self)
        if answer is None:
            return None
        found: Reply = module.say(call, answer)
        return found

    def reply(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Reply:
        """Return the engine's answer."""
        with suppress(ValueError, TypeError, AttributeError, PenstockError, OSError):
            call = _module(agent).read(parse(data), environ)
            if call.event == AFTER:
                self._needed(call)
        return self._engine.reply(agent, data, environ)

    def _needed(self, call: HookCall) -> None:
        """Have on the disk what a call is compared with that has run."""
        key = watched.call_key(call.session, call.call_id)
        with suppress(NotShortError, OSError):
            self._images.take(super().root(call.root)[1], key)

    def late(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Reply:
        """Return an answer by names alone: what is not measured counts as lost."""
        return self._hasty.reply(agent, data, environ)

    def broken(self) -> list[str]:
        """Return why rules are not in force, for each open workspace and the user's own."""
        found = [here.policy().degraded for here in [*self._engine.opened(), *self._here.values()]]
        return [why for why in (*found, policy_of("/").degraded) if why]

    def close(self) -> None:
        """Bring to its end what is under way."""
        self._images.settle()

    # --- what the short way asks for -------------------------------------------------------

    def root(self, start: str) -> tuple[str, str]:
        """Return the workspace of a directory, and its state."""
        found = self._roots.get(start)
        if found is None:
            found = self._roots[start] = super().root(start)
        return found

    def spelled(self, given: str, root: str, base: str) -> Spelled:
        """Return what `spellings` says of a path; of a plain one it is worked out once."""
        if not given.startswith("/") or normal(given) != given:
            return super().spelled(given, root, base)
        leads = self._leads(given)
        moved = moved_settings(self.variable, root, resolved)
        others = self._others(given, root, moved), self._others(leads, root, moved)
        known = self._spelled.get((given, leads, root, others))
        if known is None:
            if len(self._spelled) >= MOST_ANSWERS:
                self._spelled.clear()
            to = {given: leads, root: root}
            besides = dict(zip((given, leads), others, strict=True))
            known = spellings(
                given,
                root=root,
                base=base,
                resolve=to.__getitem__,
                known_as=besides.__getitem__,
            )
            self._spelled[given, leads, root, others] = known
        return known

    def _others(self, place: str, root: str, moved: list[tuple[str, str]]) -> tuple[str, ...]:
        """Return the other places by which rules know one; worktrees are looked for in a moment."""
        folder, _, name = place.rpartition("/")
        twin = self._twins.get((folder, root))
        if twin is None:
            twin = self._twins[folder, root] = in_worktree(f"{folder}/", root)
        return (*renamed(place, moved), *([f"{twin}{name}"] if twin else []))

    def variable(self, name: str) -> str | None:
        """Return one of the agent's variables, of which this process has only been told."""
        return self._environ.get(name)

    def _leads(self, path: str) -> str:
        """Return where the kernel would arrive; a directory is followed once in a moment.

        The last name is not followed: `there` notices a link, and leaves it to the engine.
        """
        folder, _, name = path.rpartition("/")
        found = self._folders.get(folder)
        if found is None:
            found = self._folders[folder] = resolved(folder or "/").rstrip("/")
        return f"{found}/{name}"

    def there(self, place: str) -> Found:
        """Return the file that would be written, in as few steps as can be."""
        try:
            fd = posix.open(place, watched.READ)
        except FileNotFoundError:
            return None
        try:
            status = posix.fstat(fd)
            if status.st_mode & watched.KIND != watched.REGULAR or status.st_size > watched.LARGEST:
                raise NotShortError
            data = posix.read(fd, status.st_size + 1)
        finally:
            posix.close(fd)
        if len(data) != status.st_size:  # it grows or shrinks just now
            raise NotShortError
        return data, status.st_mode & 0o7777

    def judge(
        self,
        policy: dict[str, Any],
        action: str,
        judged: tuple[str, ...],
        tightening: tuple[str, ...],
        bounds: tuple[int, float],
        size: int,
    ) -> Short | None:
        """Return the short answer for a path; the same question has the same answer."""
        key = (id(policy), action, judged, tightening, bounds, size)
        try:
            return self._answers[key]
        except KeyError:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            found = super().judge(policy, action, judged, tightening, bounds, size)
            self._answers[key] = found
            return found

    def policy(self, state: str) -> dict[str, Any]:
        """Return the compiled policy, loaded again only when it was made anew."""
        known = self._policies.get(state)
        if known is not None and state in self._fresh:
            return known[1]
        now = stamp(f"{state}/hook.policy")
        if known is not None and known[0] == now:
            require_fresh(known[1])
            self._fresh.add(state)
            return known[1]
        policy = load(state)
        self._answers.clear()  # they are known by the policy's place in memory
        if len(self._policies) >= MOST_KNOWN:
            self._policies.clear()
        self._policies[state] = (now, policy)
        return policy

    def append(self, root: str, state: str, body: bytes, *, rotate_at: int) -> str:
        """Put one line on the chain; the log is kept open."""
        del state, rotate_at
        here = self._here.get(root) or self._opened(root)
        try:
            line = here.record.unsigned.append(body, durable=False).event_hash
        except PenstockError as problem:
            raise NotShortError from problem
        self._signing.after(here, 1)
        return line

    def keep(self, state: str, key: str, path: str, there: Found) -> None:
        """Keep what a file holds, behind the answer."""
        self._images.put(state, key, path, there)

    def _opened(self, root: str) -> Workspace:
        # One that the engine has open has read its rules already, which may take a second.
        known = [here for here in self._engine.opened() if here.root == root]
        here = known[0] if known else workspace_of(root)
        here.ready()
        if len(self._here) >= MOST_KNOWN:
            self._here.clear()
        self._here[root] = here
        return here


@cache
def _module(agent: str) -> Any:
    return agent_module(agent)


class CheckpointSigner:
    """Has checkpoints signed when they are due, in a thread, because signing waits for the disk.

    At most once in `SIGN_SECONDS`: in a flood of calls it would do little else.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, tuple[int, float]] = {}  # unsigned events and since when, by state
        self._signed: dict[str, float] = {}
        self._thread: threading.Thread | None = None

    def after(self, here: Workspace, more: int) -> None:
        """Count events, and sign where that is due."""
        now, state, settings = self._clock(), here.state, here.record.settings
        events, since = self._open.get(state, (0, now))
        events += more
        self._open[state] = (events, since)
        due = events >= settings.checkpoint_events or now - since >= settings.checkpoint_seconds
        if due and now - self._signed.get(state, -SIGN_SECONDS) >= SIGN_SECONDS:
            self._sign(here, now)

    def _sign(self, here: Workspace, now: float) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        self._signed[here.state] = now
        self._open[here.state] = (0, now)
        self._thread = threading.Thread(target=here.record.log.sign, name="signing", daemon=True)
        self._thread.start()
