"""What the API takes, as JSON Schema, and a check of exactly that part of it.

The same tables are published in the OpenAPI document, so what is promised is what is checked.
Always true: a value that passed has the type and the bounds that its schema names, and nothing
beside what it names; whatever comes in, the answer is a value or an InputError `bad-request`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from penstock.core.errors import InputError
from penstock.core.strict_json import strict

Schema = Mapping[str, Any]

LONGEST = 4096
LARGEST_CONTENT = 16 * 1024 * 1024


def text(about: str, *, least: int = 0, most: int = LONGEST, **more: Any) -> Schema:
    """Return the schema of a text; one of some words needs no bounds besides."""
    bounds = {} if "enum" in more else {"minLength": least, "maxLength": most}
    return {"type": "string", "description": about, **bounds, **more}


def whole(about: str, *, least: int = 0, most: int = 10**9, **more: Any) -> Schema:
    """Return the schema of a whole number."""
    return {"type": "integer", "description": about, "minimum": least, "maximum": most, **more}


def yes_or_no(about: str) -> Schema:
    """Return the schema of a switch."""
    return {"type": "boolean", "description": about, "default": False}


def listed(about: str, items: Schema, *, least: int = 0, most: int = 10_000) -> Schema:
    """Return the schema of a list."""
    bounds = {"minItems": least, "maxItems": most}
    return {"type": "array", "description": about, "items": items, **bounds}


def obj(required: tuple[str, ...], **properties: Schema) -> Schema:
    """Return the schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


# --- checking ------------------------------------------------------------------------------------


def parsed(data: bytes) -> Any:
    """Return the document in a body. Raises InputError `bad-json`."""
    try:
        return strict(data)
    except ValueError as wrong:
        raise InputError(
            "bad-json", "the body is not a JSON document", because=str(wrong)[:200]
        ) from None


def checked(schema: Schema, value: Any, where: str = "the body") -> Any:
    """Return a value that fits its schema. Raises InputError `bad-request`."""
    return CHECKS[schema["type"]](schema, value, where)


def _object(schema: Schema, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise _bad(where, "is not an object")
    properties = schema["properties"]
    missing = [name for name in schema["required"] if name not in value]
    if missing:
        raise _bad(f"`{missing[0]}`", "is missing")
    unknown = sorted(set(value) - set(properties))
    if unknown:
        raise _bad(f"`{unknown[0][:80]}`", "is not a known field")
    return {name: checked(properties[name], each, f"`{name}`") for name, each in value.items()}


def _string(schema: Schema, value: Any, where: str) -> Any:
    if not isinstance(value, str):
        raise _bad(where, "is not a string")
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", LONGEST):
        raise _bad(where, "is too short or too long")
    if "enum" in schema and value not in schema["enum"]:
        raise _bad(where, f"is none of {', '.join(schema['enum'])}")
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value, re.ASCII):
        raise _bad(where, f"does not fit {schema['pattern']}")
    return value


def _integer(schema: Schema, value: Any, where: str) -> Any:
    if isinstance(value, float) and value.is_integer():  # JSON has one kind of number
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad(where, "is not a whole number")
    if not schema["minimum"] <= value <= schema["maximum"]:
        raise _bad(where, f"is not from {schema['minimum']} to {schema['maximum']}")
    return value


def _boolean(_schema: Schema, value: Any, where: str) -> Any:
    if not isinstance(value, bool):
        raise _bad(where, "is neither true nor false")
    return value


def _array(schema: Schema, value: Any, where: str) -> Any:
    if not isinstance(value, list):
        raise _bad(where, "is not a list")
    if not schema["minItems"] <= len(value) <= schema["maxItems"]:
        raise _bad(where, "has too few or too many elements")
    return [checked(schema["items"], each, f"an element of {where}") for each in value]


CHECKS = {
    "object": _object,
    "string": _string,
    "integer": _integer,
    "boolean": _boolean,
    "array": _array,
}


def from_query(schema: Schema, given: str, where: str) -> Any:
    """Return the value that a text of a query stands for."""
    if schema["type"] == "integer":
        plain = given.isascii() and given.isdecimal() and len(given) <= 10
        return checked(schema, int(given) if plain else given, where)
    if schema["type"] == "boolean":
        return checked(schema, {"true": True, "false": False}.get(given, given), where)
    return checked(schema, given, where)


def _bad(where: str, what: str) -> InputError:
    return InputError("bad-request", f"{where} {what}", hint="see /api/v1/openapi.json")
