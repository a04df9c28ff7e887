"""Questions about rules and past decisions, in the envelopes of the original's design."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from penstock.core.timestamps import stamp
from tests.doors.reviewer import logs
from tests.doors.reviewer.questions import CONFIG, SECTIONED, Place
from tests.project import Project


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "work").mkdir()
    (tmp_path / "home").mkdir()
    return Place(tmp_path / "work", tmp_path / "home")


# --- log (S3-009) ---------------------------------------------------------------------------------


def test_the_last_denial_is_found_with_everything_that_is_told_of_it(place: Place) -> None:
    place.rules().logged(
        logs.review(1, "deny", rule="deny-rm", command="rm -rf old"),
        logs.audit(2, "allow"),
        logs.review(3, "deny", rule="deny-rm", command="rm -rf new"),
    )
    answer = place.ask("log", decision="deny", last_n=1)
    assert answer["result_count"] == 1
    assert answer["query_time_ms"] >= 0
    (found,) = answer["results"]
    expected = {
        "timestamp": logs.at(3),
        "tool": "Bash",
        "decision": "deny",
        "source": "rule",
        "rule_id": "deny-rm",
        "input": {"command": "rm -rf new"},
        "reasoning": "Bash, command: rm -rf new",
    }
    assert expected.items() <= found.items()


LINES = [
    logs.audit(1, "allow", "cargo test"),
    logs.audit(2, "deny", "rm -rf a"),
    logs.operational(3, "passthrough", "passthrough", "npm install"),
    logs.review(4, "passthrough", "passthrough", "npm ci", assessment="QUERY", needs_review=True),
    logs.review(5, "allow", "llm", "npm test", assessment="ALLOW"),
    logs.review(6, "deny", rule="deny-rm"),
    {**logs.audit(7, "allow"), "tool_name": "Read", "tool_input": {"file_path": "/p/src/a"}},
    logs.old(8),
]


@pytest.mark.parametrize(
    ("keys", "seconds"),
    [
        ({}, [8, 7, 6, 5, 4, 3, 2, 1]),  # newest first
        ({"decision": "deny"}, [6, 2]),
        ({"decision": "passthrough"}, [8, 4, 3]),  # a line without a decision was passed through
        ({"source": "llm"}, [5, 4]),  # what a model did not know is its answer, too (D26)
        ({"source": "rule", "decision": "allow"}, [7, 1]),
        ({"source": "hard_rule", "decision": "allow"}, [7, 1]),
        ({"tool": "Read"}, [7]),
        ({"tool": "Zork"}, []),
        ({"session_id": "s2"}, [3]),
        ({"needs_review": True}, [4]),
        ({"last_n": 2}, [8, 7]),
        ({"last_n": 2, "offset": 2}, [6, 5]),
        ({"last_n": 0}, []),
        ({"since": "2025-12-06T00:00:05Z"}, [8, 7, 6, 5]),
        ({"since": "2025-12-06T00:00:02Z", "until": "2025-12-06T00:00:04Z"}, [3, 2]),
        ({"until": "2025-12-06T01:00:02+01:00"}, [1]),
        ({"since": "2025-12-07"}, []),
    ],
    ids=str,
)
def test_the_log_is_filtered_by_every_key(
    place: Place, keys: dict[str, Any], seconds: list[int]
) -> None:
    place.rules().logged(*LINES)
    for _ in range(2):
        answer = place.ask("log", **keys)
        assert [one["timestamp"] for one in answer["results"]] == [logs.at(s) for s in seconds]
        assert answer["result_count"] == len(seconds)


def test_times_may_be_told_as_so_long_ago(place: Place) -> None:
    now = time.time()
    ages = {"new": 60, "today": 7200, "week": 3 * 86400, "old": 30 * 86400}
    place.rules()
    for name, age in ages.items():
        place.logged({**logs.audit(0, "allow", name), "timestamp": stamp(now - age)})

    def since(text: str) -> set[str]:
        found = place.ask("log", since=text)["results"]
        return {one["input"]["command"] for one in found}

    assert since("1h") == {"new"}
    assert since("24h") == {"new", "today"}
    assert since("7d") == {"new", "today", "week"}


def test_who_looks_for_denials_is_told_of_the_gaps(place: Place) -> None:
    place.rules().logged(LINES[2], LINES[3])
    answer = place.ask("log", decision="deny")
    assert answer["results"] == []
    assert "2 calls were passed through" in answer["note"]


def test_secrets_of_a_log_are_not_shown(place: Place) -> None:
    place.rules().logged(logs.audit(1, "deny", "curl -H 'Authorization: Bearer abcdefgh12345678'"))
    assert "abcdefgh12345678" not in json.dumps(place.ask("log"))
    assert "abcdefgh12345678" not in json.dumps(place.ask("stats"))


def test_no_secret_becomes_part_of_a_rule_that_a_gap_would_get(place: Place) -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    commands = [f"npm test --token={token}", "mvn test -Dpassword=hunter2pass", "npm test --silent"]
    place.rules().logged(*(logs.audit(n, "passthrough", commands[n % 3]) for n in range(9)))
    result = place.ask("gaps")["result"]
    assert token not in json.dumps(result)
    assert "hunter2pass" not in json.dumps(result)
    assert [one["pattern"] for one in result["suggestions"]] == ["npm test"]
    why = {one["pattern"]: one["why"] for one in result["not_suggested"]}
    assert why == dict.fromkeys(("npm test", "mvn test"), "it was given something secret")
    for kind in ("patterns", "log", "stats"):
        assert token not in json.dumps(place.ask(kind))


def test_which_log_is_asked_is_told_by_the_rules_file(place: Place, tmp_path: Path) -> None:
    place.rules(SECTIONED).logged(logs.review(1, "deny"))
    logs.write(Path(f"{place.log}.operational"), [logs.operational(9, "deny", "rule")])
    # The reviewers' log tells more, so it is the one.
    assert [r["timestamp"] for r in place.ask("log")["results"]] == [logs.at(1)]
    place.log.unlink()
    assert [r["timestamp"] for r in place.ask("log")["results"]] == [logs.at(9)]
    other = logs.write(tmp_path / "other", [logs.audit(5, "deny")])
    link = tmp_path / "link"
    link.symlink_to(other)
    for named in (str(other), str(link)):
        found = place.ask("log", "--log", named)["results"]
        assert [r["timestamp"] for r in found] == [logs.at(5)]


def test_the_log_of_passthroughs_is_asked_besides(place: Place) -> None:
    place.rules(f'[audit]\naudit_file = "{place.log}"\npassthrough_log_file = "{place.log}.p"\n')
    place.logged(logs.audit(1, "allow"))
    line = logs.old(2, "npm install")
    logs.write(Path(f"{place.log}.p"), [line])
    assert [r["decision"] for r in place.ask("log")["results"]] == ["passthrough", "allow"]


# --- Penstock's own record ----------------------------------------------------------------------

PENSTOCK = """
[defaults]
run = "ask"

