"""A `penstock.toml` in a directory of a project: one more layer for what lies below it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock.stores.system.places import workspace_above
from tests.cli.quick import Quick
from tests.doors.hook.hooks import Hook
from tests.project import Project

OUTER = 'version = 1\n[[deny]]\nid = "outer"\npaths = ["**/*.lock"]\n'
INNER = """\
version = 1
disable = []
[[deny]]
id = "applied"
paths = ["migrations/**", "*.sql"]
reason = "{path} has been applied"
[[ask]]
id = "look"
paths = ["ask/**"]
[[warn]]
id = "note"
paths = ["told.txt"]
note = "told"
[[allow]]
id = "loosens"
paths = ["**"]
[[deny]]
id = "make"
tool = "Bash"
command_regex = "^make"
"""

# A path, what the rules answer, and why.
ROWS = [
    ("pkg/db/migrations/1.txt", "deny", "a rule of the directory"),
    ("pkg/db/x.sql", "deny", "a pattern without a slash is about that directory"),
    ("pkg/db/sub/x.sql", "allow", "and about no other"),
    ("pkg/db/ask/a.txt", "ask", "asked"),
    ("pkg/db/told.txt", "allow", "a note only"),
    ("pkg/db/x.lock", "deny", "what the project denies no directory allows"),
    ("pkg/db/free.txt", "allow", "an allow of a directory grants nothing, and forbids nothing"),
    ("pkg/other/migrations/1.txt", "allow", "beside it nothing of it holds"),
    ("migrations/1.txt", "allow", "nor above it"),
    ("pkg/db/../other/x.sql", "allow", "by where the path leads"),
    ("pkg/other/../db/x.sql", "deny", "by where the path leads"),
    ("link/x.sql", "deny", "also through a link"),
    ("pkg/db/penstock.toml", "deny", "agents do not change such a file"),
    ("pkg/new/penstock.toml", "deny", "nor make one"),
]


@pytest.fixture
def nested(project: Project) -> Project:
    project.write("penstock.toml", OUTER)
    project.write("pkg/db/penstock.toml", INNER)
    (project.root / "pkg/other").mkdir()
    (project.root / "link").symlink_to("pkg/db")
    return Quick(project.root, project.home)


def verdict(project: Project, path: str, *more: str) -> str:
    given = json.dumps({"file_path": path, "content": "x\n"})
    done = project.run("judge", "--tool", "Write", "--input", given, "--json", *more)
    return str(done.json["verdict"])


@pytest.mark.parametrize(("path", "said", "why"), ROWS, ids=[row[0] for row in ROWS])
def test_judge(nested: Project, path: str, said: str, why: str) -> None:
    assert verdict(nested, path) == said, why


@pytest.mark.parametrize(("path", "said", "why"), ROWS, ids=[row[0] for row in ROWS])
def test_the_hook_says_the_same(nested: Project, path: str, said: str, why: str) -> None:
    hook = Hook(Project(nested.root, nested.home), attended=True)
    hook.before("Write", {"file_path": str(nested.root / "a.txt"), "content": "x"})  # compiles
    done = hook.before("Write", {"file_path": str(nested.root / path), "content": "x\n"})
    answer = json.loads(done.out)["hookSpecificOutput"] if done.out else {}
    assert answer.get("permissionDecision", "allow") == said, (why, done)
    assert answer.get("permissionDecision") != "allow", "nothing is granted"


def test_an_exception_counts_for_the_rules_of_its_own_file_and_from_its_directory(
    nested: Project,
) -> None:
    out = '[[except]]\nrule = "applied"\npaths = ["*.sql", "migrations/new/**"]\n'
    nested.write("pkg/db/penstock.toml", INNER + out)
    assert verdict(nested, "pkg/db/x.sql") == "allow"
    assert verdict(nested, "pkg/db/migrations/new/1.txt") == "allow"
    assert verdict(nested, "pkg/db/migrations/1.txt") == "deny"
    wider = '[[except]]\nrule = "outer"\npaths = ["**"]\n'
    nested.write("pkg/db/penstock.toml", INNER + wider)
    assert verdict(nested, "pkg/db/x.lock") == "deny"


def test_a_shell_command_meets_them_too(nested: Project) -> None:
    given = json.dumps({"command": "echo x > pkg/db/x.sql"})
    assert nested.run("judge", "--tool", "Bash", "--input", given).code == 2
    given = json.dumps({"command": "make all"})
    assert nested.run("judge", "--tool", "Bash", "--input", given).code != 2


def test_a_session_in_the_directory_has_the_same_workspace_and_rules(nested: Project) -> None:
    inside = Quick(nested.root / "pkg/db", nested.home)
    status = inside.run("status", "--json").json
    assert status["workspace"] == str(nested.root)
    assert status["nested_rules"] == ["pkg/db/penstock.toml"]
    assert verdict(inside, str(nested.root / "pkg/db/x.lock")) == "deny"
    assert verdict(inside, str(nested.root / "pkg/db/x.sql")) == "deny"


def test_a_proposal_is_judged_by_them(nested: Project) -> None:
    import os
    from unittest.mock import patch

    from penstock import Item, open_gate

    with patch.dict(os.environ, nested.environ, clear=True):
        (made,) = open_gate(str(nested.root)).propose([Item(path="pkg/db/x.sql", content=b"x")])
    assert str(made.state) == "denied"


@pytest.mark.parametrize(
    "broken", ["version = ", "version = 1\n[includes]\nfiles = ['more.toml']\n"]
)
def test_a_broken_one_makes_a_person_decide(nested: Project, broken: str) -> None:
    nested.write("pkg/db/penstock.toml", broken)
    assert verdict(nested, "pkg/db/free.txt") == "ask"
    assert verdict(nested, "pkg/other/free.txt") == "allow"


def test_a_preset_of_a_directory_tightens_below_it(nested: Project) -> None:
    assert verdict(nested, "pkg/db/.env") == "allow"
    nested.write("pkg/db/penstock.toml", 'version = 1\npreset = "guard"\n')
    assert verdict(nested, "pkg/db/.env") == "deny"
    assert verdict(nested, "pkg/.env") == "allow"
    nested.write("pkg/db/penstock.toml", 'version = 1\n[defaults]\nwrite = "ask"\n')
    assert verdict(nested, "pkg/db/free.txt") == "ask"
    assert verdict(nested, "pkg/free.txt") == "allow"


def test_a_change_is_seen_by_a_process_that_stays(nested: Project) -> None:
    from penstock.app.rules.nested_rules import NestedRules
    from penstock.app.rules.policy import read_rules
    from penstock.core.model import Target

    found = NestedRules(str(nested.root), read_rules)
    target = Target(shown="x", judged=("pkg/db/x.sql",))
    assert len(found(target)) == 1
    (nested.root / "pkg/db/penstock.toml").unlink()
    assert found(target) == ()
    nested.write("pkg/penstock.toml", INNER)
    assert len(found(target)) == 1


def test_an_edit_of_one_needs_a_person(nested: Project) -> None:
    from penstock.app.rules.policy_files import wanting_person

    assert wanting_person([str(nested.root / "pkg/db/penstock.toml")]) == str(nested.root)


# Which directory is the workspace: what lies where, where one starts, and the answer.
PLACES = [
    (("top/.git", "top/penstock.toml", "top/a/penstock.toml"), "top/a/b", "top"),
    (("top/.git", "top/a/penstock.toml"), "top/a/b", "top/a"),
    (("top/.git", "top/a/penstock.toml"), "top/c", "top"),
    (("top/penstock.toml", "top/a/penstock.toml"), "top/a/b", "top"),
    (("top/penstock.toml", "top/sub/.git"), "top/sub/b", "top/sub"),
    (("top/penstock.toml", "top/sub/.git", "top/sub/penstock.toml"), "top/sub/b", "top/sub"),
    ((), "top/x", "top/x"),
]


@pytest.mark.parametrize(("marks", "start", "root"), PLACES)
def test_the_workspace_is_the_outer_one(
    tmp_path: Path, marks: tuple[str, ...], start: str, root: str
) -> None:
    (tmp_path / start).mkdir(parents=True)
    for mark in marks:
        (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / mark).write_text("")
    assert workspace_above(str(tmp_path / start)) == str(tmp_path / root)


def test_a_home_with_a_repository_is_no_workspace_for_projects_with_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "p/x").mkdir(parents=True)
    for mark in (".git", "penstock.toml", "p/penstock.toml"):
        (tmp_path / mark).write_text("")
    assert workspace_above(str(tmp_path / "p/x")) == str(tmp_path / "p")
    assert workspace_above(str(tmp_path)) == str(tmp_path)
