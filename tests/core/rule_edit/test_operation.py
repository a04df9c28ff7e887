"""Reading operations: what is asked for is understood in full, or refused in full."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.rule_edit.edit import EditError, Operation, Position, parse_operation

RULE: dict[str, Any] = {"id": "n", "tool": "Bash", "command_regex": "^ls"}
ADD: dict[str, Any] = {"type": "add_rule", "rule_type": "allow", "rule": RULE}


def refused(document: object) -> list[tuple[str, str]]:
    with pytest.raises(EditError) as error:
        parse_operation(document)
    assert error.value.error_type == "invalid_operation"
    assert error.value.code == "invalid-operation"
    return [(one.field, one.error) for one in error.value.details]


def test_an_operation_says_what_was_asked() -> None:
    made = parse_operation({**ADD, "target_file": "~/x.toml", "position": {"before": "a"}})
    assert (made.type, made.rule_type, made.rule_id) == ("add_rule", "allow", "n")
    assert made.position == Position(where="before", id="a")
    assert made.files == ("~/x.toml",)
    assert made.each == (made,)
    assert made.aimed(str.upper).files == ("~/X.TOML",)


def test_the_parts_of_a_batch_take_its_file() -> None:
    parts = [{"type": "remove_rule", "id": "a"}, {**ADD, "target_file": "b.toml"}]
    made = parse_operation({"type": "batch", "target_file": "a.toml", "operations": parts})
    assert [one.target_file for one in made.each] == ["a.toml", "b.toml"]
    assert made.files == ("a.toml", "b.toml")
    assert made.aimed(lambda name: f"/{name}").files == ("/a.toml", "/b.toml")
    assert [one.place for one in made.each] == ["operations[0].", "operations[1]."]


GOOD: list[dict[str, Any]] = [
    {"type": "remove_rule", "id": "a"},
    {"type": "update_rule", "id": "a", "changes": {"tool": None, "enabled": False, "max_bytes": 1}},
    {"type": "toggle_rule", "id": "a", "enabled": True},
    {"type": "reorder_rule", "id": "a", "move_to": "start"},
    {"type": "update_llm_config", "changes": {"temperature": 0.2, "enabled": True}},
    {"type": "update_llm_prompt", "prompt": "a\nb"},
    {"type": "update_llm_prompt", "prompt": None},
    {"type": "add_include", "path": "x.toml"},
    {"type": "remove_include", "path": "x.toml"},
    {"type": "rollback", "to_commit": "abc123def"},
    {"type": "rollback", "to_commit": "HEAD~1"},
    {"type": "rollback", "to_backup": "x.toml.20251101T102345Z.bak"},
    {"type": "rollback", "to_backup": "a\\b.toml.20251101T102345Z.bak"},
    {"type": "batch", "operations": [{"type": "rollback", "to_commit": "abcd"}]},
    {"type": "validate"},
]


@pytest.mark.parametrize("file", ["two\nlines/x.toml", "caf\udce9/x.toml"])
def test_a_rules_file_may_lie_in_any_directory(file: str) -> None:
    assert parse_operation({**ADD, "target_file": file}).files == (file,)


@pytest.mark.parametrize("document", GOOD)
def test_every_operation_is_read(document: dict[str, Any]) -> None:
    assert parse_operation(document).type == document["type"]


BAD: list[tuple[object, str, str]] = [
    (None, "", "must be a JSON object"),
    ([], "", "must be a JSON object"),
    ("add_rule", "", "must be a JSON object"),
    ({}, "type", "missing"),
    ({"type": "drop_all"}, "type", "unknown operation type `drop_all`"),
    ({"type": ["add_rule"]}, "type", "unknown operation type a list"),
    ({"type": "add_rule"}, "rule", "Missing required field: rule"),
    ({**ADD, "force": True}, "force", "unknown key in add_rule"),
    ({**ADD, "rule_type": "permit"}, "rule_type", "must be one of deny, ask, warn, allow, safe"),
    ({**ADD, "rule": [RULE]}, "rule", "must be an object, not a list"),
    ({**ADD, "rule": {"tool": "Bash"}}, "rule.id", "Missing required field: id"),
    ({**ADD, "rule": {**RULE, "comand_regex": "x"}}, "rule.comand_regex", "unknown field"),
    ({**ADD, "rule": {**RULE, "id": "a\nb"}}, "rule.id", "is no id"),
    ({**ADD, "rule": {**RULE, "id": " "}}, "rule.id", "is no id"),
    ({**ADD, "rule": {**RULE, "id": "x" * 201}}, "rule.id", "longer than 200"),
    ({**ADD, "rule": {**RULE, "id": 7}}, "rule.id", "must be text, not `7`"),
    ({**ADD, "rule": {**RULE, "tool": None}}, "rule.tool", "must be text, not `null`"),
    ({**ADD, "rule": {**RULE, "tool": {"a": 1}}}, "rule.tool", "must be text, not an object"),
    ({**ADD, "rule": {**RULE, "tool": "a\0b"}}, "rule.tool", "no file can hold"),
    ({**ADD, "rule": {**RULE, "tool": "\ud800"}}, "rule.tool", "no file can hold"),
    ({**ADD, "rule": {**RULE, "match": [1]}}, "rule.match", "must be text, not `1`"),
    ({**ADD, "rule": {**RULE, "match": ["a"] * 1001}}, "rule.match", "more than 1000"),
    ({**ADD, "rule": {**RULE, "max_bytes": 2**70}}, "rule.max_bytes", "beyond all limits"),
    ({**ADD, "rule": {**RULE, "max_bytes": 10**5000}}, "rule.max_bytes", "beyond all limits"),
    ({**ADD, "rule": {**RULE, "max_bytes": float("nan")}}, "rule.max_bytes", "beyond all limits"),
    ({**ADD, "rule": {**RULE, "description": "x" * 20_001}}, "rule.description", "longer than"),
    ({**ADD, "section": "Not Kebab"}, "section", "is no section"),
    ({**ADD, "position": 3}, "position", "`3` is no position"),
    ({**ADD, "position": {"before": "a", "after": "b"}}, "position", "an object is no position"),
    ({**ADD, "position": {"near": "a"}}, "position", "is no position"),
    ({**ADD, "position": 10**5000}, "position", "a number beyond all limits is no position"),
    ({**ADD, "target_file": ""}, "target_file", "is no file name"),
    ({**ADD, "target_file": " "}, "target_file", "is no file name"),
    ({**ADD, "target_file": "a\0b"}, "target_file", "no file can hold"),
    ({**ADD, "target_file": "a\ud800b"}, "target_file", "no file can hold"),
    ({"type": "update_rule", "id": "a", "changes": {}}, "changes", "says nothing"),
    ({"type": "update_rule", "id": "a", "changes": {"x": 1}}, "changes.x", "unknown field"),
    ({"type": "toggle_rule", "id": "a", "enabled": "no"}, "enabled", "must be true or false"),
    ({"type": "rollback"}, "to_commit", "exactly one of"),
    ({"type": "rollback", "to_commit": "ab", "to_backup": "x"}, "to_commit", "is no commit"),
    ({"type": "rollback", "to_commit": "--exec=sh"}, "to_commit", "is no commit"),
    ({"type": "rollback", "to_commit": "abcd; rm -rf ~"}, "to_commit", "is no commit"),
    ({"type": "rollback", "to_commit": "abcd\n"}, "to_commit", "is no commit"),
    ({"type": "rollback", "to_commit": "HEAD:../../etc"}, "to_commit", "is no commit"),
    ({"type": "rollback", "to_backup": "../x.toml.20251101T102345Z.bak"}, "to_backup", "no backup"),
    ({"type": "rollback", "to_backup": "x.bak"}, "to_backup", "no backup"),
    ({"type": "batch", "operations": []}, "operations", "must be a list of 1 to"),
    ({"type": "batch", "operations": [ADD] * 1001}, "operations", "must be a list of 1 to"),
    ({"type": "batch", "operations": {}}, "operations", "must be a list of 1 to"),
    ({"type": "batch", "operations": [{"type": "batch"}]}, "operations[0].type", "cannot hold"),
    ({"type": "batch", "operations": [ADD, GOOD[9]]}, "operations", "not both"),
    (
        {"type": "batch", "operations": [{"type": "rollback"}]},
        "operations[0].to_commit",
        "exactly one of",
    ),
    ({"type": "batch", "operations": [None]}, "operations[0]", "must be a JSON object"),
]


@pytest.mark.parametrize(("document", "field", "error"), BAD)
def test_what_is_not_understood_is_refused(document: object, field: str, error: str) -> None:
    details = refused(document)
    assert any(one == field and error in told for one, told in details), details


def test_everything_that_is_wrong_is_told_at_once() -> None:
    details = refused(
        {"type": "add_rule", "rule": {"toool": 1, "match": [3]}, "rule_type": 4, "x": 5}
    )
    assert [field for field, _ in details] == [
        "x",
        "rule.toool",
        "rule.match",
        "rule.id",
        "rule_type",
    ]


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = ["type", "rule_type", "rule", "id", "changes", "enabled", "move_to", "path", "operations"]


@settings(max_examples=300, deadline=None)
@given(
    st.fixed_dictionaries(
        {"type": st.sampled_from([one["type"] for one in GOOD] + ["batch", "add_rule"])},
        optional=dict.fromkeys(KEYS[1:], ANYTHING),
    )
)
def test_any_document_is_an_operation_or_an_error(document: dict[str, Any]) -> None:
    try:
        made = parse_operation(document)
    except EditError as error:
        json.dumps([error.details[0].as_json()])
        return
    assert isinstance(made, Operation)
