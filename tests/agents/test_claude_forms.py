"""How the hook is registered with the real Claude Code, and what happens when it breaks."""

from __future__ import annotations

import json
import socket
import sys

import pytest

from tests.agents.models import Use
from tests.agents.scene import BIG, OWN_RULES, SECRET, SMALL, events, guarded, proven, text_of
from tests.agents.session import Claude, Report
from tests.project import Project

pytestmark = pytest.mark.usefixtures("claude")
SANDBOX = "agent_sandbox/try.txt"  # allowed even by the strict preset


def write(path: str, content: str = "x\n") -> Use:
    return Use("Write", {"file_path": path, "content": content})


def ran(project: Project, *steps: Use, port: int = 0) -> Report:
    serve = [sys.executable, "-m", "penstock.cli", "serve", "--port", str(port)]
    services = [(port, serve)] if port else []
    report = Claude(project=project, steps=steps, services=services).run()
    assert report.code == 0, report
    assert len(report.results) == len(steps), report
    return report


def break_hook(project: Project) -> None:
    """Take the interpreter away from under the hook."""
    settings = project.root / ".claude" / "settings.local.json"
    text = settings.read_text()
    assert sys.executable in text
    settings.write_text(text.replace(sys.executable, "/no/such/python"))


# Sessions


def test_a_session_begins_with_a_line_that_penstock_is_on(project: Project) -> None:
    guarded(project, "claude")
    report = ran(project)
    assert "Penstock is on (guard)" in report.told
    assert len(events(project, op="session_started")) == 1


def test_rules_of_the_project_that_break_during_a_session_still_protect(project: Project) -> None:
    guarded(project, "claude")
    project.write("penstock.toml", "version = 1\n[[deny]\n")
    report = ran(project, write(".env"), write("lib/new.py"))
    assert text_of(project, ".env") == SECRET
    assert "broken" in report.told or "degraded" in report.told
    assert not report.results[1].error


# Strict


def test_the_strict_preset_asks_about_every_write_so_headless_ones_are_refused(
    project: Project,
) -> None:
    guarded(project, "claude", "--preset", "strict")
    report = ran(project, write("notes.txt"), write(SANDBOX))
    assert text_of(project, "notes.txt") != "x\n"
    assert text_of(project, SANDBOX) == "x\n"
    assert [result.error for result in report.results] == [True, False], report


def test_a_broken_hook_of_the_strict_preset_blocks(project: Project) -> None:
    guarded(project, "claude", "--preset", "strict")
    break_hook(project)
    report = ran(project, write(SANDBOX), Use("Bash", {"command": f"echo x > {SANDBOX}"}))
    assert text_of(project, SANDBOX) is None
    assert [result.error for result in report.results] == [True, True], report


def test_a_broken_hook_of_the_guard_preset_does_not_stop_the_work(project: Project) -> None:
    """That is what `on_error` says there."""
    guarded(project, "claude")
    break_hook(project)
    ran(project, write("lib/new.py"))
    assert text_of(project, "lib/new.py") == "x\n"


# The background server


def free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return int(any_port.getsockname()[1])


def test_the_resident_process_judges_over_http(project: Project) -> None:
    port = free_port()
    guarded(project, "claude", "--http", "--port", str(port))
    settings = json.loads(text_of(project, ".claude/settings.local.json") or "")
    (hook,) = settings["hooks"]["PreToolUse"][0]["hooks"]
    assert (hook["type"], hook["onFailure"]) == ("http", "block")
    report = ran(
        project,
        write(".env"),
        write("lib/big.py", SMALL),
        write("Dockerfile"),
        write("notes.txt"),
        Use("Bash", {"command": "echo x > .env"}),
        port=port,
    )
    assert [result.error for result in report.results] == [True, True, False, False, True], report
    assert text_of(project, ".env") == SECRET
    assert text_of(project, "lib/big.py") == BIG
    assert "214 of 270 lines" in report.results[1].text
    assert "Dockerfile runs on servers" in report.results[2].also
    assert text_of(project, "notes.txt") == "x\n"
    assert len(events(project, status="denied")) == 2
    assert [one["path"] for one in project.run("proposals", "--json").json["proposals"]] == [
        "lib/big.py"
    ]
    assert project.run("undo", "--path", "notes.txt", "--yes").code == 0
    assert text_of(project, "notes.txt") != "x\n"
    assert proven(project)


def test_a_stopped_resident_process_is_no_open_door(project: Project) -> None:
    guarded(project, "claude", "--http", "--port", str(free_port()))
    report = ran(project, write("lib/new.py"), write(".env"))
    assert text_of(project, "lib/new.py") is None
    assert text_of(project, ".env") == SECRET
    assert [result.error for result in report.results] == [True, True], report


def test_over_http_a_shell_that_moved_is_judged_by_the_project_s_rules(project: Project) -> None:
    port = free_port()
    guarded(project, "claude", "--http", "--port", str(port), rules=OWN_RULES)
    project.write("db/schema.sql", "old\n")
    (project.root / "vendor" / "lib" / ".git").mkdir(parents=True)
    report = ran(
        project,
        Use("Bash", {"command": "cd vendor/lib"}),
        Use("Bash", {"command": "echo x > ../../db/schema.sql"}),
        write(str(project.root / "db" / "schema.sql")),
        port=port,
    )
    assert text_of(project, "db/schema.sql") == "old\n"
    assert [result.error for result in report.results] == [False, True, True], report
