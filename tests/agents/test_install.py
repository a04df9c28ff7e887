"""Installing the clients: once, whole, and with a reason when it cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents import install

# Stands for npm: notes that it was called, and makes a package with a program in it.
GOOD = """#!/bin/sh
echo called >> "$CALLS"
while [ $# -gt 1 ]; do [ "$1" = --prefix ] && to=$2; shift; done
mkdir -p "$to/node_modules/tool" && sleep 0.3 && echo x > "$to/node_modules/tool/run"
"""
BAD = """#!/bin/sh
echo called >> "$CALLS"
echo "npm error network is unreachable" >&2
exit 1
"""
ASK = """
import sys
from pathlib import Path
from tests.agents import install
try:
    print(install._installed(Path(sys.argv[1]), "tool@1", "node_modules/*/run"))
except install.NotHereError as missing:
    print("missing:", missing)
"""


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    return tmp_path / "calls"


def asking(calls: Path, npm: str) -> subprocess.Popen[str]:
    """Start a process that wants the client."""
    program = calls.parent / "bin" / "npm"
    program.write_text(npm)
    program.chmod(0o755)
    environ = {
        **os.environ,
        "CALLS": str(calls),
        "PATH": f"{program.parent}:{os.environ['PATH']}",
    }
    argv = [sys.executable, "-c", ASK, str(calls.parent / "clients" / "tool-1")]
    return subprocess.Popen(
        argv, env=environ, cwd=install.CHECKOUT, stdout=subprocess.PIPE, text=True
    )


def said(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=60)[0].strip()


def test_processes_that_want_a_client_at_once_install_it_once(calls: Path) -> None:
    waiting = [asking(calls, GOOD) for _ in range(3)]
    place = str(calls.parent / "clients" / "tool-1" / "node_modules" / "tool" / "run")
    assert [said(each) for each in waiting] == [place] * 3
    assert calls.read_text() == "called\n"


def test_a_client_that_cannot_be_had_is_told_with_the_reason_and_not_tried_by_everybody(
    calls: Path,
) -> None:
    told = [said(asking(calls, BAD)) for _ in range(2)]
    assert told == ["missing: npm has no tool@1: npm error network is unreachable"] * 2
    assert calls.read_text() == "called\n"
    assert not (calls.parent / "clients" / "tool-1").exists()


def test_agents_that_were_switched_off_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_AGENTS", "off")
    with pytest.raises(install.NotHereError, match="PENSTOCK_AGENTS=off"):
        install.command.__wrapped__("claude")
