"""Check many lines of the record at once for being JSON in which no name stands twice.

Reading a line with a JSON parser costs ten times what hashing it does. But a record has few
kinds of lines, and lines of one kind have the same names in the same order. So the first line
of a kind is read by the parser, its order of names becomes a pattern, and a pattern that fits a
whole block shows at once that each of its lines is valid and unambiguous.
Always true: a block that fits holds only lines that a strict parser would read in one way; a
block that does not fit is not thereby wrong, it only has to be read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MOST_SHAPES = 256
MOST_NAMES = 40  # the pattern nests once per name
# Bytes that a line of ours never holds turn into others, so an untouched block is free of them.
CLEAN = bytes(code if 0x20 <= code < 0x7F or code == 0x0A else 0xFF for code in range(256))

# Possessive throughout: every byte is looked at once, whatever the text.
_PLAIN = rb'"[^"]*+"'
_ESCAPED = rb'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+"'
_HASH = rb'"sha256:(?s:.){64}"'  # the caller has compared these digits, so they are skipped
_NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+"


def _forms(text: bytes) -> dict[type, bytes]:
    """Return the pattern for each type of value, given the one for texts."""
    return {
        str: text,
        int: _NUMBER,
        float: _NUMBER,
        bool: b"(?:true|false)",
        type(None): b"null",
        list: rb"\[(?:" + text + rb"(?:," + text + rb")*+)?+\]",
    }


PLAIN_FORMS = _forms(_PLAIN)
ESCAPED_FORMS = _forms(_ESCAPED)

# Names with the types of their values, in their order, as a tree: lines of different kinds mostly
# begin alike, and what they share is then tried once. None marks that a line may end here.
Field = tuple[str, type]
Tree = dict[Field | None, "Tree"]


class Shapes:
    """The kinds of lines met so far, as one pattern."""

    def __init__(self) -> None:
        self._tree: Tree = {}
        self._known: set[tuple[Field, ...]] = set()
        self._plain = self._escaped = re.compile(rb"(?!)")
        self.numbered = False
        """True once a kind of line was met that has a `seq`."""

    def learn(self, event: Mapping[str, object]) -> None:
        """Remember the names of a line that the parser read."""
        fields = tuple([(name, type(value)) for name, value in event.items()])
        if fields in self._known or len(self._known) >= MOST_SHAPES or not _is_flat(event):
            return
        self._known.add(fields)
        self.numbered = self.numbered or "seq" in event
        _grow(self._tree, fields)
        self._plain = _pattern(self._tree, PLAIN_FORMS)
        self._escaped = _pattern(self._tree, ESCAPED_FORMS)

    def fit(self, block: bytes) -> bool:
        """Say whether every line of a block (each with its newline) is of a known kind.

        The caller has seen that each line ends with 64 digits and a quote. That keeps a string
        from running on into the next line: the digits would then stand outside of strings.
        """
        if block.translate(CLEAN) != block:
            return False
        if b"\\" not in block:
            return self._plain.fullmatch(block) is not None
        lines = block.split(b"\n")[:-1]
        return _all_fit(self._plain, [line for line in lines if b"\\" not in line]) and _all_fit(
            self._escaped, [line for line in lines if b"\\" in line]
        )


def _all_fit(pattern: re.Pattern[bytes], lines: Sequence[bytes]) -> bool:
    return not lines or pattern.fullmatch(b"\n".join(lines) + b"\n") is not None


def _is_flat(event: Mapping[str, object]) -> bool:
    """True when the patterns above can describe these names and values."""
    return 0 < len(event) <= MOST_NAMES and all(
        name.isascii() and name.isidentifier() and _is_flat_value(value)
        for name, value in event.items()
    )


def _is_flat_value(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str | int | float)


def _grow(tree: Tree, fields: Sequence[Field]) -> None:
    for field in fields:
        tree = tree.setdefault(field, {})
    tree[None] = {}


def _pattern(tree: Tree, forms: Mapping[type, bytes]) -> re.Pattern[bytes]:
    return re.compile(rb"(?>\{" + _branches(tree, b"", forms) + rb"\n)*+")


def _branches(tree: Tree, before: bytes, forms: Mapping[type, bytes]) -> bytes:
    """Return what may stand next: a comma, a name, its value and so on, or the end."""
    ways = [
        rb"\}" if field is None else before + _field(field, forms) + _branches(rest, b",", forms)
        for field, rest in tree.items()
    ]
    return ways[0] if len(ways) == 1 else b"(?:" + b"|".join(ways) + b")"


def _field(field: Field, forms: Mapping[type, bytes]) -> bytes:
    name, kind = field
    form = _HASH if name in ("prev_hash", "event_hash") else forms[kind]
    return b'"%b":' % name.encode() + form
