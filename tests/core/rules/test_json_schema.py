"""The schema, the reader and the manual come from one table, and all files we ship fit it."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import presets
from penstock.core.rules import json_schema, load
from penstock.core.rules.fields import (
    BY_NAME,
    EDITED_TABLES,
    EXCEPTION,
    RULE,
    SET,
    SETS,
    TABLES,
    TOP,
    Field,
    FieldKind,
)
from tests import REPOSITORY

MANUAL = REPOSITORY / "docs" / "reference" / "policy.md"


def plain(value: Any) -> Any:
    """Return a TOML value as JSON has it; editors see dates as text."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


VALIDATOR = jsonschema.Draft7Validator(json_schema.document())


def misfits(document: object) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(plain(document))]


def manual() -> str:
    with open(MANUAL, encoding="utf-8") as file:
        return file.read()


def examples() -> list[str]:
    """Return the TOML examples of the manual."""
    return [part.split("```")[0] for part in manual().split("```toml\n")[1:]]


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(json_schema.document())


def test_the_schema_that_ships_is_the_one_that_is_made() -> None:
    assert presets.read(presets.SCHEMA).decode() == json_schema.text()


def test_the_module_prints_the_file_that_ships() -> None:
    argv = [sys.executable, "-m", "penstock.core.rules.json_schema"]
    printed = subprocess.run(argv, capture_output=True, check=True).stdout
    assert printed == presets.read(presets.SCHEMA)


@pytest.mark.parametrize("name", ["guard", "strict", "destructive"])
def test_a_preset_fits_the_schema_and_names_it(name: str) -> None:
    text = presets.read(name).decode()
    assert text.startswith("#:schema ./penstock.schema.json\n")
    assert misfits(tomllib.loads(text)) == []


@pytest.mark.parametrize("text", examples())
def test_an_example_of_the_manual_loads_and_fits_the_schema(text: str) -> None:
    load.parse_policy(text)
    assert misfits(tomllib.loads(text)) == []


HOLDS: Mapping[FieldKind, str] = {
    FieldKind.TEXT: "text",
    FieldKind.ID: "text",
    FieldKind.REGEX: "regex",
    FieldKind.GLOBS: "list of globs",
    FieldKind.TEXTS: "list of texts",
    FieldKind.WORD: "one of",
    FieldKind.WORDS: "list of",
    FieldKind.FLAG: "true or false",
    FieldKind.COUNT: "whole number",
    FieldKind.RATIO: "number",
    FieldKind.NUMBER: "number",
    FieldKind.MOMENT: "date and time",
    FieldKind.URL: "address",
    FieldKind.BUNDLE_URL: "address",
    FieldKind.PUBLIC_KEY: "public key",
    FieldKind.TARGETS: "list of addresses",
    FieldKind.SINKS: "list of addresses",
    FieldKind.CREDENTIAL: "`env:` or `file:`",
    FieldKind.COSIGNERS: "list of keys and addresses",
    FieldKind.HOURS: "hours",
    FieldKind.PLACES: "list of paths",
}


def manual_table(fields: Iterable[Field]) -> str:
    """Return the Markdown table of some fields, as the reference shows it."""
    head = ["| field | holds | default | for |", "|---|---|---|---|"]
    return "\n".join([*head, *map(_manual_row, fields)])


def _manual_row(one: Field) -> str:
    words = "".join(f" `{word}`" for word in one.words)
    default = "" if one.default is None else f"`{json.dumps(one.default)}`"
    return f"| `{one.name}` | {HOLDS[one.kind]}{words} | {default} | {one.doc} |"


def test_the_manual_has_the_table_of_every_field() -> None:
    text = manual()
    for fields in (TOP, RULE, EXCEPTION, [SET], *TABLES.values()):
        assert manual_table(fields) in text
    for table in (*TABLES, SETS):
        assert f"\n## [{table}]\n" in text
    for table in EDITED_TABLES:
        assert f"[[{table}]]" in text


WRONG = [
    {"vershion": 1},
    {"version": 2},
    {"deny": [{"pathss": ["x"]}]},
    {"deny": [{"paths": "x"}]},
    {"deny": [{"paths": []}]},
    {"deny": [{"tool": "a", "tool_regex": "b"}]},
    {"deny": [{"tool": "a", "tool_exclude_regex": "b"}]},
    {"deny": {"paths": ["x"]}},
    {"defaults": {"read": "maybe"}},
    {"gate": {"change_threshold": 0}},
    {"gate": {"line_threshold": -1}},
    {"sets": {"a": "x"}},
    {"sets": {"a": []}},
    {"sets": {"a b": ["x"]}},
    {"sets": [{"a": ["x"]}]},
    {"llm_fallback": {"api_key": "k"}},
    {"warn": "loud"},
    {"except": [{"rule": "a"}]},
    {"except": [{"paths": ["a"]}]},
    {"except": [{"rule": "a", "paths": ["a"], "verdict": "allow"}]},
    {"warn": [{"nope": 1}]},
]


