"""Take a step on a parsed document: what the edited text must say when it is read again.

Nothing here knows of text, comments or lines; that is the point of comparing the two.
Always true: the document that came in is not changed; of what comes out, all that the step
does not name is the very same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from penstock.core.rule_edit import steps
from penstock.core.rules.documents import Document
from penstock.core.rules.toml_positions import Name


def applied(document: Document, step: steps.Step) -> Document:
    """Return the document after a step."""
    return TAKES[type(step)](document, step)


def _with(document: Mapping[str, object], path: Name, value: object) -> Document:
    """Return a document with something else at a path, copying only what leads there."""
    copy = dict(document)
    inner = copy.get(path[0])
    below = inner if isinstance(inner, dict) else {}
    copy[path[0]] = _with(below, path[1:], value) if len(path) > 1 else value
    return copy


def _rules(document: Document, table: Name) -> list[object]:
    value: object = document
    for part in table:
        value = cast("Document", value).get(part, {} if part != table[-1] else [])
    return list(cast("list[object]", value))


def _insert(document: Document, step: steps.Insert | steps.SwitchOn) -> Document:
    rules = _rules(document, step.table)
    rules.insert(step.number, dict(step.rule))
    return _with(document, step.table, rules)


def _delete(document: Document, step: steps.Delete | steps.SwitchOff) -> Document:
    rules = _rules(document, step.table)
    del rules[step.number]
    return _with(document, step.table, rules) if rules else _without(document, step.table)


def _without(document: Document, table: Name) -> Document:
    """Leave out a table that no header makes any more; a section with other keys stays."""
    copy = dict(document)
    if len(table) == 1:
        del copy[table[0]]
        return copy
    inner = _without(cast("Document", copy[table[0]]), table[1:])
    copy[table[0]] = inner
    return copy


def _change(document: Document, step: steps.ChangeKeys) -> Document:
    rules = _rules(document, step.table)
    rules[step.number] = _changed(cast("Document", rules[step.number]), step.changes)
    return _with(document, step.table, rules)


def _changed(table: Document, changes: Mapping[str, object]) -> Document:
    kept = {key: value for key, value in table.items() if key not in changes}
    return kept | {key: value for key, value in changes.items() if value is not None}


def _enable(document: Document, step: steps.Enable) -> Document:
    changes = {"enabled": None if step.drops else step.enabled}
    return _change(
        document, steps.ChangeKeys(table=step.table, number=step.number, changes=changes)
    )


def _move(document: Document, step: steps.MoveRule) -> Document:
    rules = _rules(document, step.table)
    rules.insert(step.to, rules.pop(step.number))
    return _with(document, step.table, rules)


def _same(document: Document, _: steps.Forget) -> Document:
    return document


def _set_keys(document: Document, step: steps.SetKeys) -> Document:
    table = cast("Document", document.get(step.table[0], {}))
    return _with(document, step.table, _changed(table, step.changes))


def _include(document: Document, step: steps.Include) -> Document:
    path = (*steps.INCLUDES, "files")
    files = _rules(document, path)
    if step.name:
        files.append(step.name)
    else:
        del files[step.number]
    return _with(document, path, files)


TAKES: Mapping[type, Callable[[Document, Any], Document]] = {
    steps.Insert: _insert,
    steps.SwitchOn: _insert,
    steps.Delete: _delete,
    steps.SwitchOff: _delete,
    steps.ChangeKeys: _change,
    steps.Enable: _enable,
    steps.MoveRule: _move,
    steps.Forget: _same,
    steps.SetKeys: _set_keys,
    steps.Include: _include,
}
