"""What each page says, as plain values: pure functions from proposals, receipts and rules.

Templates only place these values; deciding what is possible is done here, doing it in `answers`.
Always true: a value that came from an agent stands here as visible text, never as markup.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from penstock.core.display import spoken
from penstock.core.model import Change, ChangeKind, Verdict
from penstock.core.policy import Layer, Policy, Rule
from penstock.core.proposal import OPEN, Moment, Proposal, Receipt, State
from penstock.doors.web.tally import Event, Hits, Tally, rules_of, text

KIND_WORDS = {
    ChangeKind.NEW: "create",
    ChangeKind.MODIFY: "modify",
    ChangeKind.REPLACE: "replace",
    ChangeKind.DELETE: "delete",
}
FILES_NAMED = 4
MOST_RANGES = 4000


# -- numbers and times in words ----------------------------------------------------------------


def span(seconds: float) -> str:
    """Return a length of time as a person says it."""
    whole = max(int(seconds), 0)
    for size, name in ((86400, "day"), (3600, "h"), (60, "min")):
        if whole >= size:
            count = whole // size
            return f"{count} {name}{'s' if name == 'day' and count > 1 else ''}"
    return f"{whole} s"


def size(count: int) -> str:
    """Return a number of bytes as a person says it."""
    value = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return (
                f"{value:,.0f} {unit}" if unit == "bytes" or value >= 10 else f"{value:.1f} {unit}"
            )
        value /= 1000
    return ""


def short(digest: str | None) -> str:
    """Return the beginning of a digest; the whole of it stands beside it in the page."""
    return "none" if digest is None else digest.removeprefix("sha256:")[:12]


def counted(count: int, word: str) -> str:
    """Return `1 file`, `2 files`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


# -- ranges of hunks -----------------------------------------------------------------------------


def as_ranges(numbers: Collection[int]) -> str:
    """Return numbers as `1-3,7`."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in parts)


def from_ranges(words: str, *, most: int) -> frozenset[int]:
    """Return the numbers from 1 to `most` that `1-3,7` names; what is none of them is dropped."""
    found: set[int] = set()
    for part in words[:MOST_RANGES].split(","):
        first, _, last = part.strip().partition("-")
        ends = (first, last or first)
        if all(end.isascii() and end.isdecimal() and len(end) < 9 for end in ends):
            found.update(range(max(int(ends[0]), 1), min(int(ends[1]), most) + 1))
    return frozenset(found)


# -- the queue -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """One file of an item."""

    id: str
    path: str
    kind: str
    gone: int
    new: int
    unit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing to answer: a proposal, or the proposals of a set."""

    id: str
    files: tuple[File, ...]
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

    @property
    def soon(self) -> bool:
        """True when there is little time left."""
        return self.left < 300


