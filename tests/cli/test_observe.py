"""Observe mode: decided and recorded, nothing stopped but what would remove the gate itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.hook.hooks import Hook, said
from tests.project import Project
from tests.terminal import by_agent, in_terminal

BIG = "".join(f"line {n}\n" for n in range(270))
OBSERVE = 'version = 1\npreset = "guard"\nobserve = true\n'


ASKED = ["init", "--agent", "claude", "--observe", "--yes"]


@pytest.fixture
def hook(project: Project) -> Hook:
    project.write("big.py", BIG)
    project.write(".env", "TOKEN=x\n")
    project.write("penstock.toml", OBSERVE)
    return Hook(project)


PASSES = {
    "a protected file": ("Write", {"file_path": ".env", "content": "x\n"}, "denied"),
    "a secret that is read": ("Read", {"file_path": ".env"}, "denied"),
    "a command": ("Bash", {"command": "echo x > .env"}, "denied"),
    "a rewrite": ("Write", {"file_path": "big.py", "content": "short\n"}, "hitl_required"),
}


@pytest.mark.parametrize("name", PASSES)
def test_what_rules_would_stop_passes_and_is_recorded_with_what_they_say(
    hook: Hook, name: str
) -> None:
    tool, given, would = PASSES[name]
    assert "permissionDecision" not in said(hook.before(tool, given))
    event = hook.events()[-1]
    assert (event["status"], event["would"]) == ("allowed", would)
    assert event["rules"]
    assert hook.project.run("proposals", "--json").json["proposals"] == []


STAYS = {
    "the rules": ("Write", {"file_path": "penstock.toml", "content": "x"}),
    "the hook's registration": ("Write", {"file_path": ".claude/settings.json", "content": "{}"}),
    "the registration by a command": ("Bash", {"command": "echo '{}' > .claude/settings.json"}),
    "the state": ("Bash", {"command": "rm -rf ~/state/penstock"}),
    "the command": ("Bash", {"command": "penstock uninstall --yes"}),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_would_remove_the_gate_or_its_record_is_stopped(hook: Hook, name: str) -> None:
    tool, given = STAYS[name]
    got = said(hook.before(tool, given))
    assert got["permissionDecision"] == "deny", got
    assert "would" not in hook.events()[-1]


def test_a_user_s_own_rules_hold_whatever_a_project_observes(hook: Hook) -> None:
    own = hook.project.home / "config" / "penstock" / "penstock.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[[deny]]\nid = "mine"\npaths = ["mine/**"]\n')
    got = said(hook.before("Write", {"file_path": "mine/a.txt", "content": "x"}))
    assert got["permissionDecision"] == "deny"
    assert said(hook.before("Write", {"file_path": ".env", "content": "x"})) == {}


def test_the_first_line_status_and_doctor_say_it_loudly(hook: Hook) -> None:
    greeted = said(hook.call("SessionStart", "", {}))["additionalContext"]
    assert greeted.startswith("Penstock is on (guard). OBSERVE ONLY")
    assert hook.project.run("status", "--json").json["observe"] is True
    assert hook.project.run("status").out.startswith("OBSERVE MODE")
    findings = hook.project.run("doctor", "--json").json["checks"]
    assert [f["status"] for f in findings if f["name"] == "observe"] == ["warn"]


def test_init_begins_by_observing_and_one_command_ends_it(project: Project) -> None:
    project.write(".env", "TOKEN=x\n")
    done = project.run("init", "--agent", "claude", "--observe", "--json")
    assert done.code == 0, done
    assert any("observe mode" in line for line in done.json["left"])
    hook = Hook(project)
    write = {"file_path": ".env", "content": "x"}
    assert said(hook.before("Write", write)) == {}
    before = (project.root / "penstock.toml").read_text()
    assert "observe = true\n" in before
    seen = in_terminal(project, "init", "--agent", "claude", "--enforce", "--yes")
    assert seen.code == 0, seen.text
    after = (project.root / "penstock.toml").read_text()
    assert after == before.replace("observe = true\n", "")
    assert said(hook.before("Write", write))["permissionDecision"] == "deny"


def test_rules_that_are_there_observe_only_by_a_person(project: Project, tmp_path: Path) -> None:
    rules = '# mine\npreset = "guard"\n[[deny]]\nid = "db"\npaths = ["db/**"]\n'
    file = project.write("penstock.toml", rules)
    by_program = project.run("init", "--agent", "claude", "--observe", "--yes")
    assert by_program.code == 1, by_program
    (inside,) = by_agent(project, tmp_path / "bin", "claude", [ASKED])
    assert inside.code == 2, inside
    assert file.read_text() == rules
    no = in_terminal(project, "init", "--agent", "claude", "--observe", typed=[("[y/N]", "n")])
    assert no.code == 1, no.text
    typed = [("make this change?", "y"), ("approver key now?", "n")]
    seen = in_terminal(project, "init", "--agent", "claude", "--observe", typed=typed)
    assert seen.code == 0, seen.text
    assert file.read_text() == rules.replace("preset", "observe = true\npreset", 1)
    assert said(Hook(project).before("Write", {"file_path": "db/a", "content": "x"})) == {}


def test_an_agent_does_not_begin_by_observing(project: Project, tmp_path: Path) -> None:
    (inside,) = by_agent(project, tmp_path / "bin", "claude", [ASKED])
    assert inside.code == 2, inside
    assert not (project.root / "penstock.toml").exists()


def test_judge_says_what_would_be_decided(hook: Hook) -> None:
    done = hook.project.judge("Write", {"file_path": ".env", "content": "x"}, "--json")
    found = json.loads(done.out)
    assert (done.code, found["verdict"], found["observe"]) == (2, "deny", True)
