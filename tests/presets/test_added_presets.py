"""A shipped preset that is added to the one a policy starts from, through the real command."""

from __future__ import annotations

import json
import tomllib

import pytest

from penstock import presets
from penstock.core.rules import load
from penstock.core.rules.fields import ADDED_PRESETS, PRESETS
from tests.project import Project

ADDED = 'version = 1\npreset = "{}"\n\n[includes]\npresets = ["destructive"]\n'
PUBLISH = {"command": "npm publish"}


@pytest.mark.parametrize("base", ["guard", "strict"])
def test_its_rules_are_in_force_beside_those_of_the_base(project: Project, base: str) -> None:
    project.write("penstock.toml", ADDED.format(base))
    checked = project.run("check", "--json")
    assert checked.code == 0
    told = project.judge("Bash", PUBLISH, "--json").json
    assert told["verdict"] == "ask"
    assert "package-publish" in json.dumps(told)
    assert project.judge("Write", {"file_path": "a.pem", "content": "x"}).code == 2


def test_without_it_the_command_is_not_asked_about(project: Project) -> None:
    project.write("penstock.toml", 'version = 1\npreset = "guard"\n')
    assert project.judge("Bash", PUBLISH, "--json").json["verdict"] == "allow"


def test_a_rule_of_it_can_be_switched_off_by_its_id(project: Project) -> None:
    text = ADDED.format("guard").replace("\n\n", '\ndisable = ["package-publish"]\n\n')
    project.write("penstock.toml", text)
    assert project.judge("Bash", PUBLISH, "--json").json["verdict"] == "allow"


def test_a_name_that_does_not_ship_is_a_problem_with_a_hint(project: Project) -> None:
    project.write("penstock.toml", '[includes]\npresets = ["destructiv"]\n')
    done = project.run("check")
    assert done.code == 1
    assert "destructive" in done.out


def test_the_revision_covers_what_the_added_preset_says() -> None:
    text = {"penstock.toml": ADDED.format("guard").encode()}

    def with_more(name: str) -> bytes:
        return presets.read(name) + (b"# more\n" if name == "destructive" else b"")

    now = load.build(load.load("penstock.toml", text.get))
    later = load.build(load.load("penstock.toml", text.get, preset_of=with_more))
    assert now.revision != later.revision
    assert "preset:destructive.toml" in now.files


def test_a_broken_file_that_names_it_keeps_its_rules() -> None:
    broken = load.in_force({"penstock.toml": ADDED.format("guard").encode() + b"["}.get)
    named = {rule.id for layer in broken.layers for rule in layer.rules}
    assert {"package-publish", "secrets"} <= named


@pytest.mark.parametrize("name", ADDED_PRESETS)
def test_an_added_preset_has_only_rules_that_tighten_each_with_examples(name: str) -> None:
    document = tomllib.loads(presets.read(name).decode())
    assert document.keys() <= {"version", "deny", "ask", "warn"}
    for table in ("deny", "ask", "warn"):
        for rule in document.get(table, []):
            assert rule["match"], rule["id"]
            assert rule["not_match"], rule["id"]


def test_every_shipped_file_has_its_place() -> None:
    assert {*PRESETS, *ADDED_PRESETS} == {*presets.FILES}
