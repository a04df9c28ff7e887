"""`apply`: the switch, the order, the answers and what is left on the disk."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doors.reviewer.reviewer_process import NPM, RULES, Reviewer, adding, in_git, plain

SWITCH = "DECISION_REVIEWER_ALLOW_WRITES"
TWO_LINES = (
    "ERROR: Write operations disabled. Set DECISION_REVIEWER_ALLOW_WRITES=1 to enable.\n"
    "       This is a safety mechanism to prevent accidental configuration changes.\n"
)


@pytest.fixture
def kept(tmp_path: Path) -> Reviewer:
    return in_git(tmp_path)


@pytest.fixture
def loose(tmp_path: Path) -> Reviewer:
    return plain(tmp_path)


# The switch


@pytest.mark.parametrize("value", ["", "0", "true", "yes", " 1", "1 ", "01", "２"])
@pytest.mark.parametrize("words", [(), ("--dry-run",), ("--force",)], ids=["real", "dry", "force"])
def test_without_the_switch_nothing_is_done(
    loose: Reviewer, value: str, words: tuple[str, ...]
) -> None:
    before = loose.everything()
    done = loose.apply(adding(), *words, env={SWITCH: value})
    assert (done.code, done.err) == (3, TWO_LINES)
    assert done.json == {
        "success": False,
        "operation": "add_rule",
        "error": "Write operations disabled. Set DECISION_REVIEWER_ALLOW_WRITES=1 to enable.",
        "error_type": "writes_disabled",
        "details": [],
        "changes_applied": "none (write operations disabled)",
    }
    assert loose.everything() == before


def test_the_switch_is_looked_at_before_the_operation(loose: Reviewer) -> None:
    done = loose.apply("{not json", env={SWITCH: "no"})
    assert (done.code, done.err) == (3, TWO_LINES)


WRONG: list[tuple[str, tuple[str, ...]]] = [
    ("no operation", ()),
    ("an option that is none", ("--json", "{}", "--colour")),
    ("an option without its value", ("--json",)),
    ("a flag with a value", ("--json", "{}", "--dry-run=yes")),
    ("the operation twice", ("--json", "{}", "--json", "{}")),
    ("a word that is no option", ("--json", "{}", "extra")),
]


@pytest.mark.parametrize(("why", "words"), WRONG, ids=[why for why, _ in WRONG])
def test_wrong_usage_is_64_and_one_document(
    loose: Reviewer, why: str, words: tuple[str, ...]
) -> None:
    done = loose.run("apply", *words)
    assert (done.code, done.json["error_type"], done.json["success"]) == (64, "usage", False), why
    said = done.json["error"]
    assert not said[:1].isupper(), f"{said}: errors are in lower case"
    assert not said.endswith("."), f"{said}: errors have no final stop"


def test_help_needs_no_switch(loose: Reviewer) -> None:
    done = loose.run("apply", "--help", env={SWITCH: ""})
    assert done.code == 0
    for word in ("--json", "--dry-run", "--force", "--target-file", "--no-commit", "--applied-by"):
        assert word in done.out


# Answers


def test_an_edit_answers_with_exactly_these_keys(kept: Reviewer) -> None:
    before = kept.repo.head()
    answer = kept.made(adding())
    assert list(answer) == [
        *("success", "operation", "changes", "rollback_info", "validation", "dry_run"),
    ]
    line = kept.file.read_text().splitlines().index('id = "allow-npm-install"')
    assert answer["changes"] == [f"Added rule 'allow-npm-install' to {kept.file} at line {line}"]
    head = kept.repo.head()
    assert answer["rollback_info"] == {
        "type": "git",
        "commit": head,
        "previous_commit": before,
        "message": "feat(config): Add allow rule for 'npm install'",
        "rollback_command": (
            f'decision_reviewer apply --json \'{{"type":"rollback","to_commit":"{before}"}}\''
            f" --target-file {kept.file}"
        ),
    }
    assert answer["validation"] == {"blocking_passed": True, "warnings": []}
    assert (answer["success"], answer["operation"], answer["dry_run"]) == (True, "add_rule", False)


def test_a_dry_run_answers_with_exactly_these_keys_and_leaves_no_trace(kept: Reviewer) -> None:
    before = kept.everything()
    answer = kept.made(adding(), "--dry-run")
    assert list(answer)[:7] == [
        *("success", "dry_run", "operation", "would_change", "target_file", "changes"),
        "validation",
    ]
    assert list(answer)[7:] == ["impact_analysis", "next_step"]
    assert (answer["success"], answer["dry_run"], answer["would_change"]) == (True, True, True)
    assert answer["target_file"] == str(kept.file)
    assert answer["next_step"] == "Run without --dry-run to apply changes"
    assert {"rules_affected", "would_change_behavior"} <= set(answer["impact_analysis"])
    assert kept.everything() == before


def test_the_real_run_does_what_the_dry_run_said(kept: Reviewer) -> None:
    said = kept.made(adding(), "--dry-run")
    done = kept.made(adding())
    (would,), (did,) = said["changes"], done["changes"]
    assert would == "Would add rule 'allow-npm-install' at line " + did.rpartition(" ")[2]
    assert said["validation"] == done["validation"]


def test_an_invalid_regex_is_told_in_the_words_of_the_spec(loose: Reviewer) -> None:
    before = loose.everything()
    done = loose.apply(adding({**NPM, "command_regex": "^npm (install|ci"}))
    assert done.code == 1
    assert list(done.json) == [
        *("success", "operation", "error", "error_type", "details", "changes_applied"),
    ]
    assert (done.json["error"], done.json["error_type"]) == (
        "Validation failed",
        "blocking_validation",
    )
    (detail,) = done.json["details"]
    assert detail["field"] == "rule.command_regex"
    assert detail["error"].startswith("Regex compilation failed: ")
    assert done.json["changes_applied"] == "none (validation failed before write)"
    after = loose.everything()
    after.pop(str(loose.log))
    assert after == before


BAD: list[tuple[str, str, str]] = [
    ("no JSON", "{", "bad_json"),
    ("no object", "[]", "invalid_operation"),
    ("a key twice", '{"type":"validate","type":"rollback"}', "bad_json"),
    ("no number", '{"type":"validate","x":NaN}', "bad_json"),
    ("nested without end", "[" * 100_000, "bad_json"),
    ("an unknown type", '{"type":"drop_table"}', "invalid_operation"),
    ("an unknown key", '{"type":"validate","shell":"x"}', "invalid_operation"),
    ("a batch in a batch", '{"type":"batch","operations":[{"type":"batch"}]}', "invalid_operation"),
]


@pytest.mark.parametrize(("why", "text", "kind"), BAD, ids=[why for why, _, _ in BAD])
def test_what_is_no_operation_is_refused_with_one_document(
    loose: Reviewer, why: str, text: str, kind: str
) -> None:
    done = loose.apply(text)
    assert (done.code, done.json["error_type"]) == (1, kind), why
    assert loose.file.read_text() == RULES


# Which file


def test_a_file_must_be_named_and_the_one_that_is_there_is_not_guessed(loose: Reviewer) -> None:
    done = loose.run("apply", "--json", json.dumps(adding()))
    assert (done.code, done.json["error_type"]) == (1, "missing_target")
    assert str(loose.file) in done.json["details"][0]["suggestion"]
    assert loose.file.read_text() == RULES


def test_the_variable_for_the_rules_file_is_honoured_in_that_hint(loose: Reviewer) -> None:
    other = loose.home / "mine.toml"
    other.write_text(RULES)
    done = loose.run(
        "apply", "--json", json.dumps(adding()), env={"CLAUDE_PERMISSIONS_CONFIG": str(other)}
    )
    assert done.json["details"][0]["suggestion"].startswith(f"Name one of: {other}")


def test_the_operation_names_its_file_before_the_option_does(loose: Reviewer) -> None:
    other = loose.folder / "other.toml"
    other.write_text(RULES)
    answer = loose.made(adding(target_file=str(other)), "--target-file", str(loose.file))
    assert str(other) in answer["changes"][0]
    assert loose.file.read_text() == RULES


def test_a_tilde_is_the_home_and_the_answer_shows_the_whole_path(loose: Reviewer) -> None:
    place = loose.home / ".config"
    place.mkdir()
    (place / "my.toml").write_text(RULES)
    answer = loose.made(adding(target_file="~/.config/my.toml"), "--dry-run")
    assert answer["target_file"] == str(place / "my.toml")


def _no_file(at: Reviewer) -> str:
    return str(at.folder / "missing.toml")


def _a_folder(at: Reviewer) -> str:
    (at.folder / "dir.toml").mkdir()
    return str(at.folder / "dir.toml")


def _another_kind(at: Reviewer) -> str:
    (at.folder / "x.txt").write_text(RULES)
    return str(at.folder / "x.txt")


def _a_pipe(at: Reviewer) -> str:
    os.mkfifo(at.folder / "p.toml")
    return str(at.folder / "p.toml")


def _a_loop(at: Reviewer) -> str:
    (at.folder / "loop.toml").symlink_to("loop.toml")
    return str(at.folder / "loop.toml")


def _a_project(at: Reviewer) -> str:
    file = at.folder / "pyproject.toml"
    file.write_text('[project]\nname = "x"\n[tool.ruff]\nline-length = 100\n')
    return str(file)


@pytest.mark.parametrize(
    "place", [_no_file, _a_folder, _another_kind, _a_pipe, _a_loop, _a_project]
)
def test_only_a_rules_file_that_is_there_is_written(
    loose: Reviewer, place: Callable[[Reviewer], str]
) -> None:
    target = place(loose)
    before = loose.everything()
    done = loose.apply(adding(), "--target-file", target)
    assert done.code == 1, done.out
    after = loose.everything()
    after.pop(str(loose.log))
    assert after == before


def test_a_link_is_followed_and_stays_a_link_and_the_mode_stays(loose: Reviewer) -> None:
    loose.file.chmod(0o640)
    link = loose.home / "linked.toml"
    link.symlink_to(loose.file)
    loose.made(adding(), "--target-file", str(link))
    assert link.is_symlink()
    assert "allow-npm-install" in loose.file.read_text()
    assert stat.S_IMODE(loose.file.stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_stays(loose: Reviewer) -> None:
    os.chown(loose.file, 1234, 2345)
    loose.made(adding())
    assert (loose.file.stat().st_uid, loose.file.stat().st_gid) == (1234, 2345)


def test_nothing_is_left_beside_the_file_but_its_copy(loose: Reviewer) -> None:
    loose.made(adding())
    assert {file.name for file in loose.folder.iterdir()} == {loose.name, *loose.backups()}


# Warnings


BROAD = {"id": "allow-all", "tool": "Bash", "command_regex": ".*"}


def test_warnings_do_not_stop_an_edit_and_are_shown(loose: Reviewer) -> None:
    done = loose.apply(adding(BROAD))
    found = done.json["validation"]
    assert (done.code, found["blocking_passed"]) == (0, True)
    assert found["warnings"]
    assert set(found["warnings"][0]) == {"type", "message", "suggestion"}
    assert "forced" not in found
    assert found["warnings"][0]["message"] in done.err


def test_force_keeps_warnings_off_the_terminal_and_says_so(loose: Reviewer) -> None:
    done = loose.apply(adding(BROAD), "--force")
    assert done.json["validation"]["forced"] is True
    assert done.json["validation"]["warnings"]
    assert done.err == ""


def test_force_never_passes_what_blocks(loose: Reviewer) -> None:
    done = loose.apply(adding({**NPM, "command_regex": "("}), "--force")
    assert (done.code, done.json["error_type"]) == (1, "blocking_validation")
    assert loose.file.read_text() == RULES


# The logs


def test_an_edit_is_logged_with_who_made_it(loose: Reviewer) -> None:
    loose.made(adding(), "--applied-by", "claude-v2-alpha")
    (line,) = loose.logged()
    assert {"timestamp", "operation", "applied_by", "target_file", "changes", "validation"} <= {
        *line
    }
    assert (line["operation"], line["applied_by"], line["success"]) == (
        "add_rule",
        "claude-v2-alpha",
        True,
    )
    assert (line["target_file"], line["rollback_info"]["type"]) == (str(loose.file), "backup")
    assert stat.S_IMODE(loose.log.stat().st_mode) == 0o600


def test_a_failed_edit_is_logged_too_and_a_dry_run_is_not(loose: Reviewer) -> None:
    loose.apply({"type": "remove_rule", "id": "nobody"})
    loose.apply(adding(), "--dry-run")
    (line,) = loose.logged()
    assert (line["success"], line["operation"]) == (False, "remove_rule")
    assert line["details"][0]["error"]


def test_no_secret_gets_into_a_log(loose: Reviewer) -> None:
    secret = "sk-ant-REDACTED"
    loose.apply({"type": "update_llm_config", "changes": {"api_key": secret, "model": "m"}})
    rule = {**NPM, "description": f"password={secret}"}
    loose.apply(adding(rule))
    state = loose.home / ".local/state"
    texts = [loose.log, *(file for file in state.rglob("*") if file.is_file())]
    assert len(texts) > 1
    assert not any(secret in file.read_text(errors="replace") for file in texts)


def test_where_the_log_takes_no_line_nothing_is_changed(loose: Reviewer) -> None:
    loose.log.parent.mkdir()
    loose.log.symlink_to(loose.home / "elsewhere")
    done = loose.apply(adding())
    assert (done.code, done.json["error_type"]) == (1, "reviewer_log")
    assert done.json["operation"] == "add_rule"
    assert loose.file.read_text() == RULES
    assert not (loose.home / "elsewhere").exists()


def test_the_name_comes_from_the_option_then_the_variable_then_the_system(loose: Reviewer) -> None:
    loose.apply(adding(), env={"DECISION_REVIEWER_ACTOR": "robot"})
    loose.apply({"type": "remove_rule", "id": NPM["id"]})
    assert loose.logged()[0]["applied_by"] == "robot"
    assert loose.logged()[1]["applied_by"] not in ("", "robot")


def test_the_record_of_the_workspace_tells_of_it_and_holds(kept: Reviewer) -> None:
    kept.made(adding(), "--applied-by", "ada")
    (log,) = (kept.home / ".local/state/penstock").glob("rules-*/audit.jsonl")
    events = [json.loads(line) for line in log.read_text().splitlines()]
    ops = ["proposed", "applying", "rules_changing", "applied", "rules_changed"]
    assert [event["op"] for event in events] == ops
    assert events[4]["commit"] == kept.repo.head()
    assert (events[4]["path"], events[4]["rules"]) == (kept.name, ["allow-npm-install"])
    assert events[4]["by"] == "ada"


def test_validate_says_whether_a_file_holds_and_changes_nothing(loose: Reviewer) -> None:
    assert loose.made({"type": "validate"})["validation"]["blocking_passed"] is True
    loose.file.write_text(RULES + "\nbroken\n")
    done = loose.apply({"type": "validate"})
    assert (done.code, done.json["success"]) == (1, False)
    assert loose.backups() == []


def test_an_edit_that_changes_nothing_makes_no_version(kept: Reviewer) -> None:
    before = kept.repo.head()
    answer = kept.made({"type": "toggle_rule", "id": "deny-rm", "enabled": True})
    assert answer["rollback_info"]["type"] == "none"
    assert (answer["changes"], kept.repo.head()) == ([], before)
