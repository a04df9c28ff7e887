"""A rules file taken apart into pieces of text, with its rules found among them.

A piece is a block with its comments, a rule that was switched off, or what stands between
such. Edits move, change and drop pieces; joining them gives the text again.
Always true: the pieces of a book that nobody edited, joined, are the file, byte for byte; the
n-th rule of a table here is the n-th of that table in the parsed document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from penstock.core.rule_edit.dialect import RuleDialect, dialect_of, is_nameless, table_of
from penstock.core.rule_edit.source import read_text
from penstock.core.rule_edit.toml.blocks import (
    END_MARKER,
    MARKER,
    Pair,
    TomlBlock,
    read_pairs,
)
from penstock.core.rules.documents import BOM, Document
from penstock.core.rules.toml_positions import Name

OFF_RUN = re.compile(rf"^{re.escape(MARKER)}([^\n]*)\n(?:#[^\n]*\n)*", re.M)
ID_COMMENT = re.compile(r"^#[ \t]*id:[ \t]*(\S[^\n\r]*)", re.M)
SYNTHETIC = re.compile(r"(?:(.+)-)?([a-z]+)-([1-9][0-9]{0,6})\Z")


class LinePiece(Struct, kw_only=True, eq=False):
    """Whole lines of the file. A block has a `name`; a gap has None.

    `header` and `body` are where its header's line begins and ends in `text`; `line` is the
    header's line in the file as it was read, 0 for a piece that is new.
    """

    text: str
    name: Name | None = None
    many: bool = False
    header: int = 0
    body: int = 0
    line: int = 0
    off: str = ""

    @property
    def is_gap(self) -> bool:
        """True for blank lines and comments that belong to nobody."""
        return self.name is None and not self.off

    def pairs(self) -> list[Pair]:
        """Return the pairs of a block."""
        return list(read_pairs(self.text, self.body, len(self.text)))


class RulePlace(Struct, kw_only=True, eq=False):
    """One rule: its id, "" if it has none, and its pieces, the one with its header first."""

    id: str
    pieces: list[LinePiece]


class Book(Struct, kw_only=True):
    """A file in pieces. `inline` are tables whose rules are written in another way."""

    path: str
    dialect: RuleDialect
    document: Document
    newline: str
    bom: str = ""
    cut: str = ""  # what is missing at the end: a newline, or nothing
    pieces: list[LinePiece] = field(default_factory=list)
    rules: dict[Name, list[RulePlace]] = field(default_factory=dict)
    by_id: dict[str, tuple[Name, RulePlace]] = field(default_factory=dict)
    off: dict[str, LinePiece] = field(default_factory=dict)  # what was switched off, by id
    nameless: bool = False  # the fork that this file is for refuses `id` and `description`

    def text(self) -> bytes:
        """Return the file as it is now."""
        text = "".join(piece.text for piece in self.pieces)
        return (self.bom + text.removesuffix(self.cut)).encode()

    def find(self, name: str) -> tuple[Name, int] | None:
        """Return the table and the number of the rule with an id, or with a given name."""
        if name in self.by_id:
            table, placed = self.by_id[name]
            return table, self.rules[table].index(placed)
        found = SYNTHETIC.match(name)
        if found is None:
            return None
        table = (found[1], found[2]) if found[1] else (found[2],)
        number = int(found[3]) - 1
        rules = self.rules.get(table, [])
        nameless = number < len(rules) and not rules[number].id
        return (table, number) if nameless else None

    def tidy(self, at: int) -> None:
        """Join what stands between blocks near a place, so that it is as if read anew."""
        near = slice(max(at - 3, 0), at + 6)
        kept: list[LinePiece] = []
        for piece in self.pieces[near]:
            if kept and piece.is_gap and kept[-1].is_gap:
                kept[-1].text += piece.text
            elif piece.text or not piece.is_gap:
                kept.append(piece)
        self.pieces[near] = kept


def read_book(path: str, data: bytes) -> Book:
    """Take a file apart; raise an EditError when it is no TOML."""
    read = read_text(path, data)
    dialect = dialect_of(path, read.document)
    book = Book(
        path=path,
        dialect=dialect,
        document=read.document,
        newline=read.newline,
        bom=BOM if data.startswith(BOM.encode()) else "",
        cut=read.cut,
        nameless=is_nameless(read.document, dialect),
    )
    book.pieces = list(_pieces(read.text, read.blocks))
    _place_rules(book)
    return book


# --- pieces and rules -------------------------------------------------------------------


def _pieces(text: str, blocks: list[TomlBlock]) -> Iterator[LinePiece]:
    """Cut the text at the ends of its blocks; what is between them is cut once more."""
    line, counted = 1, 0
    ends = [block.head for block in blocks[1:]] + [len(text)]
    for block, end in zip(blocks, ends, strict=True):
        line, counted = line + text.count("\n", counted, block.start), block.start
        yield LinePiece(
            text=text[block.head : block.tail],
            name=block.name,
            many=block.many,
            header=block.start - block.head,
            body=block.body - block.head,
            line=line,
        )
        if block.tail < end:
            yield from _gap(text[block.tail : end])


def _gap(text: str) -> Iterator[LinePiece]:
    """Cut out the rules that were switched off."""
    at = 0
    if MARKER in text:
        for found in OFF_RUN.finditer(text):
            end = found.end()
            closed = text.find(f"\n{END_MARKER}", found.start(), end)
            another = text.find(f"\n{MARKER}", found.start() + 1, end)
            if closed >= 0 and not 0 <= another < closed:
                end = text.index("\n", closed + 1) + 1
            elif another >= 0:
                end = another + 1
            if found.start() < at:
                continue
            if found.start() > at:
                yield LinePiece(text=text[at : found.start()])
            yield LinePiece(text=text[found.start() : end], off=found[1].rstrip("\r"))
            at = end
    if at < len(text):
        yield LinePiece(text=text[at:])


def _place_rules(book: Book) -> None:
    """Find each rule's pieces: its own block, and the blocks of its sub-tables."""
    for piece in book.pieces:
        name = piece.name
        if piece.off:
            book.off.setdefault(piece.off, piece)
        if not name:
            continue
        table = table_of(name, book.dialect)
        if table is None:
            continue
        rules = book.rules.setdefault(table, [])
        if name == table and piece.many:
            rules.append(RulePlace(id="", pieces=[piece]))
        elif rules:
            rules[-1].pieces.append(piece)
    for table, rules in book.rules.items():
        _name_rules(book, table, rules)


def _name_rules(book: Book, table: Name, rules: list[RulePlace]) -> None:
    raw = rules_in(book.document, table)
    for placed, one in zip(rules, raw, strict=False):
        given = one.get("id") if isinstance(one, dict) else None
        if not isinstance(given, str):
            piece = placed.pieces[0]
            found = ID_COMMENT.search(piece.text, 0, piece.header)
            given = found[1].rstrip() if found else ""
        placed.id = given
        if given:
            book.by_id.setdefault(given, (table, placed))


def rules_in(document: Mapping[str, object], table: Name) -> list[object]:
    """Return the rules of a table as the document has them."""
    value: object = document
    for part in table:
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, list) else []
