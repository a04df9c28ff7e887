"""Read the JSON that an agent sends, strictly and without importing `json` where that works.

The scanner in C behind `json` is a private module: where it is missing or asks for more than
we know, `json` itself is taken, which costs a few milliseconds and says the same.
Always true: a key that stands twice, a number that is none, text after the document and
nesting beyond any honest call are refused with a ValueError.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BLANK = " \t\r\n"


def parse(data: bytes, *, private: bool = True) -> "Any":
    """Return the document. Raises ValueError for anything that is not one."""
    text = data.decode("utf-8")
    try:
        return _scanned(text) if private else _loaded(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _scanned(text: str) -> "Any":
    scan = _scanner()
    if scan is None:
        return _loaded(text)
    start = len(text) - len(text.lstrip(BLANK))
    try:
        found, end = scan(text, start)
    except (StopIteration, SystemError):  # the scanner fails in several ways; `json` says why
        return _loaded(text)
    if text[end:].strip(BLANK):
        raise ValueError("there is text after the document")
    return found


def _scanner() -> "Callable[[str, int], tuple[Any, int]] | None":
    try:
        from _json import make_scanner

        return make_scanner(_Context)  # type: ignore[no-any-return, arg-type, unused-ignore]
    except (ImportError, AttributeError, TypeError):
        return None


def _loaded(text: str) -> "Any":
    import json

    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)


def _unique(pairs: "list[tuple[str, Any]]") -> "dict[str, Any]":
    """Two values under one key would let the judge and the tool read different ones."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


class _Context:
    """What the scanner asks for."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_unique)
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)
    array_hook = None
    memo = None
