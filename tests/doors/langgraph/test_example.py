"""The example workflow does what it says: asked in one process, answered in another."""

from __future__ import annotations

import subprocess
import sys

from tests import REPOSITORY
from tests.doors.langgraph.scene import Scene

EXAMPLE = REPOSITORY / "examples" / "tdd_workflow" / "workflow.py"


def run(scene: Scene, *argv: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), argv[0], str(scene.root), *argv[1:]],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_workflow_stops_at_the_rewrite_and_ends_with_passing_tests(scene: Scene) -> None:
    code, told = run(scene, "start")
    assert code == 3, told
    assert "written (auto-allowed): prices.py" in told
    assert "asked: " in told
    assert " lines of prices.py (" in told
    prices = scene.root / "project" / "prices.py"
    assert len(prices.read_text().splitlines()) > 90
    code, told = run(scene, "answer", "reject", "keep the reduced rates")
    assert code == 0, told
    assert "not written: prices.py: keep the reduced rates" in told
    assert "tests pass, attempt 3" in told
    assert "/ 100, 2)" in prices.read_text()


def test_with_auto_nobody_is_asked_and_the_rewrite_is_blocked(scene: Scene) -> None:
    """Scenario 050: an error message, and the workflow goes on."""
    code, told = run(scene, "start", "--auto")
    assert code == 0, told
    assert "asked: " not in told
    assert "written (auto-allowed): prices.py" in told
    assert "not written: prices.py: " in told
    assert "tests pass, attempt 3" in told
    prices = (scene.root / "project" / "prices.py").read_text()
    assert len(prices.splitlines()) > 90
    assert "/ 100, 2)" in prices
