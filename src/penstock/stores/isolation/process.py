"""Start a command in an isolated run, hand signals on to it, and learn how it ended.

Three processes stand between us and the command. The keeper owns the namespaces and waits; the
first process of the new pid namespace builds the room, starts the command and reaps; whatever
the command leaves running ends with it, because its namespace does. A command can be
held until what there is to say about the run was said. What becomes of signals is `signals`'.
Always true: each of them ends when the one above it does; what is returned is the command's own
exit code, 128 and its number for a signal, 126 or 127 where it cannot be started.
"""

from __future__ import annotations

import errno
import json
import os
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Never, Protocol

from msgspec import Struct, field

from penstock.core.errors import StoreError
from penstock.core.text.display import visible
from penstock.stores.isolation import syscalls
from penstock.stores.isolation.apparmor import restricted_by_apparmor
from penstock.stores.isolation.confine import close_descriptors, confine, import_no_more
from penstock.stores.isolation.room import RoomPlan, build
from penstock.stores.isolation.signals import (
    PIECE,
    Reaper,
    StopLine,
    as_usual,
    handed_on,
    hold_back,
    let_through,
    woken,
)
from penstock.stores.isolation.streams import Streams

SPACES = syscalls.NEWUSER | syscalls.NEWNS | syscalls.NEWPID | syscalls.NEWIPC
NOT_EXECUTABLE, NOT_FOUND, SIGNALLED = 126, 127, 128
READY, FAILED, WITH_SPACES = "ready", "failed", b"+"
GO = b"g"  # to whoever started the command
MESSAGE = 65536
MOST_SHOWN = 1000
NO_ISOLATION = "no-isolation"


class Attendant(Protocol):
    """Somebody who has work to do while a command runs."""

    def descriptors(self) -> Sequence[int]:
        """Return what is to be watched besides."""

    def attend(self, ready: Sequence[int]) -> None:
        """Do what is due; `ready` are descriptors that have something to read."""


class IsolatedProcess(Struct, frozen=True, kw_only=True):
    """A command that runs; `spaces` are descriptors of its user and mount namespaces.

    `unsealed` are directories that stay read-only, but whose sockets and pipes can be used.
    `shown` has the beginning and the end of the last refreshes, in nanoseconds.
    """

    keeper: int
    line: socket.socket  # to the process that started the command
    stops: StopLine  # over that line
    spaces: tuple[int, ...]  # none where the command runs in a copy
    places: tuple[str, ...]
    streams: Streams
    signals: ExitStack
    unsealed: tuple[str, ...] = ()
    mode: str = "overlay"
    place: str = ""  # where the command works, if not at the project's own path
    because: str = ""  # why no stronger mode was possible
    shown: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=MOST_SHOWN))

    def release(self) -> None:
        """Let the command begin; a second time says nothing new."""
        with suppress(OSError):
            self.line.send(GO)

    def wait(self, every: float | None = None, *, attendant: Attendant | None = None) -> int:
        """Wait for the end and return the exit code; refresh every so many seconds.

        An attendant is called with each of its descriptors that has something, and every time.
        """
        self.release()
        ended = os.pidfd_open(self.keeper)
        lines = [self.line.fileno()]
        with self.signals, woken() as awake:
            while True:
                others = attendant.descriptors() if attendant else ()
                ready = select.select([ended, awake, *lines, *others], [], [], every)[0]
                if ended in ready:
                    break
                if awake in ready:
                    os.read(awake, PIECE)
                if lines and lines[0] in ready:
                    lines = lines if self.stops.stop_too() else []
                if attendant:
                    attendant.attend(ready)
                else:
                    self.refresh()
            _, status = os.waitpid(self.keeper, 0)
        for one in (ended, *self.spaces):
            os.close(one)
        self.line.close()
        self.streams.finish()
        return exit_code(status)

    def refresh(self) -> None:
        """Have the overlays forget names that they remember.

        A file that somebody outside saved by renaming, made or deleted is seen then.
        """
        if self.spaces:
            self.inside(lambda: b"")

    def remount(self) -> tuple[int, int]:
        """Refresh the overlays, in a process that has entered the namespaces; return from, to.

        The command may have moved a directory above them, and something else has the name then.
        """
        began = time.time_ns()
        for place in self.places:
            syscalls.forget_names(place)
        return began, time.time_ns()

    def inside(self, work: Callable[[], bytes]) -> bytes:
        """Have a process of ours do something in the namespaces of the run, and then refresh.

        It sees the tree of the run, and keeps our descriptors. What it says is returned, nothing
        where it failed.
        """
        read, write = os.pipe()
        above = os.getpid()
        helper = os.fork()
        if helper == 0:
            try:
                syscalls.die_with_parent(above)
                import_no_more()
                for one in self.spaces:
                    syscalls.setns(one)
                said = work()
                os.write(write, b"%d %d %b" % (*self.remount(), said))
            finally:
                os._exit(0)
        os.close(write)
        with open(read, "rb") as pipe:
            words = pipe.read(MESSAGE).split(b" ", 2)
        os.waitpid(helper, 0)
        if len(words) < 3:
            return b""
        self.shown.append((int(words[0]), int(words[1])))
        return words[2]


