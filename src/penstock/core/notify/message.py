"""Notifications: which pending changes and changed protected files one is about, and its text.

When it may go and where is `settings`'s; sending it and remembering that is elsewhere.
Always true: a message has no content of a file unless that was asked for; the files of one set
are one message; nothing an agent wrote can be a mention, a link or markup where it arrives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import force_setattr

from penstock.core.notify.settings import NotifyEvent
from penstock.core.proposals.model import Moment, Proposal, State
from penstock.core.text.display import harmless, spoken
from penstock.core.text.quantities import change_counts, counted, duration

MOST_NAMED = 10  # files or sets that one message names
LATE = 0.25  # the part of its time that is left when a second notification is due
LONGEST_VALUE = 200
# What chat programs obey: mentions, links and markup. Their wide twins look alike and do nothing.
OBEYED = str.maketrans(
    {"@": "＠", "<": "＜", ">": "＞", "`": "｀", "[": "［", "]": "］", "&": "＆"}
)


# -- what is due -----------------------------------------------------------------------------------


class Group(Struct, frozen=True, kw_only=True):
    """What one message is about: a proposal, or all pending files of a set."""

    event: NotifyEvent
    id: str
    files: tuple[Proposal, ...]

    @property
    def key(self) -> str:
        """What is remembered once it was sent."""
        return f"{self.event}:{self.id}"


class Alert(Struct, frozen=True, kw_only=True):
    """Protected files that were changed despite the rules; `id` is the entry that says so."""

    id: str
    paths: tuple[str, ...]
    origin: str = ""
    agent: str = ""

    @property
    def key(self) -> str:
        """What is remembered once it was sent."""
        return f"slipped:{self.id}"


Notice = Group | Alert


def groups(
    found: Iterable[Proposal], now: Moment, events: Collection[NotifyEvent]
) -> tuple[Group, ...]:
    """Return what somebody has to be notified of, oldest first.

    A version that a person made, or an undo, was asked for by whoever would be notified.
    """
    sets: dict[str, list[Proposal]] = {}
    for one in found:
        if one.state is State.WAITING and not one.parent and one.origin != "undo":
            sets.setdefault(one.set_id or one.id, []).append(one)
    made = []
    for known, files in sets.items():
        if NotifyEvent.WAITING in events:
            made.append(Group(event=NotifyEvent.WAITING, id=known, files=tuple(files)))
        if NotifyEvent.EXPIRING in events and any(_late(one, now) for one in files):
            made.append(Group(event=NotifyEvent.EXPIRING, id=known, files=tuple(files)))
    return tuple(made)


def _late(one: Proposal, now: Moment) -> bool:
    return 0 < one.expires_in(now) <= one.ttl * LATE


# -- what is said ----------------------------------------------------------------------------------


class Message(Struct, frozen=True, kw_only=True):
    """What a person reads: a line, and some lines below it."""

    title: str
    body: str

    def __post_init__(self) -> None:
        """Whatever went into it, nothing in it is hidden: it leaves for services we do not know."""
        force_setattr(self, "title", harmless(self.title))
        force_setattr(self, "body", harmless(self.body))


def message(
    due: Sequence[Notice],
    *,
    workspace: str,
    now: Moment,
    link: str = "",
    contents: Mapping[str, str] | None = None,
) -> Message:
    """Return one message about some of them; `contents` are diffs by proposal, if asked for."""
    lines = [text for one in due[:MOST_NAMED] for text in _lines(one, now, link, contents or {})]
    if len(due) > MOST_NAMED:
        lines.append(f"... and {len(due) - MOST_NAMED} more")
    if link and len(due) > 1:
        lines.append(link)
    waiting = any(isinstance(one, Group) for one in due)
    lines.append(f"Run `penstock {'review' if waiting else 'status'}`")
    return Message(title=_title(due, workspace), body="\n".join(lines))


def _title(due: Sequence[Notice], workspace: str) -> str:
    """An alert comes first: what it is about has happened."""
    where = inert(workspace)
    changed = [path for one in due if isinstance(one, Alert) for path in one.paths]
    waiting = [one for one in due if isinstance(one, Group)]
    if changed:
        what = inert(changed[0]) if len(changed) == 1 else f"{len(changed)} protected files"
        more = f"; {counted(len(waiting), 'change')} pending" if waiting else ""
        return f"Penstock: {what} changed despite the rules in {where}{more}"
    if len(waiting) > 1:
        return f"Penstock: {len(waiting)} pending changes in {where}"
    files = waiting[0].files
    what = inert(files[0].path) if len(files) == 1 else f"a change to {len(files)} files"
    verb = "needs approval" if waiting[0].event is NotifyEvent.WAITING else "expires soon"
    return f"Penstock: {what} {verb} in {where}"


def _lines(one: Notice, now: Moment, link: str, contents: Mapping[str, str]) -> Iterable[str]:
    return _alert(one) if isinstance(one, Alert) else _group(one, now, link, contents)


def _alert(one: Alert) -> Iterable[str]:
    for path in one.paths[:MOST_NAMED]:
        yield f"CHANGED {inert(path)}: protected file changed despite the rules"
    if len(one.paths) > MOST_NAMED:
        yield f"... and {counted(len(one.paths) - MOST_NAMED, 'more protected file')}"
    who = inert(one.agent) or "an agent"
    if one.origin == "unknown":
        yield f"while a background process of {who} was running; origin unknown"
    else:
        yield f"during a command of {who}"
    yield "Revert a file with `penstock undo --path FILE`"


def _group(group: Group, now: Moment, link: str, contents: Mapping[str, str]) -> Iterable[str]:
    for one in group.files[:MOST_NAMED]:
        yield _file(one)
        if contents.get(one.id):
            yield contents[one.id]
    if len(group.files) > MOST_NAMED:
        yield f"... and {counted(len(group.files) - MOST_NAMED, 'more file')} of this set"
    first = group.files[0]
    left = duration(min(one.expires_in(now) for one in group.files))
    who = inert(first.actor.agent)
    yield f"{f'proposed by {who}, ' if who else ''}expires in {left}"
    if link:
        yield f"{link.rstrip('/')}/proposals/{quote(group.id, safe='')}"


def _file(one: Proposal) -> str:
    warned = len(one.warnings) + len(one.decision.notes)
    more = f", {counted(warned, 'warning')}" if warned else ""
    kind = str(one.change.kind).upper()
    return f"{kind} {inert(one.path)}: {change_counts(one.change)}{more}"


def inert(value: str) -> str:
    """Return a value of an agent's for a chat or a mail: one line, short, and nothing obeys it."""
    text = spoken(value).replace("://", ":／／").replace("www.", "www．").translate(OBEYED)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."
