"""A person at the terminal of the real Claude Code: what the rules ask about becomes a dialog."""

from __future__ import annotations

import pytest

from tests.agents.models import Say, Use
from tests.agents.scene import BIG, SMALL, events, guarded, text_of
from tests.agents.session import Claude, Report
from tests.project import Project

pytestmark = pytest.mark.usefixtures("claude")
QUESTION = "Do you want to overwrite big.py?"
YES, NO = "1", "2"


def answered(project: Project, answer: str, *, until: str) -> Report:
    """Let the model rewrite the file in a mode that asks about no edit by itself."""
    guarded(project, "claude")
    return Claude(
        project=project,
        steps=[Use("Write", {"file_path": "lib/big.py", "content": SMALL}), Say("finished")],
        typed=[(QUESTION, answer), (until, "")],
        args=["--permission-mode", "acceptEdits"],
    ).run()


def test_no_leaves_the_file_as_it_is(project: Project) -> None:
    answered(project, NO, until="User rejected")
    assert text_of(project, "lib/big.py") == BIG
    assert events(project, path="lib/big.py", status="hitl_required")


def test_yes_lets_the_agent_write_and_the_write_can_be_undone(project: Project) -> None:
    report = answered(project, YES, until="finished")
    assert not report.result.error
    assert text_of(project, "lib/big.py") == SMALL
    assert project.run("undo", "--last", "1", "--yes").code == 0
    assert text_of(project, "lib/big.py") == BIG
