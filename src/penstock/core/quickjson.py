"""Read JSON without importing `json`, which would cost a cold hook as much as all its work.

The scanner behind `json` is asked directly. It is private to CPython and changes between
versions, so where it is missing or cannot be made, `json` is asked instead.
Always true: both ways give the same values and refuse the same texts, with ValueError or, for
what is nested too deeply, RecursionError. Every number is a float unless whole ones are asked
for: one that is too long for an int must not make a whole call unreadable.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Pairs = list[tuple[str, Any]]

BLANK = " \t\n\r"
MOST_DIGITS = 300


class DuplicateKeyError(ValueError):
    """An object has a key twice, so two readers may see two different calls."""


def unique(pairs: "Pairs") -> "dict[str, Any]":
    """Return an object whose keys are all different. Raises DuplicateKeyError."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DuplicateKeyError("an object has a key twice")
    return made


def whole(digits: str) -> "int | float":
    """Return a whole number; one beyond any count is a float."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def parse(
    text: str,
    pairs: "Callable[[Pairs], Any]" = unique,
    number: "Callable[[str], float]" = float,
) -> "Any":
    """Return what a JSON text holds; `pairs` makes an object from its keys and values.

    `number` makes a value from a number without a fraction: `whole`, or a float.
    """
    try:
        value, end = _scanner(pairs, number)(text, len(text) - len(text.lstrip(BLANK)))
    except (DuplicateKeyError, RecursionError):
        raise
    except Exception:  # noqa: BLE001 - it fails in several ways; `json` tells what is wrong
        return _by_json(text, pairs, number)
    if text[end:].strip(BLANK):
        raise ValueError("more than one value")
    return value


class _Settings:
    """What the scanner asks for, by the names that it uses in any version."""

    strict = True
    object_hook = None
    array_hook = None
    parse_float = parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the scanner of older versions keeps keys here

    def __init__(self, pairs: "Callable[[Pairs], Any]", number: "Callable[[str], float]") -> None:
        self.object_pairs_hook = pairs
        self.parse_int = number


def _scanner(
    pairs: "Callable[[Pairs], Any]", number: "Callable[[str], float]"
) -> "Callable[[str, int], tuple[Any, int]]":
    from _json import make_scanner

    made: Callable[[str, int], tuple[Any, int]]
    made = make_scanner(_Settings(pairs, number))  # type: ignore[arg-type]  # it asks for attributes only
    return made


def _by_json(text: str, pairs: "Callable[[Pairs], Any]", number: "Callable[[str], float]") -> "Any":
    import json

    return json.loads(
        text, object_pairs_hook=pairs, parse_float=float, parse_int=number, parse_constant=float
    )


def quoted(text: str) -> str:
    """Return a text as a JSON string in ASCII, whatever characters it has."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(sign: str) -> str:
    if " " <= sign <= "~" and sign not in '"\\':
        return sign
    code = ord(sign)
    if code > 0xFFFF:  # JSON counts in units of sixteen bits
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"
