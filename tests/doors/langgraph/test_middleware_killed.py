"""Agents whose process is killed: at the question, or while they do what a person decided."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock import open_gate
from tests.doors.langgraph.crash_points import STRICT, every_kill_is_survived
from tests.doors.langgraph.durable_agent import SHORT
from tests.project import Project


def process(project: Project, *argv: str) -> tuple[int, Any]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.doors.langgraph.durable_agent", *argv],
        cwd=project.root,
        env={**project.environ, **STRICT},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["langchain", "deepagents"])
def test_a_question_of_a_killed_process_is_answered_in_another(
    own: Project, tmp_path: Path, kind: str
) -> None:
    """With LANGGRAPH_STRICT_MSGPACK on: what is kept are plain values only."""
    own.write("app.py", "".join(f"line {number}\n" for number in range(270)))
    kept = str(tmp_path / "checkpoints.db")
    code, asked = process(own, kind, kept, "start")
    assert code == -signal.SIGKILL
    assert "270 of 270 lines removed" in asked["action_requests"][0]["description"]
    assert process(own, kind, kept, "resume") == (0, ["success"])
    assert (own.root / "app.py").read_text() == SHORT
    assert process(own, kind, kept, "resume") == (0, ["success"])
    gate = open_gate(str(own.root))
    assert (len(gate.find()), len(gate.receipts())) == (1, 1)


@pytest.mark.slow
def test_a_kill_at_any_step_loses_no_decision_and_writes_nothing_twice(own: Project) -> None:
    every_kill_is_survived("tests.doors.langgraph.agent_crashes")
