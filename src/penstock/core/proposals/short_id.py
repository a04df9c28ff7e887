"""An id as people and agents read and type it: its first characters, where these are unique.

Always true: what is shown is the beginning of the whole id, perhaps without its kind (`hitl-`),
so every command that takes an id takes it.
"""

from __future__ import annotations

from collections.abc import Iterable

SHORT = 8  # characters that are shown, where that many are unique
DROPPED = ("hitl", "set")  # kinds that need not be typed


def short(name: str, among: Iterable[str] = ()) -> str:
    """Return the first characters of an id that no other one has, without its kind (`hitl-`).

    A receipt keeps its kind, which tells it from the proposal that it came from.
    """
    kind, dash, rest = name.partition("-")
    if not dash or kind not in (*DROPPED, "r", "seen"):
        return name
    others = [one.partition("-")[2] for one in among if one != name]
    length = SHORT
    while length < len(rest) and any(one.startswith(rest[:length]) for one in others):
        length += 1
    return rest[:length] if kind in DROPPED else f"{kind}-{rest[:length]}"
