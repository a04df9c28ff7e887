"""parse(edit(text, e)) == e(parse(text)), and what an edit does not speak of stays as it is."""

from __future__ import annotations

import copy
import random
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.rule_edit.edit import EditError, edited, parse_operation
from tests.core.rule_edit.edit_files import Chunk, files, written

FILE = "rules.toml"
NEW = {
    "id": "new",
    "description": 'it\'s "new"\n',
    "tool": "Bash",
    "command_regex": r"^npm install\b",
    "subagent_type": "x",
}
POSITIONS = st.one_of(
    st.sampled_from(["start", "end"]),
    st.fixed_dictionaries({"before": st.sampled_from(["r0", "r1", "r2", "r3"])}),
    st.fixed_dictionaries({"after": st.sampled_from(["r0", "r1", "r2", "r3"])}),
)
IDS = st.sampled_from([f"r{n}" for n in range(6)])
CHANGES = st.dictionaries(
    st.sampled_from(["tool", "command_regex", "description", "reason", "prompt_regex"]),
    st.one_of(st.none(), st.sampled_from(["plain", "a'b\\", 'q"q', "two\nlines", "\u202e", ""])),
    min_size=1,
)
OPERATIONS = st.one_of(
    st.builds(
        lambda kind, position: {
            "type": "add_rule",
            "rule_type": kind,
            "position": position,
            "rule": NEW,
        },
        st.sampled_from(["allow", "deny"]),
        POSITIONS,
    ),
    st.builds(lambda name: {"type": "remove_rule", "id": name}, IDS),
    st.builds(
        lambda name, changes: {"type": "update_rule", "id": name, "changes": changes}, IDS, CHANGES
    ),
    st.builds(lambda name: {"type": "toggle_rule", "id": name, "enabled": False}, IDS),
    st.builds(lambda name, to: {"type": "reorder_rule", "id": name, "move_to": to}, IDS, POSITIONS),
    st.builds(
        lambda model, warmth: {
            "type": "update_llm_config",
            "changes": {"model": model, "temperature": warmth},
        },
        st.sampled_from(["x", None]),
        st.sampled_from([0.2, 1, None]),
    ),
    st.builds(
        lambda text: {"type": "update_llm_prompt", "prompt": text},
        st.sampled_from(["short", 'a """ b\nc\\\n', None]),
    ),
    st.builds(
        lambda kind, path: {"type": kind, "path": path},
        st.sampled_from(["add_include", "remove_include"]),
        st.sampled_from(["a.toml", "b.toml"]),
    ),
)


def parsed(data: bytes) -> dict[str, Any]:
    return tomllib.loads(data.decode("utf-8-sig"))


