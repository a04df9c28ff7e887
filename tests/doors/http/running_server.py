"""Servers that really run: as a process that says where it listens, or in a thread beside us."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from penstock.doors.http.server import Server, bound

LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+) ")
WITHIN = 30.0


@dataclass
class Started:
    """A process that listens, and every line that it has said so far."""

    process: subprocess.Popen[str]
    port: int
    lines: list[str] = field(default_factory=list)


@contextmanager
def started(
    argv: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Iterator[Started]:
    """Start a process, wait until it listens, and end it."""
    process = subprocess.Popen(argv, cwd=cwd, env=env, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = LISTENING.search(line)
    assert found, line + process.stderr.read()
    one = Started(process, int(found[1]), [line])
    # Read all the time: a process whose pipe is full would stand still.
    reader = threading.Thread(target=lambda: one.lines.extend(process.stderr or ()))
    reader.start()
    try:
        yield one
    finally:
        process.kill()
        process.wait(WITHIN)
        reader.join(WITHIN)
        process.stderr.close()


@contextmanager
def in_thread(server: Server, *on: socket.socket) -> Iterator[int]:
    """Run a server in a thread of its own; yields its port."""
    on = on or (bound(0),)
    port = on[0].getsockname()[1]
    thread = threading.Thread(target=server.run, kwargs={"sockets": list(on)})
    thread.start()
    until = time.monotonic() + WITHIN
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    assert server.started
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(WITHIN)
        assert not thread.is_alive()


def everything(client: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    got = b""
    while piece := client.recv(65536):
        got += piece
    return got
