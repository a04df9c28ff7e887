"""A part of `python -m tests.faults --only record` that is short enough for every day."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_record_survives_a_kill_and_a_failing_call_here_and_there() -> None:
    command = [sys.executable, "-m", "tests.faults", "--only", "record", "--every", "7"]
    done = subprocess.run(
        [*command, "--no-power"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of 4 scenarios" in done.stdout
