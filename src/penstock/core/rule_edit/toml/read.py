"""Read a TOML text that has been split into blocks: quickly, and as `tomllib` does.

A rules file is thousands of small blocks of simple lines, and an edit leaves nearly all of
them as they were. So a block is read by itself, simple ones by one search, others by
`tomllib`, and each is remembered: what did not change is not read again.
Always true: a document that comes out is the one that `tomllib` gives; whatever is not surely
so is a LostError. Nobody may change a document from here: its parts are shared.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache

from penstock.core.rule_edit.toml.blocks import (
    SIMPLE_PAIR,
    SIMPLE_STRING,
    LostError,
    Name,
    TomlBlock,
)
from penstock.core.rules.documents import Document
from penstock.core.rules.toml_positions import TomlPositions, find_lines

MOST_KEPT = 20_000  # blocks
ESCAPE = re.compile(r"\\(.)")
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
WORDS = {"true": True, "false": False}


def read_document(text: str, blocks: list[TomlBlock]) -> Document:
    """Return the document of a text."""
    making = _DocumentBuilder()
    for block in blocks:
        body = text[block.body : block.tail]
        values = block_values(body) if block.plain else _by_tomllib(body)
        if not block.name:
            making.root.update(values)
        elif block.many:
            making.append(block.name, values)
        else:
            making.define(block.name, values)
    return making.root


@lru_cache(maxsize=MOST_KEPT)
def block_values(body: str) -> Document:
    """Return the values of a block of simple lines."""
    found = SIMPLE_PAIR.findall(body)
    values = {key: _value(raw) for key, raw in found}
    if len(values) != len(found):
        raise LostError  # a key twice
    return values


def _value(raw: str) -> object:
    sign = raw[0]
    if sign == '"':
        return raw[1:-1] if "\\" not in raw else ESCAPE.sub(_unescaped, raw[1:-1])
    if sign == "'":
        return raw[1:-1]
    if sign == "[":
        return [_value(one) for one in SIMPLE_STRING.findall(raw)]
    if raw in WORDS:
        return WORDS[raw]
    return float(raw) if "." in raw else int(raw)


def _unescaped(found: re.Match[str]) -> str:
    return ESCAPES[found[1]]


def _by_tomllib(body: str) -> Document:
    try:
        return tomllib.loads(body)
    except (ValueError, RecursionError):
        raise LostError from None


@dataclass(slots=True)
class _DocumentBuilder:
    """A document that headers add to, with the rules of TOML about what they may add to.

    `made` are the tables that headers made, by identity: True once one was named by itself.
    """

    root: Document = field(default_factory=dict)
    arrays: dict[int, list[object]] = field(default_factory=dict)
    made: dict[int, bool] = field(default_factory=dict)

    def append(self, name: Name, values: Document) -> None:
        """Add an element to an array of tables."""
        parent = self._walk(name[:-1])
        array = parent.get(name[-1])
        if array is None:
            array = parent[name[-1]] = []
            self.arrays[id(array)] = array
        if id(array) not in self.arrays:
            raise LostError
        self.arrays[id(array)].append(values)

    def define(self, name: Name, values: Document) -> None:
        """Name a table, and give it its keys."""
        parent = self._walk(name[:-1])
        there = parent.get(name[-1])
        if there is None:
            there = parent[name[-1]] = {}
            self.made[id(there)] = False
        if not isinstance(there, dict) or self.made.get(id(there), True):
            raise LostError
        if there.keys() & values.keys():
            raise LostError
        there.update(values)
        self.made[id(there)] = True

    def _walk(self, name: Name) -> Document:
        """Return the table that a name leads to; of an array of tables, its last element."""
        table = self.root
        for part in name:
            inner = table.get(part)
            if inner is None:
                inner = table[part] = {}
                self.made[id(inner)] = False
            if id(inner) in self.arrays:
                inner = self._last(self.arrays[id(inner)])
            if not isinstance(inner, dict) or id(inner) not in self.made:
                raise LostError
            table = inner
        return table

    def _last(self, array: list[object]) -> object:
        """Return an array's last element, made anew if it is shared."""
        if id(array[-1]) not in self.made and isinstance(array[-1], dict):
            array[-1] = dict(array[-1])
            self.made[id(array[-1])] = True
        return array[-1]


@lru_cache(maxsize=2)
def _all_lines(text: str) -> TomlPositions:
    return find_lines(text)


def quick_lines(text: str, blocks: list[TomlBlock], document: Document) -> TomlPositions:
    """Return the lines of the arrays' elements that headers begin; others when they are asked for.

    Finding the lines of all keys takes longer than reading the document.
    """
    known: dict[tuple[str | int, ...], int] = {(): 1}
    counts: dict[Name, int] = {}
    line, at = 1, 0
    for block in blocks:
        if block.many and len(block.name) <= 2:
            line, at = line + text.count("\n", at, block.start), block.start
            number = counts.get(block.name, 0)
            counts[block.name] = number + 1
            known[(*block.name, number)] = line
    names = frozenset(document)
    return TomlPositions(
        known, rest=lambda path: _all_lines(text).of(*path) if path[0] in names else 1
    )
