"""A call that is forked says what a process says that was started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import penstock.cli
from tests.doors.hook.hooks import PATIENT, Hook
from tests.forked import COMMAND, HOOK, may_fork, run_forked
from tests.project import Project

if not hasattr(os, "pidfd_open"):
    pytest.skip("NOT RUN: forked calls, because this kernel has no pidfd", allow_module_level=True)

CALLS: list[tuple[str, object]] = [
    ("Bash", {"command": "echo x > .env"}),
    ("Bash", {"command": "ls"}),
    ("Write", {"file_path": ".env", "content": "x"}),
    ("Write", {"file_path": "é.txt", "content": "x"}),
    ("Strange", []),
]
COMMANDS = [
    ["status"],
    ["judge", "--tool", "Bash", "--input", '{"command": "rm .env"}'],
    ["judge", "--tool", "Bash", "--input", "no JSON"],
    ["no-such-command"],
    ["--version"],
]


def same(kind: str, argv: list[str], run: list[str], project: Project, data: bytes) -> None:
    environ = Hook(project).environ() if kind == HOOK else project.environ
    cwd = str(project.root)
    started = subprocess.run(
        run, cwd=cwd, env=environ, input=data, capture_output=True, timeout=120, check=False
    )
    done = run_forked(kind, argv, cwd=cwd, environ=environ, data=data, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_a_hook_says_the_same(project: Project) -> None:
    hook = Hook(project)
    argv = [PATIENT, hook.launcher, "claude"]
    for tool, given in CALLS:
        data = json.dumps(hook.document("PreToolUse", tool, given, "")).encode()
        same(HOOK, argv, [sys.executable, "-I", "-S", *argv], project, data)
    same(HOOK, argv, [sys.executable, "-I", "-S", *argv], project, b"no JSON")


def test_a_command_says_the_same_and_ends_the_same(project: Project) -> None:
    main = str(Path(penstock.cli.__file__).parent / "__main__.py")
    for words in COMMANDS:
        run = [sys.executable, "-m", "penstock.cli", *words]
        same(COMMAND, [main, *words], run, project, b"")


def test_one_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import time\ntime.sleep(600)\n")
    with pytest.raises(subprocess.TimeoutExpired):
        run_forked(HOOK, [str(script)], cwd="/", environ={}, data=b"", timeout=20)


def test_what_an_interpreter_sees_only_at_its_start_is_a_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = [f"tests/test_{at}.py::test_x (call)" for at in range(960)]
    chosen = []
    for name in named:
        monkeypatch.setenv("PYTEST_CURRENT_TEST", name)
        chosen.append(may_fork())
        assert not may_fork({"PYTHONUTF8": "0"})
        assert not may_fork({"LANG": "C"})
    assert 15 < chosen.count(False) < 60, "a sample starts real processes, by name"
