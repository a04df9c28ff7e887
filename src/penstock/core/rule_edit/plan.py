"""What an operation means for one file: a step on the n-th rule of a table, or on a setting.

Whatever an operation names is looked up here, and what cannot be done is refused here.
Always true: a step names rules that are there and ids that are free; an operation that would
change nothing has no step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from penstock.core.rule_edit.dialect import RuleDialect
from penstock.core.rule_edit.operation import LLM_KEYS, RULE_KEYS, Detail, EditError, Operation
from penstock.core.rule_edit.pieces import Book, LinePiece, rules_in
from penstock.core.rule_edit.steps import (
    LLM,
    OUR_NOTE,
    ChangeKeys,
    Delete,
    Enable,
    Forget,
    Include,
    Insert,
    MoveRule,
    Rule,
    SetKeys,
    Step,
    SwitchOff,
    SwitchOn,
)
from penstock.core.rule_edit.toml.blocks import END_MARKER, lines_of
from penstock.core.rules.documents import read_toml
from penstock.core.rules.fields import EDITED_TABLES
from penstock.core.rules.permissions_hook.document import SETTINGS
from penstock.core.rules.problems import ProblemReport, did_you_mean, shown
from penstock.core.rules.toml_positions import Name

USUAL_SECTION = "rules"
DEFAULT = "default."
MOST_GUESSED = 300  # ids that a mistyped one is held against


def plan(book: Book, operation: Operation) -> Step | None:
    """Return the step that an operation is in this file, None when it would change nothing."""
    return PLANS[operation.type](book, operation)


def _refuse(operation: Operation, field_: str, error: str, hint: str = "") -> EditError:
    return EditError(Detail(f"{operation.place}{field_}", error, hint))


# --- rules ------------------------------------------------------------------------------


def _add(book: Book, op: Operation) -> Insert:
    name = str(op.rule["id"])
    if book.find(name) is not None or name in book.off:
        hint = "choose another id, or update that rule"
        raise _refuse(op, "rule.id", f"Rule with id '{name}' already exists", hint)
    if name.startswith(DEFAULT):  # it would be told as no rule at all
        error = f"ids that begin with `{DEFAULT}` are defaults, not rules"
        raise _refuse(op, "rule.id", error, "choose another id")
    table = _table_for(book, op)
    _check_written(book, op, table)
    count = len(book.rules.get(table, []))
    number = _number(book, op, "position", table, count)
    behind = op.position.where == "after"
    if not book.nameless:
        return Insert(table=table, number=number, rule=op.rule, id=name, behind=behind)
    # The fork that this file is for refuses keys it does not know, and then loads no rule.
    kept = {key: value for key, value in op.rule.items() if key not in ("id", "description")}
    about = str(op.rule.get("description", ""))
    notes = (f"# id: {name}", *(f"# {about}" for _ in range(bool(about and about.isprintable()))))
    return Insert(table=table, number=number, rule=kept, id=name, behind=behind, notes=notes)


def _table_for(book: Book, op: Operation) -> Name:
    kinds = EDITED_TABLES if book.dialect is RuleDialect.OWN else ("allow", "deny")
    if op.rule_type not in kinds:
        error = f"a rule file of the original has no {op.rule_type} rules"
        raise _refuse(op, "rule_type", error, f"one of {', '.join(kinds)}")
    empty = book.dialect is RuleDialect.FLAT and not book.rules
    if book.dialect is not RuleDialect.SECTIONED and not (op.section and empty):
        if op.section:
            raise _refuse(op, "section", "this file has no sections", "leave `section` out")
        return (op.rule_type,)
    if op.section in (*SETTINGS, *EDITED_TABLES):
        raise _refuse(op, "section", f"`{op.section}` is not a section of rules", "choose another")
    near = book.find(op.position.id) if op.position.id and not op.section else None
    section = near[0][0] if near is not None else op.section or USUAL_SECTION
    return (section, op.rule_type)


def _check_written(book: Book, op: Operation, table: Name) -> None:
    """Refuse what is not written as `[[table]]` blocks: other rules could not be kept as is."""
    above: object = book.document
    for end, part in enumerate(table, 1):
        value = above.get(part) if isinstance(above, dict) else None
        if value is not None and not isinstance(value, dict if end < len(table) else list):
            raise _refuse(op, "rule_type", f"`{'.'.join(table[:end])}` is not a table of rules")
        above = value
    if _inline(book, table):
        raise _inline_error(op, "rule_type", table)


def _inline_error(op: Operation, field_: str, table: Name) -> EditError:
    name = ".".join(table)
    error = f"the rules of `{name}` are inline tables, which can't be edited"
    return _refuse(op, field_, error, f"write them as [[{name}]] tables first")


def _inline(book: Book, table: Name) -> bool:
    """True when a pair, not a header, makes the table or the section around it."""
    tops = [piece for piece in book.pieces if piece.name is not None and not piece.many]
    ours = [piece for piece in tops if piece.name == table[: len(piece.name or ())]]
    return any(
        (*(piece.name or ()), *pair.key) == table[: len(piece.name or ()) + len(pair.key)]
        for piece in ours
        for pair in piece.pairs()
    )


def _number(book: Book, op: Operation, key: str, table: Name, count: int) -> int:
    """Return how many rules of the table stand before the place that was asked for."""
    position = op.position
    if position.where in ("start", "end"):
        return 0 if position.where == "start" else count
    found = book.find(position.id)
    if found is None:
        raise _unknown(book, op, position.id, f"{key}.{position.where}")
    if found[0] != table:
        error = f"rule '{position.id}' is in `{'.'.join(found[0])}`, not in `{'.'.join(table)}`"
        raise _refuse(op, f"{key}.{position.where}", error, "a place is among rules of one kind")
    return found[1] + (position.where == "after")


def _unknown(book: Book, op: Operation, name: str, field_: str = "id") -> EditError:
    if name in book.off:
        return _refuse(
            op, field_, f"Rule '{name}' is disabled", "enable it first, with toggle_rule"
        )
    for table in _tables(book.document):
        rules = rules_in(book.document, table)
        if any(isinstance(rule, dict) and rule.get("id") == name for rule in rules):
            return _inline_error(op, field_, table)
    near = [one for one in book.by_id if one[:1] == name[:1]][:MOST_GUESSED]
    hint = _hint(name, near or [*book.by_id][:MOST_GUESSED]) or "list them: query `rule`"
    return _refuse(op, field_, f"Rule with id '{name}' not found", hint)


def _hint(name: str, known: Sequence[str]) -> str:
    return did_you_mean(name, known) if known else "there is none in this file"


def _tables(document: Mapping[str, object]) -> Iterator[Name]:
    """Yield where rules can stand in a document, whatever its dialect."""
    for key, value in document.items():
        if key in EDITED_TABLES:
            yield (key,)
        elif isinstance(value, dict):
            yield from ((key, kind) for kind in ("allow", "deny") if kind in value)


def _found(book: Book, op: Operation) -> tuple[Name, int]:
    found = book.find(op.id)
    if found is None:
        raise _unknown(book, op, op.id)
    return found


def _remove(book: Book, op: Operation) -> Step:
    off = book.off.get(op.id)
    if off is not None and book.find(op.id) is None:
        return Forget(piece=off, table=_brought_back(op, off)[0])
    table, number = _found(book, op)
    return Delete(table=table, number=number)


def _update(book: Book, op: Operation) -> Step | None:
    table, number = _found(book, op)
    raw = rules_in(book.document, table)[number]
    known = raw if isinstance(raw, dict) else {}
    for key in op.changes:
        if key == "id" and op.changes[key] != known.get("id"):
            error = "a rule's id cannot be changed"
            raise _refuse(op, "changes.id", error, "remove the rule and add another")
        if key not in RULE_KEYS:
            raise _refuse(op, f"changes.{key}", f"unknown field {shown(key)}")
        if book.nameless and key == "description" and op.changes[key] is not None:
            error = "the program that this file is for refuses rules with `description`"
            raise _refuse(op, "changes.description", error, "write a comment by hand")
    changes = {
        key: value
        for key, value in op.changes.items()
        if (key in known if value is None else not _same(known.get(key), value))
    }
    return ChangeKeys(table=table, number=number, changes=changes) if changes else None


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _toggle(book: Book, op: Operation) -> Step | None:
    off = book.off.get(op.id)
    if off is not None and book.find(op.id) is None:
        return _switch_on(book, op, off) if op.enabled else None
    table, number = _found(book, op)
    if book.dialect is RuleDialect.OWN:
        return _enable(book, op, table, number)
    if op.enabled:
        return None
    if off is not None:
        hint = "enable or remove that one first, or give this rule an id"
        raise _refuse(op, "id", f"a rule named '{op.id}' is disabled already", hint)
    return SwitchOff(table=table, number=number, id=op.id)


def _enable(book: Book, op: Operation, table: Name, number: int) -> Enable | None:
    raw = rules_in(book.document, table)[number]
    value = raw.get("enabled", True) if isinstance(raw, dict) else True
    if value is op.enabled:
        return None
    piece = book.rules[table][number].pieces[0]
    ours = any(
        pair.key == ("enabled",) and piece.text[pair.value_end : pair.end].strip() == OUR_NOTE
        for pair in piece.pairs()
    )
    return Enable(table=table, number=number, enabled=op.enabled, drops=op.enabled and ours)


def _switch_on(book: Book, op: Operation, off: LinePiece) -> SwitchOn:
    table, text, rule = _brought_back(op, off)
    before = set(map(id, book.pieces[: book.pieces.index(off)]))
    number = sum(id(placed.pieces[0]) in before for placed in book.rules.get(table, []))
    return SwitchOn(table=table, number=number, piece=off, text=text, rule=rule)


def _brought_back(op: Operation, off: LinePiece) -> tuple[Name, str, Rule]:
    """Return the table, the text and the rule that a commented piece stands for."""
    kept = [line for line in lines_of(off.text)[1:] if not line.startswith(END_MARKER)]
    text = "".join(line[2:] if line.startswith("# ") else line[1:] for line in kept)
    report = ProblemReport(file="")
    document = read_toml(text.encode(), report) or {}
    table = next((one.name for one in report.lines.headers if one.name), ())
    rules = rules_in(document, table)
    if len(rules) != 1 or not isinstance(rules[0], dict) or rules[0].get("id", op.id) != op.id:
        error = f"the lines of rule '{op.id}' were changed while it was disabled"
        raise _refuse(op, "id", error, "take the `#` signs away by hand")
    return table, text, rules[0]


def _reorder(book: Book, op: Operation) -> MoveRule | None:
    table, number = _found(book, op)
    if op.position.id == op.id:
        return None
    to = _number(book, op, "move_to", table, len(book.rules[table]))
    to -= to > number
    behind = op.position.where == "after"
    return MoveRule(table=table, number=number, to=to, behind=behind) if to != number else None


# --- settings ---------------------------------------------------------------------------


def _llm(book: Book, op: Operation) -> SetKeys | None:
    for key in op.changes:
        if key == "api_key":
            hint = "set it in the environment; the file is committed and logged"
            raise _refuse(op, "changes.api_key", "`api_key` cannot be set here", hint)
        if key not in LLM_KEYS:
            error = f"unknown key {shown(key)} of [llm_fallback]"
            raise _refuse(op, f"changes.{key}", error, f"one of {', '.join(LLM_KEYS)}")
    return _set_keys(book, op, op.changes)


def _prompt(book: Book, op: Operation) -> SetKeys | None:
    return _set_keys(book, op, {"system_prompt": op.prompt})


def _set_keys(book: Book, op: Operation, changes: Rule) -> SetKeys | None:
    known = book.document.get("llm_fallback", {})
    if not isinstance(known, dict):
        raise _refuse(op, "changes", "`llm_fallback` is no table")
    kept = {
        key: value
        for key, value in changes.items()
        if (key in known if value is None else not _same(known.get(key), value))
    }
    return SetKeys(table=LLM, changes=kept) if kept else None


def _included(book: Book, op: Operation) -> list[object]:
    includes = book.document.get("includes", {})
    files = includes.get("files", []) if isinstance(includes, dict) else None
    if not isinstance(files, list):
        raise _refuse(op, "path", "`includes.files` is no list", "fix it by hand")
    return files


def _add_include(book: Book, op: Operation) -> Include:
    if op.path in _included(book, op):
        raise _refuse(op, "path", f"`{op.path}` is included already")
    return Include(name=op.path)


def _remove_include(book: Book, op: Operation) -> Include:
    files = _included(book, op)
    if op.path not in files:
        known = [name for name in files if isinstance(name, str)]
        raise _refuse(op, "path", f"`{op.path}` is not included", _hint(op.path, known))
    return Include(number=files.index(op.path))


PLANS = {
    "add_rule": _add,
    "remove_rule": _remove,
    "update_rule": _update,
    "toggle_rule": _toggle,
    "reorder_rule": _reorder,
    "update_llm_config": _llm,
    "update_llm_prompt": _prompt,
    "add_include": _add_include,
    "remove_include": _remove_include,
}
