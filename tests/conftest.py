"""Fixtures that tests of several areas use, and what the summary must not hide."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.project import Project

# Proposals wait in many tests, and nobody's desktop shall show them.
for name in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(name, None)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a `.git`, and a home of its own beside it."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    home = tmp_path / "home"
    home.mkdir()
    return Project(root, home)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not run for real, and why; a skipped test alone is easily overlooked."""
    reasons = {str(skipped.longrepr[2]) for skipped in terminalreporter.getreports("skipped")}
    for reason in sorted(r.removeprefix("Skipped: ") for r in reasons):
        if "NOT RUN: " in reason or reason.startswith("REAL AGENTS NOT RUN"):
            terminalreporter.write_line(reason, yellow=True, bold=True)
