"""`penstock check`: all problems at once, each with its place."""

from __future__ import annotations

from tests.project import Project


def test_all_problems_are_told_at_once_each_with_its_line(project: Project) -> None:
    project.write(
        "penstock.toml",
        'version = 1\n\n[[deny]]\nid = "a"\npathss = ["x"]\n\n'
        '[[allow]]\nid = "b"\ntool = "Bash"\ncommand_regex = "(x"\n',
    )
    done = project.run("check", "--json")
    assert done.code == 1
    problems = done.json["files"][0]["problems"]
    assert {problem["line"] for problem in problems} >= {5, 10}


def test_good_rules_are_said_to_be_good(project: Project) -> None:
    project.write("penstock.toml", 'version = 1\npreset = "guard"\n')
    done = project.run("check")
    assert done.code == 0
    assert "no problems" in done.out


def test_without_rules_the_preset_is_named(project: Project) -> None:
    assert "guard" in project.run("check").out


def test_the_schema_that_editors_complete_with_is_printed(project: Project) -> None:
    said = project.run("check", "--schema")
    assert said.code == 0
    assert said.json["properties"]["version"]


def test_rules_without_a_preset_are_told_what_they_leave_open(project: Project) -> None:
    project.write("penstock.toml", 'version = 1\n[[deny]]\nid = "db"\npaths = ["db/**"]\n')
    done = project.run("check")
    assert done.code == 0
    assert 'add `preset = "guard"`' in done.out
    project.write("penstock.toml", 'version = 1\npreset = "guard"\n')
    assert "preset is named" not in project.run("check").out
