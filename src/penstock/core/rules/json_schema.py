"""The JSON Schema of `penstock.toml`, made from the table of fields that the reader uses.

Editors complete and check a rules file by it; the file ships as
`presets/penstock.schema.json`, and a test says that it is this document. What fields mean
together, and whether a regex is RE2's, only the reader knows.
Always true: what the schema refuses, the reader refuses too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping

from penstock.core.audit.cosign import MOST_COSIGNERS
from penstock.core.distribution import HOME
from penstock.core.notify.settings import MOST_TARGETS
from penstock.core.rules.fields import (
    EXCEPT,
    EXCEPTION,
    MOST,
    RULE,
    RULE_TABLES,
    SET,
    SETS,
    TABLES,
    TOP,
    Field,
    FieldKind,
)
from penstock.core.rules.sets import NAME
from penstock.core.rules.values import MAX_ITEMS, MAX_TEXT
from penstock.core.ship.settings import MOST_SINKS
from penstock.presets import SCHEMA

Schema = dict[str, object]

_TIME = "([01]?[0-9]|2[0-3]):[0-5][0-9]"
HOURS = f"^ *{_TIME} *- *{_TIME} *$"

TITLE = "penstock.toml: what agents may read, write and run in this project"
RULES_ARE: Mapping[str, str] = {
    "deny": "Rules that deny what they match; the most restrictive rule wins.",
    "ask": "Rules that require approval; in non-interactive sessions they deny.",
    "warn": "Rules that add a note; `warn` sets what else they do.",
    "allow": "Rules that allow what they match, unless a more restrictive rule matches too.",
    "safe": "Rules without a verdict or note.",
}
SETS_ARE = "Named lists of globs."
EXCEPTIONS_ARE = "Exceptions to a rule of this file, a preset or an include."


def document() -> Schema:
    """Return the whole schema."""
    tables = {name: _table(fields) for name, fields in TABLES.items()}
    rules = {name: _rules(RULES_ARE[name]) for name in RULE_TABLES}
    top = {one.name: _field(one) for one in TOP}
    # One name for a word and for tables: the word stands alone, or in [defaults].
    both = {"warn": {"anyOf": [top["warn"], rules["warn"]]}}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"{HOME}/raw/main/src/penstock/presets/{SCHEMA}",
        "title": TITLE,
        "type": "object",
        "additionalProperties": False,
        "properties": {**top, SETS: _sets(), **tables, **rules, **both, EXCEPT: _excepts()},
        "definitions": {"rule": _rule()},
    }


def text() -> str:
    """Return the schema as the file that ships."""
    return json.dumps(document(), indent=2) + "\n"


def _rules(doc: str) -> Schema:
    return {"description": doc, "type": "array", "items": {"$ref": "#/definitions/rule"}}


def _sets() -> Schema:
    return {
        "description": SETS_ARE,
        "type": "object",
        "propertyNames": {"pattern": f"^{NAME.pattern}$"},
        "additionalProperties": _field(SET),
    }


def _excepts() -> Schema:
    asked = {
        "required": ["rule"],
        "anyOf": [{"required": ["paths"]}, {"required": ["command_regex"]}],
    }
    return {"description": EXCEPTIONS_ARE, "type": "array", "items": {**_table(EXCEPTION), **asked}}


def _rule() -> Schema:
    return {
        **_table(RULE),
        "not": {"required": ["tool", "tool_regex"]},
        "dependencies": {"tool_exclude_regex": ["tool_regex"]},
    }


def _table(fields: Iterable[Field]) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {one.name: _field(one) for one in fields},
    }


def _field(one: Field) -> Schema:
    made: Schema = {"description": one.doc, **SHAPES[one.kind](one)}
    if one.default is not None:
        made["default"] = one.default
    return made


def _text(one: Field) -> Schema:
    short = one.kind in (FieldKind.ID, FieldKind.REGEX) or one.name in (
        "tool",
        "subagent_type",
        "code",
    )
    return {"type": "string", "maxLength": MAX_TEXT, **({"minLength": 1} if short else {})}


def _regex(one: Field) -> Schema:
    return {**_text(one), "format": "regex"}


def _texts(_: Field) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "maxItems": MAX_ITEMS}


def _globs(one: Field) -> Schema:
    return {**_texts(one), "items": {"type": "string", "minLength": 1}, "minItems": 1}


def _word(one: Field) -> Schema:
    return {"enum": list(one.words)}


def _words(one: Field) -> Schema:
    return {"type": "array", "items": {"enum": list(one.words)}, "minItems": 1}


def _count(one: Field) -> Schema:
    most = {} if one.most == MOST else {"maximum": one.most}
    return {"type": "integer", "minimum": one.least, **most}


def _ratio(_: Field) -> Schema:
    return {"type": "number", "exclusiveMinimum": 0, "maximum": 1}


def _number(one: Field) -> Schema:
    return {"type": "number", "minimum": one.least, "maximum": one.most}


SHAPES: Mapping[FieldKind, Callable[[Field], Schema]] = {
    FieldKind.TEXT: _text,
    FieldKind.ID: _text,
    FieldKind.REGEX: _regex,
    FieldKind.GLOBS: _globs,
    FieldKind.TEXTS: _texts,
    FieldKind.WORD: _word,
    FieldKind.WORDS: _words,
    FieldKind.FLAG: lambda _: {"type": "boolean"},
    FieldKind.COUNT: _count,
    FieldKind.RATIO: _ratio,
    FieldKind.NUMBER: _number,
    FieldKind.MOMENT: lambda _: {"type": "string", "format": "date-time"},
    FieldKind.URL: lambda _: {"type": "string", "pattern": "^https?://"},
    FieldKind.TARGETS: lambda one: {**_texts(one), "maxItems": MOST_TARGETS},
    FieldKind.SINKS: lambda one: {**_texts(one), "maxItems": MOST_SINKS},
    FieldKind.COSIGNERS: lambda one: {**_texts(one), "maxItems": MOST_COSIGNERS},
    FieldKind.PUBLIC_KEY: lambda _: {"type": "string", "pattern": "^ed25519:"},
    FieldKind.BUNDLE_URL: lambda _: {"type": "string", "pattern": "^(https?|git\\+[a-z]+|file):"},
    FieldKind.CREDENTIAL: lambda _: {"type": "string", "pattern": "^(env|file):"},
    FieldKind.PLACES: lambda one: {**_texts(one), "items": {"type": "string", "minLength": 1}},
    FieldKind.HOURS: lambda _: {"type": "string", "pattern": HOURS},
}


if __name__ == "__main__":
    sys.stdout.write(text())