[[deny]]
id = "no-rm"
tool = "Bash"
command_regex = "^rm "

[[allow]]
id = "npm"
tool = "Bash"
command_regex = "^npm test$"
"""


TERMINAL = {"CLAUDE_CODE_ENTRYPOINT": "cli"}


def hook(project: Project, tool: str, tool_input: dict[str, Any]) -> None:
    call = {
        "session_id": "s-1",
        "transcript_path": "",
        "cwd": str(project.root),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
    }
    done = project.run("hook", "--agent", "claude", stdin=json.dumps(call), env=TERMINAL)
    assert done.code == 0, done.err


def test_penstocks_own_record_is_asked_in_the_same_words(project: Project) -> None:
    place = Place(project.root, project.home)
    project.write("penstock.toml", PENSTOCK)
    for command in ("rm -rf x", "npm test", "npm install"):
        hook(project, "Bash", {"command": command})
    (denied,) = place.ask("log", decision="deny")["results"]
    assert (denied["rule_id"], denied["input"]) == ("no-rm", {"command": "rm -rf x"})
    assert denied["session_id"] == "s-1"
    stats = place.ask("stats")["result"]
    assert stats["by_decision"] == {"allow": 1, "deny": 1, "passthrough": 0, "ask": 1}
    assert stats["top_denied_commands"] == [{"command": "rm -rf x", "count": 1}]
    tested = place.ask("match_test", tool="Bash", input={"command": "npm test"})["result"]
    assert (tested["decision"], tested["matched_rule"]["id"]) == ("allow", "npm")
    assert tested["matched_rule"]["source_file"] == str(project.root / "penstock.toml")
    asks = place.ask("match_test", tool="Bash", input={"command": "npm install"})["result"]
    assert (asks["decision"], asks["would_match"]) == ("ask", False)


def test_what_people_said_is_told_and_not_counted_twice(place: Place) -> None:
    call = {"tool": "Write", "session": "s", "path": "src/a.py"}
    record = logs.write(
        place.root / "audit.jsonl",
        [
            logs.own(1, status="hitl_required", **call),
            logs.own(2, "proposed", status="waiting", path="src/b.py"),
            logs.own(3, "approved", status="approved", path="src/b.py", by="ann"),
            logs.own(4, "proposed", status="waiting", path="src/c.py"),
            logs.own(5, "rejected", status="rejected", path="src/c.py", reason="no", by="ann"),
            logs.own(6, "observed", status="observed", **call),
        ],
    )
    stats = place.ask("stats", "--log", str(record))["result"]
    assert (stats["total_decisions"], stats["by_decision"]["ask"]) == (3, 3)
    assert stats["people"] == {"approved": 1, "rejected": 1}
    (denied,) = place.ask("log", "--log", str(record), decision="deny")["results"]
    assert (denied["source"], denied["person"]) == ("person", "rejected")
    assert place.ask("log", "--log", str(record), source="person")["result_count"] == 2


def test_a_project_without_rules_and_logs_says_so(place: Place) -> None:
    assert place.refused({"type": "log"})[0] == "log_not_found"
    assert place.refused({"type": "rule"})[0] == "config_not_found"
    assert place.refused({"type": "match_test", "tool": "Bash", "input": {}})[0] == (
        "config_not_found"
    )


# --- match_test (S3-010) ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "given", "decision", "rule"),
    [
        ("Bash", {"command": "cargo test --all"}, "allow", "allow-cargo"),
        ("Bash", {"command": "rm -rf /"}, "deny", "deny-rm"),
        ("Bash", {"command": "npm install"}, "passthrough", None),
        ("Bash", {"command": "cargo build && rm x -rf"}, "allow", "allow-cargo"),  # as the original
        ("Read", {"file_path": "/p/src/a.py"}, "allow", "allow-src"),
        ("Write", {"file_path": "/p/.env", "content": ""}, "passthrough", None),
        ("Zork", {}, "passthrough", None),
        ("Bash", {"command": 7}, "passthrough", None),
    ],
    ids=str,
)
def test_one_call_is_tested_against_the_rules_of_the_original(
    place: Place, tool: str, given: dict[str, Any], decision: str, rule: str | None
) -> None:
    result = place.rules().ask("match_test", tool=tool, input=given)["result"]
    assert result["decision"] == decision
    assert result["would_match"] is (rule is not None)
    assert result["llm_consulted"] is False
    if rule is None:
        assert result["matched_rule"] is None
        assert result["note"]
        return
    text = place.config.read_text().split("\n")
    matched = result["matched_rule"]
    assert matched["id"] == rule
    assert matched["type"] == decision
    assert matched["source_file"] == str(place.config)
    assert f'id = "{rule}"' in text[matched["source_line"]]


def test_a_test_says_that_a_model_would_be_asked_and_asks_none(place: Place) -> None:
    place.rules(SECTIONED)
    result = place.ask("match_test", tool="Bash", input={"command": "npm install"})["result"]
    assert result["llm_consulted"] == "would_consult"
    assert result["decision"] == "passthrough"
    hard = place.ask("match_test", tool="mcp__context7__get", input={})["result"]
    assert (hard["decision"], hard["llm_consulted"]) == ("allow", False)
    gone = place.ask("match_test", tool="mcp__context7__doc_delete", input={})["result"]
    assert gone["decision"] == "passthrough"


# --- rules and settings -------------------------------------------------------------------------


def test_rules_are_listed_by_type_tool_and_id(place: Place) -> None:
    place.rules()

    def ids(**keys: Any) -> list[str]:
        return [one["id"] for one in place.ask("rule", **keys)["result"]["rules"]]

    assert ids() == ["deny-rm", "allow-cargo", "allow-src"]
    assert ids(filter="allow") == ["allow-cargo", "allow-src"]
    assert ids(tool="Read") == ["allow-src"]
    assert ids(id="deny-rm") == ["deny-rm"]
    assert ids(id="nope") == []
    (one,) = place.ask("rule", id="deny-rm", with_source=True)["result"]["rules"]
    assert one["command_regex"] == "^rm .*-rf"
    assert (one["source_file"], one["source_line"]) == (str(place.config), 6)


def test_a_rule_that_stands_for_several_is_listed_once_as_it_is_written(place: Place) -> None:
    place.rules(SECTIONED)
    (one,) = place.ask("rule", id="allow-context7")["result"]["rules"]
    assert one["tool_regex"] == "^mcp__context7__.*"
    assert one["section"] == "tools"
    assert place.ask("rule", tool="mcp__context7__x")["result"]["count"] == 1
    assert place.ask("rule", tool="mcp__context7__x_delete")["result"]["count"] == 0


def test_rules_are_counted(place: Place) -> None:
    result = place.rules().ask("rule_count")["result"]
    assert result == {"allow": 2, "deny": 1, "total": 3, "by_tool": {"Bash": 2, "Read": 1}}


def test_settings_are_told_whole_in_part_and_by_their_files(place: Place) -> None:
    place.rules(SECTIONED.replace("[security]", '[includes]\nfiles = ["more.toml"]\n[security]'))
    (place.root / "more.toml").write_text('[[more.allow]]\nid = "m"\ntool = "WebFetch"\n')
    sources = place.ask("config", sources=True)["result"]
    assert sources == {"base": str(place.config), "includes": [str(place.root / "more.toml")]}
    assert place.ask("config_files")["result"] == sources
    model = place.ask("config", section="llm_fallback")["result"]
    assert (model["enabled"], model["model"]) == (True, "anthropic/claude-haiku-4.5")
    assert model["timeout_secs"] == 60  # where the file is silent
    assert place.ask("config", section="logging")["result"]["review_log_file"] == str(place.log)
    full = place.ask("config", full=True)["result"]
    assert {one["id"] for one in full["rules"]} == {"deny-destructive-rm", "allow-context7", "m"}


def test_a_key_of_the_model_is_never_told(place: Place) -> None:
    place.rules(SECTIONED.replace("[llm_fallback]", '[llm_fallback]\napi_key = "sk-or-123456"'))
    assert "sk-or-123456" not in json.dumps(place.ask("config", full=True))


def test_the_rules_file_is_found_where_people_keep_it(place: Place, tmp_path: Path) -> None:
    home_file = place.home / ".config" / CONFIG
    home_file.parent.mkdir()
    home_file.write_text('[audit]\naudit_file = "x"\n[[allow]]\nid = "home"\ntool = "WebFetch"\n')

    def base(*more: str, env: dict[str, str] | None = None) -> str:
        found = place.run("query", '{"type":"config","sources":true}', *more, env=env)
        return str(found.json["result"]["base"])

    assert base() == str(home_file)
    place.rules()
    assert base() == str(place.config)
    other = tmp_path / "other.toml"
    other.write_text(home_file.read_text())
    assert base(env={"CLAUDE_PERMISSIONS_CONFIG": str(other)}) == str(other)
    assert base("--config", str(home_file), env={"CLAUDE_PERMISSIONS_CONFIG": str(other)}) == (
        str(home_file)
    )


def test_another_project_is_asked_about_by_its_directory(place: Place, tmp_path: Path) -> None:
    place.rules().logged(logs.audit(1, "deny"))
    other = Place(tmp_path / "other", place.home)
    other.root.mkdir()
    assert other.refused({"type": "rule"})[0] == "config_not_found"
    there = ("--workspace", str(place.root))
    assert other.ask("rule_count", *there)["result"]["total"] == 3
    assert other.ask("log", *there)["result_count"] == 1
    assert place.refused({"type": "rule"}, "--workspace", str(other.root))[0] == "config_not_found"
    assert place.refused({"type": "rule"}, "--workspace", "/nowhere")[0] == "invalid_query"


# --- sums and patterns --------------------------------------------------------------------------


def test_decisions_are_summed_by_what_they_are(place: Place) -> None:
    result = place.rules().logged(*LINES).ask("stats")["result"]
    assert result == {
        "total_decisions": 8,
        "by_decision": {"allow": 3, "deny": 2, "passthrough": 3},
        "by_source": {"hard_rule": 4, "llm": 2, "passthrough": 2},
        "by_tool": {"Bash": 7, "Read": 1},
        "top_denied_commands": [
            {"command": "rm -rf a", "count": 1},
            {"command": "rm -rf x", "count": 1},
        ],
    }
    part = place.ask("stats", tool="Read", since="2025-12-06")["result"]
    assert part["total_decisions"] == 1
    assert part["top_denied_commands"] == []


def test_calls_that_are_alike_are_told_together(place: Place) -> None:
    place.rules().logged(*(logs.audit(n, "deny", f"npm install p{n}") for n in range(5)))
    place.logged(*(logs.audit(n, "deny", "git push") for n in range(3)), logs.audit(9, "allow"))
    clusters = place.ask("patterns", decision="deny")["result"]["clusters"]
    assert [(one["pattern"], one["count"]) for one in clusters] == [
        ("npm install", 5),
        ("git push", 3),
    ]
    assert len(clusters[0]["examples"]) == 3


def test_what_only_a_default_answers_is_a_gap_too(place: Place) -> None:
    more: dict[str, Any] = {"tool": "Bash", "session": "s"}
    asked = {"status": "hitl_required", "command": "npm test", "rules": ["default.run"], **more}
    denied = {"status": "denied", "command": "npm test", "rules": ["default.run"], **more}
    by_rule = {"status": "denied", "command": "make test", "rules": ["no-make"], **more}
    lines = [logs.own(n, **(asked, denied, by_rule)[n % 3]) for n in range(9)]
    place.rules().logged(*lines, logs.audit(20, "deny", "git status"))
    result = place.ask("gaps")["result"]
    assert (result["total_gaps"], result["decisions_read"]) == (6, 6)
    assert [(one["pattern"], one["count"]) for one in result["suggestions"]] == [("npm test", 6)]
    assert place.ask("gaps", decision="passthrough")["result"]["total_gaps"] == 0


def test_gaps_are_what_no_rule_decides_each_with_a_rule_and_a_risk(place: Place) -> None:
    place.rules().logged(
        *(logs.operational(n, "passthrough", "passthrough", f"npm install p{n}") for n in range(4)),
        *(logs.operational(n, "passthrough", "passthrough", "rm -rf /") for n in range(9)),
        *(logs.review(n, "passthrough", "passthrough", "git status", assessment="QUERY")
          for n in range(2)),
        logs.audit(50, "allow"),
    )  # fmt: skip
    result = place.ask("gaps", tool="Bash")["result"]
    assert result["total_gaps"] == 15
    by_pattern = {one["pattern"]: one for one in result["suggestions"]}
    assert set(by_pattern) == {"npm install", "git status"}
    npm = by_pattern["npm install"]
    assert (npm["count"], npm["risk"]) == (4, "medium")
    assert npm["suggested_rule"]["tool"] == "Bash"
    assert npm["suggested_rule"]["command_regex"].startswith("^npm install")
    assert npm["suggested_rule"]["description"]
    assert by_pattern["git status"]["risk"] == "low"
    assert [one["pattern"] for one in result["not_suggested"]] == ["rm"]


# --- how it is asked ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("nonsense", "invalid_query"),
        ("[]", "invalid_query"),
        ('{"type":"log","type":"log"}', "invalid_query"),
        ("[" * 100_000, "invalid_query"),
        ({"type": 7}, "invalid_query"),
        ({}, "invalid_query"),
        ({"type": "drop"}, "unsupported_query_type"),
        ({"type": "log", "desicion": "deny"}, "invalid_query"),
        ({"type": "log", "decision": "maybe"}, "invalid_query"),
        ({"type": "log", "source": 1}, "invalid_query"),
        ({"type": "log", "last_n": -1}, "invalid_query"),
        ({"type": "log", "last_n": True}, "invalid_query"),
        ({"type": "log", "last_n": 10**9}, "invalid_query"),
        ({"type": "log", "needs_review": "yes"}, "invalid_query"),
        ({"type": "log", "since": "yesterday"}, "invalid_query"),
        ({"type": "match_test", "input": {}}, "invalid_query"),
        ({"type": "match_test", "tool": "Bash"}, "invalid_query"),
        ({"type": "match_test", "tool": "Bash", "input": "ls"}, "invalid_query"),
        ({"type": "config", "section": "zork"}, "invalid_query"),
        ({"type": "rule", "filter": "maybe"}, "invalid_query"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_what_cannot_be_answered_has_a_code(place: Place, query: object, code: str) -> None:
    place.rules().logged(logs.audit(1, "deny"))
    assert place.refused(query)[0] == code


def test_broken_rules_and_missing_logs_have_their_codes(place: Place) -> None:
    place.rules('[[allow]]\ntool = "Bash"\ncommand_regex = "("\n')
    assert place.refused({"type": "rule"})[0] == "config_parse_error"
    place.rules("not toml at all [")
    code, message = place.refused({"type": "config", "full": True})
    assert code == "config_parse_error"
    assert CONFIG in message
    assert place.refused({"type": "rule"}, "--config", "/nowhere.toml")[0] == "config_not_found"
    assert place.refused({"type": "log"}, "--log", "/nowhere")[0] == "log_not_found"
    place.rules()
    assert place.refused({"type": "log"})[0] == "log_not_found"


def test_a_log_can_be_asked_while_the_rules_are_broken(place: Place) -> None:
    place.rules().logged(logs.audit(1, "deny"))
    place.config.write_text(place.config.read_text() + "[[allow]]\nid = 'x'\n")
    assert place.ask("log")["result_count"] == 1


def test_the_query_is_an_argument_or_an_option_and_never_both(place: Place) -> None:
    place.rules()
    query = '{"type":"rule_count"}'
    one, other = place.run("query", query), place.run("query", "--json", query)
    assert one.json["result"] == other.json["result"]
    for words in (
        (query, "--json", query),
        (),
        (query, "--zork"),
        (query, "--config"),
        ("--json",),
    ):
        done = place.run("query", *words)
        assert (done.code, done.json["error"]["code"]) == (64, "invalid_query")
        assert set(done.json["error"]) == {"code", "message", "details"}
        assert done.err.startswith("error: ")
    assert "Usage: " in place.run("query", "--help").out
    done = Project(place.root, place.home).run("rules", "query")
    assert (done.code, done.json["error"]["code"]) == (64, "invalid_query")


def test_answers_are_one_line_when_piped_and_indented_when_asked(place: Place) -> None:
    place.rules()
    query = '{"type":"rule_count"}'
    assert place.run("query", query).out.count("\n") == 1
    assert place.run("query", query, "--compact").out.count("\n") == 1
    assert place.run("query", query, "--pretty").out.count("\n") > 5
    assert place.run("query", query, "--pretty").json["result"]["total"] == 3


def test_asking_writes_nothing_but_our_own_index(place: Place) -> None:
    place.rules().logged(*(logs.audit(n % 60, "deny", "x" * 900) for n in range(800)))
    before = {path: path.read_bytes() for path in place.root.iterdir()}
    for kind in ("log", "stats", "patterns", "gaps", "rule", "config"):
        place.ask(kind)
    assert {path: path.read_bytes() for path in place.root.iterdir()} == before
    below = [os.path.join(top, name) for top, _, names in os.walk(place.home) for name in names]
    assert all("/state/penstock/" in path for path in below)


# --- rules that change ----------------------------------------------------------------------------


def test_an_answer_is_never_older_than_the_files(place: Place) -> None:
    place.rules(
        '[includes]\nfiles = ["more.toml"]\n[a]\n[[a.allow]]\nid = "x"\ntool = "WebFetch"\n'
    )
    more = place.root / "more.toml"
    more.write_text('[[b.allow]]\nid = "y"\ntool = "WebSearch"\n')

    def ids() -> list[str]:
        return [one["id"] for one in place.ask("rule")["result"]["rules"]]

    def tested() -> str:
        return str(place.ask("match_test", tool="WebSearch", input={})["result"]["decision"])

    assert (ids(), tested()) == (["x", "y"], "allow")
    more.write_text('[[b.deny]]\nid = "z"\ntool = "WebSearch"\n')
    assert (sorted(ids()), tested()) == (["x", "z"], "deny")
    more.unlink()
    assert place.refused({"type": "rule"})[0] == "config_parse_error"


def test_a_command_is_tested_leaf_by_leaf_with_variables_filled_in(place: Place) -> None:
    place.rules(
        '[variables]\nP = "cargo"\n[limits]\nmax_chain_length = 1\n'
        '[[allow]]\nid = "c"\ntool = "Bash"\ncommand_regex = "^${P} "\n'
        '[[deny]]\nid = "r"\ntool = "Bash"\ncommand_regex = "^rm "\nreason = "no"\n'
    )

    def said(command: str) -> str:
        result = place.ask("match_test", tool="Bash", input={"command": command})["result"]
        return str(result["decision"])

    assert said("cargo test") == "allow"
    assert said("x; rm -rf y") == "deny"


def test_a_policy_that_is_tested_is_never_older_than_its_files(project: Project) -> None:
    place = Place(project.root, project.home)
    rules = project.write("penstock.toml", 'preset = "guard"\n' + PENSTOCK)

    def said(command: str) -> str:
        result = place.ask("match_test", tool="Bash", input={"command": command})["result"]
        return str(result["decision"])

    calls = ("npm test", "rm x", "echo x > .env", "ls")
    assert [said(command) for command in calls] == ["allow", "deny", "deny", "ask"]
    rules.write_text(rules.read_text().replace("^npm test$", "^ls$"))
    assert [said(command) for command in calls] == ["ask", "deny", "deny", "allow"]
    mine = project.home / "config" / "penstock" / "penstock.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text('[[deny]]\nid = "mine"\ntool = "Bash"\ncommand_regex = "^ls$"\n')
    assert said("ls") == "deny"
