"""How a person is told: where messages go, when they may, and whose word counts.

Targets hold secrets, so a target is only ever named by its `label`. What messages say is
`message`'s, sending them is elsewhere.
Always true: where a message goes and what it links to is the user's own word; a project can only
make it less. Nothing here repeats a target.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from penstock.core.digest import PREFIX, digest

MOST_TARGETS = 20
LONGEST_NAME = 200
LABEL_DIGITS = 6
# Services that start programs, speak to this machine or need a device: not for a message that
# leaves, and the desktop is told in a way of our own.
LOCAL = frozenset(
    {"dbus", "qt", "kde", "glib", "gio", "gnome", "macosx", "windows", "syslog", "blink1", "exec"}
)


class NotifyEvent(StrEnum):
    """What a person can be told of."""

    WAITING = "waiting"
    EXPIRING = "expiring"


class Quiet(Struct, frozen=True, kw_only=True):
    """Hours of the day, in minutes since midnight, in which nothing is sent; may span midnight."""

    start: int
    end: int

    def covers(self, minute: int) -> bool:
        """Say whether a minute of the day is quiet."""
        if self.start <= self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end


def quiet_hours(text: str) -> Quiet | None:
    """Return what `22:00-07:00` says; None when it says nothing of the kind."""
    first, dash, last = text.partition("-")
    ends = [_minute(part.strip()) for part in (first, last)]
    if not dash or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
        return None
    return Quiet(start=ends[0], end=ends[1])


def _minute(text: str) -> int | None:
    hours, colon, minutes = text.partition(":")
    digits = hours + minutes
    if not colon or len(minutes) != 2 or not 1 <= len(hours) <= 2:
        return None
    if not (digits.isascii() and digits.isdecimal()) or int(hours) > 23 or int(minutes) > 59:
        return None
    return int(hours) * 60 + int(minutes)


class NotifySettings(Struct, frozen=True, kw_only=True):
    """How a person is told."""

    targets: tuple[str, ...] = ()
    link: str = ""
    contents: bool = False
    quiet: Quiet | None = None
    events: frozenset[NotifyEvent] = frozenset({NotifyEvent.WAITING})
    desktop: bool = True
    every_seconds: int = 30


def settings_of(levels: Mapping[str, Mapping[str, object]], *, user: str) -> NotifySettings:
    """Return what counts of what each level's file says.

    Where a message goes and what its link opens is the user's own word: a project that was
    cloned must not have paths sent to its author, or a page opened that asks for a passphrase.
    A project can only make it less: fewer events, no contents, no desktop, longer between two.
    """
    mine = levels.get(user, {})
    others = [said for file, said in levels.items() if file != user]
    every = [said for said in (mine, *others) if said]
    hours = [said["quiet"] for said in every if said.get("quiet")]
    events = [frozenset(map(NotifyEvent, _texts(s["events"]))) for s in every if "events" in s]
    pauses = [value for s in every if isinstance(value := s.get("every_seconds"), int)]
    usual = NotifySettings()
    return NotifySettings(
        targets=_texts(mine.get("targets")),
        link=str(mine.get("link") or ""),
        contents=mine.get("contents") is True and all(s.get("contents", True) for s in others),
        quiet=quiet_hours(str(hours[0])) if hours else None,
        events=frozenset.intersection(*events) if events else usual.events,
        desktop=all(said.get("desktop", True) for said in every),
        every_seconds=max(pauses, default=usual.every_seconds),
    )


def ignored(levels: Mapping[str, Mapping[str, object]], *, user: str) -> tuple[str, ...]:
    """Return the files whose targets or link do not count."""
    return tuple(
        file for file, said in levels.items() if file != user and {"targets", "link"} & {*said}
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(text) for text in value) if isinstance(value, tuple | list) else ()


def target_fault(text: str) -> str:
    """Return what is wrong with a target, without repeating it; nothing when it can be used."""
    kind, colon, rest = text.partition(":")
    if colon and kind in ("env", "file") and rest.strip() and "\n" not in rest:
        return "" if not rest.startswith("//") else f"writes {kind} as an address"
    scheme = scheme_of(text)
    if not scheme:
        return "is none of `SERVICE://...`, `env:NAME` and `file:PATH`"
    if scheme in LOCAL:
        return f"is a `{scheme}` target, which only works on this machine"
    return ""


def scheme_of(text: str) -> str:
    """Return the service of an address in lower case; nothing when it is no address."""
    scheme, found, rest = text.strip().partition("://")
    named = scheme.isascii() and scheme[:1].isalnum() and scheme.isalnum()
    return scheme.lower() if found and rest and named else ""


def label(target: str) -> str:
    """Return the name of a target for people and for the record: never its secret."""
    kind, _, rest = target.partition(":")
    if kind in ("env", "file") and not rest.startswith("//"):
        from penstock.core.text.display import spoken

        return spoken(target[:LONGEST_NAME])
    # The user, the host, the path: each can be a token. A short digest tells two apart.
    apart = digest(target.encode("utf-8", "surrogatepass")).removeprefix(PREFIX)[:LABEL_DIGITS]
    return f"{scheme_of(target) or 'target'}-{apart}"