@pytest.mark.parametrize("document", WRONG, ids=json.dumps)
def test_an_editor_shows_the_mistakes_that_the_reader_finds(document: dict[str, object]) -> None:
    assert misfits(document)


def value_of(one: Field) -> st.SearchStrategy[object]:
    """Return values for a field: mostly right ones, some wrong."""
    right: dict[FieldKind, st.SearchStrategy[object]] = {
        FieldKind.TEXT: st.sampled_from(["x", "{path}", ""]),
        FieldKind.ID: st.sampled_from(["a", "b-1"]),
        FieldKind.REGEX: st.sampled_from(["^a", "b$", "("]),
        FieldKind.GLOBS: st.lists(st.sampled_from(["**/a", "b/*", ""]), max_size=2),
        FieldKind.TEXTS: st.lists(st.sampled_from(["a", "b"]), max_size=2),
        FieldKind.WORD: st.sampled_from([*one.words, "other"]),
        FieldKind.WORDS: st.lists(st.sampled_from([*one.words, "other"]), max_size=2),
        FieldKind.FLAG: st.booleans(),
        FieldKind.COUNT: st.sampled_from([-1, 0, 1, 5000]),
        FieldKind.RATIO: st.sampled_from([0, 0.5, 1, 1.5]),
        FieldKind.NUMBER: st.sampled_from([0, 1.5, 3]),
        FieldKind.MOMENT: st.sampled_from(["2030-01-01T00:00:00Z", "never"]),
        FieldKind.URL: st.sampled_from(["http://x", "x"]),
        FieldKind.BUNDLE_URL: st.sampled_from(["https://a/b", "git+https://a", "file:/a", "x"]),
        FieldKind.PUBLIC_KEY: st.sampled_from(["ed25519:" + "A" * 43 + "=", "ed25519:x", "x"]),
        FieldKind.TARGETS: st.lists(st.sampled_from(["env:NAME", "json://host", "x", "dbus://"])),
        FieldKind.SINKS: st.lists(st.sampled_from(["file:/a", "https://a", "http://a", "x"])),
        FieldKind.COSIGNERS: st.lists(st.sampled_from(["x", "key https://a"]), max_size=2),
        FieldKind.CREDENTIAL: st.sampled_from(["env:NAME", "file:a", "hush", ""]),
        FieldKind.PLACES: st.lists(st.sampled_from(["~/.a", "/b", "../c", ""]), max_size=2),
        FieldKind.HOURS: st.sampled_from(["22:00-07:00", " 1:05 - 23:59", "24:00-07:00", "7-8"]),
    }
    return right[one.kind] | st.sampled_from([3, "text", True, ["l"]])


def table_of(fields: tuple[Field, ...]) -> st.SearchStrategy[dict[str, object]]:
    pairs = st.one_of([st.tuples(st.just(one.name), value_of(one)) for one in fields])
    return st.lists(pairs, max_size=4).map(dict)


DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        **{name: table_of(fields) for name, fields in TABLES.items() if name != "includes"},
        "deny": st.lists(table_of(RULE), max_size=2),
        "except": st.lists(table_of(EXCEPTION), max_size=1),
        "warn": st.lists(table_of(RULE), max_size=1) | st.sampled_from(["ask", "loud"]),
    },
)


def as_toml(document: dict[str, object]) -> str:
    lines = [f"{key} = {json.dumps(v)}" for key, v in document.items() if isinstance(v, str)]
    for key, value in document.items():
        for table in value if isinstance(value, list) else [value]:
            if isinstance(table, dict):
                lines.append(f"[[{key}]]" if isinstance(value, list) else f"[{key}]")
                lines += [f"{name} = {json.dumps(inner)}" for name, inner in table.items()]
    return "\n".join(lines)


@given(DOCUMENTS)
@settings(max_examples=150, deadline=None)
def test_what_the_schema_refuses_the_reader_refuses_too(document: dict[str, object]) -> None:
    text = as_toml(document)
    level = load.load("penstock.toml", {"penstock.toml": text.encode()}.get)
    if level.ok:
        assert misfits(tomllib.loads(text)) == []


def test_every_field_has_a_word_for_people() -> None:
    for fields in BY_NAME.values():
        for one in fields.values():
            assert one.doc.endswith(".")
