"""The start of a session in the real clients: the engine is warm before the first tool call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.doors.doctor.trust import codex_hash
from tests.agents.models import Use
from tests.agents.scene import events, guarded
from tests.agents.session import Claude, Codex, Gemini, Session
from tests.doors.hook.hooks import Hook
from tests.doors.hook.test_daemon import end_residents
from tests.project import Project

FILES: dict[type[Session], str] = {
    Claude: ".claude/settings.local.json",
    Codex: ".codex/hooks.json",
    Gemini: ".gemini/settings.json",
}
FOUND = "a daemon listens"
# Waits for whoever listens in the state directory, which it has to reach by a short name.
LOOK = f"""
import os, socket, sys, time
os.chdir({{folder!r}})
for _ in range(250):
    for name in os.listdir("."):
        try:
            socket.socket(socket.AF_UNIX).connect(name)
            sys.exit({FOUND!r})
        except OSError:
            pass
    time.sleep(0.1)
"""


@pytest.fixture(params=list(FILES), ids=lambda client: client.client)
def client(request: pytest.FixtureRequest) -> type[Session]:
    found: type[Session] = request.param
    request.getfixturevalue(found.client)
    return found


@pytest.fixture
def guard(project: Project, client: type[Session]) -> Iterator[Project]:
    yield guarded(project, client.client)
    end_residents(Hook(project))


def shell(client: type[Session], command: str) -> Use:
    if client is Codex:
        return Use("exec_command", {"cmd": command, "yield_time_ms": 30_000})
    name = "Bash" if client is Claude else "run_shell_command"
    return Use(name, {"command": command, "description": "work"})


def engines(project: Project) -> list[Path]:
    return [*(project.home / "state" / "penstock").glob("engine-*")]


def test_the_daemon_runs_before_the_first_tool_call(guard: Project, client: type[Session]) -> None:
    """Only the start stays registered, so that nothing else can have started the daemon."""
    settings = guard.root / FILES[client]
    document = json.loads(settings.read_text())
    document["hooks"] = {"SessionStart": document["hooks"]["SessionStart"]}
    settings.write_text(json.dumps(document))
    guard.write("look.py", LOOK.format(folder=str(guard.home / "state" / "penstock")))
    first = shell(client, "python3 look.py")
    report = client(project=guard, steps=[first], environ={"PENSTOCK_RESIDENT": ""}).run()
    assert FOUND in report.result.text, report
    assert "Penstock is on" in report.told


def test_no_daemon_is_started_where_none_is_wanted(guard: Project, client: type[Session]) -> None:
    steps = [shell(client, "true")]
    client(project=guard, steps=steps, environ={"PENSTOCK_RESIDENT": "off"}).run()
    assert len(events(guard, op="session_started", agent=client.client)) == 1
    assert engines(guard) == [], "not even a lock"


class Reviewed(Codex):
    """Codex as people run it: a hook has to be trusted."""

    def arguments(self) -> list[str]:
        return [word for word in super().arguments() if word != "--dangerously-bypass-hook-trust"]


@pytest.mark.usefixtures("codex")
@pytest.mark.parametrize("trusts", [True, False])
def test_codex_runs_the_end_that_the_doctor_calls_trusted(project: Project, trusts: bool) -> None:
    guarded(project, "codex")
    file = project.root / ".codex/hooks.json"
    document = json.loads(file.read_text())
    (group,) = document["hooks"]["Stop"]
    group["hooks"][0]["command"] += f"; touch {project.root}/ended"
    file.write_text(json.dumps({"hooks": {"Stop": [group]}}))
    known = codex_hash("stop", group) if trusts else "sha256:00"
    config = project.home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(f'[hooks.state."{file}:stop:0:0"]\ntrusted_hash = "{known}"\n')
    assert Reviewed(project=project, steps=[]).run().code == 0
    assert (project.root / "ended").exists() is trusts


@pytest.mark.usefixtures("codex")
@pytest.mark.parametrize("trusts", [True, False])
def test_codex_runs_the_start_that_the_doctor_calls_trusted(project: Project, trusts: bool) -> None:
    guarded(project, "codex")
    file = project.root / ".codex/hooks.json"
    (group,) = json.loads(file.read_text())["hooks"]["SessionStart"]
    known = codex_hash("session_start", group) if trusts else "sha256:00"
    config = project.home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(
        f'[hooks.state."{file}:session_start:0:0"]\ntrusted_hash = "{known}"\n', encoding="utf-8"
    )
    report = Reviewed(project=project, steps=[]).run()
    assert ("Penstock is on" in report.told) is trusts
