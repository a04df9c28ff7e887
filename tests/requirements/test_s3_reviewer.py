"""The reviewer spec, row by row: S3-001 to S3-070, on a real rules file, with real git."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest

from penstock.cli.rules.apply import command
from penstock.core.rule_edit.edit import parse_operation
from penstock.core.rules.load import load
from penstock.stores.rules.lock import locked
from tests import REPOSITORY
from tests.doors.reviewer.repos import NAME
from tests.doors.reviewer.reviewer_process import NPM, RULES, adding
from tests.doors.reviewer.scene import Scene, scene
from tests.requirements.table import Row, name_of

ROOT = REPOSITORY
Check = Callable[[], None]
CARGO = "allow-cargo-safe"
TWO_LINES = (
    "ERROR: Write operations disabled. Set DECISION_REVIEWER_ALLOW_WRITES=1 to enable.\n"
    "       This is a safety mechanism to prevent accidental configuration changes."
)


def on(check: Callable[[Scene], None], rules: str = RULES, *, git: bool = False) -> Check:
    """Return a check with a rules file of its own."""

    def run() -> None:
        with scene(rules, git=git) as here:
            check(here)

    return run


def asking(*words: str, start: str = "") -> Any:
    """Ask a read-only command of the reviewer, in this process; return its document."""
    from penstock.cli import penstock

    out = StringIO()
    with redirect_stdout(out), redirect_stderr(StringIO()):
        code = penstock.main(["rules", *words], prog_name="penstock", standalone_mode=False)
    assert not code, out.getvalue()
    return json.loads(out.getvalue())


# --- the command and its switch ---------------------------------------------------------


def asked_of(words: list[str]) -> dict[str, Any]:
    """Return what `apply` takes from a command line."""
    return command.make_context("apply", list(words)).params


def json_is_needed() -> None:
    with pytest.raises(click.exceptions.Exit) as wrong, redirect_stdout(StringIO()) as out:
        asked_of(["--dry-run"])
    assert (wrong.value.exit_code, json.loads(out.getvalue())["error_type"]) == (64, "usage")
    assert asked_of(["--json", "{}"])["json"] == "{}"


def the_options() -> None:
    words = ["--json", "{}", "--dry-run", "--force", "--target-file", "x", "--no-commit"]
    asked = asked_of(words)
    assert (asked["dry_run"], asked["force"], asked["no_commit"]) == (True, True, True)
    assert asked["target_file"] == "x"


def the_switch_is_needed() -> None:
    with scene(switch=False) as here:
        for operation in (
            adding(),
            {"type": "validate"},
            {"type": "rollback", "to_commit": "abcd"},
        ):
            for dry in (False, True):
                assert here.answer(operation, dry_run=dry).code == 3


def without_the_switch() -> None:
    with scene(switch=False) as here:
        before = here.files()
        answer = here.answer(adding())
        assert (answer.talk, answer.code) == ((TWO_LINES,), 3)
        assert here.files() == before


def dry_runs_change_nothing(here: Scene) -> None:
    before = here.files()
    assert here.made(adding(), dry_run=True)["would_change"] is True
    assert here.files() == before


def force_passes_warnings_only(here: Scene) -> None:
    broad = {"id": "allow-all", "tool": "Bash", "command_regex": ".*"}
    answer = here.answer(adding(broad), force=True)
    assert (answer.talk, answer.document["validation"]["forced"]) == ((), True)  # type: ignore[index]
    here.refused(adding({**NPM, "command_regex": "("}), force=True)


def a_target_is_demanded(here: Scene) -> None:
    assert here.refused(adding(), "missing_target", target="")["details"][0]["field"] == (
        "target_file"
    )
    assert here.made(adding())["success"] is True


def no_commit(here: Scene) -> None:
    before = here.repo.head()
    assert here.made(adding(), no_commit=True)["rollback_info"]["type"] == "backup"
    assert here.repo.head() == before


LOGGED = (
    '{"timestamp":"2026-01-01T00:00:00Z","session_id":"s","tool_name":"Bash",'
    '"tool_input":{"command":"npm install"},"decision":"deny","cwd":"/p"}\n'
)


def with_a_past(here: Scene) -> None:
    """Let the rules file write to a log of its own, with one denial in it."""
    log = here.home / "audit.log"
    log.write_text(LOGGED)
    here.file.write_text(RULES.replace("/tmp/audit.log", str(log)))


def query(here: Scene, document: object) -> Any:
    return asking("query", "--config", str(here.file), "--json", json.dumps(document))


def denials_are_found(here: Scene) -> None:
    with_a_past(here)
    found = query(here, {"type": "log", "decision": "deny", "last_n": 1})
    assert [one["input"] for one in found["results"]] == [{"command": "npm install"}]


def a_match_test_knows_the_new_rule(here: Scene) -> None:
    test = {"type": "match_test", "tool": "Bash", "input": {"command": "npm install"}}
    assert query(here, test)["result"]["matched_rule"] is None
    here.made(adding())
    assert query(here, test)["result"]["matched_rule"]["id"] == NPM["id"]


def a_rule_is_tried(here: Scene) -> None:
    given = json.dumps({"command": "cargo test"})
    assert asking("test", "--config", str(here.file), "--rule-id", CARGO, "--input", given)


def a_rule_is_measured(here: Scene) -> None:
    assert asking("profile", "--config", str(here.file), "--rule-id", CARGO)


def a_rule_is_analysed(here: Scene) -> None:
    assert asking("analyze-rule", "--config", str(here.file), "--rule-id", CARGO)


# --- what stops an edit -----------------------------------------------------------------


def broken_toml_is_told_with_its_line(here: Scene) -> None:
    (detail, *_) = here.refused(adding())["details"]
    assert detail["error"] == "Expected '=' after key at line 3"


def regexes_compile(here: Scene) -> None:
    for bad in ("(", "[a", "(?=x)", r"(a)\1", "*", "a{2,1}"):
        here.refused(adding({**NPM, "command_regex": bad}), "blocking_validation")


def fields_are_required(here: Scene) -> None:
    rule = {"id": "x", "command_regex": "^x$"}
    assert "Missing required field: tool or tool_regex" in errors(here.refused(adding(rule)))


def one_of_two(here: Scene) -> None:
    rule = {**NPM, "tool_regex": "^Ba"}
    said = "Rule must specify exactly one of 'tool' or 'tool_regex', not both"
    assert said in errors(here.refused(adding(rule)))


def errors(document: dict[str, Any]) -> list[str]:
    return [detail["error"] for detail in document["details"]]


def the_whole_is_loaded(here: Scene) -> None:
    other = here.folder / "other.toml"
    other.write_text(f'[includes]\nfiles = ["{NAME}"]\n')
    found = here.refused({"type": "add_include", "path": "other.toml"}, "blocking_validation")
    assert "Failed to load config: circular include detected" in errors(found)


def a_regex_error_names_its_field(here: Scene) -> None:
    (detail,) = here.refused(adding({**NPM, "command_regex": "^npm (a"}))["details"]
    assert detail["field"] == "rule.command_regex"
    assert "parenthesis" in detail["error"]


def nothing_invalid_is_written(here: Scene) -> None:
    bad: list[dict[str, object]] = [
        adding({**NPM, "id": CARGO}),
        {"type": "update_rule", "id": CARGO, "changes": {"command_regex": "("}},
        {"type": "update_rule", "id": CARGO, "changes": {"tool": None}},
        {"type": "add_include", "path": "missing.toml"},
    ]
    for operation in bad:
        here.refused(operation)
    assert load(str(here.file), lambda path: Path(path).read_bytes()).ok


def conflicts_are_found(here: Scene) -> None:
    here.refused(adding({**NPM, "id": "deny-rm"}), "blocking_validation")


def a_duplicate_is_told(here: Scene) -> None:
    said = errors(here.refused(adding({**NPM, "id": CARGO})))
    assert f"Rule with id '{CARGO}' already exists" in said[0]


def an_unknown_id_is_told(here: Scene) -> None:
    for operation in (
        {"type": "remove_rule", "id": "nobody"},
        {"type": "update_rule", "id": "nobody", "changes": {"description": "x"}},
        {"type": "toggle_rule", "id": "nobody", "enabled": False},
        {"type": "reorder_rule", "id": "nobody", "move_to": "start"},
    ):
        assert "nobody" in errors(here.refused(operation))[0]


def the_schema_is_kept(here: Scene) -> None:
    for operation in (
        {"type": "exec", "command": "ls"},
        {**adding(), "shell": "ls"},
        adding({**NPM, "on_match": "ls"}),
        adding({**NPM, "command_regex": 7}),
        adding({**NPM, "id": "a\nb"}),
    ):
        here.refused(operation)


# --- warnings ---------------------------------------------------------------------------


def warns(kind: str, rule: Mapping[str, object]) -> Callable[[Scene], None]:
    def check(here: Scene) -> None:
        answer = here.answer(adding(rule))
        found: Any = answer.document["validation"]
        assert answer.code == 0
        assert kind in [one["type"] for one in found["warnings"]], found
        assert answer.talk
        assert here.answer(adding({**rule, "id": "again"}), force=True).talk == ()

    return check


OVERLAP = {"id": "allow-cargo", "tool": "Bash", "command_regex": "^cargo build( |$)"}
BROAD = {"id": "allow-all", "tool": "Bash", "command_regex": ".*"}
COSTLY = {"id": "allow-x", "tool": "Bash", "command_regex": "^(x{1,500}y{1,500}){1,2}z$"}


def the_overlap_is_told(here: Scene) -> None:
    found = here.made(adding(OVERLAP))["validation"]["warnings"]
    (one,) = [one for one in found if one["type"] == "rule_overlap"]
    assert one == {
        "type": "rule_overlap",
        "message": f"New rule may overlap with existing rule '{CARGO}'",
        "suggestion": "Consider narrowing the command_regex pattern",
    }


# --- writing ----------------------------------------------------------------------------


def one_rename(here: Scene) -> None:
    before = here.file.stat().st_ino
    here.made(adding())
    assert here.file.stat().st_ino != before
    assert [file.name for file in here.folder.iterdir() if file.name.startswith(".penstock")] == []


def a_crash_corrupts_nothing() -> None:
    from tests.doors.reviewer.histories import one_history

    one_history(3)


def one_at_a_time(here: Scene) -> None:
    import os

    os.environ["DECISION_REVIEWER_LOCK_SECONDS"] = "0.1"
    with locked([str(here.file)], by="ada"):
        assert "ada" in here.refused(adding(), "config_locked")["details"][0]["error"]
    here.made(adding())


def layout_stays(here: Scene) -> None:
    here.made(adding())
    here.made({"type": "remove_rule", "id": NPM["id"]})
    assert here.text == RULES


def attributes_stay(here: Scene) -> None:
    here.file.chmod(0o604)
    link = here.home / "link.toml"
    link.symlink_to(here.file)
    assert here.answer(adding(), target=str(link)).code == 0
    assert link.is_symlink()
    assert here.file.stat().st_mode & 0o777 == 0o604


# --- versions ---------------------------------------------------------------------------


def every_write_is_a_commit(here: Scene) -> None:
    info = here.made(adding())["rollback_info"]
    assert (info["type"], info["commit"]) == ("git", here.repo.head())
    assert here.repo.git("show", "--format=", "--name-only").split() == [NAME]


def the_message(here: Scene) -> None:
    here.made(adding(), applied_by="claude-v2-alpha")
    lines = here.repo.git("log", "-1", "--format=%B").splitlines()
    assert lines[:5] == [
        "feat(config): Add allow rule for 'npm install'",
        "",
        "Operation: add_rule",
        "Rule ID: allow-npm-install",
        "Applied by: claude-v2-alpha",
    ]
    assert re.fullmatch(r"Timestamp: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", lines[5])
    assert re.fullmatch(r"Validation: Passed \(\d+ warnings\)", lines[6])
    assert lines[8] == "🤖 Generated with decision_reviewer"


def copies(here: Scene) -> list[str]:
    return sorted(file.name for file in here.folder.iterdir() if file.suffix == ".bak")


def a_copy_comes_first(here: Scene) -> None:
    here.made(adding())
    (name,) = copies(here)
    assert re.fullmatch(re.escape(NAME) + r"\.\d{8}T\d{6}Z\.bak", name)
    assert (here.folder / name).read_text() == RULES


def ten_copies(here: Scene) -> None:
    for number in range(12):
        here.made(adding({**NPM, "id": f"allow-{number}", "command_regex": f"^x{number}$"}))
    assert len(copies(here)) == 10


def rolled_back(here: Scene) -> None:
    info = here.made(adding())["rollback_info"]
    words = shlex.split(info["rollback_command"])
    assert words[:2] == ["decision_reviewer", "apply"]
    asked = asked_of(words[2:])
    assert here.answer(asked["json"], target=asked["target_file"]).code == 0
    assert here.text == RULES


def back_to_a_commit(here: Scene) -> None:
    first = here.repo.head()
    here.made(adding())
    here.made({"type": "remove_rule", "id": "deny-rm"})
    here.made({"type": "rollback", "to_commit": first})
    assert here.text == RULES


def rollbacks_are_writes(here: Scene) -> None:
    first = here.repo.head()
    here.made(adding())
    here.made({"type": "rollback", "to_commit": first})
    assert len(here.repo.subjects()) == 3
    assert here.logged()[-1]["operation"] == "rollback"
    here.file.write_text("broken = [\n")
    here.repo.git("commit", "-q", "-am", "broken")
    broken = here.repo.head()
    here.file.write_text(RULES)
    here.refused({"type": "rollback", "to_commit": broken})


# --- operations -------------------------------------------------------------------------


def rules_of(here: Scene, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(here.text).get(table, [])
    return found


def rules_are_added(here: Scene) -> None:
    here.made(adding(position="end"))
    here.made(adding({**NPM, "id": "first"}, position="start"))
    assert [rule["id"] for rule in rules_of(here, "allow")] == ["first", CARGO, NPM["id"]]
    assert rules_of(here, "allow")[2] == NPM


def rules_are_removed(here: Scene) -> None:
    here.made({"type": "remove_rule", "id": "deny-rm"})
    assert rules_of(here, "deny") == []


def rules_are_changed(here: Scene) -> None:
    changes = {"description": "x", "command_regex": "^cargo (build|test|doc)( |$)"}
    here.made({"type": "update_rule", "id": CARGO, "changes": changes})
    (rule,) = rules_of(here, "allow")
    assert {key: rule[key] for key in changes} == changes
    here.refused({"type": "update_rule", "id": CARGO, "changes": {"id": "other"}})


def rules_are_switched(here: Scene) -> None:
    here.made({"type": "toggle_rule", "id": CARGO, "enabled": False})
    assert rules_of(here, "allow") == []
    assert f"# disabled by decision_reviewer: {CARGO}" in here.text
    here.made({"type": "toggle_rule", "id": CARGO, "enabled": True})
    assert here.text == RULES


def rules_are_moved(here: Scene) -> None:
    here.made(adding())
    here.made({"type": "reorder_rule", "id": NPM["id"], "move_to": "start"})
    assert [rule["id"] for rule in rules_of(here, "allow")] == [NPM["id"], CARGO]


def the_advisor_is_set(here: Scene) -> None:
    changes = {"model": "m", "timeout_secs": 60, "temperature": 0.2, "endpoint": "https://x/v1"}
    here.made({"type": "update_llm_config", "changes": {"enabled": True, **changes}})
    assert tomllib.loads(here.text)["llm_fallback"] == {"enabled": True, **changes}
    here.refused({"type": "update_llm_config", "changes": {"api_key": "sk-x"}})


def a_batch_inherits(here: Scene) -> None:
    parts = [adding(), {"type": "remove_rule", "id": "deny-rm"}]
    document = {"type": "batch", "target_file": str(here.file), "operations": parts}
    assert [one.target_file for one in parse_operation(document).each] == [str(here.file)] * 2
    assert here.answer(document, target="").code == 0


def a_batch_is_all_or_nothing(here: Scene) -> None:
    parts: list[dict[str, object]] = [adding(), {"type": "remove_rule", "id": "nobody"}]
    here.refused({"type": "batch", "operations": parts})
    before = here.repo.head()
    parts[1] = {"type": "remove_rule", "id": "deny-rm"}
    here.made({"type": "batch", "operations": parts})
    assert here.repo.git("rev-parse", "HEAD~1").strip() == before


def includes_come_and_go(here: Scene) -> None:
    (here.folder / "more.toml").write_text("[llm_fallback]\nenabled = false\n")
    here.made({"type": "add_include", "path": "more.toml"})
    assert tomllib.loads(here.text)["includes"]["files"] == ["more.toml"]
    here.made({"type": "remove_include", "path": "more.toml"})
    assert "more.toml" not in here.text


def the_home_is_expanded(here: Scene) -> None:
    (here.home / "r.toml").write_text(RULES)
    answer = here.answer(adding(), target="~/r.toml")
    assert str(here.home / "r.toml") in answer.document["changes"][0]  # type: ignore[index]


# --- answers ----------------------------------------------------------------------------


def the_answer_to_a_write(here: Scene) -> None:
    answer = here.made(adding())
    keys = ("success", "operation", "changes", "rollback_info", "validation", "dry_run")
    assert tuple(answer) == keys
    assert {"type", "commit", "message", "rollback_command"} <= {*answer["rollback_info"]}
    assert {"blocking_passed", "warnings"} == {*answer["validation"]}
    assert (answer["success"], answer["dry_run"]) == (True, False)


def the_sentence(here: Scene) -> None:
    (said,) = here.made(adding())["changes"]
    line = here.text.splitlines().index('id = "allow-npm-install"')  # the header is before it
    assert said == f"Added rule 'allow-npm-install' to {here.file} at line {line}"


def the_answer_to_an_error(here: Scene) -> None:
    answer = here.refused(adding({**NPM, "command_regex": "^npm (install|c"}))
    keys = ("success", "operation", "error", "error_type", "details", "changes_applied")
    assert tuple(answer) == keys
    assert answer["error"] == "Validation failed"
    assert answer["error_type"] == "blocking_validation"
    assert answer["changes_applied"] == "none (validation failed before write)"
    (detail,) = answer["details"]
    assert detail["field"] == "rule.command_regex"
    said = r"Regex compilation failed: unmatched parenthesis at position \d+"
    assert re.fullmatch(said, detail["error"])
    assert detail["suggestion"] == "Check regex syntax. Expected closing ')' for group."


def the_answer_to_a_dry_run(here: Scene) -> None:
    answer = here.made(adding(), dry_run=True)
    assert tuple(answer) == (
        *("success", "dry_run", "operation", "would_change", "target_file", "changes"),
        *("validation", "impact_analysis", "next_step"),
    )
    assert re.fullmatch(r"Would add rule 'allow-npm-install' at line \d+", answer["changes"][0])
    assert {"rules_affected", "would_change_behavior"} <= {*answer["impact_analysis"]}
    assert answer["next_step"] == "Run without --dry-run to apply changes"


def the_preview_is_true(here: Scene) -> None:
    said, done = here.made(adding(), dry_run=True), here.made(adding())
    line = done["changes"][0].rpartition(" ")[2]
    assert said["changes"] == [f"Would add rule 'allow-npm-install' at line {line}"]
    assert said["validation"] == done["validation"]


# --- the log and the rest ---------------------------------------------------------------


def the_log(here: Scene) -> None:
    here.made(adding(), applied_by="ada")
    (line,) = here.logged()
    keys = ("timestamp", "operation", "applied_by", "target_file", "changes", "validation")
    assert {*keys, "rollback_info", "success"} <= {*line}
    assert (line["applied_by"], line["target_file"], line["success"]) == (
        *("ada", str(here.file)),
        True,
    )


def failures_are_logged(here: Scene) -> None:
    here.refused({"type": "update_llm_config", "changes": {"api_key": "sk-ant-REDACTED"}})
    assert here.logged()[0]["success"] is False
    assert "1234567890abcdef" not in here.log.read_text()


def it_is_quick() -> None:
    source = (ROOT / "bench/reviewer.py").read_text()
    assert "1_000" in source
    assert "10_000" in source


def it_is_tested() -> None:
    """The figure of the core is measured by `make test`; here is what it is measured on."""
    names = {file.name for file in (ROOT / "tests").rglob("test_*.py")}
    assert {"test_git.py", "test_apply.py", "test_edit.py", "test_query.py"} <= names


def every_kind_of_test() -> None:
    names = {file.name for file in (ROOT / "tests").rglob("*.py")}
    kinds = {"test_edit.py", "test_apply.py", "test_histories.py", "test_apply_many.py"}
    assert names >= kinds
    assert (ROOT / "bench/reviewer.py").exists()


def it_is_documented() -> None:
    page = (ROOT / "docs/how-to/change-rules.md").read_text()
    kinds = ["add_rule", "remove_rule", "update_rule", "toggle_rule", "reorder_rule", "batch"]
    kinds += ["update_llm_config", "update_llm_prompt", "add_include", "remove_include"]
    for kind in [*kinds, "rollback", "validate"]:
        assert f'"{kind}"' in page, kind
    assert "CLAUDE.md" in (ROOT / "docs/how-to/agents-and-rules.md").read_text()
    assert list((ROOT / "skills").glob("*/SKILL.md"))


def the_phases(here: Scene) -> None:
    here.made(adding())
    here.made({"type": "batch", "operations": [{"type": "remove_rule", "id": "deny-rm"}]})
    first = here.repo.git("rev-list", "--max-parents=0", "HEAD").strip()
    here.made({"type": "rollback", "to_commit": first})
    assert here.text == RULES


def the_threats(here: Scene) -> None:
    here.refused(adding({**NPM, "command_regex": "("}))
    here.refused('{"type":"add_rule","type":"remove_rule","id":"deny-rm"}', "bad_json")
    here.refused({"type": "rollback", "to_commit": "--exec=x"})
    assert len(here.logged()) == 3


def the_appendix(here: Scene) -> None:
    with_a_past(here)
    denials_are_found(here)
    assert here.made(adding(), dry_run=True)["impact_analysis"]["would_change_behavior"] is True
    here.made(adding())
    test = {"type": "match_test", "tool": "Bash", "input": {"command": "npm install"}}
    found = query(here, test)["result"]
    assert (found["decision"], found["llm_consulted"]) == ("allow", False)


def plain_git_works(here: Scene) -> None:
    commit = here.made(adding())["rollback_info"]["commit"]
    assert len(here.repo.git("log", "--oneline", NAME).splitlines()) == 2
    assert NPM["id"] in here.repo.git("show", "HEAD")
    here.repo.git("revert", "--no-edit", commit)
    assert here.text == RULES


def analysis_stays_out_of_the_way() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from penstock.doors.reviewer import apply_command, plan; "
        "print([m for m in sys.modules if m.endswith(('reviewer.learning', 'suggest'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def the_order_for_everybody(here: Scene) -> None:
    with_a_past(here)
    denials_are_found(here)
    here.made(adding(), dry_run=True)
    here.made(adding(), applied_by="claude")
    here.made({"type": "remove_rule", "id": NPM["id"]}, applied_by="ada")
    assert [line["applied_by"] for line in here.logged()] == ["claude", "ada"]


BROKEN = '[audit]\naudit_file = "x"\nbroken\n'
ROWS = [
    Row("S3-001", "apply takes the operation with --json, which is required", json_is_needed),
    Row("S3-002", "the options of the spec are there", the_options),
    Row("S3-003", "every write operation needs the switch", the_switch_is_needed),
    Row("S3-004", "without it two lines are told and nothing changes", without_the_switch),
    Row("S3-005", "a dry run changes nothing", on(dry_runs_change_nothing, git=True)),
    Row("S3-006", "force passes warnings only", on(force_passes_warnings_only)),
    Row("S3-007", "a target is always demanded", on(a_target_is_demanded)),
    Row("S3-008", "no commit where none is wanted", on(no_commit, git=True)),
    Row("S3-009", "denials are found in the log", on(denials_are_found)),
    Row("S3-010", "a match test knows the new rule", on(a_match_test_knows_the_new_rule)),
    Row("S3-011", "one rule can be tried", on(a_rule_is_tried)),
    Row("S3-012", "one rule can be measured", on(a_rule_is_measured)),
    Row("S3-013", "one rule can be analysed", on(a_rule_is_analysed)),
    Row(
        "S3-014", "broken TOML is told with its line", on(broken_toml_is_told_with_its_line, BROKEN)
    ),
    Row("S3-015", "every regex compiles", on(regexes_compile)),
    Row("S3-016", "required fields are there", on(fields_are_required)),
    Row("S3-017", "exactly one of tool and tool_regex", on(one_of_two)),
    Row("S3-018", "the whole result is loaded, includes too", on(the_whole_is_loaded)),
    Row("S3-019", "a regex error names field and cause", on(a_regex_error_names_its_field)),
    Row("S3-020", "nothing invalid is ever written", on(nothing_invalid_is_written)),
    Row("S3-021", "conflicts are found", on(conflicts_are_found)),
    Row("S3-022", "a duplicate id is told in these words", on(a_duplicate_is_told)),
    Row("S3-023", "an unknown id is an error", on(an_unknown_id_is_told)),
    Row("S3-024", "unknown types, keys and values are refused", on(the_schema_is_kept)),
    Row("S3-025", "an overlap is warned about", on(warns("rule_overlap", OVERLAP))),
    Row("S3-026", "a broad pattern is warned about", on(warns("broad_pattern", BROAD))),
    Row("S3-027", "a costly pattern is warned about", on(warns("performance_impact", COSTLY))),
    Row("S3-028", "a warning has the spec's words", on(the_overlap_is_told)),
    Row("S3-029", "a temporary file takes the name in one step", on(one_rename)),
    Row("S3-030", "a crash corrupts nothing", a_crash_corrupts_nothing),
    Row("S3-031", "one editor at a time", on(one_at_a_time)),
    Row("S3-032", "layout and comments stay", on(layout_stays)),
    Row("S3-033", "mode and link stay", on(attributes_stay)),
    Row("S3-034", "every write in a repository is a commit", on(every_write_is_a_commit, git=True)),
    Row("S3-035", "the commit's message is the spec's", on(the_message, git=True)),
    Row("S3-036", "elsewhere a dated copy is made first", on(a_copy_comes_first)),
    Row("S3-037", "the last ten copies stay", on(ten_copies)),
    Row("S3-038", "after a write there is a way back", on(rolled_back, git=True)),
    Row("S3-039", "rollback restores a commit's version", on(back_to_a_commit, git=True)),
    Row("S3-040", "rollback restores a copy", on(rolled_back)),
    Row("S3-041", "a rollback is validated and kept", on(rollbacks_are_writes, git=True)),
    Row("S3-042", "rules are added where they are wanted", on(rules_are_added)),
    Row("S3-043", "rules are removed", on(rules_are_removed)),
    Row("S3-044", "rules are changed", on(rules_are_changed)),
    Row("S3-045", "rules are switched off and on again", on(rules_are_switched)),
    Row("S3-046", "rules are moved", on(rules_are_moved)),
    Row("S3-047", "the language model's settings are changed", on(the_advisor_is_set)),
    Row("S3-048", "the parts of a batch inherit its target", on(a_batch_inherits)),
    Row("S3-049", "a batch is all or nothing", on(a_batch_is_all_or_nothing, git=True)),
    Row("S3-050", "includes come and go", on(includes_come_and_go)),
    Row("S3-051", "~ is expanded and shown in full", on(the_home_is_expanded)),
    Row("S3-052", "the answer to a write has these keys", on(the_answer_to_a_write, git=True)),
    Row("S3-053", "the change is told with its line", on(the_sentence)),
    Row("S3-054", "the rollback command really undoes", on(rolled_back, git=True)),
    Row("S3-055", "the answer to an error has these keys", on(the_answer_to_an_error)),
    Row("S3-056", "the answer to a dry run has these keys", on(the_answer_to_a_dry_run)),
    Row("S3-057", "the dry run says what the real run does", on(the_preview_is_true)),
    Row("S3-058", "every write is logged with these fields", on(the_log)),
    Row("S3-059", "failures are logged, and secrets are not", on(failures_are_logged)),
    Row("S3-060", "speed has its rows", it_is_quick),
    Row("S3-061", "coverage has its tests", it_is_tested),
    Row("S3-062", "every kind of test is there", every_kind_of_test),
    Row("S3-063", "manual, examples and texts for agents are there", it_is_documented),
    Row("S3-064", "every phase is delivered", on(the_phases, git=True)),
    Row("S3-065", "the threats are met", on(the_threats)),
    Row("S3-066", "the appendix works from end to end", on(the_appendix)),
    Row("S3-067", "the history is plain git", on(plain_git_works, git=True)),
    Row("S3-069", "expensive analysis is apart", analysis_stays_out_of_the_way),
    Row("S3-070", "people and agents work in the same order", on(the_order_for_everybody)),
]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_reviewer_row(row: Row) -> None:
    row.check()
