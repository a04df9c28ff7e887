"""What registrations make of one file: its bytes with them, and its bytes without them.

An entry is what an agent's module asks for: `{"file", "at", "add"}` is one value in a list of
a JSON file (`"defaults"` begins the file when it is not there), `{"file", "text", "mode"}` is
a whole file of ours, `{"file", "line"}` one line of a text file (`"gone"`: without that line).
Always true: what is ours is known by the command it runs, so it is found again after the
interpreter moved; nothing else in a file is touched; a file of somebody else under the name
of one of ours is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from penstock.core.errors import InputError
from penstock.core.own_commands import HOOK_PROGRAM
from penstock.doors.setup import json_splice

Entry = Mapping[str, Any]
At = tuple[str | int, ...]

HOOK = "/penstock/hook.py"
DAEMON = "http://127.0.0.1:"
# The first lines of a whole file of ours hold this, whatever its language.
OURS = "Made by `penstock init`"
DEEPEST = 12


def with_entries(entries: Sequence[Entry], data: bytes | None, shown: str) -> bytes:
    """Return a file's bytes with all of its entries in it, each once."""
    first = entries[0]
    if "text" in first:
        return _whole(first, data, shown)
    if "line" in first:
        for entry in entries:
            change = _without_line if entry.get("gone") else _with_line
            data = change(entry["line"], data or b"")
        return data or b""
    if data is None:
        data = (json.dumps(first.get("defaults", {}), indent=2) + "\n").encode()
    for at in dict.fromkeys(tuple(entry["at"]) for entry in entries):
        wanted = [entry["add"] for entry in entries if tuple(entry["at"]) == at]
        data = _with_values(data, at, wanted, shown)
    return data


def without_entries(data: bytes, shown: str, *, line: str = "", keep: bytes | None = None) -> bytes:
    """Return a file's bytes without what is ours; `keep` is the file as it was before.

    Objects and lists that are empty then go too, unless they were there before.
    """
    if line:
        return _without_line(line, data)
    text, document = json_splice.read(data, shown)
    before = json_splice.read(keep, shown)[1] if keep else {}
    for at in reversed(list(places(document))):
        text = _pruned(json_splice.removed(text, at), at[:-1], before, shown)
    return text.encode()


def is_ours(value: object, depth: int = 0) -> bool:
    """Say whether a registered value runs our hook and nothing else."""
    if isinstance(value, str):
        return runs_us(value) or (value.startswith(DAEMON) and "/hook/" in value)
    if not isinstance(value, dict) or depth > DEEPEST:
        return False
    inner = value.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(is_ours(one, depth + 1) for one in inner)
    return any(is_ours(one, depth + 1) for one in value.values())


def runs_us(text: str) -> bool:
    """Say whether a command, or a line of a file, starts our hook: by its path or its name."""
    return HOOK in text or f"{HOOK_PROGRAM} " in text


def places(document: object) -> Iterator[At]:
    """Yield where in a settings file our hooks stand, from its beginning to its end.

    Every agent with such a file has `hooks`, in it lists by event (Kiro: one list), in them
    what is run.
    """
    hooks = document.get("hooks") if isinstance(document, dict) else None
    if isinstance(hooks, list):
        yield from _ours_in(hooks, ("hooks",))
    for event, values in hooks.items() if isinstance(hooks, dict) else ():
        if isinstance(values, list):
            yield from _ours_in(values, ("hooks", event))


def _ours_in(values: list[object], at: At) -> Iterator[At]:
    """Yield our values in a list; of a group that others share, our own commands alone."""
    for number, value in enumerate(values):
        if is_ours(value):
            yield (*at, number)
        elif isinstance(value, dict) and isinstance(value.get("hooks"), list):
            inner = enumerate(value["hooks"])
            yield from ((*at, number, "hooks", n) for n, hook in inner if is_ours(hook))


def value_at(document: object, at: Sequence[str | int]) -> Any:
    """Return what stands at a place; None when there is no such place."""
    for key in at:
        try:
            document = document[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _with_values(data: bytes, at: tuple[str, ...], wanted: Sequence[object], shown: str) -> bytes:
    """Return the bytes with our values in one list: in place of older ones, or at its end."""
    text, document = json_splice.read(data, shown)
    mine = [place for place in places(document) if place[: len(at)] == at]
    if [value_at(document, place) for place in mine] == list(wanted):
        return data
    if len(mine) == len(wanted) and all(len(place) == len(at) + 1 for place in mine):
        for place, value in zip(mine, wanted, strict=True):
            text = json_splice.replaced(text, place, value)
        return text.encode()
    for place in reversed(mine):
        text = json_splice.removed(text, place)
    for value in wanted:
        text = json_splice.added(text, at, value)
    return text.encode()


def _pruned(text: str, at: At, before: object, shown: str) -> str:
    """Take away what became empty, upwards, as far as it was not there before."""
    while at and value_at(before, at) is None:
        document = json_splice.read(text.encode(), shown)[1]
        if value_at(document, at) not in ({}, []):
            break
        text, at = json_splice.removed(text, at), at[:-1]
    return text


def _whole(entry: Entry, data: bytes | None, shown: str) -> bytes:
    if data is not None and OURS.encode() not in data[:1000]:
        raise InputError(
            "not-ours",
            f"`{shown}` exists and was not created by Penstock, so it was not changed",
            because="the agent reads its hook from a file of exactly this name",
            hint="call the hook from that file, or move it away and run this again",
        )
    text: str = entry["text"]
    return text.encode()


def _with_line(line: str, data: bytes) -> bytes:
    if line.encode() in (one.strip() for one in data.splitlines()):
        return data
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    gap = newline if data and not data.endswith(b"\n") else b""
    return data + gap + line.encode() + newline


def _without_line(line: str, data: bytes) -> bytes:
    kept = data.splitlines(keepends=True)
    for at in range(len(kept) - 1, -1, -1):
        if kept[at].strip() == line.encode():
            del kept[at]
            break
    return b"".join(kept)