def start(
    plan: RoomPlan,
    command: Sequence[str],
    environ: Mapping[str, str],
    streams: Streams | None = None,
    *,
    held: bool = False,
) -> IsolatedProcess:
    """Start a command. Raises StoreError `no-isolation` where one step does not work.

    A command that is `held` begins once it is released.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    streams = streams or Streams()
    ours, theirs = socket.socketpair()
    above = os.getpid()
    hold_back()
    keeper = os.fork()
    if keeper == 0:
        ours.close()
        _keep(theirs, above, plan, streams, command, environ)
    signals = ExitStack()
    stops = StopLine(ours)
    signals.enter_context(handed_on(keeper, stops.continued))
    theirs.close()
    said, spaces = _hear(ours)
    if said.get("is") != READY or len(spaces) != 2:
        ours.close()
        os.waitpid(keeper, 0)
        signals.close()
        streams.drop()
        for one in spaces:
            os.close(one)
        raise _impossible(said)
    streams.pump()
    places = (plan.project, *([plan.home] if plan.home_layer else []))
    made = IsolatedProcess(
        keeper=keeper,
        line=ours,
        stops=stops,
        spaces=(spaces[0], spaces[1]),
        places=places,
        streams=streams,
        signals=signals,
        unsealed=tuple(said["unsealed"]),
    )
    if not held:
        made.release()
    return made


def _hear(ours: socket.socket) -> tuple[Mapping[str, Any], list[int]]:
    """Return what the processes said, and the descriptors of their namespaces; they may be none."""
    text = b""
    spaces: list[int] = []
    while not text.endswith(b"\n"):
        piece, descriptors, _, _ = socket.recv_fds(ours, MESSAGE, 2)
        spaces += descriptors
        if not piece:
            break
        text += piece
    said: Mapping[str, Any] = json.loads(text.removeprefix(WITH_SPACES) or b"{}")
    return said, spaces


# -- in the keeper ---------------------------------------------------------------------------------


def _keep(
    up: socket.socket,
    above: int,
    plan: RoomPlan,
    streams: Streams,
    command: Sequence[str],
    environ: Mapping[str, str],
) -> Never:
    """Make the namespaces, start their first process, and end as it ends."""
    try:
        syscalls.die_with_parent(above)
        streams.take()
        close_descriptors(frozenset({up.fileno()}))
        _own_spaces(up, network=plan.network)
        first = os.fork()
        if first == 0:
            _begin(up, plan, command, environ)
        up.close()
        _end_as(first)
    except BaseException as problem:  # noqa: BLE001 - nothing of ours goes on in this process
        _fail(up, problem)


def _own_spaces(up: socket.socket, *, network: bool) -> None:
    user, group = os.geteuid(), os.getegid()
    syscalls.unshare(SPACES if network else SPACES | syscalls.NEWNET)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    spaces = [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in ("user", "mnt")]
    socket.send_fds(up, [WITH_SPACES], spaces)
    for one in spaces:
        os.close(one)


# -- in the first process of the pid namespace -----------------------------------------------------


def _begin(
    up: socket.socket, plan: RoomPlan, command: Sequence[str], environ: Mapping[str, str]
) -> Never:
    """Build the room, start the command, and reap until it ends."""
    try:
        syscalls.die_with_parent(0)
        if not plan.network:
            syscalls.loopback_up()
        import_no_more()
        unsealed = build(plan)
        said, says = os.pipe()
        goes, go = os.pipe()
        # Before there is a command that could look: this process is not confined as it is.
        syscalls.prctl(syscalls.DUMPABLE, 0, what="not dumpable")
        child = os.fork()
        if child == 0:
            os.close(go)
            become(says, goes, 1, command, environ, partial(confine, network=plan.network))
        os.close(says)
        os.close(goes)
        syscalls.no_capabilities()
        fault = os.read(said, MESSAGE)
        os.close(said)
        if fault:
            up.sendall(fault)
            os._exit(1)
        up.sendall(json.dumps({"is": READY, "unsealed": unsealed}).encode() + b"\n")
        let_go(up, go)
        _end_as(child, up)
    except BaseException as problem:  # noqa: BLE001 - nothing of ours goes on in this process
        _fail(up, problem)


def become(
    says: int,
    goes: int,
    above: int,
    command: Sequence[str],
    environ: Mapping[str, str],
    bind: Callable[[frozenset[int]], None],
) -> Never:
    """Give up every right by `bind` and become the command; `above` is our parent.

    `says` is for what did not work; where everything did it closes, and the command starts once
    there is something on `goes`.
    """
    try:
        syscalls.die_with_parent(above)
        as_usual()
        bind(frozenset({says, goes}))
    except BaseException as problem:  # noqa: BLE001 - the command must not start half confined
        os.write(says, _fault(problem))
        os._exit(1)
    os.close(says)
    if os.read(goes, 1) != GO:
        os._exit(1)
    os.close(goes)
    try:
        program = find_program(command[0], environ.get("PATH", os.defpath))
        let_through()
        os.execve(program, list(command), dict(environ))  # noqa: S606 - what the user typed
    except (OSError, ValueError) as problem:
        missing = isinstance(problem, FileNotFoundError | NotADirectoryError)
        because = str(getattr(problem, "strerror", None) or problem).lower()
        name = visible(command[0], keep_newlines=False)
        text = f"penstock: `{name}` cannot be started: {because}{_instead(command[0], missing)}\n"
        with suppress(OSError):
            os.write(2, text.encode("utf-8", "backslashreplace"))
        os._exit(NOT_FOUND if missing else NOT_EXECUTABLE)


def _instead(name: str, missing: bool) -> str:
    """Return what may have been meant by a command that is none."""
    if not missing or "/" in name:
        return ""
    if name and os.path.isfile(name):
        return f"; for the file here: `./{visible(name, keep_newlines=False)}`"
    return "; for a builtin, function or alias of your shell: `sh -c '...'`"


def let_go(up: socket.socket, go: int) -> None:
    """Wait until we are told to, then let the command begin."""
    if up.recv(1) != GO:
        os._exit(1)
    os.write(go, GO)
    os.close(go)


def find_program(name: str, path: str) -> str:
    """Return the file that a command means, as shells look for it. Raises FileNotFoundError."""
    if "/" in name:
        return name
    places = [os.path.join(folder or ".", name) for folder in path.split(os.pathsep)]
    files = [place for place in places if os.path.isfile(place)]
    runnable = [place for place in files if os.access(place, os.X_OK)]
    if not files:
        raise FileNotFoundError(errno.ENOENT, "no such command", name)
    return (runnable or files)[0]


# -- in each of them -------------------------------------------------------------------------------


def _end_as(child: int, up: socket.socket | None = None) -> Never:
    """Reap until a child ends, and end as it did."""
    os._exit(exit_code(Reaper(child, up).reap()))


def exit_code(status: int) -> int:
    """Return the code that a shell gives for a status: a signal is 128 and its number."""
    code = os.waitstatus_to_exitcode(status)
    return SIGNALLED - code if code < 0 else code


def _fault(problem: BaseException) -> bytes:
    """Return what did not work, as one line."""
    step = getattr(problem, "filename", None) or type(problem).__name__
    number = getattr(problem, "errno", None) or 0
    because = str(getattr(problem, "strerror", None) or problem).lower()
    said = {"is": FAILED, "step": str(step), "errno": number, "because": because}
    return json.dumps(said).encode() + b"\n"


def _fail(up: socket.socket, problem: BaseException) -> Never:
    with suppress(OSError):
        up.sendall(_fault(problem))
    os._exit(1)


def _impossible(said: Mapping[str, Any]) -> StoreError:
    """Return the error for a run that cannot be isolated; nothing was started."""
    step, because = said.get("step", "start"), said.get("because", "it ended before it began")
    number = int(said.get("errno", 0))
    return StoreError(
        NO_ISOLATION,
        "this run cannot be isolated, so the command was not started",
        because=f"{step}: {because}",
        hint=_hint(step, number),
    )


def _hint(step: str, number: int) -> str:
    if restricted_by_apparmor():
        return "AppArmor restricts user namespaces; `penstock doctor` prints the profile to install"
    if step == "unshare" and number == errno.ENOSPC:
        return "raise the limit: sysctl user.max_user_namespaces"
    if step in ("unshare", "/proc/self/setgroups", "/proc/self/uid_map"):
        return (
            "allow user namespaces for this user: sysctl kernel.unprivileged_userns_clone=1, "
            "or the container's settings"
        )
    if step.startswith("mount overlay"):
        return "it takes Linux 5.13 or later, and no file system mounted below the project"
    if step.startswith("mount proc"):
        return "this container hides parts of /proc; run outside of it, or with /proc unmasked"
    return "penstock doctor"
