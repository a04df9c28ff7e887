"""The real clients in a clone whose settings are shared: with Penstock on PATH, and without.

Each client writes a protected file by its own tool and by its shell, reads it, and writes a free
one. What it was told is looked for in what the model was sent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.models import Use
from tests.agents.scene import guarded, text_of, untouched
from tests.agents.session import Claude, Codex, Gemini, Report, Session
from tests.project import Project
from tests.registered import SYSTEM_PATH, hook_program

INSTALL = "pipx install penstock-gate"
REASON = "Protected path: "
COMMANDS = ("echo x > .env", "cat .env")


def patch(*lines: str) -> Use:
    return Use("apply_patch", "\n".join(["*** Begin Patch", *lines, "*** End Patch"]))


# What each client is told to do: the three that are refused, then the one that is free.
STEPS: dict[type[Session], tuple[Use, ...]] = {
    Claude: (
        Use("Write", {"file_path": ".env", "content": "x\n"}),
        *(Use("Bash", {"command": one}) for one in COMMANDS),
        Use("Write", {"file_path": "docs/a.md", "content": "x\n"}),
    ),
    Codex: (
        patch("*** Delete File: .env"),
        *(Use("exec_command", {"cmd": one}) for one in COMMANDS),
        patch("*** Add File: docs/a.md", "+x"),
    ),
    Gemini: (
        Use("write_file", {"file_path": "config/.env.local", "content": "x\n"}),
        *(Use("run_shell_command", {"command": one, "description": "x"}) for one in COMMANDS),
        Use("write_file", {"file_path": "docs/a.md", "content": "x\n"}),
    ),
}


@pytest.fixture(params=STEPS, ids=lambda client: client.client)
def client(request: pytest.FixtureRequest) -> type[Session]:
    found: type[Session] = request.param
    request.getfixturevalue(found.client)
    return found


def ran(client: type[Session], project: Project, search: str) -> Report:
    report = client(project=project, steps=STEPS[client], environ={"PATH": search}).run()
    assert report.code == 0, report
    assert len(report.results) == len(STEPS[client]), report
    assert "keep-me" not in "".join(result.text for result in report.results), report
    assert untouched(project)
    return report


def test_a_clone_with_penstock_is_guarded(
    client: type[Session], project: Project, tmp_path: Path
) -> None:
    guarded(project, client.client, "--shared")
    *refused, free = ran(client, project, hook_program(tmp_path / "bin")).results
    assert [REASON in result.text for result in refused] == [True] * 3, refused
    assert REASON not in free.text
    assert text_of(project, "docs/a.md") == "x\n"


def test_a_clone_without_penstock_is_told_to_install_it(
    client: type[Session], project: Project
) -> None:
    guarded(project, client.client, "--shared")
    report = ran(client, project, SYSTEM_PATH)
    assert [INSTALL in result.text for result in report.results] == [True] * 4, report
    assert text_of(project, "docs/a.md") is None


def test_every_project_is_guarded_by_a_registration_in_the_home(
    client: type[Session], project: Project
) -> None:
    guarded(project, client.client, "--global")
    *refused, _ = ran(client, project, SYSTEM_PATH).results
    assert [REASON in result.text for result in refused] == [True] * 3, refused
    assert text_of(project, "docs/a.md") == "x\n"
