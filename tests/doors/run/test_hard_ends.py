"""Runs that end badly: a killed supervisor, a full disk, no terminal, a resized one."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from penstock.stores.isolation import syscalls
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

COMMAND = [sys.executable, "-m", "penstock.cli", "run"]
MODES = ["overlay", "copy"]
SECONDS = 60


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    project.write("src/app.py", "x = 1\n")
    return project


def is_gone(mark: str) -> bool:
    """Wait until no process has a mark in its command line; False when one stays."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if not any(mark.encode() in line for line in _command_lines()):
            return True
        time.sleep(0.05)
    return False


def _command_lines() -> list[bytes]:
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            found.append(Path(f"/proc/{entry}/cmdline").read_bytes())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("mode", MODES)
def test_a_killed_supervisor_takes_the_command_along_and_loses_nothing(
    here: Project, mode: str
) -> None:
    mark = f"mark-{os.urandom(6).hex()}"
    script = f"echo 'x = 2' > src/app.py; echo ready; sleep 300; : {mark}"
    process = subprocess.Popen(
        [*COMMAND, "--require", mode, "--", "sh", "-c", script],
        cwd=here.root, env=here.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.wait()
    process.stdout.close()
    assert is_gone(mark), "the command outlives the supervisor"
    (left,) = here.run("runs", "--json").json["runs"]
    assert left["state"] == "stopped"
    assert (here.root / "src/app.py").read_text() == "x = 1\n"
    applied = here.run("runs", "apply", left["id"])
    assert applied.code == 0, applied.err
    assert (here.root / "src/app.py").read_text() == "x = 2\n"
    assert here.run("audit", "verify").code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: needs root")
@pytest.mark.parametrize("mode", MODES)
def test_a_full_disk_is_the_commands_error_and_harms_nothing_real(here: Project, mode: str) -> None:
    state = here.home / "state"
    state.mkdir(mode=0o700)

    def small_disk() -> None:
        syscalls.unshare(syscalls.NEWNS)
        syscalls.mount("", "/", "", syscalls.REC | syscalls.PRIVATE)
        syscalls.mount("tmpfs", str(state), "tmpfs", 0, "size=4m,mode=0700")

    script = "head -c 8000000 /dev/zero > large; code=$?; echo 'x = 2' > src/app.py; exit $code"
    done = subprocess.run(
        [*COMMAND, "--require", mode, "--", "sh", "-c", script],
        cwd=here.root, env=here.environ, capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=small_disk,
    )  # fmt: skip
    assert done.returncode != 0
    assert os.strerror(errno.ENOSPC).lower() in done.stderr.lower()
    assert "Traceback" not in done.stderr
    assert not (here.root / "large").exists() or (here.root / "large").stat().st_size < 8_000_000
    assert (here.root / "src/app.py").read_text() in ("x = 1\n", "x = 2\n")


@pytest.mark.parametrize("mode", MODES)
def test_no_terminal_is_needed(here: Project, mode: str) -> None:
    done = subprocess.run(
        [*COMMAND, "--require", mode, "--", "sh", "-c", "echo 'x = 2' > src/app.py; tty; cat"],
        cwd=here.root, env=here.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=120, check=False, start_new_session=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "not a tty\n"
    assert (here.root / "src/app.py").read_text() == "x = 2\n"


@pytest.mark.parametrize("mode", MODES)
def test_a_resized_terminal_is_the_commands_too(here: Project, mode: str) -> None:
    master, slave = pty.openpty()
    script = "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.1; done"

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [*COMMAND, "--require", mode, "--", "sh", "-c", script],
        cwd=here.root, env=here.environ, stdin=slave, stdout=slave, stderr=slave,
        preexec_fn=own_terminal,  # noqa: PLW1509 - there is one thread
    )  # fmt: skip
    os.close(slave)
    try:
        _seen(master, b"ready")
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 41, 97, 0, 0))
        assert b"41 97" in _seen(master, b"41 97")
        assert process.wait(SECONDS) == 0
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        os.close(master)


def _seen(master: int, wanted: bytes) -> bytes:
    """Return what a terminal showed until something wanted was in it."""
    text, end = b"", time.monotonic() + SECONDS
    while wanted not in text and time.monotonic() < end:
        if select.select([master], [], [], 1)[0]:
            try:
                text += os.read(master, 4096)
            except OSError:
                break
    assert wanted in text, text
    return text
