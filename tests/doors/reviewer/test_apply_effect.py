"""What an edit would change: replayed on past decisions, and stopped by a person's no."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penstock.stores.agents.ancestry import seen_here
from tests.cli.pending import one_proposed
from tests.doors.hook.hooks import Hook, said
from tests.doors.reviewer.reviewer_process import NPM, SWITCH, adding, plain
from tests.project import Project
from tests.terminal import in_terminal

ASKING = """version = 1

[defaults]
write = "ask"
run = "deny"

[[allow]]
id = "allow-docs"
paths = ["docs/**"]
"""


def log_line(command: str, decision: str) -> str:
    return json.dumps(
        {
            "timestamp": "2026-01-01T00:00:00Z",
            "session_id": "s1",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "decision": decision,
            "cwd": "/p",
        }
    )


def test_a_dry_run_replays_the_log_of_the_original_and_tells_what_would_flip(
    tmp_path: Path,
) -> None:
    log = tmp_path / "audit.log"
    lines = [log_line("npm install left-pad", "passthrough")] * 3 + [log_line("ls", "passthrough")]
    log.write_text("\n".join(lines) + "\n")
    at = plain(tmp_path)
    at.file.write_text(at.file.read_text().replace("/tmp/audit.log", str(log)))
    found = at.made(adding(), "--dry-run")["impact_analysis"]
    assert found["would_change_behavior"] is True
    assert (found["decisions_replayed"], found["would_flip"]) == (4, 3)
    assert found["looser"][0]["input"] == "npm install left-pad"
    other = {**NPM, "id": "allow-make", "command_regex": "^make$"}
    found = at.made(adding(other), "--dry-run")["impact_analysis"]
    assert (found["would_change_behavior"], found["would_flip"]) == (False, 0)


def test_without_a_past_an_added_rule_is_a_change(tmp_path: Path) -> None:
    found = plain(tmp_path).made(adding(), "--dry-run")["impact_analysis"]
    assert (found["rules_affected"], found["would_change_behavior"]) == (0, True)


MAIN = """[logging]
log_file = "{log}"

[includes]
files = ["tools.toml"]

