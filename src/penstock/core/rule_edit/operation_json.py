"""Read an operation from a JSON document, every key and every value of it.

An agent writes these documents, so what is not known is refused, never ignored, and all that is
wrong is told at once.
Always true: an Operation that comes out is complete and of bounded size; its texts are Unicode
without NUL, its ids are printable, and a batch holds no batch, and rollbacks only among such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from penstock.core.rule_edit.operation import (
    KEYS,
    LLM_KEYS,
    RULE_KEYS,
    Detail,
    EditError,
    Operation,
    Position,
)
from penstock.core.rules.fields import EDITED_TABLES
from penstock.core.rules.problems import did_you_mean, shown

MAX_OPERATIONS = 1000  # in one batch
MAX_TEXT = 20_000  # characters, as in a rules file
MAX_ITEMS = 1000  # of one list
MAX_WHOLE = 2**63 - 1  # the largest number that TOML promises
NOT_IN_BATCH = ("batch", "validate")
COMMIT = re.compile(r"(?:[0-9a-fA-F]{4,64}|HEAD(?:[~^][0-9]{0,4}){0,8})\Z")
BACKUP = re.compile(r"[^/\0]{1,255}\.[0-9]{8}T[0-9]{6}Z[^/\0]{0,64}\.bak\Z")
SECTION = re.compile(r"[a-z][a-z0-9-]{0,63}\Z")


def parse_operation(document: object) -> Operation:
    """Read an operation; raise an EditError that tells everything that is wrong with it."""
    reading = _OperationReader()
    made = _operation(reading, document)
    if reading.details or made is None:
        raise EditError(*reading.details[:100], error_type="invalid_operation")
    return made


class _OperationReader:
    """Collects what is wrong, so that all of it is told at once."""

    def __init__(self) -> None:
        self.details: list[Detail] = []

    def wrong(self, field: str, error: str, suggestion: str = "") -> None:
        self.details.append(Detail(field, error, suggestion))


def _operation(
    reading: _OperationReader, document: object, place: str = "", file: str = ""
) -> Operation | None:
    if not isinstance(document, dict):
        reading.wrong(place.rstrip("."), "an operation must be a JSON object", 'write {"type": ..}')
        return None
    kind = document.get("type")
    if not isinstance(kind, str) or kind not in KEYS:
        known = did_you_mean(kind, KEYS) if isinstance(kind, str) else f"one of {', '.join(KEYS)}"
        what = "missing" if "type" not in document else f"unknown operation type {_told(kind)}"
        reading.wrong(f"{place}type", what, known)
        return None
    if place and kind in NOT_IN_BATCH:
        reading.wrong(f"{place}type", f"a batch cannot hold a {kind}", "send it by itself")
        return None
    before = len(reading.details)
    _check_keys(reading, document, kind, place)
    values = _values(reading, document, place)
    values["target_file"] = values.get("target_file") or file
    if kind == "batch":
        values["operations"] = _parts(reading, document, str(values["target_file"]))
    if kind == "rollback":
        _check_rollback(reading, document, place)
    if len(reading.details) > before:
        return None
    return Operation(type=kind, place=place, **values)  # type: ignore[arg-type]


def _check_keys(
    reading: _OperationReader, document: Mapping[str, object], kind: str, place: str
) -> None:
    required, optional = KEYS[kind]
    known = ("type", *required, *optional)
    for key in document:
        if key not in known:
            reading.wrong(f"{place}{key[:80]}", f"unknown key in {kind}", did_you_mean(key, known))
    for key in required:
        if key not in document:
            reading.wrong(f"{place}{key}", f"Missing required field: {key}", f"add `{key}`")


def _check_rollback(reading: _OperationReader, document: Mapping[str, object], place: str) -> None:
    if ("to_commit" in document) is ("to_backup" in document):
        told = "exactly one of 'to_commit' or 'to_backup' is needed"
        reading.wrong(f"{place}to_commit", told, "name the commit, or the backup")


def _parts(
    reading: _OperationReader, document: Mapping[str, object], file: str
) -> tuple[Operation, ...]:
    parts = document.get("operations")
    if not isinstance(parts, list) or not 0 < len(parts) <= MAX_OPERATIONS:
        told = f"must be a list of 1 to {MAX_OPERATIONS} operations"
        reading.wrong("operations", told, "write [{...}, {...}]")
        return ()
    read = (_operation(reading, part, f"operations[{at}].", file) for at, part in enumerate(parts))
    made = tuple(one for one in read if one is not None)
    if len({one.type == "rollback" for one in made}) > 1:
        # An older text and an edit of the text that it takes the place of have no order.
        told = "a batch holds rollbacks or edits, not both"
        reading.wrong("operations", told, "send the rollbacks by themselves")
    return made


# --- one value --------------------------------------------------------------------------


class _WrongError(Exception):
    """A value that cannot be what it should; its text and its hint."""


def _values(
    reading: _OperationReader, document: Mapping[str, object], place: str
) -> dict[str, object]:
    """Read the keys of an operation, each by its own reader."""
    values: dict[str, object] = {}
    for key, raw in document.items():
        if key not in READERS:
            continue
        try:
            values["position" if key == "move_to" else key] = READERS[key](raw)
        except _WrongError as error:
            reading.wrong(f"{place}{key}", *error.args)
        except _InsideError as errors:
            for inner, *words in errors.all_of:
                reading.wrong(f"{place}{key}.{inner}", *words)
    return values


class _InsideError(Exception):
    """Several values inside a table, each with its key, its text and its hint."""

    def __init__(self, all_of: list[tuple[str, str, str]]) -> None:
        super().__init__()
        self.all_of = all_of


def _told(raw: object) -> str:
    """Name a value in a message; only plain ones in full, because any may be huge."""
    if isinstance(raw, dict | list):
        return "an object" if isinstance(raw, dict) else "a list"
    if isinstance(raw, int) and abs(raw) > MAX_WHOLE:
        return "a number beyond all limits"
    return shown("null" if raw is None else raw)


def _text(raw: object, *, most: int = MAX_TEXT) -> str:
    if not isinstance(raw, str):
        raise _WrongError(f"must be text, not {_told(raw)}", "put it in quotes")
    if len(raw) > most:
        raise _WrongError(f"is longer than {most} characters", "shorten it")
    if "\0" in raw or (not raw.isprintable() and _has_surrogate(raw)):
        raise _WrongError("holds a character that no file can hold", "remove it")
    return raw


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _name(raw: object) -> str:
    """An id stands in messages, comments and commits, so it is one printable line."""
    text = _text(raw, most=200)
    if not text.strip() or not text.isprintable() or "`" in text:
        raise _WrongError(f"{shown(text)} is no id", "use letters, digits, `-`, `_` and `.`")
    return text


def _file(raw: object) -> str:
    """The name of an included file stands in a rules file."""
    text = _text(raw, most=4096)
    if not text or not text.isprintable():
        raise _WrongError(f"{shown(text)} is no file name", "write a path")
    return text


def _target(raw: object) -> str:
    """A rules file may lie in a directory of any name, also with newlines or no UTF-8 in it."""
    text = _text(_without_bytes(raw) if isinstance(raw, str) else raw, most=4096)
    if not text.strip():
        raise _WrongError(f"{shown(text)} is no file name", "write a path")
    return str(raw)


def _without_bytes(text: str) -> str:
    """Leave out the characters that stand for bytes of a name that are no UTF-8."""
    return "".join(char for char in text if not "\udc80" <= char <= "\udcff")


def _flag(raw: object) -> bool:
    if not isinstance(raw, bool):
        raise _WrongError(f"must be true or false, not {_told(raw)}", "without quotes")
    return raw


def _word_of(*words: str) -> Callable[[object], str]:
    def read(raw: object) -> str:
        if not isinstance(raw, str) or raw not in words:
            raise _WrongError(f"must be one of {', '.join(words)}, not {_told(raw)}", "")
        return raw

    return read


def _fitting(pattern: re.Pattern[str], what: str, hint: str) -> Callable[[object], str]:
    def read(raw: object) -> str:
        text = _text(raw)
        if not pattern.match(text):
            raise _WrongError(f"{shown(text)} is no {what}", hint)
        return text

    return read


def _position(raw: object) -> Position:
    if isinstance(raw, str) and raw in ("start", "end"):
        return Position(where=raw)
    if isinstance(raw, dict) and len(raw) == 1 and (key := next(iter(raw))) in ("before", "after"):
        return Position(where=key, id=_name(raw[key]))
    raise _WrongError(
        f"{_told(raw)} is no position", '"start", "end", {"before": id} or {"after": id}'
    )


def _prompt(raw: object) -> str | None:
    return None if raw is None else _text(raw)


def _rule(raw: object) -> Mapping[str, object]:
    return _table(raw, RULE_KEYS, nulls=False, needs=("id",))


def _changes(raw: object) -> Mapping[str, object]:
    """Which keys may change depends on what is changed, and is looked at there."""
    table = _table(raw, RULE_KEYS | {*LLM_KEYS, "api_key"}, nulls=True)
    if not table:
        raise _WrongError("says nothing", "name a key and its new value")
    return table


def _table(
    raw: object, known: frozenset[str], *, nulls: bool, needs: tuple[str, ...] = ()
) -> Mapping[str, object]:
    if not isinstance(raw, dict):
        raise _WrongError(f"must be an object, not {_told(raw)}", "write {...}")
    wrong = list(_wrong_inside(raw, known, nulls=nulls))
    missing = [key for key in needs if key not in raw]
    wrong += [(key, f"Missing required field: {key}", f"add `{key}`") for key in missing]
    if wrong:
        raise _InsideError(wrong)
    return dict(raw)


def _wrong_inside(
    raw: Mapping[str, object], known: frozenset[str], *, nulls: bool
) -> Iterator[tuple[str, str, str]]:
    for key, value in raw.items():
        try:
            if key not in known:
                raise _WrongError(f"unknown field {shown(key)}", did_you_mean(key, known))
            _name(value) if key == "id" else _value(value, nulls=nulls)
        except _WrongError as error:
            yield key[:80], error.args[0], error.args[1]


def _value(raw: object, *, nulls: bool) -> None:
    """Look at one value of a rule: a text, a number, a flag, or a list of texts."""
    if raw is None and nulls:
        return
    if isinstance(raw, list):
        if len(raw) > MAX_ITEMS:
            raise _WrongError(f"has more than {MAX_ITEMS} elements", "split the rule")
        for item in raw:
            _text(item)
    elif isinstance(raw, bool):
        return
    elif isinstance(raw, int | float):
        if not abs(raw) <= MAX_WHOLE:
            raise _WrongError("is a number beyond all limits", "write a smaller one")
    else:
        _text(raw)


READERS: Mapping[str, Callable[[object], object]] = {
    "target_file": _target,
    "rule_type": _word_of(*EDITED_TABLES),
    "section": _fitting(SECTION, "section", "lower case letters, digits and hyphens"),
    "rule": _rule,
    "position": _position,
    "move_to": _position,
    "id": _name,
    "changes": _changes,
    "enabled": _flag,
    "prompt": _prompt,
    "path": _file,
    "to_commit": _fitting(COMMIT, "commit", "write its hash, 4 to 64 hexadecimal digits"),
    "to_backup": _fitting(BACKUP, "backup of ours", "its name ends in `.<time>.bak`"),
}
