"""The daemon (background server): the engine kept warm behind a socket in the state directory.

Started by the hook at the start of an agent's session, or else by the first call that needed
the engine, and by `penstock serve` within itself. It ends when nobody has asked for a while, or
when the installation it came from has changed. Meanwhile it keeps the organisation's policy
bundle fresh: hooks themselves never wait for the network.
Always true: one process holds the socket; whoever can reach it could as well run the hook,
since it lies in a directory that is the user's alone; and a daemon that dies is no loss,
the next call judges by itself.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.app.places import private_dir, state_home, variable
from penstock.doors.hook.daemon_client import FORM, MOST, SWITCH, launch, socket_name
from penstock.doors.hook.engine import Engine
from penstock.doors.hook.messages import Reply
from penstock.doors.hook.wire import MOST_INPUT

if TYPE_CHECKING:
    import socket  # as are other imports below: whoever only starts one need not wait for them

IDLE_SECONDS = 15 * 60.0
LINE_SECONDS = 10.0
MOST_HEAD = 1 << 20
LOOK_SECONDS = 20.0
REFRESH_AFTER = 1.0  # seconds, so that the session's first calls have the processor for themselves


def start() -> None:
    """Leave a daemon running, unless one is or none is wanted. Never fails."""
    if variable(SWITCH) == "off":
        return
    with suppress(OSError):
        folder = private_dir(state_home())
        if _held(folder):
            return
        subprocess.Popen(  # noqa: S603 - our own interpreter and our own words
            [*launch(__name__), os.getcwd()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            start_new_session=True,
            cwd="/",
        )


def _held(folder: str) -> bool:
    """Say whether a daemon holds the lock."""
    lock = _lock(folder, socket_name())
    if lock is None:
        return True
    os.close(lock)
    return False


def _lock(folder: str, name: str) -> int | None:
    """Return a descriptor that holds the lock, or None where another process holds it."""
    lock = os.open(os.path.join(folder, f"{name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def serve(
    engine: Engine, *, idle: float = IDLE_SECONDS, ready: threading.Event | None = None
) -> None:
    """Answer until nobody asks any more; at once back if another process does already."""
    folder = private_dir(state_home())
    name = socket_name()
    lock = _lock(folder, name)
    if lock is None:
        return
    try:
        with _listen(folder, name) as listening:
            if ready is not None:
                ready.set()
            _accept(listening, engine, idle, os.path.join(folder, name))
    finally:
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
        os.close(lock)


def _listen(folder: str, name: str) -> socket.socket:
    import socket

    with suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, name))
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    held = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        listening.bind(f"/proc/self/fd/{held}/{name}")
    finally:
        os.close(held)
    os.chmod(os.path.join(folder, name), 0o600)
    listening.listen(64)
    return listening


def _accept(listening: socket.socket, engine: Engine, idle: float, path: str) -> None:
    """Take questions until it is quiet for long, or what this process stands on has changed."""
    step = min(idle, LOOK_SECONDS)
    listening.settimeout(step)
    quiet = 0.0
    while quiet < idle:
        try:
            line, _ = listening.accept()
        except TimeoutError:
            quiet += step
            engine.sign_if_due()
            if os.path.basename(path) != socket_name() or not os.path.exists(path):
                return
            continue
        quiet = 0.0
        threading.Thread(target=_talk, args=(line, engine), daemon=True).start()


def _talk(line: socket.socket, engine: Engine) -> None:
    with line, suppress(OSError, ValueError):
        line.settimeout(LINE_SECONDS)
        agent, environ, data = _question(line)
        line.sendall(_packed(engine.reply(agent, data, environ, hook=_asking(line))))


def _asking(line: socket.socket) -> int:
    """Return the process at the other end, as the kernel knows it."""
    import socket

    said = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(said[:4], sys.byteorder)


def _question(line: socket.socket) -> tuple[str, Mapping[str, str], bytes]:
    with line.makefile("rb") as file:
        head = file.readline(MOST_HEAD)
        form, version, agent, *sizes = head.decode("ascii").split()
        told, size = [int(number) for number in sizes]
        if f"{form} {version}" != FORM or not (0 <= told <= MOST_HEAD and 0 <= size <= MOST_INPUT):
            raise ValueError(head)
        variables, data = file.read(told), file.read(size)
    if len(data) < size:
        raise ValueError("the question ends in the middle")
    pairs = [pair.split(b"=", 1) for pair in variables.split(b"\n") if pair]
    environ = {os.fsdecode(pair[0]): os.fsdecode(pair[1]) for pair in pairs if len(pair) == 2}
    return agent, environ, data


def _packed(reply: Reply) -> bytes:
    out = reply.stdout.encode("utf-8", "backslashreplace")[:MOST]
    err = reply.stderr.encode("utf-8", "backslashreplace")[:MOST]
    after = "\0".join(reply.claims).encode("utf-8", "surrogateescape")
    return f"{reply.code} {len(out)} {len(err)} {len(after)}\n".encode() + out + err + after


def main() -> None:
    """Run as a process of its own."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = Engine(signs=True)
    for root in sys.argv[1:]:  # where the hook was started, so that nobody waits for its rules
        threading.Thread(target=engine.warm, args=(root,), name="warming", daemon=True).start()
    threading.Thread(target=_refresh, name="refreshing", daemon=True).start()
    serve(engine)
    os._exit(0)


def _refresh() -> None:
    """Fetch the policy bundle now and then; `status` shows what went wrong."""
    threading.Event().wait(REFRESH_AFTER)
    from penstock.app.bundle.refresh import start_refreshing

    start_refreshing(threading.Event(), lambda _: None)