def file_of(one: Proposal) -> File:
    """Return what a list says about one file."""
    change = one.change
    return File(
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
    about = "" if change.exact else "up to "
    return f"{about}{change.lines_deleted:,} of {change.existing_lines:,} {change.unit} lost"


def item(found: Sequence[Proposal], now: Moment, *, workspace: str = "") -> Item:
    """Return one line of the queue."""
    first = found[0]
    kinds = {KIND_WORDS[one.change.kind] for one in found}
    warned = sum(len(one.warnings) + len(one.decision.notes) for one in found)
    return Item(
        id=first.set_id if len(found) > 1 else first.id,
        files=tuple(file_of(one) for one in found[:FILES_NAMED]),
        more=max(len(found) - FILES_NAMED, 0),
        total=len(found),
        kind=kinds.pop() if len(kinds) == 1 else "set",
        gone=sum(one.change.lines_deleted for one in found),
        new=sum(one.change.lines_added for one in found),
        losing=next(filter(None, (losing(one.change) for one in found)), ""),
        agent=spoken(first.actor.agent),
        why=spoken(next((one.decision.because for one in found if one.decision.because), "")),
        warnings=warned,
        created=first.created.wall,
        left=min(one.expires_in(now) for one in found),
        state=first.state,
        workspace=workspace,
    )


def items(waiting: Sequence[Proposal], now: Moment, *, workspace: str = "") -> list[Item]:
    """Return the queue, oldest first; the files of a set are one item."""
    groups: dict[str, list[Proposal]] = {}
    for one in waiting:
        groups.setdefault(one.set_id or one.id, []).append(one)
    made = [item(group, now, workspace=workspace) for group in groups.values()]
    return sorted(made, key=lambda each: each.created)


# -- a proposal ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A strategy that can be chosen, and what it does in a word."""

    name: str
    words: str


CHOICES = (
    Choice(name="append", words="keep the file, put the new content after it"),
    Choice(name="insert", words="keep the file, put the new content at a line"),
    Choice(name="extend", words="keep the file, add only what is new in it"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What the head of a proposal's page says."""

    id: str
    path: str
    kind: str
    state: str
    headline: str
    why: str
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
    warnings: tuple[str, ...]
    created: float
    left: float
    open: bool
    waiting: bool
    answered: str


def headline(change: Change) -> str:
    """Say in one line what the change does to the file."""
    if change.kind is ChangeKind.NEW:
        return f"creates the file with {_units(change.lines_added, change)}"
    if change.kind is ChangeKind.DELETE:
        return f"removes the file with its {_units(change.lines_deleted, change)}"
    about = "" if change.exact else "up to "
    existing = _units(change.existing_lines, change)
    gone = f"{about}{change.lines_deleted:,} of {existing} would be lost"
    return f"{gone}, {change.lines_added:,} would be new"


def _units(count: int, change: Change) -> str:
    return counted(count, change.unit.removesuffix("s"))


def facts(one: Proposal, now: Moment) -> Facts:
    """Return what a page tells about a proposal."""
    actor = one.actor
    return Facts(
        id=one.id,
        path=spoken(one.path),
        kind=KIND_WORDS[one.change.kind],
        state=one.state,
        headline=headline(one.change),
        why=spoken(one.decision.because),
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
        warnings=warnings_of(one),
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


def warnings_of(one: Proposal) -> tuple[str, ...]:
    """Return every warning once, in order."""
    told = dict.fromkeys((*one.decision.notes, *one.warnings))
    return tuple(spoken(warning) for warning in told)


def _answered(one: Proposal) -> str:
    if one.answer is None:
        return ""
    said = "approved" if one.answer.approved else "sent back"
    reason = f": {spoken(one.answer.reason)}" if one.answer.reason else ""
    return f"{said} by {spoken(one.answer.by)} ({spoken(one.answer.proof)}){reason}"


# -- history -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """One write that happened."""

    id: str
    path: str
    at: float
    what: str
    before: str
    after: str
    set_id: str
    proposal: str
    undoes: bool
    undone: bool
    note: str
    event: str


def written(receipt: Receipt, standing: Collection[str]) -> Written:
    """Return one line of the history."""
    what = "changed"
    if receipt.before is None:
        what = "created"
    elif receipt.after is None:
        what = "removed"
    return Written(
        id=receipt.id,
        path=spoken(receipt.path),
        at=receipt.at,
        what="put back" if receipt.undoes else what,
        before=short(receipt.before),
        after=short(receipt.after),
        set_id=receipt.set_id,
        proposal=receipt.proposal,
        undoes=bool(receipt.undoes),
        undone=receipt.id not in standing,
        note=spoken(receipt.note),
        event=short(receipt.event_hash),
    )


# -- rules ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleLine:
    """One rule and how often it spoke."""

    id: str
    verdict: str
    about: str
    says: str
    where: str
    enabled: bool
    hits: int
    last: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerLines:
    """One level of the policy."""

    name: str
    rules: tuple[RuleLine, ...]
    more: int
    defaults: tuple[tuple[str, str], ...]


MOST_RULES = 500
MOST_PATHS = 6


def inside(words: str, root: str) -> str:
    """Return a text in which the project's own paths begin at its root."""
    return words.replace(f"{root.rstrip('/')}/", "")


def layer_lines(layer: Layer, rules: Mapping[str, Hits], *, root: str = "") -> LayerLines:
    """Return one level with its rules, those that spoke lately first."""
    lines = [rule_line(rule, rules.get(rule.id), root=root) for rule in layer.rules]
    lines.sort(key=lambda line: line.last, reverse=True)
    return LayerLines(
        name=spoken(inside(layer.name, root)),
        rules=tuple(lines[:MOST_RULES]),
        more=max(len(lines) - MOST_RULES, 0),
        defaults=tuple((str(action), str(verdict)) for action, verdict in layer.defaults.items()),
    )


def rule_line(rule: Rule, hits: Hits | None, *, root: str = "") -> RuleLine:
    """Return one rule: what it is about, what it says, and when it last spoke."""
    verdict = "warn" if rule.warns else str(rule.verdict or "note")
    return RuleLine(
        id=spoken(rule.id),
        verdict=verdict,
        about=spoken(about(rule)),
        says=spoken(rule.reason or rule.note or rule.description),
        where=spoken(inside(str(rule.where), root)),
        enabled=rule.enabled,
        hits=hits.counts.total() if hits else 0,
        last=hits.last if hits else "",
    )


def about(rule: Rule) -> str:
    """Say what a rule looks at, as far as it fits a line."""
    parts = [" ".join(sorted(rule.actions))]
    if rule.tool or rule.tool_regex:
        parts.append(f"tool {rule.tool or rule.tool_regex}")
    if rule.paths:
        named = ", ".join(rule.paths[:MOST_PATHS])
        more = len(rule.paths) - MOST_PATHS
        parts.append(named + (f" and {more} more" if more > 0 else ""))
    parts += [f"{field.name} {field.regex or field.exact}" for field in rule.fields[:3]]
    if rule.kinds:
        parts.append(" or ".join(sorted(KIND_WORDS[kind] for kind in rule.kinds)))
    if rule.line_threshold is not None:
        parts.append(f"from {rule.line_threshold} lines")
    if rule.change_threshold is not None:
        parts.append(f"from {rule.change_threshold:.0%} changed")
    if rule.max_bytes is not None:
        parts.append(f"over {size(rule.max_bytes)}")
    return " · ".join(parts)


def policy_lines(policy: Policy, tallied: Tally, *, root: str = "") -> tuple[LayerLines, ...]:
    """Return every level of the policy."""
    return tuple(layer_lines(layer, tallied.rules, root=root) for layer in policy.layers)


# -- decisions -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionLine:
    """One decision, as the record tells it."""

    at: str
    verdict: str
    op: str
    path: str
    agent: str
    tool: str
    rules: str


def decision_lines(
    recent: Mapping[Verdict, Sequence[Event]], *, most: int, verdict: str = "", agent: str = ""
) -> tuple[DecisionLine, ...]:
    """Return the newest decisions first, those of one verdict or one agent if asked."""
    chosen = [
        (event, said)
        for said, events in recent.items()
        for event in events
        if verdict in ("", said) and agent in ("", text(event, "agent"))
    ]
    chosen.sort(key=lambda each: _place(each[0]), reverse=True)
    return tuple(_decision_line(event, said) for event, said in chosen[:most])


def _place(event: Event) -> int:
    place = event.get("seq")
    return place if isinstance(place, int) else 0


def _decision_line(event: Event, said: Verdict) -> DecisionLine:
    return DecisionLine(
        at=text(event, "ts"),
        verdict=str(said),
        op=spoken(text(event, "op")),
        path=spoken(text(event, "path") or text(event, "command")),
        agent=spoken(text(event, "agent")),
        tool=spoken(text(event, "tool")),
        rules=spoken(", ".join(rules_of(event))),
    )
