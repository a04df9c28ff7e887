"""What git writes into its own settings is no slip; a setting that starts a program is one."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from penstock.core.text.git_settings import starts_programs, steering
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

ORDINARY = [
    "git remote add origin https://example.org/a.git",
    "git remote set-url start https://example.org/b.git",
    "git remote rename start other",
    "git remote remove start",
    "git branch --set-upstream-to=topic main",
    "git config user.email a@example.org",
    "git config --unset user.name",
    "git config alias.co checkout",
    "git fetch -q .",
    "git tag v1",
    "git branch -m main trunk",
]
STEERING = [
    ("core.hooksPath", "/tmp/hooks"),
    ("core.fsmonitor", "/tmp/x"),
    ("alias.x", "!sh"),
    ("alias.y", "-c core.pager=/tmp/x log"),
    ("core.sshCommand", "/tmp/x"),
    ("core.pager", "/tmp/x"),
    ("filter.a.clean", "/tmp/x"),
    ("include.path", "/tmp/x"),
    ("credential.helper", "/tmp/x"),
    ("submodule.a.update", "!sh"),
    ("remote.start.uploadpack", "/tmp/x"),
    ("extensions.worktreeConfig", "1"),
]


@pytest.fixture
def hook(project: Project) -> Hook:
    """A repository with a commit, two branches and a remote."""
    project.write("penstock.toml", 'preset = "guard"\n')
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (
        ("init", "-q", "-b", "main"),
        (*who, "commit", "-q", "--allow-empty", "-m", "one"),
        ("branch", "topic"),
        ("remote", "add", "start", "https://example.org/start.git"),
        ("config", "user.name", "t"),
    ):
        run(project, "git", *words)
    return Hook(project)


def run(project: Project, *words: str) -> None:
    environ = {"HOME": str(project.home), "PATH": "/usr/bin:/bin"}
    subprocess.run(
        words, cwd=project.root, check=True, capture_output=True, timeout=60, env=environ
    )


def told(hook: Hook, command: str, *words: str) -> str:
    """Let an agent run a command, do some other work meanwhile; return what it is told after."""
    assert said(hook.before("Bash", {"command": command}, "toolu_1")) == {}
    run(hook.project, *words)
    done = hook.after("Bash", {"command": command}, "toolu_1")
    return str(said(done, warned=bool(done.err)).get("additionalContext", ""))


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_git_command_is_let_through_and_no_slip(hook: Hook, command: str) -> None:
    assert told(hook, command, *shlex.split(command)) == ""
    assert [event for event in hook.events() if event["op"] == "slipped"] == []


@pytest.mark.parametrize(("name", "value"), STEERING)
def test_a_setting_that_starts_a_program_is_found(hook: Hook, name: str, value: str) -> None:
    answer = said(hook.before("Bash", {"command": f"git config {name} {shlex.quote(value)}"}))
    assert answer["permissionDecision"] == "deny"
    # and so it is when a program that nobody can read has done it, with an ordinary one beside it
    run(hook.project, "git", "config", "user.email", "a@example.org")
    assert ".git/config" in told(hook, "make", "git", "config", name, value)


def test_an_ordinary_change_does_not_hide_the_next_one(hook: Hook) -> None:
    assert told(hook, "make", "git", "config", "user.email", "a@example.org") == ""
    assert ".git/config" in told(hook, "make", "git", "config", "core.hooksPath", "/tmp/x")


READ = [
    (b"", []),
    (b"[core]\n\tbare = false\n", []),
    (b'[remote "a"]\n\turl = x\n', []),
    (b"[core]\n\thooksPath = /x\n", [("core.hookspath", "/x")]),
    (b"[CORE] HOOKSPATH=/x", [("core.hookspath", "/x")]),
    (b"[core]\nhooks\\\nPath = /x\n", [("core.hookspath", "/x")]),
    (b'[core]\npager = "/x" # y\n', [("core.pager", "/x")]),
    (b'[core]\npager = "/x#y"\n', [("core.pager", "/x#y")]),
    (b'[alias]\nx = "!sh"\n', [("alias.x", "!sh")]),
    (b'[includeIf "gitdir:/"]\npath = y\n', [("includeif.gitdir:/.path", "y")]),
    (b"[filter.a]\nclean = y\n", [("filter.a.clean", "y")]),
    (b"no section = x\n", None),
    (b"[core\nhooksPath = x\n", None),
]


@pytest.mark.parametrize(("data", "expected"), READ)
def test_settings_are_read_as_git_reads_them(
    data: bytes, expected: list[tuple[str, str]] | None
) -> None:
    assert steering(data) == expected


def test_names_are_compared_without_case() -> None:
    assert starts_programs("CORE.HooksPath", "x")
    assert not starts_programs("user.name", "x")
