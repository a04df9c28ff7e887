"""A broken policy never means "no rules"."""

from __future__ import annotations

from tests.project import Project

OWN = 'version = 1\n[[deny]]\nid = "mine"\npaths = ["a.txt"]\n'


def test_the_last_good_rules_stay_in_force_while_the_file_is_broken(project: Project) -> None:
    project.write("penstock.toml", OWN)
    assert project.run("status").code == 0
    project.write("penstock.toml", OWN + "[[deny]\n")
    done = project.judge("Write", {"file_path": "a.txt", "content": "x"}, "--json")
    assert done.code == 2
    assert done.json["rules"][0]["id"] == "mine"
    assert "penstock.toml" in done.json["degraded"]


def test_rules_that_were_mended_are_in_force_at_once(project: Project) -> None:
    project.write("penstock.toml", OWN)
    assert project.run("status").code == 0
    project.write("penstock.toml", "version = 1\n")
    done = project.judge("Write", {"file_path": "a.txt", "content": "x"}, "--json")
    assert done.code == 0
    assert done.json["degraded"] is None
