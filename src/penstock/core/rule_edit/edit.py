"""Change rules files by operations, and keep every byte that an operation does not speak of.

`edited` makes the new texts, `checked` says what is wrong with the policy that they would be,
`widens` whether they would allow more. Reading and writing files, locks, commits and the
record of it all belong to whoever calls.
Always true: parse(edit(text, e)) == e(parse(text)). The text that comes out was read again by
`tomllib` and says exactly what the operation means for the document that went in; where it
would not, the edit is refused with the reason and nothing comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from penstock.core.rule_edit import steps
from penstock.core.rule_edit.on_text import spliced
from penstock.core.rule_edit.on_values import applied
from penstock.core.rule_edit.operation import Detail, EditError, EditWarning, Operation, Position
from penstock.core.rule_edit.operation_json import parse_operation
from penstock.core.rule_edit.pieces import Book, LinePiece, read_book, rules_in
from penstock.core.rule_edit.plan import PLANS, plan
from penstock.core.rule_edit.source import parsing, read_text
from penstock.core.rule_edit.summary import EditEffect, commit_message, told
from penstock.core.rule_edit.validate import EditCheck, check
from penstock.core.rule_edit.widening import widens
from penstock.core.rules.documents import Document

__all__ = [
    "Detail",
    "EditCheck",
    "EditEffect",
    "EditError",
    "EditResult",
    "EditWarning",
    "Operation",
    "Position",
    "checked",
    "commit_message",
    "edited",
    "parse_operation",
    "parsing",
    "restored",
    "told",
    "widens",
]


class EditResult(Struct, frozen=True, kw_only=True):
    """New texts of the files that change, and what was done in them."""

    texts: Mapping[str, bytes] = field(default_factory=dict)
    changes: tuple[EditEffect, ...] = ()


class _StepResult(Struct, kw_only=True):
    """One step that was taken, told in full once all others are, too."""

    kind: str
    book: Book
    piece: LinePiece | None
    line: int = 0
    rule_id: str = ""
    table: tuple[str, ...] = ()
    name: str = ""
    before: Mapping[str, object] | None = None
    after: Mapping[str, object] | None = None


def edited(texts: Mapping[str, bytes], operation: Operation) -> EditResult:
    """Return what an operation makes of some files; raise an EditError and change nothing."""
    books: dict[str, Book] = {}
    done: list[_StepResult] = []
    for one in operation.each:
        if one.type == "rollback":
            raise EditError(Detail("type", "a rollback is not a text edit", ""))
        path = _target(texts, one)
        if path not in books:
            books[path] = read_book(path, texts[path])
        if one.type in PLANS:
            done += _taken(books[path], one)
    made = {path: book.text() for path, book in books.items()}
    changed = {path: data for path, data in made.items() if data != texts[path]}
    for path, data in changed.items():
        _check_says(path, data, books[path].document)
    return EditResult(texts=changed, changes=tuple(_told_in_full(done)))


def checked(
    read: Callable[[str], bytes | None], path: str, edited: EditResult, operation: Operation
) -> EditCheck:
    """Say what is wrong with the policy at `path` once the edit is made, includes and all.

    `read` gives the bytes of a file as it is, or None; the edited texts stand before it.
    """
    return check(read, path, edited.texts, edited.changes, operation)


def restored(path: str, data: bytes) -> EditResult:
    """Return an older text of a file as an edit, so that it is checked like any other."""
    read_text(path, data)
    return EditResult(
        texts={path: data}, changes=(EditEffect(kind="restored", path=path, name=path),)
    )


def _target(texts: Mapping[str, bytes], operation: Operation) -> str:
    if operation.target_file in texts:
        return operation.target_file
    if not operation.target_file and len(texts) == 1:
        return next(iter(texts))
    told_ = f"`{operation.target_file}` was not read" if operation.target_file else "no file named"
    raise EditError(Detail(f"{operation.place}target_file", told_, "name the file to change"))


def _taken(book: Book, operation: Operation) -> Iterator[_StepResult]:
    """Take one operation's step in the text and in the document."""
    step = plan(book, operation)
    if step is None:
        return
    done = _StepResult(kind="", book=book, piece=None, rule_id=operation.rule_id)
    _note_before(done, step)
    done.piece = spliced(book, step)
    book.document = applied(book.document, step)
    _note_after(done, step, operation)
    yield done


