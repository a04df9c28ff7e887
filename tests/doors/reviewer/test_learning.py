"""What is learnt from decisions, from the log to the rule in force."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock.app import open_workspace
from tests.doors.reviewer import logs
from tests.doors.reviewer.questions import FLAT, SECTIONED, Place
from tests.doors.reviewer.reviewer_process import SWITCH
from tests.doors.reviewer.test_query import hook
from tests.project import Project

ASK = '[defaults]\nrun = "ask"\nwrite = "ask"\n'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "work").mkdir()
    (tmp_path / "home").mkdir()
    return Place(tmp_path / "work", tmp_path / "home")


def passed(command: str, times: int = 4) -> list[logs.Line]:
    return [
        logs.operational(n, "passthrough", "passthrough", command.replace("%", str(n)))
        for n in range(times)
    ]


def in_a_shell(line: str, place: Place) -> dict[str, Any]:
    """Run a command line as it is shown, with the real command on the path."""
    command = place.home / "bin" / "decision_reviewer"
    command.parent.mkdir(exist_ok=True)
    command.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c "
        "'import sys; from penstock.reviewer import main; main(sys.argv[1:])' \"$@\"\n"
    )
    command.chmod(0o755)
    environ = Project(place.root, place.home).environ
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=place.root,
        env={**environ, "PATH": f"{command.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("text", [FLAT, SECTIONED], ids=["flat", "sectioned"])
def test_what_is_suggested_can_be_applied_and_is_then_allowed(place: Place, text: str) -> None:
    place.rules(text).logged(*passed("npm install p%"), *passed("rm -rf b%"), *passed("git status"))
    answer = place.run("suggest").json
    assert answer["success"] is True
    by_pattern = {one["pattern"]: one for one in answer["suggestions"]}
    assert set(by_pattern) == {"npm install", "git status"}
    one = by_pattern["npm install"]
    assert (one["risk"], one["support"]["passthroughs"]) == ("medium", 4)
    assert one["flips"] == {"passthrough_to_allow": 4}
    before = place.config.read_bytes()
    dry = in_a_shell(one["dry_run"], place)
    assert (dry["success"], dry["dry_run"]) == (True, True)
    assert place.config.read_bytes() == before
    assert in_a_shell(one["apply"], place)["success"] is True
    for example in one["match"]:
        tested = place.ask("match_test", tool="Bash", input={"command": example})["result"]
        assert (tested["decision"], tested["matched_rule"]["id"]) == ("allow", "allow-npm-install")
    for attack in one["not_match"]:
        tested = place.ask("match_test", tool="Bash", input={"command": attack})["result"]
        assert tested["decision"] != "allow"
    # What a rule answers now is suggested no more.
    again = place.run("suggest").json["suggestions"]
    assert [one["pattern"] for one in again] == ["git status"]


def test_a_rule_of_our_own_carries_its_examples_and_a_quote_harms_no_shell(
    project: Project,
) -> None:
    place = Place(project.root, project.home)
    project.write("penstock.toml", ASK)
    for name in ("a", "b", "c", "d"):
        hook(project, "Bash", {"command": f"npm install {name}"})
    (one,) = place.run("suggest").json["suggestions"]
    assert one["rule"]["match"]
    assert "npm install" in one["rule"]["not_match"][0]
    assert one["support"]["asks"] == 4
    assert one["apply"].startswith("DECISION_REVIEWER_ALLOW_WRITES=1 decision_reviewer apply ")
    project.write("penstock.toml", ASK + "# it's a quote: '\n")
    dry = in_a_shell(one["dry_run"], place)
    assert dry["success"] is True


def test_suggestions_can_be_narrowed(place: Place) -> None:
    place.rules().logged(*passed("npm test", 3), *passed("git status", 9))
    read = {"tool_name": "Read", "tool_input": {"file_path": "/q/a.txt"}}
    place.logged(*({**line, **read} for line in passed("x", 5)))

    def patterns(*more: str) -> list[str]:
        return [one["pattern"] for one in place.run("suggest", *more).json["suggestions"]]

    assert patterns("--tool", "Bash") == ["git status", "npm test"]
    assert patterns("--min-support", "5", "--tool", "Bash") == ["git status"]
    assert patterns("--since", "1h") == []
    assert place.run("suggest", "--min-support", "0").code == 64
    assert place.run("suggest", "--since", "soon").json["error"]["code"] == "bad_time"


def test_without_a_log_there_is_nothing_to_suggest_and_nothing_unhit(place: Place) -> None:
    place.rules()
    assert place.run("suggest").json["suggestions"] == []
    assert place.run("stale").json["stale"] == []
    missing = place.run("suggest", "--log", "/nowhere")
    assert (missing.code, missing.json["error"]["code"]) == (1, "log_not_found")


def test_rules_that_no_decision_named_are_stale(place: Place) -> None:
    place.rules().logged(logs.review(1, "deny", rule="deny-rm"), logs.audit(2, "allow"))
    answer = place.run("stale").json
    assert answer["decisions_seen"] == 2
    assert {one["id"]: one["why"] for one in answer["stale"]} == {
        "allow-cargo": "never_hit",
        "allow-src": "never_hit",
    }


# --- one rule -----------------------------------------------------------------------------------


BARE = """[logging]
log_file = "/tmp/none.log"

