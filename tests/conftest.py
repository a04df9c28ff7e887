"""Fixtures that tests of several areas use, and what the summary must not hide."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from hypothesis import settings

from tests.project import Project

# A slow machine is no failure: speed is `make bench`.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# What is compiled is kept, for this process and for each that tests start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Proposals wait in many tests, and nobody's desktop shall show them.
for name in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(name, None)

# A hook leaves a daemon behind; tests of that process switch it on for themselves.
os.environ["PENSTOCK_RESIDENT"] = "off"
LEAVING = 10.0  # seconds in which a process that was told to end may do so


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a `.git`, and a home of its own beside it."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    home = tmp_path / "home"
    home.mkdir()
    return Project(root, home)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that leaves a process of ours behind; each knows a place that tests were given."""
    if hasattr(session.config, "workerinput"):
        return  # whoever started the workers looks
    places: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
    base = os.fsencode(places.getbasetemp())
    until = time.monotonic() + LEAVING
    while (left := processes_in(base)) and time.monotonic() < until:
        time.sleep(0.1)
    for number, command in left.items():
        os.kill(number, signal.SIGKILL)
        print(f"\nLEFT RUNNING: {command}")
    if left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def processes_in(base: bytes) -> dict[int, str]:
    """Return the processes of ours that name a directory in their variables or their words."""
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        try:
            command = Path(f"/proc/{number}/cmdline").read_bytes()
            variables = Path(f"/proc/{number}/environ").read_bytes()
        except OSError:
            continue  # it has ended, or is somebody else's
        if b"penstock" in command and base + b"/" in command + variables:
            found[int(number)] = command.replace(b"\0", b" ").decode(errors="replace")
    return {number: command for number, command in found.items() if number != os.getpid()}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not run for real, and why; a skipped test alone is easily overlooked."""
    reasons = {str(skipped.longrepr[2]) for skipped in terminalreporter.getreports("skipped")}
    for reason in sorted(r.removeprefix("Skipped: ") for r in reasons):
        if "NOT RUN: " in reason or reason.startswith("REAL AGENTS NOT RUN"):
            terminalreporter.write_line(reason, yellow=True, bold=True)
