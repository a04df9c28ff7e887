"""Rules that widen: an agent can set the switch, and still is not the person."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from penstock.stores.agents.ancestry import seen_here
from tests.cli.pending import events
from tests.cut_off import cut_off
from tests.doors.reviewer.reviewer_process import SWITCH
from tests.project import Project
from tests.terminal import by_agent, in_terminal

WORDS = "correct horse battery staple"
GUARD = """preset = "guard"

[[allow]]
id = "allow-cargo"
tool = "Bash"
command_regex = "^cargo test$"
"""
PLAIN = '[[allow]]\nid = "a"\ntool = "Bash"\ncommand_regex = "^x$"\n'
WIDER = {
    "type": "add_rule",
    "rule_type": "allow",
    "rule": {"id": "allow-npm", "tool": "Bash", "command_regex": "^npm install$"},
}
TIGHTER = {
    "type": "add_rule",
    "rule_type": "deny",
    "rule": {"id": "deny-curl", "tool": "Bash", "command_regex": "^curl "},
}


@pytest.fixture
def outside() -> None:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")


@pytest.fixture
def guarded(project: Project) -> Project:
    project.write("penstock.toml", GUARD)
    return project


def words(operation: object, *more: str) -> list[str]:
    target = ("--target-file", "penstock.toml")
    return ["rules", "apply", "--json", json.dumps(operation), *target, *more]


def text(project: Project) -> str:
    return (project.root / "penstock.toml").read_text()


def document(shown: str) -> Any:
    """Return the document that a terminal shows among other lines."""
    start = shown.index("{\n")
    return json.JSONDecoder().raw_decode(shown[start:])[0]


@pytest.mark.usefixtures("outside")
def test_an_agent_with_a_terminal_and_the_switch_cannot_widen_the_rules(
    guarded: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*next(iter(SWITCH.items())))
    (seen,) = by_agent(guarded, tmp_path / "bin", "claude", [words(WIDER, "--yes")])
    assert seen.code == 1
    assert document(seen.text)["error_type"] == "inside_agent"
    assert "Claude Code" in seen.text
    assert text(guarded) == GUARD
    (tried,) = events(guarded, "approval_refused")
    assert (tried["code"], tried["command"]) == ("inside-agent", "rules apply")


@pytest.mark.usefixtures("outside")
def test_an_agent_may_tighten_them(
    guarded: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*next(iter(SWITCH.items())))
    (seen,) = by_agent(guarded, tmp_path / "bin", "claude", [words(TIGHTER)])
    assert seen.code == 0, seen.text
    assert "deny-curl" in text(guarded)


@pytest.mark.parametrize("name", ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "PENSTOCK_AGENT"])
def test_a_variable_that_agents_set_is_enough(guarded: Project, name: str) -> None:
    done = guarded.run(*words(WIDER, "--yes", "--force"), env={**SWITCH, name: "1"})
    assert (done.code, done.json["error_type"]) == (1, "inside_agent")
    assert text(guarded) == GUARD


def test_an_agent_sees_in_a_dry_run_that_a_person_is_needed(guarded: Project) -> None:
    done = guarded.run(*words(WIDER, "--dry-run"), env={**SWITCH, "CLAUDECODE": "1"})
    assert done.code == 0, done.err
    assert done.err == (
        "note: this needs confirmation by a person, because allow rule 'allow-npm' is new\n"
    )


@pytest.mark.usefixtures("outside")
def test_a_person_at_a_terminal_confirms_and_the_record_says_so(guarded: Project) -> None:
    typed = [("make this change?", "y")]
    seen = in_terminal(guarded, *words(WIDER), typed=typed, env=SWITCH)
    assert seen.code == 0, seen.text
    assert "this makes the rules less strict" in seen.text
    assert "allow-npm" in text(guarded)
    (event,) = events(guarded, "approved")
    assert (event["path"], event["proof"]) == ("penstock.toml", "terminal")
    assert guarded.run("audit", "verify", "--json").json["ok"]


@pytest.mark.usefixtures("outside")
def test_a_person_may_say_no(guarded: Project) -> None:
    seen = in_terminal(guarded, *words(WIDER), typed=[("make this change?", "n")], env=SWITCH)
    assert seen.code == 1
    assert document(seen.text)["error_type"] == "not_confirmed"
    assert text(guarded) == GUARD


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("yes", [(), ("--yes",), ("--yes", "--force")], ids=" ".join)
@pytest.mark.parametrize("orphan", [False, True], ids=["a script", "an orphan"])
def test_without_a_terminal_the_policy_is_not_widened(
    guarded: Project, yes: tuple[str, ...], orphan: bool
) -> None:
    """What approving needs: a terminal outside of any agent, or the key."""
    run = partial(cut_off, guarded, **SWITCH) if orphan else partial(guarded.run, env=SWITCH)
    done = run(*words(WIDER, *yes))
    assert (done.code, done.json["error_type"]) == (1, "no_terminal"), done.out
    assert text(guarded) == GUARD
    assert run(*words(TIGHTER, *yes)).code == 0, "what tightens needs the switch alone"


IN_FORCE = [
    ("penstock.toml", PLAIN, "without a preset, too"),
    ("penstock.toml", f'{PLAIN}\n[audit]\nlevel = "all"\n', "with other settings"),
    ("rules/more.toml", PLAIN, "a file that the policy includes"),
    ("claude-code-permissions-hook.toml", PLAIN, "the other format, included"),
]


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(("name", "content", "why"), IN_FORCE, ids=[row[2] for row in IN_FORCE])
def test_every_file_of_the_policy_in_force_needs_a_person(
    project: Project, name: str, content: str, why: str
) -> None:
    if name != "penstock.toml":
        project.write("penstock.toml", f'version = 1\n[includes]\nfiles = ["{name}"]\n')
    project.write(name, content)
    argv = words(WIDER, "--yes")
    argv[argv.index("penstock.toml")] = name
    done = project.run(*argv, env=SWITCH)
    assert (done.code, done.json["error_type"]) == (1, "no_terminal"), why
    assert (project.root / name).read_text() == content
    seen = in_terminal(project, *argv, env=SWITCH)
    assert seen.code == 0, seen.text
    assert events(project, "approved")[-1]["proof"] == "terminal"
    assert project.run("audit", "verify").code == 0


@pytest.mark.usefixtures("outside")
def test_a_policy_may_leave_it_to_the_switch(project: Project) -> None:
    project.write("penstock.toml", f'{PLAIN}\n[approval]\nrules = "switch"\n')
    done = project.run(*words(WIDER), env=SWITCH)
    assert done.code == 0, done.out
    (asked,) = events(project, "proposed")
    (applied,) = events(project, "applied")
    assert (asked["proof"], applied["approval"]) == ("switch", asked["event_hash"])
    assert project.run("audit", "verify").code == 0


@pytest.mark.usefixtures("outside")
def test_undoing_what_tightened_is_a_widening(guarded: Project) -> None:
    assert guarded.run(*words(TIGHTER), env=SWITCH).code == 0
    tight = text(guarded)
    done = cut_off(guarded, "undo", "--yes", "--json", **SWITCH)
    assert (done.code, done.json["error"]["code"]) == (1, "no-terminal"), done.out
    assert text(guarded) == tight
    assert in_terminal(guarded, "undo", "--yes").code == 0
    assert text(guarded) == GUARD


@pytest.mark.usefixtures("outside")
def test_once_there_is_a_key_only_its_signature_widens(guarded: Project) -> None:
    handed = {**SWITCH, "PENSTOCK_PASSPHRASE_FD": "0"}
    made = guarded.run("approver", "init", "--json", env=handed, stdin=f"{WORDS}\n")
    assert made.code == 0, made.err
    without = guarded.run(*words(WIDER), env=SWITCH)
    assert (without.code, without.json["error_type"]) == (1, "no_terminal")
    wrong = guarded.run(*words(WIDER), env=handed, stdin="something else\n")
    assert (wrong.code, wrong.json["error_type"]) == (1, "wrong_passphrase")
    assert text(guarded) == GUARD
    right = guarded.run(*words(WIDER), env=handed, stdin=f"{WORDS}\n")
    assert right.code == 0, right.out
    (event,) = events(guarded, "approved")
    assert event["signature"]
    assert guarded.run("audit", "verify", "--json").json["ok"]


@pytest.mark.usefixtures("outside")
def test_where_the_rules_want_a_key_and_there_is_none_nothing_widens(guarded: Project) -> None:
    guarded.write("penstock.toml", f"{GUARD}\n[approval]\nrequire_key = true\n")
    done = guarded.run(*words(WIDER), env=SWITCH)
    assert (done.code, done.json["error_type"]) == (1, "key_needed")


def test_without_rules_that_say_so_the_switch_is_enough_even_for_an_agent(
    project: Project,
) -> None:
    project.write("claude-code-permissions-hook.toml", f'[audit]\naudit_file = "x"\n\n{PLAIN}')
    argv = words(WIDER)
    argv[-1] = "claude-code-permissions-hook.toml"
    done = project.run(*argv, env={**SWITCH, "CLAUDECODE": "1"})
    assert done.code == 0, done.out


def test_a_file_that_no_policy_is_made_of_needs_the_switch_only(guarded: Project) -> None:
    """As its own specification says: the variable is the switch."""
    file = "claude-code-permissions-hook.toml"
    guarded.write(file, f'[audit]\naudit_file = "x"\n\n{PLAIN}')
    argv = words(WIDER)
    argv[-1] = file
    assert guarded.run(*argv).code == 3
    done = guarded.run(*argv, env=SWITCH)
    assert done.code == 0, done.out
    assert "allow-npm" in (guarded.root / file).read_text()


def test_a_rollback_that_widens_is_a_widening(guarded: Project) -> None:
    guarded.write("penstock.toml", GUARD.replace('"^cargo test$"', '"^cargo .*"'))
    tighter = {"type": "remove_rule", "id": "allow-cargo"}
    done = guarded.run(*words(tighter), env={**SWITCH, "CLAUDECODE": "1"})
    assert done.code == 0, done.out
    name = Path(done.json["rollback_info"]["backup_file"]).name
    back = guarded.run(
        *words({"type": "rollback", "to_backup": name}), env={**SWITCH, "CLAUDECODE": "1"}
    )
    assert back.json["error_type"] == "inside_agent"


def test_a_dry_run_writes_nothing_where_there_is_state_either(guarded: Project) -> None:
    assert guarded.run(*words(TIGHTER), env=SWITCH).code == 0
    guarded.write("penstock.toml", f"{text(guarded)}\n# changed by hand\n")
    tops = (guarded.root, guarded.home)

    def everything() -> dict[str, tuple[int, bytes]]:
        files = [file for top in tops for file in top.rglob("*") if file.is_file()]
        return {str(file): (file.stat().st_mtime_ns, file.read_bytes()) for file in files}

    before = everything()
    assert guarded.run(*words(WIDER, "--dry-run"), env=SWITCH).code == 0
    assert everything() == before


def test_a_file_that_a_project_includes_from_elsewhere_is_bound_by_that_project(
    guarded: Project,
) -> None:
    shared = guarded.home / "shared.toml"
    shared.write_text(PLAIN)
    guarded.write("penstock.toml", f'{GUARD}\n[includes]\nfiles = ["{shared}"]\n')
    assert guarded.run("status").code == 0
    argv = words(WIDER)
    argv[-1] = str(shared)
    elsewhere = Project(guarded.home, guarded.home)
    done = elsewhere.run(*argv, env={**SWITCH, "CLAUDECODE": "1"})
    assert (done.code, done.json["error_type"]) == (1, "inside_agent"), done.out
    assert shared.read_text() == PLAIN
