"""What stops an edit, what should be known about it, and how both are told."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.rule_edit.edit import (
    EditCheck,
    checked,
    commit_message,
    edited,
    parse_operation,
    restored,
    told,
)

HOOK = "claude-code-permissions-hook.toml"
OWN = "penstock.toml"
FLAT = """\
[logging]
log_file = "/tmp/x"

[[allow]]
id = "allow-cargo-safe"
tool = "Bash"
command_regex = "^cargo (build|test|check)( |$)"

[[deny]]
id = "no-rm"
tool = "Bash"
command_regex = "rm "
"""
SAFE = "[\\n\\r;&|<>`]|\\$\\("
RULE: dict[str, Any] = {
    "id": "new",
    "tool": "Bash",
    "command_regex": "^npm install( |$)",
    "command_exclude_regex": SAFE,
}


def check(
    text: str, file: str = HOOK, others: dict[str, str] | None = None, **op: Any
) -> EditCheck:
    operation = parse_operation(op)
    files = {name: data.encode() for name, data in {file: text, **(others or {})}.items()}
    made = edited({file: files[file]}, operation)
    return checked(files.get, file, made, operation)


def adding(rule: dict[str, Any], text: str = FLAT, kind: str = "allow", **more: Any) -> EditCheck:
    return check(text, type="add_rule", rule_type=kind, rule=rule, **more)


def without(*keys: str, **more: Any) -> dict[str, Any]:
    return {key: value for key, value in RULE.items() if key not in keys} | more


def test_a_good_rule_has_nothing_against_it() -> None:
    found = adding(RULE)
    assert (found.blocking, found.warnings, found.overlaps) == ((), (), ())
    assert found.loaded is not None
    assert "new" in [rule.id for rule in found.loaded.rules]


# --- what blocks ------------------------------------------------------------------------

BOTH = "Rule must specify exactly one of 'tool' or 'tool_regex', not both"
NONE = "Missing required field: tool or tool_regex"
PARENTHESIS = "Regex compilation failed: unmatched parenthesis at position 13"
CLOSE = "Check regex syntax. Expected closing ')' for group."
LOOK = "Regex compilation failed: look-around is not supported at position 4"
BLOCKING: list[tuple[dict[str, Any], str, str, str]] = [
    (without(command_regex="^npm install ((a)"), "rule.command_regex", PARENTHESIS, CLOSE),
    (
        without(command_exclude_regex="^npm install ((a)"),
        "rule.command_exclude_regex",
        PARENTHESIS,
        CLOSE,
    ),
    (without(command_regex="^npm(?!x)"), "rule.command_regex", LOOK, "exclude_regex"),
    (without(command_regex=r"(a)\1"), "rule.command_regex", "back-references", ""),
    (without(command_regex="a{2000}"), "rule.command_regex", "repetition out of range", ""),
    (without(command_regex=r"\Qa\E"), "rule.command_regex", "`\\Q` at position 0", ""),
    (without(command_regex="x" * 10_001), "rule.command_regex", "longer than 10000", ""),
    (without("tool"), "rule.tool", NONE, ""),
    (without(tool_regex="Bash"), "rule.tool_regex", BOTH, ""),
    (without(tool=""), "rule", NONE, ""),
    (without(tool=5), "rule.tool", "must be text in quotes, not `5`", ""),
    (without(paths=["x"]), "rule.paths", "means nothing in a rule file of the original", ""),
]


@pytest.mark.parametrize(("rule", "field", "error", "suggestion"), BLOCKING)
def test_a_rule_that_is_wrong_is_refused_with_its_field(
    rule: dict[str, Any], field: str, error: str, suggestion: str
) -> None:
    (detail,) = adding(rule).blocking
    assert detail.field == field
    assert error in detail.error
    assert suggestion in detail.suggestion


OURS: list[tuple[dict[str, Any], str, str]] = [
    ({"id": "n"}, "rule.tool", NONE),
    ({"id": "n", "prompt_regex": "x"}, "rule.tool", NONE),
    ({"id": "n", "paths": ["a"], "actions": ["fly"]}, "rule.actions", "holds `fly`"),
    (
        {"id": "n", "tool": "Bash", "command_regex": "^a", "match": ["b"]},
        "rule.match",
        "own `match`",
    ),
    ({"id": "n", "paths": ["a"], "not_match": ["a"]}, "rule.not_match", "own `not_match`"),
    ({"id": "n", "paths": ["a"], "expires_at": "soon"}, "rule.expires_at", "not a date"),
    ({"id": "n", "tool": "Bash", "tool_regex": "B"}, "rule.tool_regex", BOTH),
]


@pytest.mark.parametrize(("rule", "field", "error"), OURS)
def test_rules_of_our_own_format_are_held_to_it(
    rule: dict[str, Any], field: str, error: str
) -> None:
    (detail,) = adding(rule, "version = 1\n", file=OWN).blocking
    assert (detail.field, error in detail.error) == (field, True)


def test_what_an_update_would_leave_is_what_counts() -> None:
    change: dict[str, Any] = {"type": "update_rule", "id": "no-rm", "changes": {"tool_regex": "^B"}}
    (detail,) = check(FLAT, **change).blocking
    assert (detail.field, detail.error) == ("changes.tool_regex", BOTH)
    change["changes"] = {"tool_regex": "^B", "tool": None}
    assert check(FLAT, **change).blocking == ()


def test_a_part_of_a_batch_is_named_by_its_place() -> None:
    parts = [
        {"type": "remove_rule", "id": "no-rm"},
        {"type": "add_rule", "rule_type": "allow", "rule": without("tool")},
    ]
    (detail,) = check(FLAT, type="batch", operations=parts).blocking
    assert detail.field == "operations[1].rule.tool"


def test_what_a_later_part_mends_is_not_wrong() -> None:
    parts = [
        {"type": "add_rule", "rule_type": "allow", "rule": without("tool")},
        {"type": "update_rule", "id": "new", "changes": {"tool": "Bash"}},
    ]
    assert check(FLAT, type="batch", operations=parts).blocking == ()


def test_includes_are_followed_into_circles_and_into_nothing() -> None:
    inner = f'[includes]\nfiles = ["{HOOK}"]\n'
    (detail,) = check(FLAT, others={"b.toml": inner}, type="add_include", path="b.toml").blocking
    assert detail.error == "Failed to load config: circular include detected"
    assert detail.field == "path"
    (detail,) = check(FLAT, type="add_include", path="none.toml").blocking
    assert detail.field == "path"
    assert detail.error == "Failed to load config: included file `none.toml` is missing"


def test_an_id_of_an_included_file_is_taken() -> None:
    text = 'version = 1\n[includes]\nfiles = ["more.toml"]\n'
    more = 'version = 1\n[[deny]]\nid = "new"\npaths = ["x"]\n'
    found = adding({"id": "new", "paths": ["y"]}, text, file=OWN, others={"more.toml": more})
    (detail,) = found.blocking
    assert (detail.field, detail.error) == ("rule.id", "Rule with id 'new' already exists")


def test_an_edited_file_that_nobody_includes_must_load_too() -> None:
    files = {OWN: b"version = 1\n", "other.toml": b'[[ask]]\nid = "a"\npaths = ["x"]\n'}
    operation = parse_operation(
        {"type": "update_rule", "id": "a", "changes": {"paths": []}, "target_file": "other.toml"}
    )
    made = edited(files, operation)
    (detail,) = checked(files.get, OWN, made, operation).blocking
    assert "is an empty list" in detail.error


def test_a_rule_elsewhere_that_is_broken_stops_an_edit_until_it_is_gone() -> None:
    broken = FLAT + '\n[[deny]]\nid = "bad"\ntool = "Bash"\ncommand_regex = "("\n'
    (detail,) = adding(RULE, broken).blocking
    assert detail.field == f"{HOOK}:17"
    assert detail.error.startswith("Failed to load config: command_regex invalid: unmatched paren")
    assert check(broken, type="remove_rule", id="bad").blocking == ()


def test_a_file_with_a_thousand_broken_rules_is_refused_like_one_with_a_few() -> None:
    found = adding(RULE, FLAT + "[[deny]]\n" * 1200)
    assert len(found.blocking) == 100


def test_a_model_that_is_switched_on_needs_an_address() -> None:
    change: dict[str, Any] = {
        "type": "update_llm_config",
        "changes": {"enabled": True, "model": "m"},
    }
    (detail,) = check(FLAT, **change).blocking
    assert detail.error == "[llm_fallback] is enabled without `endpoint`"


def test_an_older_text_is_checked_like_any_edit() -> None:
    operation = parse_operation({"type": "rollback", "to_commit": "abcdef12"})
    older = restored(HOOK, FLAT.replace('"rm "', '"("').encode())
    assert checked(lambda _: None, HOOK, older, operation).blocking
    older = restored(HOOK, FLAT.encode())
    assert checked(lambda _: None, HOOK, older, operation).blocking == ()
    assert told(older.changes[0], dry_run=False) == f"Restored {HOOK}"


# --- what is only said ------------------------------------------------------------------


def kinds(found: EditCheck) -> list[str]:
    assert not found.blocking
    return [one.type for one in found.warnings]


def test_an_overlap_is_told_in_the_words_of_the_spec() -> None:
    found = adding(without(command_regex="^cargo (run|test)( |$)"))
    overlap = next(one for one in found.warnings if one.type == "rule_overlap")
    assert overlap.as_json() == {
        "type": "rule_overlap",
        "message": "New rule may overlap with existing rule 'allow-cargo-safe'",
        "suggestion": "Consider narrowing the command_regex pattern",
    }
    assert found.overlaps == ("allow-cargo-safe",)


WARNED: list[tuple[dict[str, Any], list[str], str]] = [
    (without(), [], "nothing to say"),
    (
        without(command_regex=".*", command_exclude_regex="^$"),
        ["broad_pattern", "rule_overlap"],
        "anything",
    ),
    (without("command_exclude_regex"), ["broad_pattern"], "a second command may follow"),
    (without(command_exclude_regex="&|;|\\||`|\\$\\("), ["broad_pattern"], "a newline, > and <"),
    (without(command_regex="npm install$"), [], "not anchored, but the exclusion covers it"),
    (without(command_regex="^cargo build( |$)"), ["rule_overlap", "shadowed_rule"], "said already"),
    (without(command_regex="^rm -r x$"), ["rule_overlap", "shadowed_rule"], "denied anyway"),
    (without(command_regex="^(a+)+$"), ["performance_impact"], "repeats what repeats"),
    (without(command_regex="^x{900}y{900}$"), ["performance_impact"], "a large program"),
    (
        {"id": "n", "tool": "Read", "file_path_regex": "^/project/"},
        ["broad_pattern"],
        "`..` leads out again",
    ),
    ({"id": "n", "tool": "Read", "file_path_regex": ".*"}, ["broad_pattern"], "any file"),
    ({"id": "n", "tool_regex": ".*"}, ["broad_pattern"], "any tool"),
    ({"id": "n", "tool": "Bash"}, ["never_matches"], "the original needs a field"),
    ({"id": "n", "tool": "Task", "subagent_type": "x"}, [], "an exact name"),
    ({"id": "n", "tool_regex": "^mcp__docs__get"}, [], "a tool of its own"),
]


@pytest.mark.parametrize(("rule", "expected", "why"), WARNED)
def test_a_doubtful_rule_is_written_with_a_warning(
    rule: dict[str, Any], expected: list[str], why: str
) -> None:
    assert list(dict.fromkeys(kinds(adding(rule)))) == expected, why


def test_what_slips_past_an_exclusion_is_named_with_an_example() -> None:
    (found,) = adding(without(command_exclude_regex="&|;|\\||`|\\$\\(")).warnings
    assert "a newline, `>`, `<`" in found.message
    assert "npm install \\nrm -rf ~" in found.message
    assert "command_exclude_regex" in found.suggestion
    assert kinds(adding(without(), kind="deny")) == []


def test_globs_are_looked_at_as_well() -> None:
    text = 'version = 1\n[[deny]]\nid = "d"\npaths = ["secrets/**"]\n'
    wide = adding({"id": "n", "paths": ["**"]}, text, file=OWN)
    assert kinds(wide) == ["broad_pattern", "rule_overlap"]
    hidden = adding({"id": "n", "paths": ["secrets/a.txt"]}, text, file=OWN)
    assert kinds(hidden) == ["rule_overlap", "shadowed_rule"]
    assert kinds(adding({"id": "n", "paths": ["docs/**"]}, text, file=OWN)) == []
    odd = adding({"id": "n", "paths": ["a/{b,c}"]}, text, file=OWN)
    assert kinds(odd) == ["glob_syntax"]


def test_lists_that_an_include_loses_are_told() -> None:
    more = '[[deny]]\ntool = "Bash"\ncommand_regex = "x"\n'
    found = check(FLAT, others={"m.toml": more}, type="add_include", path="m.toml")
    assert kinds(found) == ["dropped_rules"]


def test_a_key_that_changes_the_dialect_of_a_file_is_told() -> None:
    found = adding(without(reason="because"))
    assert kinds(found) == ["dialect_change"]


def test_a_changed_or_enabled_rule_is_looked_at_like_a_new_one() -> None:
    change: dict[str, Any] = {
        "type": "update_rule",
        "id": "no-rm",
        "changes": {"command_regex": "^cargo b"},
    }
    (overlap, *_) = check(FLAT, **change).warnings
    assert overlap.message == "Changed rule may overlap with existing rule 'allow-cargo-safe'"
    moved: dict[str, Any] = {"type": "reorder_rule", "id": "no-rm", "move_to": "start"}
    assert kinds(check(FLAT, **moved)) == []


def test_many_rules_alike_are_told_of_a_few_times() -> None:
    rule = '[[allow]]\nid = "r{}"\ntool = "Bash"\ncommand_regex = "^npm install"\n'
    text = FLAT + "".join(rule.format(number) for number in range(700))
    found = adding(RULE, text)
    assert kinds(found).count("rule_overlap") == 5
    assert 100 < len(found.overlaps) <= 700


# --- how it is told ---------------------------------------------------------------------

SUBJECTS: list[tuple[dict[str, Any], str]] = [
    (
        {"type": "add_rule", "rule_type": "allow", "rule": RULE},
        "feat(config): Add allow rule for 'npm install'",
    ),
    (
        {"type": "add_rule", "rule_type": "deny", "rule": without(command_regex="x|y")},
        "feat(config): Add deny rule for 'new'",
    ),
    (
        {"type": "add_rule", "rule_type": "deny", "rule": without(command_regex="^(a|b)c")},
        "feat(config): Add deny rule for 'new'",
    ),
    (
        {"type": "add_rule", "rule_type": "deny", "rule": without(command_regex=r"^ls\.?x")},
        "feat(config): Add deny rule for 'ls'",
    ),
    (
        {"type": "add_rule", "rule_type": "deny", "rule": without(command_regex="^ls|rm")},
        "feat(config): Add deny rule for 'new'",
    ),
    ({"type": "remove_rule", "id": "no-rm"}, "feat(config): Remove rule 'no-rm'"),
    (
        {"type": "update_rule", "id": "no-rm", "changes": {"tool": "x"}},
        "feat(config): Update rule 'no-rm'",
    ),
    (
        {"type": "toggle_rule", "id": "no-rm", "enabled": False},
        "feat(config): Disable rule 'no-rm'",
    ),
    (
        {"type": "update_llm_config", "changes": {"model": "m"}},
        "feat(config): Update LLM configuration (model)",
    ),
    ({"type": "update_llm_prompt", "prompt": "x"}, "feat(config): Update LLM prompt"),
    ({"type": "add_include", "path": "x.toml"}, "feat(config): Add include 'x.toml'"),
    (
        {
            "type": "batch",
            "operations": [
                {"type": "remove_rule", "id": "no-rm"},
                {"type": "remove_rule", "id": "allow-cargo-safe"},
            ],
        },
        "feat(config): Apply 2 changes",
    ),
]


@pytest.mark.parametrize(("document", "subject"), SUBJECTS)
def test_a_commit_says_in_one_line_what_it_is(document: dict[str, Any], subject: str) -> None:
    operation = parse_operation(document)
    made = edited({HOOK: FLAT.encode()}, operation)
    text = commit_message(
        operation, made.changes, applied_by="me", timestamp="2025-11-01T10:23:45Z", warnings=0
    )
    assert text.split("\n")[0] == subject
    for change in made.changes:
        assert told(change, dry_run=True).startswith("Would ")
        assert f" {HOOK} at line " in told(change, dry_run=False)


def test_a_commit_has_the_lines_of_the_spec() -> None:
    operation = parse_operation({"type": "add_rule", "rule_type": "allow", "rule": RULE})
    made = edited({HOOK: FLAT.encode()}, operation)
    text = commit_message(
        operation,
        made.changes,
        applied_by="claude\nX: y",
        timestamp="2025-11-01T10:23:45Z",
        warnings=2,
    )
    assert text == (
        "feat(config): Add allow rule for 'npm install'\n\n"
        "Operation: add_rule\nRule ID: new\nApplied by: claude⟦U+000A LF⟧X: y\n"
        "Timestamp: 2025-11-01T10:23:45Z\nValidation: Passed (2 warnings)\n\n"
        "\N{ROBOT FACE} Generated with decision_reviewer\n"
    )


def test_a_rollback_names_where_it_goes() -> None:
    operation = parse_operation({"type": "rollback", "to_commit": "abcdef1234567890"})
    text = commit_message(operation, (), applied_by="x", timestamp="t", warnings=0)
    assert text.startswith("revert(config): Roll back to abcdef123456\n")


# --- where a fault is told ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"temperature": 5}, "changes.temperature"),
        ({"timeout_secs": -1, "model": "m"}, "changes.timeout_secs"),
        ({"endpoint": "ftp://x"}, "changes.endpoint"),
        ({"enabled": "yes"}, "changes.enabled"),
    ],
)
def test_a_wrong_setting_is_told_at_its_field(changes: dict[str, Any], field: str) -> None:
    (wrong,) = check(FLAT, type="update_llm_config", changes=changes).blocking
    assert wrong.field == field
    assert f"`{field.partition('.')[2]}` in [llm_fallback]" in wrong.error


def test_a_circle_is_told_at_the_part_of_the_batch_that_closes_it() -> None:
    parts = [{"type": "remove_rule", "id": "no-rm"}, {"type": "add_include", "path": HOOK}]
    (wrong,) = check(FLAT, type="batch", operations=parts).blocking
    assert wrong.field == "operations[1].path"
    assert wrong.error == "Failed to load config: circular include detected"


def test_an_id_that_an_included_file_has_is_told_with_its_place() -> None:
    main = '[includes]\nfiles = ["more.toml"]\n[one]\n[[one.deny]]\nid = "a"\ntool = "Read"\n'
    more = '[two]\n[[two.deny]]\nid = "new"\ntool = "Read"\nfile_path_regex = "x"\n'
    found = check(
        main,
        others={"more.toml": more},
        type="add_rule",
        rule_type="allow",
        section="one",
        rule=RULE,
    )
    assert [(one.field, one.error) for one in found.blocking] == [
        ("rule.id", "Rule with id 'new' already exists")
    ]
    assert found.blocking[0].suggestion.startswith("it is at more.toml:2; ")


@pytest.mark.parametrize("key", ["paths", "match", "expires_at", "note"])
def test_a_field_of_ours_does_not_turn_a_file_of_the_original_into_one_of_ours(key: str) -> None:
    found = check(FLAT, "rules.toml", type="add_rule", rule_type="allow", rule={**RULE, key: ["x"]})
    assert [one.field for one in found.blocking] == [f"rule.{key}"]
    assert "means nothing in a rule file of the original" in found.blocking[0].error


@pytest.mark.parametrize("file", ["rules.toml", HOOK])
@pytest.mark.parametrize("head", ["[tools]\n", '[tools]\npriority = 5\ndescription = "x"\n', ""])
def test_the_last_rule_of_a_file_with_sections_can_go(file: str, head: str) -> None:
    text = f'{head}[[tools.deny]]\nid = "a"\ntool = "Bash"\ncommand_regex = "x"\n'
    assert check(text, file, type="remove_rule", id="a").blocking == ()
    assert check(text, file, type="toggle_rule", id="a", enabled=False).blocking == ()


@pytest.mark.parametrize(("regex", "broad"), [("", True), (".*", True), ("^mcp__", False)])
def test_a_rule_that_allows_every_tool_is_told_as_broad(regex: str, broad: bool) -> None:
    found = adding({"id": "new", "tool_regex": regex})
    assert ("broad_pattern" in [one.type for one in found.warnings]) is broad


def test_a_rule_about_every_change_is_no_overlap() -> None:
    text = 'version = 1\npreset = "guard"\n[[ask]]\nid = "large"\nline_threshold = 50\n'
    found = check(text, OWN, type="add_rule", rule_type="deny", rule=without(id="deny-x"))
    assert (found.blocking, found.warnings, found.overlaps) == ((), (), ())
