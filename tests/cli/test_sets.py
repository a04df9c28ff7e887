"""Named sets of globs through the real command: judged, edited, asked for and explained."""

from __future__ import annotations

import json

import pytest

from tests.doors.hook.hooks import Hook, said
from tests.project import Project

OURS = """version = 1
preset = "guard"

[sets]
contracts = ["api/**", "proto/*.proto"]  # what others build on

[[deny]]
id = "contracts"
paths = ["@contracts"]
not_paths = ["@tests"]
"""


@pytest.fixture
def ours(project: Project) -> Project:
    project.write("penstock.toml", OURS)
    return project


def write(path: str) -> tuple[str, dict[str, object]]:
    return "Write", {"file_path": path, "content": "x"}


ROWS = [
    ("api/v1.yaml", "deny"),
    ("proto/a.proto", "deny"),
    ("api/tests/a.yaml", "allow"),
    ("src/a.py", "allow"),
]


@pytest.mark.parametrize(("path", "verdict"), ROWS)
def test_a_rule_speaks_of_its_sets(ours: Project, path: str, verdict: str) -> None:
    assert ours.judge(*write(path), "--json").json["verdict"] == verdict


def test_the_hook_says_the_same_on_its_short_way(ours: Project) -> None:
    hook = Hook(ours)
    assert said(hook.write("notes.txt", "x")) == {}  # the policy lies ready now
    for path, verdict in ROWS:
        told = said(hook.write(path, "x")).get("permissionDecision")
        assert (told == "deny") is (verdict == "deny"), path


def test_an_exception_for_a_set_is_added_by_the_everyday_command(ours: Project) -> None:
    argv = ("--except", "lock-files", "--path", "@contracts", "--dry-run", "--json")
    done = ours.run("rules", "add", *argv)
    assert done.code == 0, done.out
    assert '+paths = ["@contracts"]' in done.json["diff"]
    wrong = ours.run("rules", "add", "--deny", "--path", "@contract", "--dry-run")
    assert wrong.code != 0
    assert "there is no set `contract`" in wrong.err
    assert "contracts" in wrong.err


def test_the_sets_can_be_asked_for(ours: Project) -> None:
    told = ours.run(
        *("rules", "query", "--json"),
        json.dumps({"type": "config", "section": "sets"}),
    ).json["result"]
    assert told["contracts"] == ["api/**", "proto/*.proto"]
    assert "**/Cargo.lock" in told["lock-files"]


def test_a_broken_set_keeps_the_preset_in_force(ours: Project) -> None:
    ours.write("penstock.toml", OURS.replace("@contracts", "@contract"))
    checked = ours.run("check")
    assert checked.code == 1
    assert "penstock.toml:9: there is no set `contract`: did you mean `contracts`?" in checked.out
    told = ours.judge(*write(".env"), "--json").json
    assert told["verdict"] == "deny"
    assert told["degraded"]


def test_a_file_at_the_root_that_is_called_like_a_set_can_be_meant(ours: Project) -> None:
    ours.write("penstock.toml", OURS + '\n[[deny]]\nid = "at"\npaths = ["./@contracts"]\n')
    assert ours.judge(*write("@contracts"), "--json").json["verdict"] == "deny"