def meant(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """Do to a plain document what an operation says; LookupError where it names nothing."""
    document = copy.deepcopy(document)
    kind = operation["type"]
    if kind == "add_rule":
        rules = document.setdefault(operation["rule_type"], [])
        rules.insert(_place(rules, operation["position"]), dict(operation["rule"]))
    elif kind in ("remove_rule", "toggle_rule"):
        rules, at = _found(document, operation["id"])
        del rules[at]
    elif kind == "update_rule":
        rules, at = _found(document, operation["id"])
        _set(rules[at], operation["changes"])
    elif kind == "reorder_rule":
        rules, at = _found(document, operation["id"])
        rule = rules[at]
        if list(getattr(operation["move_to"], "values", lambda: ())()) != [operation["id"]]:
            del rules[at]
            rules.insert(_place(rules, operation["move_to"]), rule)
    elif kind.startswith("update_llm"):
        changes = operation.get("changes", {"system_prompt": operation.get("prompt")})
        _set(document.setdefault("llm_fallback", {}), changes)
    else:
        files_ = document.setdefault("includes", {}).setdefault("files", [])
        if (operation["path"] in files_) is (kind == "add_include"):
            raise LookupError
        (files_.append if kind == "add_include" else files_.remove)(operation["path"])
    return {key: value for key, value in document.items() if value not in ([], {})}


def _set(table: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        table[key] = value
        if value is None:
            del table[key]


def _found(document: dict[str, Any], name: str) -> tuple[list[Any], int]:
    tables = [document, *(table for table in document.values() if isinstance(table, dict))]
    for rules in (table.get(kind, []) for table in tables for kind in ("allow", "deny", "ask")):
        for at, rule in enumerate(rules):
            if rule.get("id") == name:
                return rules, at
    raise LookupError(name)


def _place(rules: list[Any], position: Any) -> int:
    if isinstance(position, str):
        return 0 if position == "start" else len(rules)
    ((where, name),) = position.items()
    names = [rule.get("id") for rule in rules]
    return names.index(name) + (1 if where == "after" else 0)


@settings(max_examples=150, deadline=None)
@given(files(), OPERATIONS, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_an_edit_says_what_the_operation_says_and_leaves_the_rest(
    chunks: list[Chunk], operation: dict[str, Any], newline: str, final: bool, bom: bool
) -> None:
    data = written(chunks, newline=newline, final=final, bom=bom)
    newline = newline if newline.encode() in data else "\n"  # a file of one line has none
    try:
        expected = meant(parsed(data), operation)
    except (LookupError, ValueError):
        with pytest.raises(EditError):
            edited({FILE: data}, parse_operation(operation))
        return
    made = edited({FILE: data}, parse_operation(operation)).texts.get(FILE, data)
    left = {key: value for key, value in parsed(made).items() if value not in ([], {})}
    assert left == expected
    assert repr(sorted(map(repr, _leaves(left)))) == repr(sorted(map(repr, _leaves(expected))))
    assert made.startswith(b"\xef\xbb\xbf") is bom
    _check_untouched(chunks, operation, made.decode("utf-8-sig"), newline)
    if b"\r\n" in data:
        assert made.count(b"\n") == made.count(b"\r\n")


def _leaves(value: Any) -> list[Any]:
    """All plain values: dictionaries are equal when 1 is True, their texts are not."""
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in _leaves(one)]
    return [value]


def _check_untouched(
    chunks: list[Chunk], operation: dict[str, Any], text: str, newline: str
) -> None:
    """Every chunk that the operation does not name is there in one piece, and in its order."""
    settings_ = operation["type"].startswith(("update_llm", "add_include", "remove_include"))
    if settings_:
        others = [c for c in chunks if c.name or not c.text.lstrip().startswith("[")]
    else:
        others = [c for c in chunks if not c.name or c.name != operation.get("id")]
    at = 0
    padded = f"{text}{newline}"
    for chunk in others:
        found = padded.find(chunk.text.replace("\n", newline), at)
        assert found >= 0, (chunk.text, text)
        at = found + len(chunk.text)


@settings(max_examples=60, deadline=None)
@given(files(), IDS, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_was_switched_off_comes_back_byte_for_byte(
    chunks: list[Chunk], name: str, newline: str, final: bool
) -> None:
    data = written(chunks, newline=newline, final=final)
    if name not in [chunk.name for chunk in chunks]:
        return
    off = _edit(data, type="toggle_rule", id=name, enabled=False)
    assert f"# disabled by decision_reviewer: {name}".encode() in off
    assert _edit(off, type="toggle_rule", id=name, enabled=False) == off
    assert _edit(off, type="toggle_rule", id=name, enabled=True) == data


@settings(max_examples=60, deadline=None)
@given(files(), POSITIONS, st.sampled_from(["allow", "deny"]), st.booleans())
def test_a_rule_that_was_added_goes_without_a_trace(
    chunks: list[Chunk], position: Any, kind: str, final: bool
) -> None:
    data = written(chunks, final=final)
    try:
        more = _edit(data, type="add_rule", rule_type=kind, rule=NEW, position=position)
    except EditError:
        return
    assert _edit(more, type="remove_rule", id="new") == data


def _edit(data: bytes, **operation: Any) -> bytes:
    return dict(edited({FILE: data}, parse_operation(operation)).texts).get(FILE, data)


@settings(max_examples=40, deadline=None)
@given(files(), st.lists(OPERATIONS, max_size=6), st.integers(0, 2**32))
def test_a_batch_is_its_operations_one_after_the_other(
    chunks: list[Chunk], operations: list[dict[str, Any]], seed: int
) -> None:
    random.Random(seed).shuffle(operations)
    data = single = written(chunks)
    possible = []
    for operation in operations:
        try:
            single = _edit(single, **operation)
            possible.append(operation)
        except EditError:
            continue
    if possible:
        assert _edit(data, type="batch", operations=possible) == single


def _tight(chunks: list[Chunk]) -> bytes:
    return "".join(chunk.text for chunk in chunks).encode()


@settings(max_examples=60, deadline=None)
@given(files(), IDS, POSITIONS, st.sampled_from(["allow", "deny"]))
def test_a_file_without_blank_lines_comes_back_as_well(
    chunks: list[Chunk], name: str, position: Any, kind: str
) -> None:
    data = _tight(chunks)
    if name in [chunk.name for chunk in chunks]:
        off = _edit(data, type="toggle_rule", id=name, enabled=False)
        assert _edit(off, type="toggle_rule", id=name, enabled=True) == data
    try:
        more = _edit(data, type="add_rule", rule_type=kind, rule=NEW, position=position)
    except EditError:
        return
    assert _edit(more, type="remove_rule", id="new") == data


RULE_EDITS = st.one_of(
    st.builds(lambda name: {"type": "remove_rule", "id": name}, IDS),
    st.builds(
        lambda name, changes: {"type": "update_rule", "id": name, "changes": changes}, IDS, CHANGES
    ),
    st.builds(lambda name, to: {"type": "reorder_rule", "id": name, "move_to": to}, IDS, POSITIONS),
    st.builds(lambda name: {"type": "toggle_rule", "id": name, "enabled": False}, IDS),
)


@settings(max_examples=80, deadline=None)
@given(files(("one.allow", "two.deny", "one.deny")), RULE_EDITS)
def test_rules_in_sections_are_edited_like_others(
    chunks: list[Chunk], operation: dict[str, Any]
) -> None:
    _check_edit(chunks, operation, "sections.toml")


@settings(max_examples=80, deadline=None)
@given(files(("allow", "deny", "ask")), RULE_EDITS)
def test_rules_of_our_own_format_are_edited_like_others(
    chunks: list[Chunk], operation: dict[str, Any]
) -> None:
    if operation["type"] == "toggle_rule":
        changes = {"enabled": False}
        expected = {"type": "update_rule", "id": operation["id"], "changes": changes}
        _check_edit(chunks, operation, "penstock.toml", expected)
        return
    _check_edit(chunks, operation, "penstock.toml")


def _check_edit(
    chunks: list[Chunk],
    operation: dict[str, Any],
    file: str,
    same_as: dict[str, Any] | None = None,
) -> None:
    data = written(chunks)
    try:
        expected = meant(parsed(data), same_as or operation)
    except (LookupError, ValueError):
        with pytest.raises(EditError):
            edited({file: data}, parse_operation(operation))
        return
    made = edited({file: data}, parse_operation(operation)).texts.get(file, data)
    assert _full(parsed(made)) == _full(expected)
    _check_untouched(chunks, operation, made.decode(), "\n")


def _full(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out tables that hold nothing: a header says no more than its absence."""
    kept = {
        key: _full(value) if isinstance(value, dict) else value for key, value in document.items()
    }
    return {key: value for key, value in kept.items() if value not in ([], {})}
