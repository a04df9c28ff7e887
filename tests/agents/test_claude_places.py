"""Files by other places than rules name, inside the real Claude Code: worktrees, moved settings."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.agents.models import Use
from tests.agents.scene import OWN_RULES, SECRET, events, text_of
from tests.agents.session import Claude, Report
from tests.project import Project
from tests.registered import hook_program

pytestmark = pytest.mark.usefixtures("claude")

TREE = ".claude/worktrees/one"


def git(project: Project, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *who, *words], cwd=project.root, check=False, capture_output=True, timeout=60
    )
    assert done.returncode == 0, done


@pytest.fixture
def repository(project: Project) -> Project:
    """A guarded project with a commit: of its files, not of its rules and its registration."""
    project.write("db/a.sql", "one\n")
    shutil.rmtree(project.root / ".git", ignore_errors=True)
    git(project, "init", "-q")
    git(project, "add", "db")
    git(project, "commit", "-qm", "first")
    project.write("penstock.toml", OWN_RULES)
    return project


def write(path: str) -> Use:
    return Use("Write", {"file_path": path, "content": "x\n"})


def bash(command: str) -> Use:
    return Use("Bash", {"command": command, "description": "work"})


def ran(project: Project, *steps: Use, args: tuple[str, ...] = (), **environ: str) -> Report:
    report = Claude(project=project, steps=steps, args=args, environ=environ).run()
    assert report.code == 0, report
    assert len(report.results) == len(steps), report
    return report


def test_rules_of_the_project_hold_in_a_worktree_that_a_session_enters(repository: Project) -> None:
    assert repository.run("init", "--agent", "claude").code == 0
    report = ran(
        repository,
        Use("EnterWorktree", {"name": "one"}),
        write("db/b.sql"),
        bash("echo x > db/b.sql"),
        bash("rm db/a.sql"),
        write("notes.txt"),
    )
    assert [result.error for result in report.results] == [False, True, True, True, False], report
    assert text_of(repository, f"{TREE}/db/b.sql") is None
    assert text_of(repository, f"{TREE}/db/a.sql") == "one\n"
    assert text_of(repository, f"{TREE}/notes.txt") == "x\n"
    assert len(events(repository, status="denied", rule="db")) == 3


def test_rules_of_the_project_hold_in_a_worktree_that_a_session_starts_in(
    repository: Project, tmp_path: Path
) -> None:
    """The registration is read from there, so it is committed; the rules need not be."""
    assert repository.run("init", "--agent", "claude", "--shared").code == 0
    git(repository, "add", ".claude/settings.json")
    git(repository, "commit", "-qm", "hooks")
    search = hook_program(tmp_path / "bin")
    steps = (write("db/b.sql"), write("notes.txt"))
    report = ran(repository, *steps, args=("--worktree", "one"), PATH=search)
    assert [result.error for result in report.results] == [True, False], report
    assert text_of(repository, f"{TREE}/db/b.sql") is None
    assert text_of(repository, f"{TREE}/notes.txt") == "x\n"


def test_a_registration_that_is_local_runs_in_a_worktree_too(repository: Project) -> None:
    assert repository.run("init", "--agent", "claude", "--local").code == 0
    report = ran(repository, write("db/b.sql"), write("notes.txt"), args=("--worktree", "one"))
    assert [result.error for result in report.results] == [True, False], report


def test_settings_are_protected_where_a_variable_has_moved_them(repository: Project) -> None:
    assert repository.run("init", "--agent", "claude").code == 0
    moved = repository.home / "elsewhere"
    moved.mkdir()
    (moved / "settings.json").write_text("{}\n")
    report = ran(
        repository,
        write(f"{moved}/settings.json"),
        bash(f"echo x > {moved}/settings.local.json"),
        bash(f"sed -i s/a/b/ {moved}/settings.json"),
        bash(f"rm -rf {moved}"),
        write("notes.txt"),
        CLAUDE_CONFIG_DIR=str(moved),
    )
    assert [result.error for result in report.results] == [True] * 4 + [False], report
    assert (moved / "settings.json").read_text() == "{}\n"
    assert len(events(repository, status="denied", rule="penstock-self")) == 4


def test_a_protected_file_that_a_program_makes_is_told_and_taken_back(repository: Project) -> None:
    assert repository.run("init", "--agent", "claude").code == 0
    repository.write(
        "build/step.py", f"open(''.join(map(chr, (46, 101, 110, 118))), 'w').write({SECRET!r})\n"
    )
    report = ran(repository, bash("python3 build/step.py"), bash("true"))
    assert text_of(repository, ".env") == SECRET
    assert "protected files (.env)" in str(report.bodies)
    assert len(events(repository, op="slipped", path=".env")) == 1
    assert repository.run("undo", "--path", ".env", "--yes").code == 0
    assert text_of(repository, ".env") is None
