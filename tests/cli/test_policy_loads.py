"""A command reads the rules once, however many of its parts ask for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project import Project

COUNTING = """
import atexit, sys
from penstock.core.rules import load as rules
real, loaded = rules.load, []
def load(main, *more, **named):
    loaded.append(main)
    return real(main, *more, **named)
rules.load = load
atexit.register(lambda: print(len(loaded), file=sys.stderr))
from penstock.cli import main
main()
"""
COMMANDS = [
    ("judge", "--tool", "Write", "--input", '{"file_path": "a.txt", "content": "x"}'),
    ("judge", "--tool", "Bash", "--input", '{"command": "ls"}'),
    ("status",),
    ("check",),
    ("proposals",),
    ("audit", "log"),
    ("audit", "verify"),
    ("doctor",),
    ("rules", "suggest"),
    ("rules", "stale"),
    ("init", "--agent", "claude", "--dry-run"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_loads_the_policy_once(project: Project, command: tuple[str, ...]) -> None:
    project.write("penstock.toml", 'preset = "guard"\n')
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, *command],
        cwd=project.root,
        env=project.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    wanted = "0" if command == ("proposals",) else "1"  # a list of what is pending asks no rule
    assert done.stderr.splitlines()[-1] == wanted, done.stderr