[security]
[[security.deny]]
id = "deny-publish"
tool = "Bash"
command_regex = "^npm publish"
"""
TOOLS = '[tools]\n[[tools.allow]]\nid = "ls"\ntool = "Bash"\ncommand_regex = "^ls$"\n'


@pytest.mark.parametrize("batch", [False, True], ids=["alone", "with the one that includes it"])
def test_an_edit_of_an_included_file_is_replayed_on_the_whole_policy(
    tmp_path: Path, batch: bool
) -> None:
    log = tmp_path / "tools.log"
    log.write_text("\n".join(log_line(f"npm {word}", "deny") for word in ("ci", "publish")))
    at = plain(tmp_path, MAIN.format(log=log))
    tools = at.folder / "tools.toml"
    tools.write_text(TOOLS)
    rule = {"id": "allow-npm", "tool": "Bash", "command_regex": "^npm "}
    operation = {**adding(rule), "section": "tools", "target_file": str(tools)}
    if batch:
        words = {"type": "update_rule", "id": "deny-publish", "changes": {"description": "x"}}
        operation = {"type": "batch", "operations": [operation, words]}
    found = at.made(operation, "--dry-run")["impact_analysis"]
    assert found["decisions_replayed"] == 2
    assert [one["input"] for one in found["looser"]] == ["npm ci"], "the denial still stands"


def test_a_policy_that_includes_the_edited_file_must_load_wherever_one_stands(
    tmp_path: Path,
) -> None:
    at = plain(tmp_path, MAIN.format(log="/tmp/x.log"))
    tools = at.folder / "tools.toml"
    tools.write_text(TOOLS)
    rule = {"id": "deny-publish", "tool": "Bash", "command_regex": "^x$"}
    operation = json.dumps({**adding(rule), "section": "tools", "target_file": str(tools)})
    done = at.shell(f"cd / && decision_reviewer apply --json '{operation}'")
    assert done.json["details"][0]["error"] == "Rule with id 'deny-publish' already exists"


def test_a_file_that_would_include_itself_through_a_link_is_refused(tmp_path: Path) -> None:
    at = plain(tmp_path, MAIN.format(log="/tmp/x.log"))
    (at.folder / "tools.toml").write_text(TOOLS)
    (at.folder / "link.toml").symlink_to(at.name)
    done = at.apply({"type": "add_include", "path": "link.toml"})
    assert (done.code, done.json["details"][0]["field"]) == (1, "path")
    assert "circular include detected" in done.json["details"][0]["error"]


def test_a_file_that_is_included_through_a_link_is_checked_with_its_new_text(
    tmp_path: Path,
) -> None:
    at = plain(tmp_path, MAIN.format(log="/tmp/x.log"))
    real = at.folder / "kept" / "elsewhere.toml"
    real.parent.mkdir()
    real.write_text(TOOLS)
    (at.folder / "tools.toml").symlink_to(real)
    rule = {"id": "deny-publish", "tool": "Bash", "command_regex": "^x$"}
    done = at.apply({**adding(rule), "section": "tools", "target_file": str(real)})
    assert done.code == 1
    assert "Rule with id 'deny-publish' already exists" in done.json["details"][0]["error"]


def test_a_rule_of_the_including_file_is_told_as_an_overlap(tmp_path: Path) -> None:
    at = plain(tmp_path, MAIN.format(log="/tmp/x.log"))
    tools = at.folder / "tools.toml"
    tools.write_text(TOOLS)
    rule = {"id": "allow-npm", "tool": "Bash", "command_regex": "^npm publish( |$)"}
    made = at.made({**adding(rule), "section": "tools", "target_file": str(tools)}, "--dry-run")
    told = [one["message"] for one in made["validation"]["warnings"]]
    assert "New rule may overlap with existing rule 'deny-publish'" in told


def words(operation: object, *more: str) -> list[str]:
    target = ("--target-file", "penstock.toml")
    return ["rules", "apply", "--json", json.dumps(operation), *target, *more]


WIDER = {
    "type": "add_rule",
    "rule_type": "allow",
    "rule": {"id": "allow-notes", "paths": ["notes/**"]},
}


YES = [("make this change?", "y")]


@pytest.fixture
def refused(project: Project) -> Project:
    """A project in which a person said no to a write."""
    project.write("penstock.toml", ASKING)
    one = one_proposed(project, "notes/a.txt", b"x\n")
    seen = in_terminal(project, "reject", one, "--reason", "not there")
    assert seen.code == 0, seen.text
    return project


@pytest.mark.skipif(bool(seen_here()), reason="runs inside an agent itself")
def test_what_a_person_refused_is_not_allowed_by_a_rule(refused: Project) -> None:
    for dry in ((), ("--dry-run",)):
        done = refused.run(*words(WIDER, *dry), env=SWITCH)
        assert (done.code, done.json["error_type"]) == (1, "blocking_validation"), done.out
        assert "a person refused this" in done.json["details"][0]["error"]
    assert (refused.root / "penstock.toml").read_text() == ASKING
    agent = refused.run(*words(WIDER, "--force"), env={**SWITCH, "CLAUDECODE": "1"})
    assert (agent.code, agent.json["error_type"]) == (1, "inside_agent")
    seen = in_terminal(refused, *words(WIDER, "--force"), typed=YES, env=SWITCH)
    assert seen.code == 0, seen.text


@pytest.mark.skipif(bool(seen_here()), reason="runs inside an agent itself")
def test_a_denied_command_is_found_allowed_by_rule_and_then_passes_the_hook(
    project: Project,
) -> None:
    """The whole way, as the reviewer's spec tells it."""
    project.write("penstock.toml", ASKING)
    hook = Hook(project)
    asked = {"command": "npm install"}
    assert said(hook.before("Bash", asked))["permissionDecision"] == "deny"

    def query(document: object) -> dict[str, Any]:
        done = project.run("rules", "query", "--json", json.dumps(document))
        assert done.code == 0, done.err
        found: dict[str, Any] = done.json
        return found

    (last,) = query({"type": "log", "decision": "deny", "last_n": 1})["results"]
    assert (last["tool"], last["input"]) == ("Bash", asked)

    preview = project.run(*words(adding(), "--dry-run"), env=SWITCH)
    assert preview.json["impact_analysis"]["would_change_behavior"] is True
    seen = in_terminal(project, *words(adding()), typed=YES, env=SWITCH)
    assert seen.code == 0, seen.text

    test = {"type": "match_test", "tool": "Bash", "input": asked}
    result = query(test)["result"]

    assert (result["decision"], result["matched_rule"]["id"]) == ("allow", NPM["id"])
    assert result["llm_consulted"] is False

    assert said(hook.before("Bash", asked)).get("permissionDecision") != "deny"
    attack = {"command": "npm install\nrm -rf ~"}
    assert said(hook.before("Bash", attack))["permissionDecision"] == "deny"
