"""Processes of ours that need not import the program: forked from one that has (`fork_server`).

Most rows of our tables are about what a hook or a command answers, and importing takes ten times as
long as answering. What a start itself is about stays a start, and so does one test of `SAMPLE`,
chosen by its name.
Always true: a call is a process with its own directory, variables, input and output; a server
ends with the process that started it.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import penstock
from tests.fork_server import COMMAND, HOOK, LENGTH

__all__ = ["COMMAND", "HOOK", "may_fork", "run_forked"]
SERVER = str(Path(__file__).with_name("fork_server.py"))
SAMPLE = 32
# What an interpreter looks at when it starts, and never again.
AT_START = ("LC_", "LANG", "PYTHON", "LD_")
_servers: dict[str, tuple[socket.socket, subprocess.Popen[bytes]]] = {}
_starting = threading.Lock()


def may_fork(changed: Mapping[str, str] | None = None) -> bool:
    """Say whether a call may do without a start, by the test that runs and what it changes."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    at_start = any(name.startswith(AT_START) for name in changed or ())
    return hasattr(os, "pidfd_open") and not at_start and zlib.crc32(test.encode()) % SAMPLE != 0


def run_forked(
    kind: str,
    argv: Sequence[str],
    *,
    cwd: str,
    environ: Mapping[str, str],
    data: bytes,
    timeout: float,
) -> subprocess.CompletedProcess[bytes]:
    """Do what `subprocess.run` does, without the start."""
    request = json.dumps({"argv": argv, "cwd": cwd, "environ": dict(environ)}).encode()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(data)
        given.seek(0)
        code = _asked(kind, request, [given.fileno(), out.fileno(), err.fileno()], timeout)
        return subprocess.CompletedProcess(argv, code, _all(out.fileno()), _all(err.fileno()))


def _asked(kind: str, request: bytes, files: list[int], timeout: float) -> int:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            socket.send_fds(_server(kind), [b"+"], [theirs.fileno()])
        socket.send_fds(ours, [len(request).to_bytes(LENGTH, "big")], files)
        ours.sendall(request)
        ours.settimeout(timeout)
        said = b""
        try:
            while more := ours.recv(64):
                said += more
        except TimeoutError:
            os.kill(int(said.partition(b"\n")[0]), signal.SIGKILL)
            raise subprocess.TimeoutExpired(SERVER, timeout) from None
    return int(said.partition(b"\n")[2])


def _server(kind: str) -> socket.socket:
    """Return the way to the server of this process; each worker has its own."""
    with _starting:
        if kind not in _servers:
            ours, theirs = socket.socketpair()
            isolated = ["-I", "-S"] if kind == HOOK else []
            packages = str(Path(penstock.__file__).parents[1])
            number = str(theirs.fileno())
            environ = {"PATH": "/usr/bin:/bin"} if kind == HOOK else dict(os.environ)
            environ.pop("PYTHONDONTWRITEBYTECODE", None)
            with theirs:
                process = subprocess.Popen(
                    [sys.executable, *isolated, SERVER, number, packages, kind],
                    pass_fds=[theirs.fileno()],
                    env=environ,
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                )
            _servers[kind] = (ours, process)
            atexit.register(_end, ours, process)
        return _servers[kind][0]


def _end(ours: socket.socket, process: subprocess.Popen[bytes]) -> None:
    ours.close()
    process.wait(timeout=60)


def _all(number: int) -> bytes:
    return os.pread(number, os.fstat(number).st_size, 0)
