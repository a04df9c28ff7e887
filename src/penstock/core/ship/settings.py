"""What `[ship]` of the rules files says, and whose word counts.

Always true: only the user's own file says where entries go and with which credentials; a project
that was cloned sends nothing anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

MOST_SINKS = 20
Levels = Mapping[str, Mapping[str, object]]


class ShipSettings(Struct, frozen=True, kw_only=True):
    """Where entries go; `authorization` is `env:NAME` or `file:PATH`, never the secret itself."""

    sinks: tuple[str, ...] = ()
    form: str = "jsonl"
    authorization: str = ""
    ca_file: str = ""


def ship_settings(levels: Levels, *, user: str) -> ShipSettings:
    """Return what counts of what each level's file says."""
    mine = levels.get(user, {})
    sinks = mine.get("sinks")
    return ShipSettings(
        sinks=tuple(map(str, sinks)) if isinstance(sinks, tuple | list) else (),
        form=str(mine.get("format") or "jsonl"),
        authorization=str(mine.get("authorization") or ""),
        ca_file=str(mine.get("ca_file") or ""),
    )


def ship_ignored(levels: Levels, *, user: str) -> tuple[str, ...]:
    """Return the files whose `[ship]` does not count."""
    return tuple(file for file, said in levels.items() if file != user and said)


def credential_fault(text: str) -> str:
    """Return what is wrong with `authorization`, without repeating it."""
    kind, colon, rest = text.partition(":")
    if colon and kind in ("env", "file") and rest.strip() and not rest.startswith("//"):
        return ""
    return "must name where the secret is kept: `env:NAME` or `file:PATH`"
