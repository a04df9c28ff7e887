"""Turn proposals, receipts and what they hold into plain JSON values and back.

The shapes are read off the classes themselves, so a field added there is kept here. A
field that is missing takes its default, which is how records of older versions are read.
Where the text is kept is the stores' work.
Always true: what is written reads back equal, and a record that does not fit exactly, down
to one unknown field, is refused and never guessed at.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import fields

from penstock.core.errors import StoreError
from penstock.core.strict_json import strict
from penstock.core.text.quantities import listing

VERSION = 1
# The name under which a class lists the fields that older versions did not know: each is written
# only where it says something, so that the digest of an older record stays what it was.
LATER = "LATER"

Plain = Any  # None, bool, int, float, str, list[Plain] or dict[str, Plain]
Way = Callable[[Any], Any]
T = TypeVar("T")


class _Ways(Struct, frozen=True, kw_only=True):
    """How one type is written to a plain value and read from it."""

    write: Way
    read: Way


class _MisfitError(ValueError):
    """A plain value that is not of the type it should be."""


def to_plain(value: object) -> dict[str, Plain]:
    """Return a record as plain JSON values, with the version of its shape."""
    try:
        return {"v": VERSION, **_of(type(value)).write(value)}
    except (ValueError, RecursionError) as error:
        raise _broken(type(value), error) from None


def from_plain(kind: type[T], value: Plain) -> T:
    """Return the record of a kind. Raises StoreError `record-broken` or `record-newer`."""
    try:
        record = dict(_a(dict, value))
        _check_version(kind, record.pop("v", None))
        made: T = _of(kind).read(record)
    except (_MisfitError, RecursionError) as error:
        raise _broken(kind, error) from None
    return made


def to_json(value: object) -> str:
    """Return a record as one line of ASCII JSON."""
    return _ENCODER.encode(to_plain(value))


def from_json(kind: type[T], text: str) -> T:
    """Read a record from JSON text. Raises StoreError as `from_plain` does."""
    try:
        value = strict(_a(str, text))
    except ValueError as error:
        raise _broken(kind, error) from None
    return from_plain(kind, value)


def _check_version(kind: type, version: Plain) -> None:
    if version.__class__ is int and version > VERSION:
        raise StoreError(
            "record-newer",
            f"a stored {kind.__name__.lower()} was written by a newer penstock",
            because=f"its shape is version {version} and this one reads up to {VERSION}",
            hint="use the newer penstock for this workspace",
        )
    if version.__class__ is not int or version != VERSION:
        raise _MisfitError(f"its version is {version}"[:80])


def _broken(kind: type, error: Exception) -> StoreError:
    return StoreError(
        "record-broken",
        f"can't read or write a stored {kind.__name__.lower()}",
        because=str(error)[:200] or type(error).__name__,
        hint="run `penstock doctor`; propose the change again if it is lost",
    )


# Made once: `json.dumps` with options makes one anew at every call.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _of(kind: Any) -> _Ways:
    """Return the ways of a type; each is made once."""
    return _made(kind)


@cache
def _made(kind: Any) -> _Ways:
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _optional(next(arg for arg in inner if arg is not type(None)))
    if origin is tuple:
        return _tuple(inner[0])
    if origin is Mapping:
        return _Ways(write=_texts, read=lambda value: _texts(_a(dict, value)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum(kind)
    return _record(kind)


def _record(kind: Any) -> _Ways:
    """Return the ways of a Struct: exactly its fields, by name."""
    needed = frozenset(one.name for one in fields(kind) if one.required)
    later = {one.name: one.default for one in fields(kind) if one.name in getattr(kind, LATER, ())}

    def write(value: Any) -> dict[str, Plain]:
        held = {name: getattr(value, name) for name in _parts(kind)}
        said = {n: one for n, one in held.items() if n not in later or one != later[n]}
        return {name: _parts(kind)[name].write(one) for name, one in said.items()}

    def read(value: Plain) -> Any:
        given, parts = _a(dict, value), _parts(kind)
        if not given.keys() <= parts.keys():
            unknown = sorted(str(name)[:80] for name in given.keys() - parts.keys())
            raise _MisfitError(f"unknown fields: {listing(unknown)}")
        if not needed <= given.keys():
            raise _MisfitError(f"missing field `{min(needed - given.keys())}`")
        return kind(**{name: parts[name].read(part) for name, part in given.items()})

    return _Ways(write=write, read=read)


@cache
def _parts(kind: Any) -> Mapping[str, _Ways]:
    """Return the ways of each field. Found when first used: a Decision holds Decisions."""
    hints = get_type_hints(kind)
    return {name: _of(hints[name]) for name in kind.__struct_fields__}


def _optional(kind: Any) -> _Ways:
    ways = _of(kind)

    def write(value: Any) -> Plain:
        return None if value is None else ways.write(value)

    def read(value: Plain) -> Any:
        return None if value is None else ways.read(value)

    return _Ways(write=write, read=read)


def _tuple(kind: Any) -> _Ways:
    ways = _of(kind)

    def write(value: Any) -> Plain:
        return [ways.write(part) for part in value]

    def read(value: Plain) -> Any:
        return tuple([ways.read(part) for part in _a(list, value)])

    return _Ways(write=write, read=read)


def _enum(kind: type[Enum]) -> _Ways:
    members = {member.value: member for member in kind}

    def read(value: Plain) -> Enum:
        try:
            return members[_a(str, value)]
        except KeyError:
            raise _MisfitError(f"`{value[:40]}` is no {kind.__name__.lower()}") from None

    return _Ways(write=lambda value: kind(value).value, read=read)


def _texts(value: Mapping[Plain, Plain]) -> dict[str, str]:
    """Return a mapping of text to text; what else is in it does not fit."""
    return {_a(str, name): _a(str, text) for name, text in value.items()}


def _a(kind: type[T], value: Plain) -> T:
    """Return the value if it is exactly of a type: true is no number here."""
    if value.__class__ is not kind:
        raise _MisfitError(f"a {value.__class__.__name__} where a {kind.__name__} belongs")
    made: T = value
    return made


def _number(value: Plain) -> float:
    try:
        made = float(value) if value.__class__ is int else _a(float, value)
    except OverflowError:
        made = math.inf
    if not math.isfinite(made):
        raise _MisfitError(f"{made} is not a number that can be kept")
    return made


def _text(value: Any) -> str:
    """Return text as it is written: a path that knows more than its text keeps its text."""
    if value.__class__ is str:
        return value
    return str(value) if isinstance(value, str) else _a(str, value)


def _same(kind: type) -> _Ways:
    return _Ways(write=partial(_a, kind), read=partial(_a, kind))


_SIMPLE: Mapping[Any, _Ways] = {
    str: _Ways(write=_text, read=partial(_a, str)),
    bool: _same(bool),
    int: _same(int),
    float: _Ways(write=_number, read=_number),
}
