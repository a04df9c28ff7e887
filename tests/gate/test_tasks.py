"""Files of a project that a tool runs by itself are read when it runs, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gate.task_rows import ATTACKS, EVERYDAY, Row
from tests.gate.test_scripts import judged, place


def name(row: Row) -> str:
    return f"{row[0]} <- {', '.join(row[1])}"


@pytest.mark.parametrize("row", ATTACKS, ids=name)
def test_what_a_tool_runs_of_the_project_is_judged(tmp_path: Path, row: Row) -> None:
    command, files = row
    decision = judged(place(tmp_path, files), command)
    assert decision.verdict in ("ask", "deny")
    assert ".env" in decision.because


@pytest.mark.parametrize("row", EVERYDAY, ids=name)
def test_an_everyday_build_runs_without_a_question(tmp_path: Path, row: Row) -> None:
    command, files = row
    decision = judged(place(tmp_path, files), command)
    assert decision.verdict == "allow", decision.because
