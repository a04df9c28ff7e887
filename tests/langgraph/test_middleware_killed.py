"""An agent whose process is killed while it does what a person decided."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_kill_at_any_step_loses_no_decision_and_writes_nothing_twice() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.langgraph.killed_agent", "--points", "8"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 kills" in done.stdout
