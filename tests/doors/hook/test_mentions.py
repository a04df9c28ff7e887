"""What mentions a protected file is asked about, whatever the tool; prose is not."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from penstock.doors.hook.daemon_client import launch
from tests.doors.hook.hooks import Hook, said
from tests.doors.hook.mention_rows import HARMLESS, HOSTILE, Row
from tests.doors.hook.test_daemon import socket_of, within
from tests.project import Project

RULES = """\
preset = "guard"

[[deny]]
id = "prod"
paths = ["**/prod.settings"]
"""
STRICT = ("ask", "deny")
TOGETHER = 4
COLD_STEP = 8  # a process that starts cold loads the same engine; every eighth row shows it


@pytest.fixture
def hook(project: Project) -> Hook:
    """A hook with a person near, in a project that has something to protect."""
    project.write("penstock.toml", RULES)
    project.write("app/main.py", "x = 1\n")
    for name in (".env", "prod.settings"):
        project.write(name, "KEY=1\n")
    (project.root / "link-to-env").symlink_to(".env")
    found = Hook(project, attended=True)
    assert said(found.write("notes.txt", "x")) == {}
    return found


@pytest.fixture
def warm(hook: Hook) -> Iterator[Hook]:
    """The same hook, answered by a daemon."""
    daemon = launch("penstock.doors.hook.daemon")
    child = subprocess.Popen(daemon, env=hook.environ(), stderr=subprocess.DEVNULL)
    try:
        assert within(lambda: socket_of(hook) is not None)
        hook.resident = "on"
        yield hook
    finally:
        child.kill()
        child.wait(timeout=30)


def verdicts(hook: Hook, rows: tuple[Row, ...]) -> list[tuple[str, str, Any]]:
    """Return what the hook's process says to each call."""

    def ask(row: Row) -> tuple[str, str, Any]:
        tool, given = row
        text = json.dumps(given).replace("ROOT", str(hook.project.root))
        answer = said(hook.before(tool, json.loads(text.replace("HOME", str(hook.project.home)))))
        return str(answer.get("permissionDecision", "")), tool, given

    with ThreadPoolExecutor(TOGETHER) as pool:
        return list(pool.map(ask, rows))


def test_the_tables_are_as_large_as_they_say() -> None:
    assert len(HOSTILE) >= 100
    assert len(HARMLESS) >= 75


def test_a_warm_hook_asks_about_every_mention_of_what_is_protected(warm: Hook) -> None:
    silent = [row for row in verdicts(warm, HOSTILE) if row[0] not in STRICT]
    assert silent == []


def test_a_warm_hook_asks_about_no_prose_and_no_ordinary_argument(warm: Hook) -> None:
    wrong = [row for row in verdicts(warm, HARMLESS) if row[0] in STRICT]
    assert wrong == []


def test_a_cold_hook_says_the_same(hook: Hook) -> None:
    silent = [r for r in verdicts(hook, HOSTILE[::COLD_STEP]) if r[0] not in STRICT]
    wrong = [r for r in verdicts(hook, HARMLESS[::COLD_STEP]) if r[0] in STRICT]
    assert (silent, wrong) == ([], [])


def test_the_question_names_the_file_the_tool_and_what_to_do(hook: Hook) -> None:
    reason = said(hook.before("mcp__x__y", {"saveTo": ".env"}))["permissionDecisionReason"]
    assert "`.env`" in reason
    assert "`mcp__x__y`" in reason
    assert ". Leave the file out of the call" in reason


def test_where_nobody_can_be_asked_a_mention_is_denied(hook: Hook) -> None:
    hook.attended = False
    answer = said(hook.before("mcp__x__y", {"saveTo": ".env"}))
    assert answer["permissionDecision"] == "deny"
