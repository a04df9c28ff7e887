"""Files of data as values: JSON with comments, TOML, YAML, INI.

Always true: a text that cannot be read, or is long, is an empty value; nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from penstock.core.text.late_regex import late_regex

MOST_LENGTH = 1 << 20
_COMMENT = late_regex(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = late_regex(r",(\s*[}\]])")


def json_data(text: str) -> object:
    """Read JSON, with comments and a comma behind the last item where a tool lets them stand."""
    import json

    try:
        return json.loads(text[:MOST_LENGTH])
    except (ValueError, RecursionError):
        pass
    plain = _COMMENT.sub(lambda m: m.group() if m.group()[0] == '"' else "", text[:MOST_LENGTH])
    try:
        return json.loads(_LAST_COMMA.sub(r"\1", plain))
    except (ValueError, RecursionError):
        return {}


def toml_data(text: str) -> object:
    """Read TOML."""
    import tomllib

    try:
        return tomllib.loads(text) if len(text) <= MOST_LENGTH else {}
    except (ValueError, RecursionError):
        return {}


def yaml_data(text: str) -> object:
    """Read YAML."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(text, loader) if len(text) <= MOST_LENGTH else {}  # noqa: S506 - safe
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def ini_data(text: str) -> object:
    """Read INI: sections of keys, each with a text of one or several lines."""
    import configparser

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text[:MOST_LENGTH])
    except (configparser.Error, ValueError):
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


Data = Callable[[str], object]


def at(data: object, path: str) -> dict[str, object]:
    """Return the mapping at a dotted path, those of every name where it says `*`."""
    found: dict[str, object] = {}
    for value in _all_at([data], path.split(".") if path else []):
        found.update((str(name), one) for name, one in value.items())
    return found


def _all_at(values: list[object], names: list[str]) -> Iterator[Mapping[object, object]]:
    for name in names:
        maps = [value for value in values if isinstance(value, dict)]
        if name == "*":
            values = [one for value in maps for one in value.values()]
        else:
            values = [value[name] for value in maps if name in value]
    yield from (value for value in values if isinstance(value, dict))
