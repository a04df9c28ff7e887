"""A rules file taken apart into pieces of text, with its rules found among them.

A piece is a block with its comments, a rule that was switched off, or what stands between
such. Edits move, change and drop pieces; joining them gives the text again.
Always true: the pieces of a book that nobody edited, joined, are the file, byte for byte; the
n-th rule of a table here is the n-th of that table in the parsed document.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache

from penstock.core import dialects
from penstock.core.edit_operation import Detail, EditError
from penstock.core.edit_read import quick_lines, read_document
from penstock.core.edit_text import (
    END_MARKER,
    MARKER,
    Block,
    LostError,
    Name,
    Pair,
    read_blocks,
    read_pairs,
)
from penstock.core.fields import BY_NAME, RULE_TABLES
from penstock.core.hook_dialect import SECTION_KEYS, SETTINGS
from penstock.core.hook_rules import ORIGINAL_KEYS
from penstock.core.problems import Report
from penstock.core.sheet import BOM, MAX_BYTES, Document, read_toml

OFF_RUN = re.compile(rf"^{re.escape(MARKER)}([^\n]*)\n(?:#[^\n]*\n)*", re.M)
ID_COMMENT = re.compile(r"^#[ \t]*id:[ \t]*(\S[^\n\r]*)", re.M)
SYNTHETIC = re.compile(r"(?:(.+)-)?([a-z]+)-([1-9][0-9]{0,6})\Z")


class Dialect(Enum):
    """How a file writes its rules."""

    OWN = auto()  # penstock.toml: five tables, and rules that can be disabled by a key
    FLAT = auto()  # the original's [[allow]] and [[deny]]
    SECTIONED = auto()  # the original's [[section.allow]] and [[section.deny]]


@dataclass(kw_only=True, slots=True, eq=False)
class Piece:
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


@dataclass(kw_only=True, slots=True, eq=False)
class Placed:
    """One rule: its id, "" if it has none, and its pieces, the one with its header first."""

    id: str
    pieces: list[Piece]


@dataclass(kw_only=True, slots=True)
class Book:
    """A file in pieces. `inline` are tables whose rules are written in another way."""

    path: str
    dialect: Dialect
    document: Document
    newline: str
    bom: str = ""
    cut: str = ""  # what is missing at the end: a newline, or nothing
    pieces: list[Piece] = field(default_factory=list)
    rules: dict[Name, list[Placed]] = field(default_factory=dict)
    by_id: dict[str, tuple[Name, Placed]] = field(default_factory=dict)
    off: dict[str, Piece] = field(default_factory=dict)  # what was switched off, by id
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
        kept: list[Piece] = []
        for piece in self.pieces[near]:
            if kept and piece.is_gap and kept[-1].is_gap:
                kept[-1].text += piece.text
            elif piece.text or not piece.is_gap:
                kept.append(piece)
        self.pieces[near] = kept


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A text with its document and its blocks; shared, so nobody may change it.

    The text ends with a newline; `cut` is that newline where the file has none at its end.
    """

    text: str
    newline: str
    cut: str
    document: Document
    blocks: list[Block]


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
        nameless=_is_nameless(read.document, dialect),
    )
    book.pieces = list(_pieces(read.text, read.blocks))
    _place_rules(book)
    return book


@lru_cache(maxsize=4)
def read_text(path: str, data: bytes) -> Read:
    """Read a file's bytes into blocks and a document."""
    text = _decoded(data)
    if text is not None:
        newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        cut = "" if text.endswith("\n") or not text else newline
        text += cut
        try:
            blocks = read_blocks(text)
            document = read_document(text, blocks)
            return Read(text=text, newline=newline, cut=cut, document=document, blocks=blocks)
        except LostError:
            pass
    report = Report(file=path)
    if read_toml(data, report) is None:
        raise EditError(*(_syntax(one.message, one.hint) for one in report.problems))
    why = "this file is TOML, but its lines could not be told apart, so it is not edited"
    raise EditError(Detail("target_file", why, "edit it by hand"))


def parsed(data: bytes, report: Report) -> Document | None:
    """Return the document of a file that was read a moment ago, with its lines."""
    try:
        read = read_text(report.file, data)
    except EditError:
        return read_toml(data, report)
    report.lines = quick_lines(read.text, read.blocks, read.document)
    return read.document


def _decoded(data: bytes) -> str | None:
    """Return the text, or None when a parser should say what is wrong with it."""
    # Half of a Windows line end is none, and must not become one when its other half is added.
    if len(data) > MAX_BYTES or b"\0" in data or data.endswith(b"\r"):
        return None
    try:
        return data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError:
        return None


def _syntax(message: str, hint: str) -> Detail:
    """Return what the parser says in the words of the reviewer."""
    told = message.removeprefix("not TOML: ")
    return Detail("target_file", told.replace("after a key in a key/value pair", "after key"), hint)


# --- which dialect ----------------------------------------------------------------------

