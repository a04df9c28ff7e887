"""Write values as TOML: what `tomllib` reads back is what was meant.

A person reads rules files, so nothing invisible is written as itself, a regex keeps its
backslashes single where it can, and a long list has a line for each element.
Always true: `tomllib.loads("x = " + toml_value(v))["x"] == v` for every value that an
operation can hold, and a value takes part of one line unless it is a long list or a prompt.
"""

from __future__ import annotations

import re

BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
WIDEST = 100  # characters of a list on one line
INDENT = "  "
ESCAPES = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}


def toml_key(key: str) -> str:
    """Return a key, in quotes when it needs them."""
    return key if BARE.match(key) else basic(key)


def toml_value(value: object, *, like: str = "", newline: str = "\n") -> str:
    """Return a value; `like` is the text it replaces, whose quotes it keeps if it can."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return _listed([toml_value(item) for item in value], newline)
    if isinstance(value, str):
        return _quoted(value, like)
    return repr(value)


def _quoted(text: str, like: str) -> str:
    """Use single quotes where they spare escapes, or where they stood before."""
    fits = text.isprintable() and "'" not in text
    wanted = like.startswith("'") or (not like.startswith('"') and ("\\" in text or '"' in text))
    return f"'{text}'" if fits and wanted else basic(text)


def basic(text: str) -> str:
    """Return a text in double quotes, everything that cannot be seen escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def prose(text: str, newline: str) -> str:
    """Return a text of several lines as one string of several lines."""
    if "\n" not in text:
        return _quoted(text, "")
    lines = ("".join(map(_escaped, line)) for line in text.split("\n"))
    return '"""' + newline + newline.join(lines) + '"""'


def _escaped(char: str) -> str:
    if char in ESCAPES:
        return ESCAPES[char]
    if char.isprintable():
        return char
    return f"\\u{ord(char):04X}" if ord(char) < 0x10000 else f"\\U{ord(char):08X}"


def _listed(items: list[str], newline: str) -> str:
    line = f"[{', '.join(items)}]"
    if len(line) <= WIDEST or not items:
        return line
    return "[" + newline + "".join(f"{INDENT}{item},{newline}" for item in items) + "]"
