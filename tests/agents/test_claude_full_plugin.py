"""Real Claude Code with the plugin that starts the installed hook: with Penstock on PATH or not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.agents import install
from tests.agents.models import Use
from tests.agents.scene import furnish, text_of, untouched
from tests.agents.session import Claude, Report
from tests.project import Project
from tests.registered import SYSTEM_PATH, hook_program

pytestmark = pytest.mark.usefixtures("claude")
FULL_PLUGIN = str(install.CHECKOUT / "plugins" / "penstock-full")
STEPS = (
    Use("Write", {"file_path": ".env", "content": "x\n"}),
    Use("Bash", {"command": "echo x > .env"}),
    Use("Write", {"file_path": "docs/a.md", "content": "x\n"}),
)


def ran(project: Project, search: str, *args: str) -> Report:
    return Claude(project=project, steps=STEPS, args=args, environ={"PATH": search}).run()


def assert_guarded(project: Project, report: Report) -> None:
    assert [result.error for result in report.results] == [True, True, False], report
    assert untouched(project)
    assert text_of(project, "docs/a.md") == "x\n"


def assert_told_to_install(project: Project, report: Report) -> None:
    assert [result.error for result in report.results] == [True, True, True], report
    assert all("pipx install penstock-gate" in result.text for result in report.results)
    assert untouched(project)
    assert text_of(project, "docs/a.md") is None


def test_the_full_plugin_guards(project: Project, tmp_path: Path) -> None:
    furnish(project)
    assert_guarded(
        project, ran(project, hook_program(tmp_path / "bin"), "--plugin-dir", FULL_PLUGIN)
    )


def test_the_full_plugin_without_penstock_says_what_to_install(project: Project) -> None:
    furnish(project)
    assert_told_to_install(project, ran(project, SYSTEM_PATH, "--plugin-dir", FULL_PLUGIN))


def test_claude_code_finds_the_full_plugin_valid(project: Project) -> None:
    done = subprocess.run(
        [*install.command("claude"), "plugin", "validate", FULL_PLUGIN],
        env={"HOME": str(project.home), "PATH": SYSTEM_PATH, "DISABLE_AUTOUPDATER": "1"},
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