def _note_before(done: _StepResult, step: steps.Step) -> None:
    book = done.book
    if isinstance(step, steps.Forget):
        done.table, done.line = step.table, book_line(book, step.piece)
        return
    if isinstance(step, steps.SetKeys | steps.Include):
        done.before = _mapping(book.document.get(_settings_table(step)))
        return
    done.table = step.table
    if isinstance(step, steps.Insert | steps.SwitchOn):
        return
    done.before = _mapping(rules_in(book.document, step.table)[step.number])
    done.line = book.rules[step.table][step.number].pieces[0].line


def _settings_table(step: steps.SetKeys | steps.Include) -> str:
    return step.table[0] if isinstance(step, steps.SetKeys) else steps.INCLUDES[0]


def book_line(book: Book, piece: LinePiece) -> int:
    """Return the line on which a piece begins."""
    at = book.pieces.index(piece)
    return sum(one.text.count("\n") for one in book.pieces[:at]) + 1


def _mapping(value: object) -> Mapping[str, object] | None:
    return value if isinstance(value, dict) else None


KINDS: Mapping[str, str] = {
    "add_rule": "added",
    "remove_rule": "removed",
    "update_rule": "updated",
    "reorder_rule": "moved",
    "update_llm_config": "llm_config",
    "update_llm_prompt": "llm_prompt",
    "add_include": "include_added",
    "remove_include": "include_removed",
}


def _note_after(done: _StepResult, step: steps.Step, operation: Operation) -> None:
    toggled = "enabled" if operation.enabled else "disabled"
    done.kind = KINDS.get(operation.type, toggled)
    if isinstance(step, steps.SetKeys | steps.Include):
        done.after = _mapping(done.book.document.get(_settings_table(step)))
        done.name = operation.path or ", ".join(operation.changes)
        return
    at: int | None = None
    if isinstance(step, steps.Insert | steps.SwitchOn | steps.ChangeKeys | steps.Enable):
        at = step.number
    elif isinstance(step, steps.MoveRule):
        at = step.to
    if at is not None:
        done.after = _mapping(rules_in(done.book.document, step.table)[at])


def _told_in_full(done: list[_StepResult]) -> Iterator[EditEffect]:
    """Find the lines of all changes, with one walk through each book."""
    lines: dict[int, tuple[int, int]] = {}
    for book in {id(one.book): one.book for one in done}.values():
        line = 1
        for piece in book.pieces:
            header = line + piece.text.count("\n", 0, piece.header)
            line += piece.text.count("\n")
            lines[id(piece)] = header, line - 1
    for one in done:
        line, until = lines.get(id(one.piece), (one.line, 0))
        yield EditEffect(
            kind=one.kind,
            path=one.book.path,
            line=line,
            until=until,
            rule_id=one.rule_id,
            rule_type=one.table[-1] if one.table else "",
            section=one.table[0] if len(one.table) > 1 else "",
            name=one.name,
            before=one.before,
            after=one.after,
        )


def _check_says(path: str, data: bytes, meant: Document) -> None:
    """Read the result again and compare it with the meaning."""
    try:
        says = _settled(read_text(path, data).document)
    except EditError as error:
        raise _not_kept(error.details[0].error) from None
    # Only not-a-number is unlike itself.
    if not (says == _settled(meant) or repr(says) == repr(_settled(meant))):
        raise _not_kept("the edited file does not have the intended meaning")


def _settled(document: Document) -> Document:
    """Leave out empty tables: a header without keys, or none at all, say the same."""
    return {key: value for key, value in sorted(document.items()) if value != {}}


def _not_kept(why: str) -> EditError:
    error = f"this edit can't be made in the file: {why}"
    return EditError(Detail("target_file", error, "edit the file by hand"))
