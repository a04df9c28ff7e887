"""Start a command in a copy of the project, where no namespace can be made.

Landlock keeps it from writing anything but the copy, its own temporary files and its own home.
The keeper adopts whatever the command leaves running and ends it when the command ends.
Always true: the command starts only after every step worked; each process ends with the one
above it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Never

from msgspec import Struct

from penstock.stores.isolation import syscalls
from penstock.stores.isolation.confine import close_descriptors, confine
from penstock.stores.isolation.landlock import restrict
from penstock.stores.isolation.process import (
    MESSAGE,
    READY,
    IsolatedProcess,
    _fail,
    _hear,
    _impossible,
    become,
    exit_code,
    let_go,
)
from penstock.stores.isolation.signals import Reaper, StopLine, handed_on, hold_back
from penstock.stores.isolation.streams import Streams

SUBREAPER = 36
# Each round ends what the round before left without a parent; a fork bomb is the kernel's to bound.
MOST_ROUNDS = 10_000
WRITABLE_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


class CopyPlan(Struct, frozen=True, kw_only=True):
    """Where the command starts, what it may write besides devices, and what it never reads.

    `readable` is what it may read in a hidden place.
    """

    directory: str
    writable: tuple[str, ...]
    hidden: tuple[str, ...]
    readable: tuple[str, ...] = ()


def start_copy(
    plan: CopyPlan,
    command: Sequence[str],
    environ: Mapping[str, str],
    streams: Streams | None = None,
    *,
    held: bool = False,
) -> IsolatedProcess:
    """Start a command. Raises StoreError `no-isolation` where one step does not work."""
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
    said, _ = _hear(ours)
    if said.get("is") != READY:
        ours.close()
        os.waitpid(keeper, 0)
        signals.close()
        streams.drop()
        raise _impossible(said)
    streams.pump()
    made = IsolatedProcess(
        keeper=keeper,
        line=ours,
        stops=stops,
        spaces=(),
        places=(),
        streams=streams,
        signals=signals,
        mode="copy",
        place=plan.directory,
    )
    if not held:
        made.release()
    return made


def _keep(
    up: socket.socket,
    above: int,
    plan: CopyPlan,
    streams: Streams,
    command: Sequence[str],
    environ: Mapping[str, str],
) -> Never:
    """Start the command, and end with its code once everything that it started is gone."""
    try:
        syscalls.die_with_parent(above)
        streams.take()
        close_descriptors(frozenset({up.fileno()}))
        syscalls.prctl(SUBREAPER, 1, what="adopt what is left running")
        said, says = os.pipe()
        goes, go = os.pipe()
        keeper = os.getpid()
        child = os.fork()
        if child == 0:
            up.close()
            os.close(go)
            _begin(says, goes, keeper, plan, command, environ)
        os.close(says)
        os.close(goes)
        syscalls.prctl(syscalls.DUMPABLE, 0, what="not dumpable")
        fault = os.read(said, MESSAGE)
        os.close(said)
        up.sendall(fault or json.dumps({"is": READY}).encode() + b"\n")
        if not fault:
            let_go(up, go)
        os._exit(_ended(child, up))
    except BaseException as problem:  # noqa: BLE001 - nothing of ours goes on in this process
        _fail(up, problem)


def _begin(
    says: int,
    goes: int,
    keeper: int,
    plan: CopyPlan,
    command: Sequence[str],
    environ: Mapping[str, str],
) -> Never:
    def bind(kept: frozenset[int]) -> None:
        os.chdir(plan.directory)
        syscalls.prctl(syscalls.NO_NEW_PRIVS, 1, what="no new privileges")
        terminal = [os.ttyname(0)] if os.isatty(0) else []
        restrict(
            writable=(*plan.writable, *WRITABLE_DEVICES, *terminal),
            hidden=plan.hidden,
            shown=plan.readable,
        )
        confine(kept, bounding=False)  # an ordinary user has nothing to give it up with

    become(says, goes, keeper, command, environ, bind)


def _ended(child: int, up: socket.socket) -> int:
    """Reap until the command ends, end what it left, and return its code."""
    status = Reaper(child, up).reap()
    for _ in range(MOST_ROUNDS):
        left = _children()
        for one in left:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            break
    return exit_code(status)


def _children() -> list[int]:
    own = f"/proc/self/task/{os.getpid()}/children"
    with suppress(OSError), open(own, "rb") as file:
        return [int(one) for one in file.read().split()]
    return []
