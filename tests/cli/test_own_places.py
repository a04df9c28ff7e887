"""What Penstock keeps and what it is made of is out of an agent's reach, wherever it lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import penstock
from tests.project import Project

DENIED = [
    "rm -rf {state}",
    "rm -rf {state}/penstock",
    "rm -rf {home}",
    "mv {state} /tmp/elsewhere",
    "mv {state}/penstock /tmp/elsewhere",
    "chmod -R 777 {state}/penstock",
    "ln -sfn /tmp {state}/penstock",
    "cp -r a {state}/penstock/",
    "find {state} -delete",
    "echo x >> {package}/app.py",
    "rm -rf {package}",
    "sed -i s/deny/allow/ {package}/core/decide.py",
]
BESIDE = ["rm -rf {state}/other", "cat {package}/app.py", "cp -r a {home}/a", "ls {home}"]


def filled(project: Project, command: str) -> str:
    package = os.path.dirname(penstock.__file__)
    state = project.home / "state"
    return command.format(state=state, home=project.home, package=package)


@pytest.mark.parametrize("command", DENIED)
def test_no_command_takes_it_away(project: Project, command: str) -> None:
    done = project.judge("Bash", {"command": filled(project, command)}, "--json")
    assert done.json["verdict"] == "deny", command
    assert done.json["code"] == "self-protection"


@pytest.mark.parametrize("command", BESIDE)
def test_what_lies_beside_it_is_not_penstocks_business(project: Project, command: str) -> None:
    done = project.judge("Bash", {"command": filled(project, command)}, "--json")
    assert done.json["code"] in ("", "beyond-project"), command


def test_whoever_works_on_penstock_itself_is_not_kept_from_it(
    project: Project, tmp_path: Path
) -> None:
    package = os.path.dirname(os.path.dirname(penstock.__file__))
    file = os.path.join(package, "penstock", "app.py")
    here = ("--workspace", os.path.dirname(package))
    done = project.judge("Edit", {"file_path": file, "old_string": "a", "new_string": "b"}, *here)
    assert done.code != 2, done.out
