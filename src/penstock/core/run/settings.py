"""What `[run]` says about isolated runs, and whose word counts.

What each setting does is for whoever builds a run. The level of a rules file is known by its name.
Always true: a project's rules only tighten; what opens something (`through`, `sockets`, `devices`,
a shorter `hide`) counts in the user's own file alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

Levels = Mapping[str, Mapping[str, object]]

# From the loosest word to the strictest; where levels differ, the stricter one counts.
ORDER: Mapping[str, tuple[str, ...]] = {
    "mode": ("copy", "auto", "overlay"),
    "apply": ("turn", "exit", "ask"),
    "home": ("keep", "fresh", "read-only"),
    "git": ("write", "read-only"),
    "net": ("on", "off"),
}
LIMITS = ("limit_bytes", "limit_files")
# What opens something to a command. A project that was cloned must not.
USERS_OWN = ("through", "sockets", "devices")


class RunSettings(Struct, frozen=True, kw_only=True):
    """How commands of a project are isolated. Places are as they were written."""

    mode: str = "auto"
    apply: str = "turn"
    home: str = "keep"
    keep: str = "rest"
    hide: tuple[str, ...] = ("~/.ssh", "~/.aws", "~/.gnupg")
    scratch: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    git: str = "write"
    sockets: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    net: str = "on"
    limit_bytes: int = 64 * 1024 * 1024
    limit_files: int = 10_000


def run_settings(levels: Levels, *, user: str) -> RunSettings:
    """Return what counts of what each level's file says; `user` is the user's own file."""
    usual, mine = RunSettings(), levels.get(user, {})
    said: dict[str, Any] = asdict(usual)
    said |= {name: value for name, value in mine.items() if name in said}
    for file, theirs in levels.items():
        if file == user:
            continue
        for name, order in ORDER.items():
            if name in theirs:
                said[name] = max(said[name], str(theirs[name]), key=order.index)
        for name in LIMITS:
            said[name] = min(said[name], theirs.get(name, said[name]))
        for name in ("hide", "scratch"):
            said[name] = _joined(said[name], theirs.get(name))
        if "keep" in theirs and "keep" not in mine:
            said["keep"] = str(theirs["keep"])
    return RunSettings(**said)


def without_effect(levels: Levels, *, user: str) -> tuple[tuple[str, str], ...]:
    """Return each file, with a key of it that counts only in the user's own file."""
    return tuple(
        (file, name)
        for file, said in levels.items()
        if file != user
        for name in USERS_OWN
        if said.get(name)
    )


def _joined(known: Iterable[str], more: object) -> tuple[str, ...]:
    added = more if isinstance(more, tuple) else ()
    return tuple(dict.fromkeys((*known, *added)))
