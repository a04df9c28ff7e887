"""Change one place of a JSON text and leave every other character as it is.

Agents' settings are people's files: their order, their indentation and their line ends stay.
What is put where is `registrations`'s business.
Always true: the result is JSON that differs from the text by exactly that one value; a text
that is no JSON is refused and never repaired.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.text.json_fault import json_fault

BLANK = " \t\n\r"
_DECODER = json.JSONDecoder()


class MemberSpan(Struct, frozen=True, kw_only=True):
    """Where a member stands: from its key (or itself, in a list) to the end of its value."""

    key: str | int
    begin: int
    start: int
    end: int


def read(data: bytes, shown: str) -> tuple[str, object]:
    """Return a file as text and as what it says. Raises InputError `settings-not-json`."""
    try:
        text = data.decode("utf-8")
        return text, json.loads(text.removeprefix("\ufeff")) if text.strip("\ufeff" + BLANK) else {}
    except (ValueError, RecursionError) as wrong:
        raise InputError(
            "settings-not-json",
            f"`{shown}` is not plain JSON, so it was not changed",
            because=json_fault(wrong),
            hint="fix the file (comments are not JSON), then run this again",
        ) from None


def added(text: str, at: Sequence[str], value: object) -> str:
    """Return the text with a value at the end of the list at `at`; what is missing is made."""
    if not text.strip("\ufeff" + BLANK):
        text += "{}\n"
    span = _whole(text)
    for depth, key in enumerate(at):
        _require(text, span, "{", at[:depth])
        found = _member(text, span, key)
        if found is None:
            return _put(text, span, _nested(at[depth + 1 :], value), key=key)
        span = found
    _require(text, span, "[", at)
    return _put(text, span, value)


def _require(text: str, span: MemberSpan, opening: str, at: Sequence[str]) -> None:
    if text[span.start] != opening:
        wanted = {"{": "an object", "[": "a list"}[opening]
        raise InputError(
            "settings-shape",
            f"`{'.'.join(at) or 'the whole file'}` in the settings is not {wanted}",
            hint="the agent can't read it either; fix it, then run this again",
        )


def replaced(text: str, at: Sequence[str | int], value: object) -> str:
    """Return the text with another value at `at`, which must be there."""
    span = _at(text, at)
    return text[: span.start] + _written(text, value, _margin(text, span.begin)) + text[span.end :]


def removed(text: str, at: Sequence[str | int]) -> str:
    """Return the text without the member at `at`, which must be there."""
    above, span = _at(text, at[:-1]), _at(text, at)
    members = list(_members(text, above))
    place = next(n for n, one in enumerate(members) if one.begin == span.begin)
    if len(members) == 1:
        return text[: above.start + 1] + text[above.end - 1 :]
    if place == 0:
        return text[: span.begin] + text[members[1].begin :]
    return text[: members[place - 1].end] + text[span.end :]


# Finding


def _whole(text: str) -> MemberSpan:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    return MemberSpan(key="", begin=start, start=start, end=_DECODER.raw_decode(text, start)[1])


def _at(text: str, at: Sequence[str | int]) -> MemberSpan:
    span = _whole(text)
    for key in at:
        found = _member(text, span, key)
        if found is None:
            raise KeyError(key)
        span = found
    return span


def _member(text: str, above: MemberSpan, key: str | int) -> MemberSpan | None:
    """Return a member; of two with one name the last one, which is the one that readers take."""
    found = [one for one in _members(text, above) if one.key == key]
    return found[-1] if found else None


def _members(text: str, above: MemberSpan) -> Iterator[MemberSpan]:
    """Yield what an object or a list holds; nothing for any other value."""
    opening = text[above.start]
    if opening not in "{[":
        return
    at, number = _skip(text, above.start + 1), 0
    while text[at] not in "]}":
        begin, key = at, number
        name: str | int = key
        if opening == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        yield MemberSpan(key=name, begin=begin, start=at, end=end)
        at, number = _skip(text, end), number + 1
        at = _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANK:
        at += 1
    return at


# Writing


def _nested(at: Sequence[str], value: object) -> object:
    """Return a list with the value in it, inside the objects that `at` names."""
    made: object = [value]
    for key in reversed(at):
        made = {key: made}
    return made


def _put(text: str, above: MemberSpan, value: object, *, key: str | None = None) -> str:
    """Return the text with one more member at the end of an object or a list."""
    members = list(_members(text, above))
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if members:
        last = members[-1]
        between = text[above.start + 1 : members[0].begin]
        broken = "\n" in between
        margin = _margin(text, last.begin)
        gap = _newline(text) + margin if broken else " " if _spaced(text) else ""
        put = "," + gap + name + _written(text, value, margin, broken=broken)
        return text[: last.end] + put + text[last.end :]
    broken = _broken(text)
    margin = _margin(text, above.begin)
    inner = margin + _indent(text)
    put = name + _written(text, value, inner, broken=broken)
    if broken:
        put = f"{_newline(text)}{inner}{put}{_newline(text)}{margin}"
    return text[: above.start + 1] + put + text[above.end - 1 :]


def _written(text: str, value: object, margin: str, *, broken: bool | None = None) -> str:
    """Return a value as JSON in the way in which the text is written."""
    if broken is None:
        broken = _broken(text)
    if not broken:
        separators = None if _spaced(text) else (",", ":")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    lines = json.dumps(value, ensure_ascii=False, indent=_indent(text)).split("\n")
    return (_newline(text) + margin).join(lines)


def _broken(text: str) -> bool:
    """Say whether a value is to be spread over lines: unless the whole file is on one."""
    whole = _whole(text)
    return "\n" in text[whole.start : whole.end] or not any(_members(text, whole))


def _spaced(text: str) -> bool:
    return '": ' in text


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    """Return one step of the text's own indentation; two spaces where it has none."""
    first = next(_members(text, _whole(text)), None)
    return (_margin(text, first.begin) if first else "") or "  "


def _margin(text: str, at: int) -> str:
    """Return the blanks at the beginning of the line that a place is in."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]
