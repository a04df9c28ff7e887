"""What the queue and the page of a proposal say, as plain values.

Templates only place these values; what can be done with a proposal is `proposal_state`'s to say,
doing it is `answers`'.
Always true: a value that came from an agent stands here as visible text, never as markup.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from penstock.core.model import Change, ChangeKind
from penstock.core.proposals.flag import RiskLevel
from penstock.core.proposals.model import OPEN, Moment, Proposal, State
from penstock.core.proposals.remarks import dangers, remarks
from penstock.core.review.header import rule_words
from penstock.core.text.display import in_line, spoken, visible
from penstock.core.text.quantities import change_counts
from penstock.doors.web.wording import KIND_WORDS

FILES_NAMED = 4
LONGEST_WORDS = 160  # characters of an agent's words in the queue
SOON = 300  # seconds


# -- the queue -----------------------------------------------------------------------------------


class QueueFile(Struct, frozen=True, kw_only=True):
    """One file of an item."""

    id: str
    path: str
    kind: str
    gone: int
    new: int
    unit: str


class QueueItem(Struct, frozen=True, kw_only=True):
    """One thing to answer: a proposal, or the proposals of a set."""

    id: str
    files: tuple[QueueFile, ...]
    more: int
    total: int
    kind: str
    gone: int
    new: int
    losing: str
    agent: str
    why: str
    warnings: int
    created: float
    left: float
    state: str
    workspace: str
    section: str
    order: str
    danger: int
    words: str

    @property
    def soon(self) -> bool:
        """True when there is little time left."""
        return self.left < SOON


def file_of(one: Proposal) -> QueueFile:
    """Return what a list says about one file."""
    change = one.change
    return QueueFile(
        id=one.id,
        path=spoken(one.path),
        kind=KIND_WORDS[change.kind],
        gone=change.lines_deleted,
        new=change.lines_added,
        unit=change.unit,
    )


def losing(change: Change) -> str:
    """Say what a replacing change takes away, nothing for one that replaces little."""
    if change.kind is not ChangeKind.REPLACE:
        return ""
    return change_counts(change)


def item(
    found: Sequence[Proposal],
    now: Moment,
    *,
    workspace: str = "",
    section: str = "",
    order: str = "",
) -> QueueItem:
    """Return one line of the queue; `section` is its heading, `order` where it stands."""
    first = found[0]
    kinds = {KIND_WORDS[one.change.kind] for one in found}
    warned = sum(len(remarks(one)) for one in found)
    return QueueItem(
        id=first.set_id if len(found) > 1 else first.id,
        files=tuple(file_of(one) for one in found[:FILES_NAMED]),
        more=max(len(found) - FILES_NAMED, 0),
        total=len(found),
        kind=kinds.pop() if len(kinds) == 1 else "set",
        gone=sum(one.change.lines_deleted for one in found),
        new=sum(one.change.lines_added for one in found),
        losing=next(filter(None, (losing(one.change) for one in found)), ""),
        agent=spoken(first.actor.agent),
        why=in_line(next((one.decision.because for one in found if one.decision.because), "")),
        warnings=warned,
        created=first.created.wall,
        left=min(one.expires_in(now) for one in found),
        state=first.state,
        workspace=workspace,
        section=section,
        order=order,
        danger=sum(map(dangers, found)),
        words=in_line(first.why[:LONGEST_WORDS]),
    )


def items(waiting: Sequence[Proposal], now: Moment, *, workspace: str = "") -> list[QueueItem]:
    """Return the queue, oldest first; the files of a set are one item."""
    groups: dict[str, list[Proposal]] = {}
    for one in waiting:
        groups.setdefault(one.set_id or one.id, []).append(one)
    made = [item(group, now, workspace=workspace) for group in groups.values()]
    return sorted(made, key=lambda each: each.created)


# -- a proposal ----------------------------------------------------------------------------------


class HeadFacts(Struct, frozen=True, kw_only=True):
    """What the head of a proposal's page says; `words` are the agent's own, as visible text."""

    id: str
    path: str
    kind: str
    state: str
    headline: str
    gone: int
    new: int
    why: str
    rule: str
    words: str
    rules: tuple[tuple[str, str, str], ...]
    agent: str
    session: str
    call: str
    base: str
    content: str
    revision: str
    parent: str
    origin: str
    set_id: str
    dangers: tuple[str, ...]
    notices: tuple[str, ...]
    created: float
    left: float
    open: bool
    waiting: bool
    answered: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """Every remark, the dangers first."""
        return (*self.dangers, *self.notices)


def headline(change: Change) -> str:
    """Say in one line how much the change changes."""
    return change_counts(change)


def facts(one: Proposal, now: Moment) -> HeadFacts:
    """Return what a page tells about a proposal."""
    actor = one.actor
    return HeadFacts(
        id=one.id,
        path=spoken(one.path),
        kind=KIND_WORDS[one.change.kind],
        state=one.state,
        headline=headline(one.change),
        gone=one.change.lines_deleted,
        new=one.change.lines_added,
        why=in_line(one.decision.because),
        words=visible(one.why),
        rule=rule_words(one),
        rules=rules_behind(one),
        agent=spoken(actor.agent),
        session=spoken(actor.session),
        call=spoken(actor.tool_call_id),
        base=one.base or "no file",
        content=one.content or "no file",
        revision=one.decision.revision,
        parent=one.parent,
        origin=spoken(one.origin),
        set_id=one.set_id,
        dangers=_of_level(one, RiskLevel.DANGER),
        notices=_of_level(one, RiskLevel.NOTICE),
        created=one.created.wall,
        left=one.expires_in(now),
        open=one.state in OPEN,
        waiting=one.state is State.WAITING,
        answered=_answered(one),
    )


def rules_behind(one: Proposal) -> tuple[tuple[str, str, str], ...]:
    """Return the rules that spoke: their name, what they said, and where they are written."""
    return tuple(
        (spoken(reason.rule), str(reason.verdict or "note"), spoken(reason.where))
        for reason in one.decision.reasons[:20]
    )


def _of_level(one: Proposal, level: RiskLevel) -> tuple[str, ...]:
    return tuple(in_line(flag.text) for flag in remarks(one) if flag.level is level)


def _answered(one: Proposal) -> str:
    if one.answer is None:
        return ""
    said = "approved" if one.answer.approved else "rejected"
    reason = f": {in_line(one.answer.said)}" if one.answer.said else ""
    return f"{said} by {spoken(one.answer.by)} ({spoken(one.answer.proof)}){reason}"
