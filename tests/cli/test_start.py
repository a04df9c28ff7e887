"""Starting is cheap, and so is the end: a command imports its own module, the group none at all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project import Project

HEAVY = (
    "rich",
    "sqlite3",
    "cryptography",
    "subprocess",
    "difflib",
    "penstock.app",
    "penstock.gate",
)
PROGRAM = """
import sys
from penstock.cli import main
try:
    main({argv!r})
except SystemExit:
    pass
print("MODULES", *sorted(sys.modules))
"""


def imported(*argv: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(argv=list(argv))],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stdout.rpartition("MODULES ")[2].split())


@pytest.mark.parametrize("argv", [(), ("--help",), ("version",), ("help", "version")])
def test_help_loads_nothing_heavy(argv: tuple[str, ...]) -> None:
    assert imported(*argv).isdisjoint(HEAVY)


@pytest.mark.parametrize(
    ("argv", "own"),
    [
        (("approve", "--help"), "penstock.cli.review.approve"),
        (("rules", "add", "--help"), "penstock.cli.rules.add"),
        (("judge", "--help"), "penstock.cli.judge.command"),
        (("status", "--help"), "penstock.cli.setup.status"),
    ],
)
def test_a_command_imports_no_other_command(argv: tuple[str, ...], own: str) -> None:
    found = imported(*argv)
    assert own in found
    others = {"approve", "undo", "serve", "demo", "mcp", "doctor", "init", "watch"} - set(argv)
    names = {name.rpartition(".")[2] for name in found if name.startswith("penstock.cli.")}
    assert names.isdisjoint(others)


def test_a_command_that_ends_leaves_nothing_open(project: Project) -> None:
    # A real start, because it is about the end of one. SQLite removes its files beside a queue
    # when the last connection is closed.
    assert project.run("proposals", env={"LC_ALL": "C"}).code == 0
    (queue,) = project.home.rglob("penstock.db*")
    assert queue.name == "penstock.db"