# People write `enabled` into files of the original, too, where it means nothing.
OUR_FIELDS = frozenset(BY_NAME["rule"]) - ORIGINAL_KEYS - {"enabled"}
OURS = frozenset({"version", "preset", "defaults", "on_error", "gate", "approval", "broker"})


def dialect_of(path: str, document: Document) -> Dialect:
    """Tell how a file writes its rules; in doubt as the original does, which we read too."""
    if posixpath.basename(path) == "penstock.toml" or OURS & document.keys():
        return Dialect.OWN
    if not dialects.is_original(path, document) and _uses_our_words(document):
        return Dialect.OWN
    logging = document.get("logging")
    sections = any(_is_section(key, value) for key, value in document.items())
    late = isinstance(logging, dict) and "review_log_file" in logging
    flat = "allow" in document or "deny" in document
    return Dialect.SECTIONED if (sections or late) and not flat else Dialect.FLAT


def _is_section(key: str, value: object) -> bool:
    if key in SETTINGS or not isinstance(value, dict):
        return False
    return "allow" in value or "deny" in value or value.keys() <= set(SECTION_KEYS)


def _uses_our_words(document: Document) -> bool:
    if {"ask", "warn", "safe", "disable", "outside_project"} & document.keys():
        return True
    tables = [value for key in ("allow", "deny") if isinstance(value := document.get(key), list)]
    return any(
        isinstance(rule, dict) and not OUR_FIELDS.isdisjoint(rule)
        for rules in tables
        for rule in rules
    )


def _is_nameless(document: Document, dialect: Dialect) -> bool:
    """Tell whether a file is for the fork that refuses keys it does not know, as `id` is.

    It shows by what only that fork has, and by rules none of which has an id.
    """
    if dialect is not Dialect.FLAT:
        return False
    rules = [
        rule
        for key in ("allow", "deny")
        if isinstance(value := document.get(key), list)
        for rule in value
        if isinstance(rule, dict)
    ]
    keys = {key for rule in rules for key in rule}
    audit = document.get("audit")
    logs = isinstance(audit, dict) and "passthrough_log_file" in audit
    theirs = {"variables", "limits", "git_protection"} & document.keys()
    theirs |= {"subagent_type_regex", "reason", "protected_branch_check"} & keys
    return bool(theirs or logs) and not {"id", "description"} & keys


# --- pieces and rules -------------------------------------------------------------------


def _pieces(text: str, blocks: list[Block]) -> Iterator[Piece]:
    """Cut the text at the ends of its blocks; what is between them is cut once more."""
    line, counted = 1, 0
    ends = [block.head for block in blocks[1:]] + [len(text)]
    for block, end in zip(blocks, ends, strict=True):
        line, counted = line + text.count("\n", counted, block.start), block.start
        yield Piece(
            text=text[block.head : block.tail],
            name=block.name,
            many=block.many,
            header=block.start - block.head,
            body=block.body - block.head,
            line=line,
        )
        if block.tail < end:
            yield from _gap(text[block.tail : end])


def _gap(text: str) -> Iterator[Piece]:
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
                yield Piece(text=text[at : found.start()])
            yield Piece(text=text[found.start() : end], off=found[1].rstrip("\r"))
            at = end
    if at < len(text):
        yield Piece(text=text[at:])


def _place_rules(book: Book) -> None:
    """Find each rule's pieces: its own block, and the blocks of its sub-tables."""
    for piece in book.pieces:
        name = piece.name
        if piece.off:
            book.off.setdefault(piece.off, piece)
        if not name:
            continue
        table = _table_of(name, book.dialect)
        if table is None:
            continue
        rules = book.rules.setdefault(table, [])
        if name == table and piece.many:
            rules.append(Placed(id="", pieces=[piece]))
        elif rules:
            rules[-1].pieces.append(piece)
    for table, rules in book.rules.items():
        _name_rules(book, table, rules)


def _table_of(name: Name, dialect: Dialect) -> Name | None:
    """Return the table of rules that a header's name leads into, or None."""
    if dialect is Dialect.SECTIONED:
        inside = len(name) > 1 and name[1] in ("allow", "deny") and name[0] not in SETTINGS
        return name[:2] if inside else None
    known = RULE_TABLES if dialect is Dialect.OWN else ("allow", "deny")
    return name[:1] if name[0] in known else None


def _name_rules(book: Book, table: Name, rules: list[Placed]) -> None:
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


def differing(before: Read, after: Read) -> str:
    """Return the text after without the simple elements of arrays that the text before has, too.

    What is left is small, and is TOML exactly if the whole is.
    """
    known = {before.text[b.start : b.tail] for b in before.blocks if b.many and b.plain}
    ends = [block.head for block in after.blocks[1:]] + [len(after.text)]
    # A table inside an element needs its element, so those arrays stay.
    sub = {b.name[:at] for b in after.blocks for at in range(1, len(b.name))}
    kept = []
    for block, end in zip(after.blocks, ends, strict=True):
        text = after.text[block.start : block.tail]
        drop = block.many and block.plain and text in known and block.name not in sub
        kept.append("" if drop else after.text[block.head : end])
    return "".join(kept)