[[allow]]
id = "bare"
tool = "Bash"

[[allow]]
id = "every-mcp"
tool_regex = "^mcp__(files|notes)__get$"
tool_exclude_regex = "secret"
"""


def test_a_rule_that_the_original_can_never_match_is_not_called_switched_off(place: Place) -> None:
    place.rules(BARE)
    (one,) = place.run("stale").json["stale"]
    assert (one["id"], one["why"]) == ("bare", "never_matches")


def test_a_rule_about_tools_is_looked_at_by_their_names(place: Place) -> None:
    place.rules(BARE)
    covers = place.run("analyze-rule", "--rule-id", "every-mcp").json["covers"]
    assert covers["tools"] == ["mcp__files__get", "mcp__notes__get"]
    patterns = place.run("profile", "--rule-id", "every-mcp").json["patterns"]
    assert [one["field"] for one in patterns] == ["tool_regex", "tool_exclude_regex"]
    assert all(one["program_size"] > 5 for one in patterns)


def test_an_input_that_is_no_json_is_told_as_such(place: Place) -> None:
    place.rules()
    done = place.run("test", "--rule-id", "deny-rm", "--input", "{oops")
    assert (done.code, done.json["error"]["message"]) == (1, "`--input` is not JSON")


def test_one_rule_is_tried_on_one_input(place: Place) -> None:
    place.rules()

    def tried(given: object, *more: str) -> Any:
        return place.run(
            "test", "--rule-id", "allow-cargo", "--input", json.dumps(given), *more
        ).json

    assert tried({"command": "cargo test"})["matches"] is True
    assert tried({"command": "npm test"})["matches"] is False
    both = tried({"command": "cargo test"})
    assert (both["decision"], both["matched_rule"]["id"]) == ("allow", "allow-cargo")
    assert tried({"command": "cargo test"}, "--tool", "Read")["matches"] is False
    assert tried([1])["error"]["code"] == "invalid_query"
    assert place.run("test", "--rule-id", "zork", "--input", "{}").json["error"]["code"] == (
        "rule_not_found"
    )
    assert place.run("test", "--rule-id", "allow-cargo", "--input", "{").code == 1
    assert place.run("test", "--input", "{}").code == 64


def test_a_rule_about_paths_is_tried_too(project: Project) -> None:
    place = Place(project.root, project.home)
    project.write("penstock.toml", '[[deny]]\nid = "s"\npaths = ["secrets/**"]\n')
    done = place.run("test", "--rule-id", "s", "--input", '{"file_path":"secrets/a"}')
    assert (done.json["matches"], done.json["decision"]) == (True, "deny")
    done = place.run("test", "--rule-id", "s", "--input", '{"file_path":"src/a"}')
    assert done.json["matches"] is False


def test_the_cost_of_a_rule_is_measured_on_real_and_hostile_texts(place: Place) -> None:
    place.rules().logged(logs.audit(1, "deny", "rm -rf x"), logs.audit(2, "allow"))
    answer = place.run("profile", "--rule-id", "deny-rm").json
    assert answer["real"]["inputs"] == 2
    assert answer["real"]["max_us"] >= answer["real"]["mean_us"] > 0
    assert answer["adversarial"]["inputs"] >= 10
    assert answer["patterns"][0]["regex"] == "^rm .*-rf"
    # Nothing in it grows faster than its text: a hundred thousand characters are soon read.
    assert answer["adversarial"]["max_us"] < 5_000_000


def test_a_close_look_tells_what_a_rule_covers_shares_and_lets_slip(place: Place) -> None:
    place.rules().logged(*(logs.audit(n, "allow", f"cargo test t{n % 2}") for n in range(6)))
    answer = place.run("analyze-rule", "--rule-id", "allow-cargo").json
    assert answer["covers"]["past_calls"] == 6
    assert {one["input"] for one in answer["covers"]["examples"]} == {
        "cargo test t0",
        "cargo test t1",
    }
    assert "cargo build" in answer["covers"]["samples"]
    slipped = {one["input"] for one in answer["slips_past"]}
    assert "cargo test t0\nrm -rf ~" in slipped
    assert "cargo test t0 > ~/.bashrc" in slipped
    rm = place.run("analyze-rule", "--rule-id", "deny-rm").json
    assert any(one["input"].startswith("sudo rm") for one in rm["slips_past"])
    assert rm["overlaps"] == []


def test_a_close_look_shows_no_secret_of_the_past(place: Place) -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    place.rules().logged(*passed(f"rm -rf {token}"))
    found = place.run("analyze-rule", "--rule-id", "deny-rm").json
    assert found["covers"]["past_calls"] == 4
    assert found["slips_past"]
    assert token not in json.dumps(found)


def test_a_rule_that_is_closed_lets_nothing_slip(project: Project) -> None:
    place = Place(project.root, project.home)
    project.write(
        "penstock.toml",
        ASK + '[[allow]]\nid = "t"\ntool = "Bash"\ncommand_regex = "^npm test$"\n',
    )
    answer = place.run("analyze-rule", "--rule-id", "t").json
    assert answer["slips_past"] == []
    assert answer["covers"]["samples"] == ["npm test"]


# --- impact -------------------------------------------------------------------------------------


def previewed(place: Place, target: Path, **operation: object) -> dict[str, Any]:
    """Return what a dry run of an operation answers."""
    words = ("--json", json.dumps(operation), "--target-file", str(target), "--dry-run")
    found: dict[str, Any] = place.run("apply", *words, env=SWITCH).json
    return found


def added(place: Place, target: Path, kind: str, **rule: object) -> dict[str, Any]:
    return previewed(place, target, type="add_rule", rule_type=kind, rule=rule)


def test_an_edit_is_replayed_with_the_texts_that_it_would_write(place: Place) -> None:
    place.rules().logged(*passed("npm install p%"), logs.audit(9, "deny", "rm -rf x"))
    more = added(
        place, place.config, "allow", id="n", tool="Bash", command_regex="^npm install( |$)"
    )
    assert more["impact_analysis"]["flips"] == {"passthrough_to_allow": 4}
    changes = {"command_regex": "^never"}
    less = previewed(place, place.config, type="update_rule", id="deny-rm", changes=changes)
    assert less["impact_analysis"]["flips"] == {"deny_to_passthrough": 1}
    words = previewed(
        place, place.config, type="update_rule", id="deny-rm", changes={"description": "no"}
    )
    assert not words["impact_analysis"]["would_change_behavior"]


def test_whole_paths_in_commands_of_our_own_record_are_found_again(project: Project) -> None:
    place = Place(project.root, project.home)
    path = project.write("penstock.toml", ASK)
    hook(project, "Bash", {"command": f"echo x > {project.root}/docs/a.md"})
    found = added(place, path, "deny", id="docs", paths=["docs/**"])
    assert found["impact_analysis"]["flips"] == {"ask_to_deny": 1}


def test_what_a_person_rejected_stands_against_an_edit(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    place = Place(project.root, project.home)
    path = project.write("penstock.toml", ASK)
    here = open_workspace(str(project.root))
    event = {"op": "rejected", "path": "src/a.py", "status": "rejected", "by": "ann"}
    here.ready()
    here.record.log.append(event, durable=True)
    refused = added(place, path, "allow", id="src", paths=["src/**"])
    assert refused["error_type"] == "blocking_validation"
    assert "`src/a.py`" in refused["details"][0]["error"]
    assert added(place, path, "allow", id="docs", paths=["docs/**"])["success"]
