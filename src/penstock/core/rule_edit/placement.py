"""Where a piece goes among the others, and what becomes of the blank lines around it.

A new rule is set apart as its neighbours are: by a blank line, or by none where the file has
none. A piece that goes takes with it the one blank line that set it apart.
Always true: putting a piece somewhere and taking it out again leaves the text as it was, and
no comment that belonged to nobody, or to another rule, becomes this one's.
"""

from __future__ import annotations

from penstock.core.rule_edit.pieces import Book, LinePiece, RulePlace
from penstock.core.rule_edit.toml.blocks import lines_of
from penstock.core.rules.toml_positions import Name


def _is_blank(line: str) -> bool:
    return not line.strip(" \t\r\n")


def _first_line(text: str) -> str:
    return text[: text.index("\n") + 1] if "\n" in text else text


def _last_line(text: str) -> str:
    return text[text.rfind("\n", 0, len(text) - 1) + 1 :]


def put_rule(book: Book, placed: RulePlace, table: Name, number: int, *, behind: bool) -> None:
    """Put a rule's pieces before the n-th rule of its table, or behind the one before that."""
    rules = book.rules.setdefault(table, [])
    if number < len(rules) and not (behind and number):
        _put_before(book, placed.pieces, rules[number].pieces[0])
    elif rules:
        put_after(book, placed.pieces, rules[number - 1].pieces[-1])
    else:
        near = _last_of_section(book, table)
        put_after(book, placed.pieces, near if near is not None else book.pieces[-1])
    rules.insert(number, placed)
    if placed.id:
        book.by_id[placed.id] = (table, placed)


def _last_of_section(book: Book, table: Name) -> LinePiece | None:
    near = [
        piece for piece in book.pieces if len(table) > 1 and (piece.name or ())[:1] == table[:1]
    ]
    return near[-1] if near else None


def _put_before(book: Book, pieces: list[LinePiece], other: LinePiece) -> None:
    at = book.pieces.index(other)
    after = [] if _is_tight(book, at - 1 if book.pieces[at - 1].text else at) else [_blank(book)]
    book.pieces[at:at] = [*pieces, *after]
    book.tidy(at)


def put_after(book: Book, pieces: list[LinePiece], other: LinePiece) -> None:
    """Put pieces behind another one and behind the comments that hang directly below it."""
    at = book.pieces.index(other)
    if other.is_gap or not other.text:
        ends_blank = not other.text or _is_blank(_last_line(other.text))
        before = [] if ends_blank else [_blank(book)]
        book.pieces[at + 1 : at + 1] = [*before, *pieces]
        book.tidy(at)
        return
    behind = book.pieces[at + 1] if at + 1 < len(book.pieces) else None
    if behind is not None and behind.is_gap and not _is_blank(_first_line(behind.text)):
        at += 1
        book.pieces[at : at + 1] = _cut_at_blank(behind)
    before = [] if _is_tight(book, at) else [_blank(book)]
    book.pieces[at + 1 : at + 1] = [*before, *pieces]
    book.tidy(at)


def _cut_at_blank(gap: LinePiece) -> list[LinePiece]:
    """Split a gap before its first blank line."""
    size = 0
    for line in lines_of(gap.text):
        if _is_blank(line):
            return [LinePiece(text=gap.text[:size]), LinePiece(text=gap.text[size:])]
        size += len(line)
    return [gap]


def _blank(book: Book) -> LinePiece:
    return LinePiece(text=book.newline)


def _is_tight(book: Book, at: int) -> bool:
    """True where blocks follow each other without a blank line."""
    if book.pieces[at].is_gap:
        return False
    if at + 1 < len(book.pieces):
        return not book.pieces[at + 1].is_gap
    return at > 1 and bool(book.pieces[at - 1].text) and not book.pieces[at - 1].is_gap


def take(book: Book, pieces: list[LinePiece]) -> None:
    """Take pieces out, each with the one blank line that set it apart."""
    for piece in pieces:
        at = book.pieces.index(piece)
        del book.pieces[at]
        before = book.pieces[at - 1] if at else None
        behind = book.pieces[at] if at < len(book.pieces) else None
        _close(before, behind, book.newline)
        book.tidy(at)


def _close(before: LinePiece | None, behind: LinePiece | None, newline: str) -> None:
    """Drop one of the two blank lines that now meet, or the one at an end of the file."""
    open_before = before is not None and before.is_gap and _is_blank(_last_line(before.text))
    open_behind = behind is not None and behind.is_gap and _is_blank(_first_line(behind.text))
    # Of two blank lines the one goes that we would have written.
    ours = open_behind and behind is not None and _first_line(behind.text) == newline
    ours = ours and before is not None and _last_line(before.text) != newline
    if before is not None and open_before and not ours and (open_behind or behind is None):
        before.text = before.text[: len(before.text) - len(_last_line(before.text))]
    elif behind is not None and open_behind and (ours or before is None or _is_start(before)):
        behind.text = behind.text[len(_first_line(behind.text)) :]


def _is_start(piece: LinePiece) -> bool:
    """True for the empty top of a file, and for a comment that the next block may touch."""
    return not piece.text or piece.is_gap
