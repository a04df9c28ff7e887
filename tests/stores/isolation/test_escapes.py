"""Whatever a program tries, nothing outside of its layers changes; without isolation it does."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.stores.isolation.escapes import ESCAPES, HEAD
from tests.stores.isolation.fresh_escapes import FRESH
from tests.stores.isolation.ground import LIBRARY, Ground, ground, heard, impossible, listen, python

CANNOT = impossible()
PYTHON = python()
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot isolate: {CANNOT}"),
    pytest.mark.skipif(not PYTHON, reason="NOT TESTED: no python that every user can start"),
]
IPC_CREATE = 0o1000
ADJUSTED = Path("/proc/self/oom_score_adj").read_text()


def fingerprint(folder: Path) -> list[tuple[object, ...]]:
    """Return all that can be seen of a tree from outside."""
    found: list[tuple[object, ...]] = []
    for place in sorted(folder.rglob("*")):
        status = place.lstat()
        held = place.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        mtime = status.st_mtime_ns if stat.S_ISREG(status.st_mode) else 0
        attributes = tuple(os.listxattr(place, follow_symlinks=False))
        found.append((str(place), status.st_mode, status.st_nlink, held, mtime, attributes))
    return found


class Outside:
    """What is outside of a run: files, sockets, pipes, memory, and a process of the same user."""

    def __init__(self, here: Ground) -> None:
        self.here = here
        os.setpgid(0, 0)  # what is done to the whole group reaches nobody else
        for number in (signal.SIGUSR1, signal.SIGIO):
            signal.signal(number, lambda *_: None)
        self.niceness = os.getpriority(os.PRIO_PROCESS, 0)
        self.key = f"penstock-{os.getpid()}-{os.urandom(4).hex()}"
        self.number = int.from_bytes(os.urandom(3), "big")
        self.tmp = tempfile.mkdtemp()
        self.shm = f"/dev/shm/{self.key}"
        self.stdin = here.elsewhere / "stdin.txt"
        self.stdout = here.elsewhere / "stdout.txt"
        for file in (self.stdin, self.stdout):
            file.write_text("real\n")
        self.left_open = os.open(here.other, os.O_RDWR)
        os.set_inheritable(self.left_open, True)
        folders = (here.elsewhere, here.home, here.project)
        self.sockets = [listen(str(folder / "socket")) for folder in folders]
        self.sockets.append(listen("\0" + self.key))
        self.pipes = []
        for folder in (here.elsewhere, here.project):
            os.mkfifo(folder / "pipe")
            self.pipes.append(os.open(folder / "pipe", os.O_RDWR | os.O_NONBLOCK))
        self.queue = LIBRARY.msgget(self.number, IPC_CREATE | 0o600)
        self.memory = LIBRARY.shmget(self.number, 16, IPC_CREATE | 0o600)
        self.process = self._process()
        self.settings = self._settings()
        self.before = self._files()

    def _process(self) -> subprocess.Popen[bytes]:
        """A process of the same user, with a file open and its own directory."""
        holder = (
            "import os, signal, sys\nsys.stdout.write('up'); sys.stdout.flush(); signal.pause()"
        )

        def hold() -> None:
            os.dup2(os.open(self.here.other, os.O_RDWR), 9, inheritable=True)

        made = subprocess.Popen(
            [PYTHON, "-c", holder],
            cwd=self.here.elsewhere,
            preexec_fn=hold,  # noqa: PLW1509 - there is one thread
            close_fds=False,
            stdout=subprocess.PIPE,
        )
        assert made.stdout is not None
        assert made.stdout.read(2) == b"up"
        return made

    def _files(self) -> object:
        elsewhere = fingerprint(self.here.elsewhere)
        home = [one for one in fingerprint(self.here.home) if "/runs/" not in str(one[0])]
        home = [one for one in home if str(one[0]) != str(self.here.state / "runs")]
        around = os.listdir(self.here.base)
        return elsewhere, home, around, os.listdir(self.tmp), os.path.exists(self.shm)

    def facts(self) -> dict[str, Any]:
        """Return what a program is told of its surroundings."""
        here = self.here
        return {
            "target": str(here.target),
            "other": str(here.other),
            "elsewhere": str(here.elsewhere),
            "home": str(here.home),
            "state": str(here.state),
            "pid": self.process.pid,
            "fd": self.left_open,
            "tmp": self.tmp,
            "shm": self.shm,
            "key": self.key,
            "number": self.number,
        }

    def reached(self) -> list[str]:
        """Return what is different now."""
        found = [] if self._files() == self.before else ["files"]
        found += ["socket" for one in self.sockets if heard(one)]
        found += ["pipe" for one in self.pipes if _arrived(one)]
        LIBRARY.shmat.restype = ctypes.c_void_p
        place = LIBRARY.shmat(self.memory, None, 0)
        if ctypes.string_at(place, 7) == b"escaped":
            found.append("memory")
        LIBRARY.shmdt(ctypes.c_void_p(place))
        if LIBRARY.msgrcv(self.queue, bytes(64), ctypes.c_size_t(32), 0, 0o4000) >= 0:
            found.append("queue")
        if self._touched():
            found.append("process")
        return found

    def _touched(self) -> bool:
        """Say whether the process outside is not as it was."""
        pid = self.process.pid
        if os.getpriority(os.PRIO_PROCESS, pid) != self.niceness:
            return True
        if Path(f"/proc/{pid}/oom_score_adj").read_text() != ADJUSTED:
            return True
        return _ended(self.process) or self._settings() != self.settings

    def _settings(self) -> object:
        """Return what can be set of the process outside: its limits, its processors, its turn."""
        pid = self.process.pid
        limits = Path(f"/proc/{pid}/limits").read_text()
        return limits, os.sched_getaffinity(pid), os.sched_getscheduler(pid)

    def close(self) -> None:
        """Take everything away again."""
        self.process.kill()
        self.process.wait()
        LIBRARY.msgctl(self.queue, 0, None)
        LIBRARY.shmctl(self.memory, 0, None)
        for name in os.listdir(self.tmp):
            os.unlink(os.path.join(self.tmp, name))
        os.rmdir(self.tmp)
        if os.path.exists(self.shm):
            os.unlink(self.shm)


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Say whether a signal ended a process; one that is on its way arrives before we look."""
    state = Path(f"/proc/{process.pid}/status").read_text()
    pending = [line for line in state.splitlines() if line.startswith(("SigPnd", "ShdPnd"))]
    return "State:\tZ" in state or any(int(line.split()[1], 16) for line in pending)


