"""`penstock projects` and `uninstall --purge`: what state there is, and what goes with it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from penstock.stores.agents.ancestry import seen_here
from tests.cli.quick import Quick
from tests.project import Project
from tests.terminal import in_terminal

REWRITE = "".join(f"line {n}\n" for n in range(270))


@pytest.fixture
def project(project: Project) -> Project:
    made = Quick(project.root, project.home)
    assert made.run("init", "--agent", "claude", "--yes").code == 0
    return made


@pytest.fixture
def outside() -> None:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")


def states(project: Project) -> list[str]:
    home = project.home / "state/penstock"
    return sorted(name for name in os.listdir(home) if name.startswith("project-"))


def waiting(project: Project) -> None:
    """Leave a pending change in the queue."""
    from unittest.mock import patch

    from penstock import Item, open_gate

    project.write("big.txt", REWRITE)
    with patch.dict(os.environ, project.environ, clear=True):
        (made,) = open_gate(str(project.root)).propose([Item(path="big.txt", content=b"x\n")])
    assert str(made.state) == "waiting"


def test_each_project_is_listed_with_its_size_and_age(project: Project) -> None:
    other = Quick(project.root.parent / "größe +\n1", project.home)
    (other.root / ".git").mkdir(parents=True)
    assert other.run("init", "--agent", "claude", "--yes").code == 0
    shutil.rmtree(other.root)
    rows = {row["project"]: row for row in project.run("projects", "--json").json["projects"]}
    assert set(rows) == {str(project.root), str(other.root)}
    mine, gone = rows[str(project.root)], rows[str(other.root)]
    assert (mine["exists"], gone["exists"]) == (True, False)
    assert mine["bytes"] > 1000
    assert mine["since"] <= mine["last_used"]
    assert Path(mine["state"]).is_dir()
    text = project.run("projects").out
    assert "(deleted)" in text
    assert str(project.root) in text
    assert len(text.splitlines()) == 2, "a newline in a name stays in its line"


def test_no_state_is_no_error(tmp_path: Path) -> None:
    empty = Quick(tmp_path, tmp_path / "home")
    assert empty.run("projects", "--json").json == {"projects": []}
    assert "no data is stored" in empty.run("projects").out


def test_a_project_that_only_hooks_saw_is_named(project: Project) -> None:
    from tests.registered import ask

    assert project.run("init", "--agent", "claude", "--global", "--yes").code == 0
    other = Quick(project.root.parent / "seen", project.home)
    other.root.mkdir()
    ask(other, "claude", ".env")
    rows = project.run("projects", "--json").json["projects"]
    assert str(other.root) in {row["project"] for row in rows}


def test_purge_says_what_goes_and_removes_all_of_it(project: Project) -> None:
    waiting(project)
    assert len(states(project)) > 1, "the directory, and what is remembered beside it"
    done = project.run("uninstall", "--purge", "--yes", "--json")
    assert done.code == 0, done.err
    assert done.json["purged"]["pending"] == 1
    assert done.json["purged"]["audit_entries"] > 0
    assert "penstock audit export" in done.err
    assert states(project) == []
    assert not (project.root / ".claude").exists()


@pytest.mark.parametrize("command", [("uninstall", "--purge"), ("projects", "--forget", ".")])
def test_without_a_yes_nothing_goes(project: Project, command: tuple[str, ...]) -> None:
    waiting(project)
    was = states(project)
    done = project.run(*command)
    assert (done.code, "needs-yes" in done.err) == (1, True)
    assert states(project) == was
    assert (project.root / ".claude/settings.local.json").exists(), "the hook stays as well"


@pytest.mark.parametrize("command", [("uninstall", "--purge"), ("projects", "--forget", ".")])
def test_an_agent_removes_no_state(project: Project, command: tuple[str, ...]) -> None:
    was = states(project)
    done = project.run(*command, "--yes", env={"CLAUDECODE": "1"})
    assert (done.code, "inside-agent" in done.err) == (2, True)
    assert states(project) == was


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(("answer", "left"), [("n", True), ("y", False)])
def test_a_person_is_asked(project: Project, answer: str, left: bool) -> None:
    waiting(project)
    seen = in_terminal(project, "uninstall", "--purge", typed=[("? [y/N]", answer)])
    assert "this deletes 1 pending change" in seen.text
    assert bool(states(project)) is left
    assert (seen.code == 0) is not left


def test_the_state_of_a_project_that_is_gone_is_forgotten(project: Project) -> None:
    keeper = Quick(project.root.parent, project.home)
    root = str(project.root)
    shutil.rmtree(project.root)
    done = keeper.run("projects", "--forget", root, "--yes", "--json")
    assert done.code == 0, done.err
    assert done.json["forgotten"]["project"] == root
    assert states(project) == []
    again = keeper.run("projects", "--forget", root, "--yes")
    assert (again.code, "no-state" in again.err) == (1, True)


def test_a_dry_run_removes_nothing(project: Project) -> None:
    was = states(project)
    assert project.run("uninstall", "--purge", "--dry-run").code == 0
    assert states(project) == was


FOR_PEOPLE = [
    "penstock projects --forget .",
    "penstock projects --json --forget=/x --yes",
    "penstock uninstall --purge --yes",
    "penstock uninstall --global",
    "python3 -m penstock.cli projects --forget x",
]
FREE = ["penstock projects", "penstock projects --json"]


@pytest.mark.parametrize("command", FOR_PEOPLE)
def test_the_hook_denies_these_to_agents(project: Project, command: str) -> None:
    done = project.run("judge", "--tool", "Bash", "--input", json.dumps({"command": command}))
    assert done.code == 2, done


@pytest.mark.parametrize("command", FREE)
def test_the_hook_lets_agents_look(project: Project, command: str) -> None:
    done = project.run("judge", "--tool", "Bash", "--input", json.dumps({"command": command}))
    assert done.code == 0, done
