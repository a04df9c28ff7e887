"""Worktrees, submodules, and a state that is missing or cannot be written: a clear word each."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from tests.cli.quick import Quick
from tests.project import Done, Project
from tests.registered import before_a_call

WHO = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
CALL = {
    "hook_event_name": "PreToolUse",
    "tool_name": "Write",
    "session_id": "s",
    "tool_use_id": "t",
}


def git(folder: object, *words: str) -> None:
    done = subprocess.run(
        ["git", *WHO, *words], cwd=str(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def repository(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    git(project.root, "init", "-q")
    git(project.root, "commit", "-qm", "x", "--allow-empty")
    project.write("penstock.toml", 'version = 1\n[[deny]]\npaths = ["db/**"]\nreason = "no"\n')
    return Quick(project.root, project.home)


def code_of(project: Project, path: str) -> int:
    return project.judge("Write", {"file_path": path, "content": "x"}).code


def finding(project: Project, name: str) -> str:
    rows = project.run("doctor", "--json").json["checks"]
    return next((str(row["what"]) for row in rows if row["name"] == name), "")


def test_a_worktree_goes_by_the_rules_of_its_checkout_and_says_so(repository: Project) -> None:
    tree = Quick(repository.root.parent / "tree", repository.home)
    git(repository.root, "worktree", "add", "-q", str(tree.root))
    assert code_of(tree, "db/a") == 2
    status = tree.run("status", "--json").json
    assert status["workspace"] == str(tree.root)
    assert f"rules: those of `{repository.root}`" in status["checkout"]
    assert status["policy_files"] == [str(repository.root / "penstock.toml")]
    assert "git worktree" in finding(tree, "worktree")
    tree.write("penstock.toml", "version = 1\n")
    assert "rules: its own" in tree.run("status", "--json").json["checkout"]
    assert repository.run("status", "--json").json["checkout"] is None


def test_a_submodule_is_a_workspace_of_its_own_and_says_so(repository: Project) -> None:
    other = repository.root.parent / "library"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-qm", "x", "--allow-empty")
    git(repository.root, "submodule", "--quiet", "add", str(other), "vendor/library")
    module = Quick(repository.root / "vendor/library", repository.home)
    status = module.run("status", "--json").json
    assert status["workspace"] == str(module.root)
    assert f"a submodule of `{repository.root}`" in status["checkout"]
    assert "not those of that project" in status["checkout"]
    assert "submodule" in finding(module, "submodule")
    assert code_of(module, "db/a") == 0, "the rules around it do not hold for a session in it"
    assert code_of(module, ".env") == 2, "the preset does"
    repository.write("penstock.toml", 'version = 1\n[[deny]]\npaths = ["vendor/**"]\n')
    assert code_of(repository, "vendor/library/a") == 2, "from outside it is a directory"


# A state that cannot be used: how it comes about, and the code that says so.


def _mounted(project: Project) -> list[str]:
    """Return a shell that sees the home on a read-only disk, and nothing else changed."""
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    return ["unshare", "-m", "sh", "-c", script, str(project.home)]


def _blocked(project: Project) -> list[str]:
    shutil.rmtree(project.home / "state")
    (project.home / "state").write_text("a file in its place\n")
    return []


def _exposed(project: Project) -> list[str]:
    (project.home / "state/penstock").chmod(0o777)
    (next((project.home / "state/penstock").glob("project-*/"))).chmod(0o777)
    return []


UNUSABLE: list[tuple[str, Callable[[Project], list[str]]]] = [
    ("read-only", _mounted),
    ("state-blocked", _blocked),
    ("state-exposed", _exposed),
]


def in_process(project: Project, before: Sequence[str], *argv: str, stdin: str = "") -> Done:
    done = subprocess.run(
        [*before, *argv],
        cwd=project.root,
        env={
            **project.environ,
            "PENSTOCK_RESIDENT": "off",
            "CLAUDE_PROJECT_DIR": str(project.root),
        },
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def needs_mounts(before: Sequence[str]) -> None:
    if before and subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("NOT RUN: no private mounts are possible here")


@pytest.mark.parametrize(("code", "make"), UNUSABLE, ids=[row[0] for row in UNUSABLE])
def test_a_state_that_cannot_be_used_is_named_and_opens_nothing(
    project: Project, code: str, make: Callable[[Project], list[str]]
) -> None:
    assert project.run("init", "--agent", "claude", "--yes").code == 0
    before = make(project)
    needs_mounts(before)
    penstock = (sys.executable, "-m", "penstock.cli")
    status = in_process(project, before, *penstock, "status", "--json")
    assert status.code == 1, status
    assert status.json["state_error"]["code"] == code
    assert status.json["state_error"]["try"]
    assert status.json["hooks"][0]["ok"]
    said = in_process(project, before, *penstock, "status")
    assert f"[{code}]" in said.out
    doctor = in_process(project, before, *penstock, "doctor", "--json")
    (row,) = [row for row in doctor.json["checks"] if row["name"] == "state"]
    assert (doctor.code, row["status"]) == (1, "bad")
    command = before_a_call(project, "claude").runs
    for path, refused in ((".env", True), ("a.txt", False)):
        given = {**CALL, "tool_input": {"file_path": str(project.root / path), "content": "x"}}
        done = in_process(project, before, "/bin/sh", "-c", command, stdin=json.dumps(given))
        answer = json.loads(done.out).get("hookSpecificOutput", {})
        assert (answer.get("permissionDecision") == "deny") is refused, done
        assert refused or "Penstock could not" in done.out, "what could not be done is said"


def test_a_state_that_was_removed_is_made_anew(project: Project) -> None:
    assert project.run("init", "--agent", "claude", "--yes").code == 0
    shutil.rmtree(project.home / "state")
    command = before_a_call(project, "claude").runs
    given = {**CALL, "tool_input": {"file_path": str(project.root / ".env"), "content": "x"}}
    done = in_process(project, (), "/bin/sh", "-c", command, stdin=json.dumps(given))
    assert json.loads(done.out)["hookSpecificOutput"]["permissionDecision"] == "deny"
    status = project.run("status", "--json")
    assert (status.code, status.json["state_error"]) == (0, None)
    assert project.run("doctor", "--json").code == 0