def _arrived(pipe: int) -> bool:
    try:
        return bool(os.read(pipe, 64))
    except BlockingIOError:
        return False


@contextmanager
def standard(outside: Outside) -> Iterator[None]:
    """Have files on standard input and output, as in `run -- program < a > b`."""
    given = os.open(outside.stdin, os.O_RDONLY), os.open(outside.stdout, os.O_WRONLY | os.O_APPEND)
    saved = os.dup(0), os.dup(1)
    try:
        for number in (0, 1):
            os.dup2(given[number], number)
        yield
    finally:
        for number in (0, 1):
            os.dup2(saved[number], number)


def attempt(here: Ground, script: str, *, isolated: bool, **more: object) -> list[str]:
    """Try one way as the ordinary user, and say what it reached."""

    def work() -> list[str]:
        outside = Outside(here)
        try:
            command = [PYTHON, "-c", HEAD + script, json.dumps({**outside.facts(), **more})]
            with standard(outside):
                here.isolated(command) if isolated else here.plain(command)
            return outside.reached()
        finally:
            outside.close()

    return list(here.as_user(work))


@pytest.mark.parametrize("name", ESCAPES)
def test_nothing_outside_changes(name: str) -> None:
    with ground() as here:
        reached = attempt(here, ESCAPES[name], isolated=False)
    assert reached, f"the way `{name}` leads nowhere even without isolation, so it proves nothing"
    with ground() as here:
        reached = attempt(here, ESCAPES[name], isolated=True)
    assert not reached, f"`{name}` reached {reached}"


ONE_AFTER_ANOTHER = """
for script in at["scripts"]:
    child = os.fork()
    if child == 0:
        try: exec(script)
        finally: os._exit(0)
    os.waitpid(child, 0)
"""


def test_nothing_outside_changes_by_any_of_many_ways_in_one_run() -> None:
    with ground() as here:
        reached = attempt(here, ONE_AFTER_ANOTHER, isolated=True, scripts=[*FRESH.values()])
    if reached:  # one by one, to know which
        found = {name: _reached_alone(script) for name, script in FRESH.items()}
        pytest.fail(f"{reached}, by {[name for name, told in found.items() if told]}")


def _reached_alone(script: str) -> list[str]:
    with ground() as here:
        return attempt(here, script, isolated=True)


@pytest.mark.parametrize("name", FRESH)
def test_each_of_the_many_ways_reaches_something_without_isolation(name: str) -> None:
    with ground() as here:
        assert attempt(here, FRESH[name], isolated=False)


def test_the_table_is_large() -> None:
    assert len(ESCAPES) >= 60
