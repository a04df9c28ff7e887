"""The checkout as a plugin of the real Claude Code: `claude --plugin-dir`, nothing installed."""

from __future__ import annotations

import subprocess

import pytest

from tests.agents import install
from tests.agents.models import Use
from tests.agents.scene import SECRET, furnish, text_of
from tests.agents.session import Claude, Report
from tests.project import Project

pytestmark = pytest.mark.usefixtures("claude")
PLUGIN = str(install.CHECKOUT)


def ran(project: Project, *steps: Use) -> Report:
    furnish(project)
    return Claude(project=project, steps=steps, args=["--plugin-dir", PLUGIN]).run()


def test_the_plugin_denies_a_protected_file_in_the_words_of_the_spec(project: Project) -> None:
    report = ran(
        project,
        Use("Write", {"file_path": ".env", "content": "x\n"}),
        Use("Edit", {"file_path": ".env", "old_string": "keep-me", "new_string": "gone"}),
    )
    for result in report.results:
        assert "Protected path: .env cannot be modified" in result.text
        assert result.error
    assert text_of(project, ".env") == SECRET


def test_the_plugin_lets_other_writes_pass(project: Project) -> None:
    report = ran(
        project,
        Use("Write", {"file_path": "docs/guide.md", "content": "x\n"}),
        Use("Write", {"file_path": "src/app.py", "content": "print('bye')\n"}),
    )
    assert [result.error for result in report.results] == [False, False], report
    assert text_of(project, "docs/guide.md") == "x\n"
    assert text_of(project, "src/app.py") == "print('bye')\n"


def test_claude_code_finds_the_plugin_valid(project: Project) -> None:
    done = subprocess.run(
        [*install.command("claude"), "plugin", "validate", PLUGIN],
        env={"HOME": str(project.home), "PATH": "/usr/bin:/bin", "DISABLE_AUTOUPDATER": "1"},
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
