"""Take a step on the pieces of a book: the smallest change of its text that says it.

A new rule looks like its neighbours, a moved one takes its comments along, a changed value
keeps its line and the comment behind it. That the text then says what was meant is checked
by whoever reads it again.
Always true: a piece that a step does not name keeps its text, and adding a rule and removing
it again gives the bytes from before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from penstock.core.rule_edit import steps
from penstock.core.rule_edit.dialect import RuleDialect
from penstock.core.rule_edit.operation import Detail, EditError
from penstock.core.rule_edit.pieces import Book, LinePiece, RulePlace
from penstock.core.rule_edit.placement import put_after, put_rule, take
from penstock.core.rule_edit.toml.blocks import (
    END_MARKER,
    MARKER,
    Pair,
    comment_start,
    lines_of,
)
from penstock.core.rule_edit.toml.lists import appended, without
from penstock.core.rule_edit.toml.write import prose, toml_key, toml_value
from penstock.core.rules.permissions_hook.document import SETTINGS
from penstock.core.rules.toml_positions import Name


def spliced(book: Book, step: steps.Step) -> LinePiece | None:
    """Change a book by a step; return the piece that the step was about, if it is still there."""
    return TAKES[type(step)](book, step)


# --- rules ------------------------------------------------------------------------------


def _insert(book: Book, step: steps.Insert) -> LinePiece:
    notes = "".join(f"{note}{book.newline}" for note in step.notes)
    header = f"[[{'.'.join(map(toml_key, step.table))}]]{book.newline}"
    first = [key for key in ("id", "description") if key in step.rule]
    keys = [*first, *(key for key in step.rule if key not in first)]
    lines = [f"{toml_key(k)} = {_value(book, k, step.rule[k])}{book.newline}" for k in keys]
    piece = LinePiece(
        text=notes + header + "".join(lines),
        name=step.table,
        many=True,
        header=len(notes),
        body=len(notes) + len(header),
    )
    put_rule(
        book, RulePlace(id=step.id, pieces=[piece]), step.table, step.number, behind=step.behind
    )
    return piece


def _value(book: Book, key: str, value: object, like: str = "") -> str:
    if key == "system_prompt" and isinstance(value, str):
        return prose(value, book.newline)
    return toml_value(value, like=like, newline=book.newline)


def _drop(book: Book, table: Name, number: int) -> RulePlace:
    placed = book.rules[table].pop(number)
    if placed.id and book.by_id.get(placed.id, (table, placed))[1] is placed:
        del book.by_id[placed.id]
    return placed


def _delete(book: Book, step: steps.Delete) -> None:
    take(book, _drop(book, step.table, step.number).pieces)


def _move(book: Book, step: steps.MoveRule) -> LinePiece:
    placed = _drop(book, step.table, step.number)
    take(book, placed.pieces)
    put_rule(book, placed, step.table, step.to, behind=step.behind)
    return placed.pieces[0]


def _change(book: Book, step: steps.ChangeKeys) -> LinePiece:
    piece = book.rules[step.table][step.number].pieces[0]
    _set_all(book, piece, step.changes)
    return piece


def _enable(book: Book, step: steps.Enable) -> LinePiece:
    piece = book.rules[step.table][step.number].pieces[0]
    pair = _pair(piece, ("enabled",))
    if pair is None:
        _append_line(book, piece, f"enabled = false  {steps.OUR_NOTE}")
    else:
        _set(book, piece, ("enabled",), None if step.drops else step.enabled)
    return piece


def _switch_off(book: Book, step: steps.SwitchOff) -> LinePiece:
    placed = book.rules[step.table][step.number]
    first, last = (book.pieces.index(placed.pieces[at]) for at in (0, -1))
    between = book.pieces[first : last + 1]
    if any(piece.name is not None and piece not in placed.pieces for piece in between):
        error = f"rule '{step.id}' is written in two places, with another between them"
        raise EditError(Detail("id", error, "move its tables together by hand"))
    _drop(book, step.table, step.number)
    head = between[0].text[: between[0].header]
    text = "".join(piece.text for piece in between)[len(head) :]
    lines = [_commented(line) for line in lines_of(text)]
    end = [] if _ends_by_itself(book, last) else [f"{END_MARKER}{book.newline}"]
    off = LinePiece(text="".join([f"{MARKER}{step.id}{book.newline}", *lines, *end]), off=step.id)
    book.pieces[first : last + 1] = [*([LinePiece(text=head)] if head else []), off]
    book.tidy(first)
    book.off[step.id] = off
    return off


def _commented(line: str) -> str:
    return f"#{line}" if line in ("\n", "\r\n") else f"# {line}"


def _ends_by_itself(book: Book, last: int) -> bool:
    """True when the next line is no comment, so that nobody takes it for part of the rule."""
    behind = book.pieces[last + 1] if last + 1 < len(book.pieces) else None
    return behind is None or not behind.text.lstrip(" \t").startswith("#")


def _switch_on(book: Book, step: steps.SwitchOn) -> LinePiece:
    at = book.pieces.index(step.piece)
    head = _comments_above(book, at)
    body = len(head) + step.text.index("\n") + 1
    piece = LinePiece(
        text=head + step.text, name=step.table, many=True, header=len(head), body=body
    )
    book.pieces[at] = piece
    book.tidy(at)
    del book.off[step.piece.off]
    placed = RulePlace(id=step.piece.off, pieces=[piece])
    book.rules.setdefault(step.table, []).insert(step.number, placed)
    book.by_id[placed.id] = (step.table, placed)
    return piece


def _comments_above(book: Book, at: int) -> str:
    """Take the comments directly above a place out of the gap that they are in."""
    above = book.pieces[at - 1]
    if not above.is_gap:
        return ""
    start = comment_start(above.text, len(above.text), 0)
    head = above.text[start:]
    above.text = above.text[:start]
    return head


def _forget(book: Book, step: steps.Forget) -> None:
    take(book, [step.piece])
    del book.off[step.piece.off]


# --- keys -------------------------------------------------------------------------------


def _pair(piece: LinePiece, key: Name) -> Pair | None:
    return next((pair for pair in piece.pairs() if pair.key == key), None)


def _set_all(book: Book, piece: LinePiece, changes: Mapping[str, object], under: Name = ()) -> None:
    for key, value in changes.items():
        _set(book, piece, (*under, key), value)


def _set(book: Book, piece: LinePiece, key: Name, value: object) -> None:
    """Give a key of a block another value, or take its line out, or add one."""
    pair = _pair(piece, key)
    text = piece.text
    if pair is None:
        name = ".".join(map(toml_key, key))
        _append_line(book, piece, f"{name} = {_value(book, key[-1], value)}", near=key[:-1])
    elif value is None:
        piece.text = text[: pair.start] + text[pair.end :]
    else:
        old = text[pair.value : pair.value_end]
        new = _value(book, key[-1], value, old)
        piece.text = text[: pair.value] + new + text[pair.value_end :]


def _append_line(book: Book, piece: LinePiece, line: str, near: Name = ()) -> None:
    """Add a line behind the block's last pair, or behind the last one that begins like it."""
    pairs = [pair for pair in piece.pairs() if pair.key[: len(near)] == near]
    start, end = (pairs[-1].start, pairs[-1].end) if pairs else (piece.body, piece.body)
    below = piece.text[start:]
    indent = below[: len(below) - len(below.lstrip(" \t"))] if pairs else ""
    piece.text = f"{piece.text[:end]}{indent}{line}{book.newline}{piece.text[end:]}"


