"""`penstock doctor --live`: the real clients try what must be refused and what must pass."""

from __future__ import annotations

import shlex

import pytest

from tests.agents import install
from tests.agents.scene import guarded
from tests.project import Done, Project

FILES = {
    "claude": ".claude/settings.local.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
}


@pytest.fixture(params=list(FILES))
def agent(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    request.getfixturevalue(name)
    return name


def examined(project: Project, agent: str) -> Done:
    """Ask the doctor where the client stands on the search path, as after its installation."""
    folder = project.home / "bin"
    folder.mkdir()
    program = folder / agent
    program.write_text(f'#!/bin/sh\nexec {shlex.join(install.command(agent))} "$@"\n')
    program.chmod(0o755)
    path = f"{folder}:{project.environ['PATH']}"
    return project.run("doctor", "--live", "--json", env={"PATH": path})


def status_of(done: Done, name: str) -> str:
    (check,) = [check for check in done.json["checks"] if check["name"] == name]
    return str(check["status"])


def test_the_doctor_lets_the_real_client_try(project: Project, agent: str) -> None:
    guarded(project, agent)
    done = examined(project, agent)
    assert status_of(done, f"{agent}-live") == "ok", done


def test_the_doctor_notices_when_the_real_client_is_not_stopped(
    project: Project, agent: str
) -> None:
    guarded(project, agent)
    settings = project.root / FILES[agent]
    # It still looks registered, but the program ends without a word.
    settings.write_text(settings.read_text().replace(" -I -S ", " -I -S -c pass "))
    done = examined(project, agent)
    assert status_of(done, f"{agent}-live") == "bad", done
    assert done.code == 1
