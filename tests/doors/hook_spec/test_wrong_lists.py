"""`write-policies.json` with wrong values: both of its readers keep the defaults in force."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock.core.model import Verdict
from penstock.core.policy.protected_names import DEFAULT_LISTS
from penstock.core.rules.foreign import read_write_policies
from penstock.core.rules.layers import as_layer
from penstock.doors.hook_spec import policy_of
from tests.doors.hook_spec.plugin import Plugin, copied

DEFAULT = "default"

# What the file says of a list, and what is then in force.
VALUES: list[tuple[object, object]] = [
    ([1, 2], DEFAULT),
    ([None], DEFAULT),
    ([[]], DEFAULT),
    ([{}], DEFAULT),
    ([True, 1.5], DEFAULT),
    ([""], DEFAULT),
    (["", ".", "  "], DEFAULT),
    (["../x"], DEFAULT),
    (["~/.ssh/**"], DEFAULT),
    (["a\nb"], DEFAULT),
    (["x" * 5000], DEFAULT),
    ("x/**", DEFAULT),
    (7, DEFAULT),
    (None, DEFAULT),
    (True, DEFAULT),
    ({"x/**": True}, DEFAULT),
    ([], ()),
    (["x/**"], ("x/**",)),
    ([1, "x/**", None], ("x/**",)),
]


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return copied(tmp_path)


@pytest.mark.parametrize("name", [*DEFAULT_LISTS, "suppress"])
@pytest.mark.parametrize(("value", "holds"), VALUES, ids=[str(v[0])[:20] for v in VALUES])
def test_a_list_without_a_usable_pattern_is_invalid_and_an_empty_one_is_empty(
    tmp_path: Path, name: str, value: object, holds: object
) -> None:
    text = json.dumps({name: value})
    file = tmp_path / "write-policies.json"
    file.write_text(text)
    default = DEFAULT_LISTS.get(name, ())
    expected = default if holds == DEFAULT else holds
    assert policy_of(str(file))[name] == expected, "the plugin's own reader"
    rules = {rule.id: rule for rule in read_write_policies(text.encode()).rules}
    found = rules["warned"].not_paths if name == "suppress" else _paths(rules.get(name))
    assert found == expected, "the reader of rules files"


def _paths(rule: object) -> object:
    return getattr(rule, "paths", ())


@pytest.mark.parametrize("value", [1, "yes", [], {}, None])
def test_a_switch_of_the_wrong_type_is_taken_as_the_stricter_one(
    tmp_path: Path, value: object
) -> None:
    text = json.dumps({"paranoid": value, "outside_project": value})
    file = tmp_path / "write-policies.json"
    file.write_text(text)
    found = policy_of(str(file))
    assert (found["paranoid"], found["outside_project"]) == (True, "deny")
    layer = as_layer(read_write_policies(text.encode()))
    assert (str(layer.warn), layer.outside) == ("deny", Verdict.DENY)


@pytest.mark.parametrize("value", [[1, 2], [""], ["~/x"], 7, None])
def test_the_plugins_script_denies_a_protected_path_whatever_the_list_holds(
    plugin: Plugin, value: object
) -> None:
    plugin.policy(json.dumps({"protected": value}))
    said = plugin.call(".env")
    assert said.answer["permissionDecision"] == "deny"
    assert said.err.count("\n") == 1, "and says that the file is wrong"


def test_a_list_that_somebody_emptied_stays_empty(plugin: Plugin) -> None:
    plugin.policy('{"protected": []}')
    assert plugin.call(".env").silent


def test_a_project_that_includes_such_a_file_keeps_the_defaults(tmp_path: Path) -> None:
    level = read_write_policies(b'{"protected": [1, 2]}')
    assert any("its default is in force" in str(one) for one in level.warnings)
