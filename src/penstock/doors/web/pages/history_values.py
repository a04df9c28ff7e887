"""What the pages that look back say, as plain values: writes, rules, decisions.

Counting is `statistics`'s. Templates only place these values.
Always true: a value that came from an agent or a rules file stands here as visible text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.learning.past_decision import text
from penstock.core.model import Verdict
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.rule import Rule
from penstock.core.proposals.model import Proposal, Receipt
from penstock.core.text.display import in_line, spoken
from penstock.core.text.quantities import counted, size
from penstock.doors.web.statistics import DecisionCounts, Event, Hits, rules_of
from penstock.doors.web.wording import KIND_WORDS, short

if TYPE_CHECKING:
    from penstock.gate import Gate

MOST_RULES = 500
MOST_PATHS = 6
MOST_VERSIONS = 100  # of one file that were made one of the other

# -- history -------------------------------------------------------------------------------------


class PastWrite(Struct, frozen=True, kw_only=True):
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


def written(receipt: Receipt, standing: Collection[str]) -> PastWrite:
    """Return one line of the history."""
    what = "changed"
    if receipt.before is None:
        what = "created"
    elif receipt.after is None:
        what = "removed"
    return PastWrite(
        id=receipt.id,
        path=spoken(receipt.path),
        at=receipt.at,
        what="reverted" if receipt.undoes else what,
        before=short(receipt.before),
        after=short(receipt.after),
        set_id=receipt.set_id,
        proposal=receipt.proposal,
        undoes=bool(receipt.undoes),
        undone=receipt.id not in standing,
        note=in_line(receipt.note),
        event=short(receipt.event_hash),
    )


class Rejection(Struct, frozen=True, kw_only=True):
    """What of a set was not written, and why."""

    path: str
    why: str


def rejections(gate: Gate, found: Sequence[Receipt]) -> tuple[Rejection, ...]:
    """Return what was left out of what was written: files, and hunks of files, each once."""
    left: dict[str, Rejection] = {}
    for one in _behind(gate, found):
        if one.answer is not None and not one.answer.approved:
            said = Rejection(path=spoken(one.path), why=in_line(one.answer.said))
            left.setdefault(one.id, said)
    return tuple(left.values())


def _behind(gate: Gate, found: Sequence[Receipt]) -> Iterator[Proposal]:
    """Yield the proposals behind some writes: their sets, what they were chosen from."""
    sets: set[str] = set()
    for receipt in found:
        one = gate.get(receipt.proposal)
        for _ in range(MOST_VERSIONS):
            if one is None:
                break
            yield one
            if one.set_id not in sets:
                sets.add(one.set_id)
                yield from gate.of_set(one.set_id)
            one = gate.get(one.parent) if one.parent else None


# -- rules ---------------------------------------------------------------------------------------


class RuleLine(Struct, frozen=True, kw_only=True):
    """One rule and how often it spoke."""

    id: str
    verdict: str
    about: str
    says: str
    where: str
    enabled: bool
    hits: int
    last: str


class LayerLines(Struct, frozen=True, kw_only=True):
    """One level of the policy."""

    name: str
    rules: tuple[RuleLine, ...]
    more: int
    defaults: tuple[tuple[str, str], ...]


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
        says=in_line(rule.reason or rule.note or rule.description),
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
        parts.append(f"at least {counted(rule.line_threshold, 'line')}")
    if rule.change_threshold is not None:
        parts.append(f"at least {rule.change_threshold:.0%} removed")
    if rule.max_bytes is not None:
        parts.append(f"over {size(rule.max_bytes)}")
    return " · ".join(parts)


def policy_lines(
    policy: Policy, tallied: DecisionCounts, *, root: str = ""
) -> tuple[LayerLines, ...]:
    """Return every level of the policy."""
    return tuple(layer_lines(layer, tallied.rules, root=root) for layer in policy.layers)


# -- decisions -----------------------------------------------------------------------------------

# What of an entry is searched: what people know it by, none of its signatures.
SEARCHED = (
    *("path", "command", "op", "status", "agent", "tool", "by", "rule", "code", "reason"),
    *("proposal", "session", "event_hash", "origin"),
)


def is_about(event: Event, wanted: str) -> bool:
    """Say whether an entry holds a text, in whatever case; an empty text is in each."""
    look_for = wanted.casefold()
    said = (*(text(event, name) for name in SEARCHED), *rules_of(event))
    return not look_for or any(look_for in words.casefold() for words in said)


class DecisionLine(Struct, frozen=True, kw_only=True):
    """One decision, as the record tells it."""

    at: str
    verdict: str
    op: str
    path: str
    agent: str
    tool: str
    rules: str
    entry: str


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
        entry=str(event.get("seq", "")) if text(event, "op") in ("tool_call", "proposed") else "",
    )