def _set_keys(book: Book, step: steps.SetKeys) -> LinePiece:
    piece, under = _piece_of(book, step.table)
    _set_all(book, piece, step.changes, under)
    return piece


def _piece_of(book: Book, table: Name) -> tuple[LinePiece, Name]:
    """Return the block that holds a table's keys and what they begin with there."""
    top = book.pieces[0]
    dotted = [pair for pair in top.pairs() if pair.key[:1] == table]
    if any(pair.key == table for pair in dotted):
        error = f"`{'.'.join(table)}` is an inline table, which can't be edited"
        raise EditError(Detail("target_file", error, f"write it as [{'.'.join(table)}] first"))
    if dotted:
        return top, table
    found = next((p for p in book.pieces if p.name == table and not p.many), None)
    return found or _new_table(book, table), ()


def _new_table(book: Book, table: Name) -> LinePiece:
    """Make a table; before the rules, where settings are, unless there are no settings."""
    header = f"[{'.'.join(map(toml_key, table))}]{book.newline}"
    piece = LinePiece(text=header, name=table, body=len(header))
    rules = {id(p) for placed in book.rules.values() for one in placed for p in one.pieces}
    settings = [p for p in book.pieces if id(p) not in rules and _has_settings(book, p)]
    put_after(book, [piece], settings[-1] if settings else book.pieces[-1])
    return piece


def _has_settings(book: Book, piece: LinePiece) -> bool:
    """True for a block of settings; a section's own table stays with the rules behind it."""
    if not piece.name:
        return piece.name is not None and bool(piece.text)
    return book.dialect is not RuleDialect.SECTIONED or piece.name[0] in SETTINGS


def _include(book: Book, step: steps.Include) -> LinePiece:
    piece, under = _piece_of(book, steps.INCLUDES)
    pair = _pair(piece, (*under, "files"))
    if pair is None:
        _set(book, piece, (*under, "files"), [step.name])
        return piece
    text = piece.text
    old = text[pair.value : pair.value_end]
    new = (
        appended(old, toml_value(step.name), book.newline)
        if step.name
        else without(old, step.number)
    )
    piece.text = text[: pair.value] + new + text[pair.value_end :]
    return piece


TAKES: Mapping[type, Callable[[Book, Any], LinePiece | None]] = {
    steps.Insert: _insert,
    steps.Delete: _delete,
    steps.ChangeKeys: _change,
    steps.MoveRule: _move,
    steps.Enable: _enable,
    steps.SwitchOff: _switch_off,
    steps.SwitchOn: _switch_on,
    steps.Forget: _forget,
    steps.SetKeys: _set_keys,
    steps.Include: _include,
}
