"""Editing rules files: what an operation does to a text, and what it leaves alone."""

from __future__ import annotations

import pytest

from penstock.core.edits import Edited, EditError, checked, edited, parse_operation, told

FLAT = """\
# rules of this machine

[audit]
audit_file = "/tmp/x"

# about a
[[allow]]
id = "a"
tool = "Bash"   # the tool
command_regex = "^ls"

# about d
[[deny]]
id = "d"
tool = "Bash"
command_regex = 'rm'

[[allow]]
id = "b"
tool = "Read"
file_path_regex = "^/x"
"""
NEW = {"id": "new", "tool": "Bash", "command_regex": "^npm install( |$)"}
FILE = "rules.toml"


def edit(text: str, **operation: object) -> Edited:
    return edited({FILE: text.encode()}, parse_operation(operation))


def after(text: str, **operation: object) -> str:
    return edit(text, **operation).texts.get(FILE, text.encode()).decode()


@pytest.mark.parametrize("position", ["start", "end", {"before": "b"}, {"after": "a"}])
def test_adding_a_rule_and_removing_it_gives_the_bytes_from_before(position: object) -> None:
    made = after(FLAT, type="add_rule", rule_type="allow", rule=NEW, position=position)
    assert made != FLAT
    assert after(made, type="remove_rule", id="new") == FLAT


def test_what_was_added_is_told_with_its_line() -> None:
    (change,) = edit(FLAT, type="add_rule", rule_type="allow", rule=NEW).changes
    assert told(change, dry_run=False) == "Added rule 'new' to rules.toml at line 23"
    assert told(change, dry_run=True) == "Would add rule 'new' at line 23"


def test_a_regex_that_does_not_compile_stops_the_edit() -> None:
    rule = {**NEW, "command_regex": "^npm install ((a)"}
    operation = parse_operation({"type": "add_rule", "rule_type": "allow", "rule": rule})
    texts = {FILE: FLAT.encode()}
    (detail,) = checked(texts.get, FILE, edited(texts, operation), operation).blocking
    assert detail.field == "rule.command_regex"
    assert detail.error == "Regex compilation failed: unmatched parenthesis at position 13"
    assert detail.suggestion == "Check regex syntax. Expected closing ')' for group."


def test_an_id_that_is_taken_is_refused() -> None:
    with pytest.raises(EditError, match="Rule with id 'a' already exists"):
        edit(FLAT, type="add_rule", rule_type="allow", rule={**NEW, "id": "a"})
