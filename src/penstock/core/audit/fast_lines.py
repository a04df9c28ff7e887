"""Read many lines of the record at once, and know that each is JSON with every name once.

Reading a line with a JSON parser costs ten times what hashing it does. But a record has few
kinds of lines, and lines of one kind have the same names in the same order. So the first line
of a kind is read by the parser, its order of names becomes a pattern, and one search with that
pattern then takes a whole block apart.
Always true: a block that is read here holds only lines that a strict parser would read in one
way; a block that is not is not thereby wrong, it only has to be read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from penstock.core.text.late_regex import late_regex

MOST_SHAPES = 256
MOST_NAMES = 40  # the pattern nests once per name
# Bytes that a line of ours never holds turn into others, so an untouched text is free of them.
CLEAN = bytes(code if 0x20 <= code < 0x7F else 0xFF for code in range(256))
LAST = ("prev_hash", "event_hash")
# Events that `verify` tells of by themselves, so lines of theirs are never passed unread.
NOTICED = frozenset(
    {"chain_start", "tail_set_aside", "entries_lost", "entries_unremembered", "head_missing"}
)

# Possessive throughout: every byte is looked at once, whatever the text.
_PLAIN = rb'"[^"]*+"'
_ESCAPED = rb'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+"'
_NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+"
_BEGINNING = rb'"ts":"[^"]{20}","seq":([0-9]++)'  # the caller compares the number as text
_BAD_ESCAPE = late_regex(rb"\\(?![/bfnrt]|u[0-9a-fA-F]{4})")
_END = rb',"prev_hash":"sha256:((?s:.){64})"),"event_hash":"sha256:((?s:.){64})"\}\n'


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
# begin alike, and what they share is then tried once. None marks that the hashes may follow.
Field = tuple[str, type]
Tree = dict[Field | None, "Tree"]


class Columns(NamedTuple):
    """Lines taken apart; numbers and hashes are as they stand, nobody has looked at them yet.

    `hashed` are the texts that the hashes are over; a number is b"" on a line without one.
    """

    hashed: tuple[bytes, ...]
    numbers: tuple[bytes, ...]
    prevs: tuple[bytes, ...]
    owns: tuple[bytes, ...]


class Shapes:
    """The kinds of lines met so far, as one pattern."""

    def __init__(self, noticed: frozenset[str] = NOTICED) -> None:
        """`noticed` are values of `op` whose lines are always left to be read one by one."""
        words = b"|".join(re.escape(word.encode()) for word in sorted(noticed))
        # An escape could spell such a word in another way, so an `op` here has none.
        self._op = rb'"(?!(?:' + words + rb')")[^"\\]*+"'
        self._numbered: Tree = {}  # what follows `ts` and `seq` on lines that begin so
        self._others: Tree = {}
        self._known: set[tuple[Field, ...]] = set()
        self._patterns: dict[bool, re.Pattern[bytes]] = {}  # by whether texts have no escapes
        self.numbered = False
        """True once a kind of line was met that has a `seq`."""

    def learn(self, event: Mapping[str, object]) -> None:
        """Remember the names of a line that the parser read and whose form was in order."""
        fields = tuple([(name, type(value)) for name, value in event.items()][: -len(LAST)])
        if fields in self._known or len(self._known) >= MOST_SHAPES or not _is_flat(event):
            return
        self._known.add(fields)
        self.numbered = self.numbered or "seq" in event
        if fields[:2] == (("ts", str), ("seq", int)):
            _grow(self._numbered, fields[2:])
        else:
            _grow(self._others, fields)
        self._patterns.clear()

    def _pattern(self, *, simple: bool) -> re.Pattern[bytes]:
        """Return one pattern for all kinds of lines; its groups are those of `Columns`.

        It is made when a block needs it: that costs more than reading the lines of a short log.
        """
        known = self._patterns.get(simple)
        if known is None:
            known = self._patterns[simple] = self._compiled(simple=simple)
        return known

    def _compiled(self, *, simple: bool) -> re.Pattern[bytes]:
        form = LineForm(PLAIN_FORMS if simple else ESCAPED_FORMS, self._op)
        ways = _BEGINNING + _ways(self._numbered, b",", form) if self._numbered else b"(?!)()"
        others = b"|" + _ways(self._others, b"", form) if self._others else b""
        return re.compile(rb"(\{(?>" + ways + others + b")" + _END)

    def read(self, block: bytes) -> Columns | None:
        """Take a block of lines (each with its newline) apart; None if one is of no known kind."""
        if not self._known:
            return None
        # Without escaped quotes and backslashes a text ends at the next quote.
        simple = b"\\" not in block or _BAD_ESCAPE.search(block) is None
        rows = self._pattern(simple=simple).findall(block)
        if not rows:
            return None
        found = Columns(*zip(*rows, strict=True))
        text = b"".join(found.hashed)
        # What lies between finds is skipped, so the finds must make up all of the block; and a
        # text with a newline in it would be two lines for everybody else.
        whole = len(text) + _AFTER * len(rows) == len(block)
        return found if whole and text.translate(CLEAN) == text else None


_AFTER = len(b',"event_hash":"sha256:') + 64 + len(b'"}\n')


def _is_flat(event: Mapping[str, object]) -> bool:
    """True when the patterns above can describe these names and values."""
    names = tuple(event)
    return (
        len(LAST) < len(names) <= MOST_NAMES
        and names[-len(LAST) :] == LAST
        and all(name.isascii() and name.isidentifier() for name in names)
        and all(_is_flat_value(value) for value in event.values())
    )


def _is_flat_value(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str | int | float)


def _grow(tree: Tree, fields: Sequence[Field]) -> None:
    for field in fields:
        tree = tree.setdefault(field, {})
    tree[None] = {}


class LineForm(NamedTuple):
    """The patterns of values: by type, and that of an `op`."""

    by_type: Mapping[type, bytes]
    op: bytes

    def of(self, field: Field) -> bytes:
        """Return the pattern of a field: its name and its value."""
        name, kind = field
        form = self.op if field == ("op", str) else self.by_type[kind]
        return b'"%b":' % name.encode() + form


def _ways(tree: Tree, before: bytes, form: LineForm) -> bytes:
    """Return what may stand next: a comma, a name, its value and so on, or nothing more."""
    ways = [
        before + form.of(field) + _ways(rest, b",", form)
        for field, rest in tree.items()
        if field is not None
    ]
    if None in tree:  # last, so that what can go on does
        ways.append(b"")
    return ways[0] if len(ways) == 1 else b"(?:" + b"|".join(ways) + b")"
