"""Read JSON without importing `json`, which would cost a cold hook as much as all its work.

The scanner behind `json` is asked directly. It is private to CPython and changes between
versions, so where it is missing or cannot be made, `json` is asked instead.
`strict` is for every document from outside: nothing in it can be read in two ways, and its one
error is put into words by whoever asked. `parse` is for an agent's call, which is judged even
where a number in it is beyond all bounds; it tells an attack from a slip.
Always true: with the scanner and without, the same texts give the same values or are refused.
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
        names = sorted([name for name, _ in pairs])
        twice = next(name for at, name in enumerate(names[1:]) if name == names[at])
        raise DuplicateKeyError(f"the key `{twice[:80]}` occurs twice in one object")
    return made


class TrailingError(ValueError):
    """Something follows the value."""


def strict(text: "str | bytes") -> "Any":
    """Return what a JSON text holds, where no two readers could disagree about it.

    Raises ValueError for all else: bytes that are not UTF-8, NaN, a number of too many digits,
    too deep a nest; and DuplicateKeyError or TrailingError, which are ValueErrors too.
    """
    try:
        return parse(text if isinstance(text, str) else text.decode("utf-8"), unique, int, _finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def whole(digits: str) -> "int | float":
    """Return a whole number; one beyond any count is a float."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def parse(
    text: str,
    pairs: "Callable[[Pairs], Any]" = unique,
    number: "Callable[[str], float]" = float,
    constant: "Callable[[str], float]" = float,
) -> "Any":
    """Return what a JSON text holds; `pairs` makes an object from its keys and values.

    `number` makes a value from a number without a fraction, and `constant` one from `NaN` and
    `Infinity`. Raises ValueError or, for what is nested too deeply, RecursionError.
    """
    settings = _Settings(pairs, number, constant)
    start = len(text) - len(text.lstrip(BLANK))
    try:
        value, end = _scanner(settings)(text, start)
    except (DuplicateKeyError, RecursionError):
        raise
    except Exception:  # noqa: BLE001 - it fails in several ways; `json` tells what is wrong
        value, end = _by_json(settings)(text, start)
    if text[end:].strip(BLANK):
        raise TrailingError("more than one value")
    return value


class _Settings:
    """What the scanner asks for, by the names that it uses in any version."""

    strict = True
    object_hook = None
    array_hook = None
    parse_float = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the scanner of older versions keeps keys here

    def __init__(
        self,
        pairs: "Callable[[Pairs], Any]",
        number: "Callable[[str], float]",
        constant: "Callable[[str], float]",
    ) -> None:
        self.object_pairs_hook = pairs
        self.parse_int = number
        self.parse_constant = constant


def _scanner(settings: _Settings) -> "Callable[[str, int], tuple[Any, int]]":
    from _json import make_scanner

    made: Callable[[str, int], tuple[Any, int]]
    made = make_scanner(settings)  # type: ignore[arg-type]  # it asks for attributes only
    return made


def _by_json(settings: _Settings) -> "Callable[[str, int], tuple[Any, int]]":
    import json

    return json.JSONDecoder(**vars(settings)).raw_decode


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
