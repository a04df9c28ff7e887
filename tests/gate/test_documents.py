"""Documents, modules and tests that run with a call are read, and judged by what they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gate.document_rows import ATTACKS, EVERYDAY
from tests.gate.task_rows import Row
from tests.gate.test_scripts import judged, place
from tests.gate.test_tasks import name


@pytest.mark.parametrize("row", ATTACKS, ids=name)
def test_what_runs_with_a_call_is_judged(tmp_path: Path, row: Row) -> None:
    command, files = row
    decision = judged(place(tmp_path, files), command)
    assert decision.verdict in ("ask", "deny")
    assert ".env" in decision.because


@pytest.mark.parametrize("row", EVERYDAY, ids=name)
def test_what_projects_have_there_runs_without_a_question(tmp_path: Path, row: Row) -> None:
    command, files = row
    decision = judged(place(tmp_path, files), command)
    assert decision.verdict == "allow", decision.because
