"""Run a command in a pseudo-terminal and type answers, as a person would.

Nobody has to be there and nothing waits for ever: an answer is typed once its question has
appeared, and a deadline ends whatever hangs.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.project import Project

DEADLINE = 120.0
PENSTOCK = (sys.executable, "-m", "penstock.cli")
END = "\x04"  # the key that ends the input


@dataclass(frozen=True)
class Seen:
    """What the terminal showed, and how the command ended."""

    code: int
    text: str


def in_terminal(
    project: Project,
    *argv: str,
    typed: Sequence[tuple[str, str]] = (),
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = PENSTOCK,
    pass_fds: Sequence[int] = (),
) -> Seen:
    """Run `penstock ARGV` at a terminal of its own; `typed` are (question, answer) in order."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [*program, *argv],
        cwd=project.root,
        env={**_sizeless(project.environ), "TERM": "xterm", **(env or {})},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        pass_fds=pass_fds,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - a session needs its terminal, as at a login
    )
    os.close(slave)
    try:
        text = _conversation(master, typed, time.monotonic() + DEADLINE)
        return Seen(child.wait(timeout=DEADLINE), text)
    finally:
        child.kill()
        child.wait()
        os.close(master)


def _sizeless(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment that says nothing of a screen: the tests' own is not theirs."""
    return {name: value for name, value in environ.items() if name not in ("LINES", "COLUMNS")}


def _take_terminal() -> None:
    # Whoever started the tests in the background has switched the key off for all of them.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _conversation(master: int, typed: Sequence[tuple[str, str]], end: float) -> str:
    seen, since, left = b"", 0, list(typed)
    while True:
        ready, _, _ = select.select([master], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"nothing happened in time; the terminal shows\n{seen.decode()}"
        try:
            data = os.read(master, 65536)
        except OSError:  # how Linux says that nobody has the other end any more
            data = b""
        if not data:
            return seen.decode("utf-8", "replace").replace("\r\n", "\n")
        seen += data
        while left and left[0][0].encode() in seen[since:]:
            question, answer = left.pop(0)
            since = seen.index(question.encode(), since) + len(question.encode())
            with suppress(OSError):
                os.write(master, (answer if answer == END else answer + "\n").encode())


# A process that looks like an agent opens a terminal for each command, as agents do.
AGENT = """
import json, os, pty, sys
answers = []
for argv in json.loads(sys.argv[1]):
    pid, master = pty.fork()
    if pid == 0:
        os.execv(argv[0], argv)
    text = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(master)
    answers.append([code, text.decode("utf-8", "replace")])
print(json.dumps(answers))
"""


def by_agent(
    project: Project, folder: Path, name: str, commands: Sequence[Sequence[str]]
) -> list[Seen]:
    """Let a process of some name run `penstock` commands in terminals, with clean variables."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    if not program.is_symlink():
        program.symlink_to(os.path.realpath(sys.executable))
    done = subprocess.run(
        [program, "-c", AGENT, json.dumps([[*PENSTOCK, *argv] for argv in commands])],
        cwd=project.root,
        env={**_sizeless(project.environ), "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
    )
    return [Seen(code, text.replace("\r\n", "\n")) for code, text in json.loads(done.stdout)]
