"""Any bytes as a rules file and any operation on it: an edit that says what it means, or a no."""

from __future__ import annotations

import tomllib

from penstock.core.policy.regexes import search
from penstock.core.policy.samples import nests_repetition, pattern_samples
from penstock.core.rule_edit.edit import (
    EditError,
    checked,
    commit_message,
    edited,
    parse_operation,
    told,
    widens,
)
from penstock.core.rule_edit.pieces import read_book

# Random bytes are seldom TOML; pieces of it, in any order, often are.
PIECES = (
    *("\n", "\r\n", " = ", '"', "'", '"""', "'''", "[", "]", "[[", "]]", "{", "}", ",", ".", "#"),
    *("\\", "1", "-1", "true", "nan", "0.5", "1979-05-27", "allow", "deny", "x", '"x"', "'y'"),
    *("\n[[allow]]\n", "\n[[deny]]\n", "\n[allow.m]\n", "\n[s]\n", "\n[[s.allow]]\n", "\n# c\n"),
    *('\nid = "a"\n', '\nid = "b"\n', '\ntool = "Bash"\n', '\ncommand_regex = "^x"\n', "\n\n"),
    *('\n[includes]\nfiles = ["i"]\n', "\n[llm_fallback]\nmodel = 'm'\n", "\nenabled = false\n"),
    *("\n# disabled by decision_reviewer: a\n", "# [[allow]]\n", '# id = "a"\n', "\nversion = 1\n"),
    *(
        "\n# end of what decision_reviewer disabled\n",
        "\n[variables]\n",
        "\n[logging]\n",
        "\t",
        "\x7f",
    ),
)
RULE = {"id": "n", "tool": "Bash", "command_regex": "^npm (i|ci)( |$)"}
OPERATIONS = (
    {"type": "add_rule", "rule_type": "allow", "rule": RULE},
    {"type": "add_rule", "rule_type": "deny", "rule": RULE, "position": "start"},
    {"type": "add_rule", "rule_type": "allow", "rule": RULE, "position": {"after": "a"}},
    {"type": "add_rule", "rule_type": "allow", "rule": RULE, "section": "s"},
    {"type": "remove_rule", "id": "a"},
    {"type": "update_rule", "id": "a", "changes": {"tool": "Task", "description": None}},
    {"type": "toggle_rule", "id": "a", "enabled": False},
    {"type": "toggle_rule", "id": "a", "enabled": True},
    {"type": "reorder_rule", "id": "a", "move_to": "end"},
    {"type": "update_llm_config", "changes": {"model": "n", "enabled": False}},
    {"type": "update_llm_prompt", "prompt": "a\nb"},
    {"type": "add_include", "path": "j"},
    {"type": "remove_include", "path": "i"},
    {"type": "validate"},
)
NAMES = ("penstock.toml", "claude-code-permissions-hook.toml", "rules.toml")


def one(data: bytes) -> None:
    """Edit the bytes, then a text that they choose from pieces; the first byte chooses how."""
    first = data[0] if data else 0
    operation = {**OPERATIONS[first % len(OPERATIONS)]}
    name = NAMES[first % len(NAMES)]
    _edit(name, data[1:], operation)
    _edit(name, "".join(PIECES[byte % len(PIECES)] for byte in data[1:]).encode(), operation)
    _regex(data.decode("utf-8", "replace"))


def _edit(name: str, data: bytes, document: object) -> None:
    operation = parse_operation(document)
    _read(name, data)
    try:
        made = edited({name: data}, operation)
    except EditError:
        return
    for text in made.texts.values():
        tomllib.loads(text.decode("utf-8-sig"))
    found = checked({name: data}.get, name, made, operation)
    assert all(detail.error for detail in found.blocking)
    widens({name: data}, {name: made.texts.get(name, data)})
    assert all("\n" not in told(change, dry_run=True) for change in made.changes)
    commit_message(operation, made.changes, applied_by="x", timestamp="t", warnings=0)


def _read(name: str, data: bytes) -> None:
    """What is read block by block is what the parser reads; a book is its file."""
    try:
        book = read_book(name, data)
    except EditError:
        return
    assert repr(book.document) == repr(tomllib.loads(data.decode("utf-8-sig")))
    assert book.text() == data


def _regex(text: str) -> None:
    pattern = text[:300]
    nests_repetition(pattern)
    assert all(search(pattern, found) for found in pattern_samples(pattern))
