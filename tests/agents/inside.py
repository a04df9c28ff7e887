"""Run one client against its model: `python -m tests.agents.inside JOB REPORT`.

Where root and `unshare` allow it, this process is the first of a network and a process
namespace: only loopback exists there, and whatever the client leaves running ends with it.
Elsewhere the host's loopback does.
Always true: the client runs with the variables of the job and no others, and has an end.
"""

from __future__ import annotations

import codecs
import fcntl
import functools
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.agents.models import DIALECTS, Json, ModelServer, Script

UP_AND_RUNNING = 0x1 | 0x40
SET_FLAGS = 0x8914  # SIOCSIFFLAGS
SEALED = "PENSTOCK_SEALED"  # tells the process inside that the network is its own
ROWS, COLUMNS = 50, 130
PAUSE = 0.3  # a dialog that has just been drawn does not listen yet


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to run. `{model}` in the command and the variables is the model's address.

    `services` are started first, with the port that they will listen on. With `typed` the client
    gets a terminal, and each answer is typed once its question is on the screen.
    """

    command: Sequence[str]
    folder: str
    environ: Mapping[str, str]
    dialect: str
    script: Json
    seconds: float
    services: Sequence[tuple[int, Sequence[str]]] = ()
    typed: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the client ended; code None when it had to be stopped."""

    code: int | None
    out: str
    err: str = ""
    bodies: Sequence[Json] = field(default_factory=tuple)


def run(job: Job, folder: Path) -> Ended:
    """Run the job in a process of its own, sealed off if possible."""
    order, report = folder / "job.json", folder / "report.json"
    order.write_text(json.dumps(asdict(job)))
    seal = _seal()
    argv = [*seal, sys.executable, "-m", "tests.agents.inside", str(order), str(report)]
    done = subprocess.run(
        argv,
        env={**os.environ, SEALED: "yes" if seal else ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=job.seconds + 60,
        check=False,
    )
    assert done.returncode == 0, f"the session did not run: {done.stderr}"
    return Ended(**json.loads(report.read_text()))


@functools.cache
def _seal() -> tuple[str, ...]:
    unshare = shutil.which("unshare")
    if unshare is None or os.geteuid() != 0:
        return ()
    argv = (unshare, "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
    return (
        argv
        if subprocess.run([*argv, "true"], capture_output=True, check=False).returncode == 0
        else ()
    )


def main(order: str, report: str) -> None:
    """Do the job and leave a report."""
    if os.environ.get(SEALED):
        _raise_loopback()
    job = Job(**json.loads(Path(order).read_text()))
    model = ModelServer(DIALECTS[job.dialect], Script.from_json(job.script))
    filled = functools.partial(_filled, model=model.address)
    environ = {name: filled(value) for name, value in job.environ.items()}
    command = [filled(word) for word in job.command]
    with _services(job, environ):
        go = functools.partial(_typing, typed=job.typed) if job.typed else _piped
        ended = go(command, job.folder, environ, job.seconds)
    Path(report).write_text(json.dumps({**ended, "bodies": model.bodies}))


def _filled(text: str, *, model: str) -> str:
    return text.replace("{model}", model)


def _raise_loopback() -> None:
    """Switch the loopback interface of a new namespace on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP_AND_RUNNING))


@contextmanager
def _services(job: Job, environ: Mapping[str, str]) -> Iterator[None]:
    running = []
    try:
        for port, argv in job.services:
            running.append(
                subprocess.Popen(
                    argv,
                    cwd=job.folder,
                    env=environ,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            )
            _until_listening(port, running[-1])
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _until_listening(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on port {port}")


def _piped(command: Sequence[str], folder: str, environ: Mapping[str, str], seconds: float) -> Json:
    client = subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    code: int | None
    try:
        out, err = client.communicate(timeout=seconds)
        code = client.returncode
    except subprocess.TimeoutExpired:
        os.killpg(client.pid, signal.SIGKILL)
        out, err = client.communicate()
        code = None
    return {
        "code": code,
        "out": out.decode("utf-8", "replace"),
        "err": err.decode("utf-8", "replace"),
    }


# Everything that moves the cursor or colours; what remains are the words, without their spaces,
# because a full-screen program moves over blanks instead of printing them.
ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|\s")


def _typing(
    command: Sequence[str],
    folder: str,
    environ: Mapping[str, str],
    seconds: float,
    *,
    typed: Sequence[tuple[str, str]],
) -> Json:
    """Run the client at a terminal; stop it a moment after the last answer was taken in."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(command[0], list(command), dict(environ))
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    seen, end, left = "", time.monotonic() + seconds, list(typed)
    since, decoder = 0, codecs.getincrementaldecoder("utf-8")("replace")
    try:
        while left and time.monotonic() < end:
            seen += decoder.decode(_read(master))
            words = ESCAPES.sub("", seen[since:])
            if left[0][0].replace(" ", "") in words:
                time.sleep(PAUSE)
                seen += decoder.decode(_read(master))
                since = len(seen)
                os.write(master, left.pop(0)[1].encode())
    except OSError:  # the client has gone
        pass
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(master)
    return {"code": None if left else 0, "out": ESCAPES.sub("", seen), "err": ""}


def _read(master: int) -> bytes:
    ready, _, _ = select.select([master], [], [], 0.1)
    return os.read(master, 65536) if ready else b""


if __name__ == "__main__":
    main(*sys.argv[1:])
