"""Count what the record tells of agents: decisions by day, agent and rule, and people's answers.

What a person proposes is no decision about an agent: an undo, an edit of rules, another version of
a change. Drawing is `charts`' work. The record may hold anything: a field that is no text counts as
missing.
Always true: each event is looked at once; names beyond a bound are counted under no name of
their own, so that nobody fills the memory with names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import TypeVar

from msgspec import Struct, field

from penstock.core.audit.event import VERDICTS
from penstock.core.learning.past_decision import text
from penstock.core.model import Verdict
from penstock.core.proposals.model import RULE_EDIT, UNDO

T = TypeVar("T")
Event = Mapping[str, object]
MOST_NAMES = 500
MOST_WAITS = 5000
MOST_RECENT = 200
OTHER = "(others)"
NO_AGENT = "unknown"

# Lines that tell of a decision; those that follow it are no second one.
DECIDING = frozenset(
    {"tool_call", "proposed", "settings_refused", "read_file", "write_file_propose"}
)
ANSWERING = frozenset({"approved", "rejected", "expired"})
APPROVED, REJECTED = "approved", "rejected"
OWN = frozenset({UNDO, RULE_EDIT})  # origins that no agent is behind
Counts = dict[str, Counter[Verdict]]
Answers = dict[str, Counter[str]]  # how many were approved and rejected, by a name


class Hits(Struct, kw_only=True):
    """How often a rule spoke, and when it last did."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    last: str = ""


class AgentQuestion(Struct, frozen=True, kw_only=True):
    """An agent's change that waits for a person: since when, and which rules asked."""

    since: str
    rules: tuple[str, ...] = ()


class DecisionCounts(Struct, kw_only=True):
    """What was counted; `by_agent` and `by_rule` are people's answers."""

    events: int = 0
    first: str = ""
    last: str = ""
    total: Counter[Verdict] = field(default_factory=Counter)
    days: Counts = field(default_factory=dict)
    agents: Counts = field(default_factory=dict)
    rules: dict[str, Hits] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    recent: dict[Verdict, list[Event]] = field(default_factory=dict)
    by_agent: Answers = field(default_factory=dict)
    by_rule: Answers = field(default_factory=dict)
    _asked: dict[str, AgentQuestion] = field(default_factory=dict)

    @property
    def decisions(self) -> int:
        """How many decisions there were."""
        return self.total.total()

    @property
    def median_wait(self) -> float | None:
        """How long people took, the middle one of all; None without any."""
        return median(self.waits) if self.waits else None


def tally(events: Iterable[Event]) -> DecisionCounts:
    """Count some events, oldest first."""
    made = DecisionCounts()
    for event in events:
        made.events += 1
        when = text(event, "ts")
        made.first, made.last = made.first or when, when or made.last
        op = text(event, "op")
        if op in DECIDING:
            _decided(made, event, when)
        elif op in ANSWERING:
            _answered(made, event, op, when)
    return made


def verdict_of(event: Event) -> Verdict | None:
    """Return what the rules said, None for a line that tells no verdict."""
    word = VERDICTS.get(text(event, "status"))
    return Verdict(word) if word else None


def rules_of(event: Event) -> tuple[str, ...]:
    """Return the rules that a line names."""
    named = event.get("rules")
    listed = [rule for rule in named if isinstance(rule, str)] if isinstance(named, list) else []
    return tuple(dict.fromkeys([*listed, *filter(None, [text(event, "rule")])]))


def _decided(made: DecisionCounts, event: Event, when: str) -> None:
    verdict = verdict_of(event)
    if text(event, "origin"):
        _goes_on(made, event)
        return
    if verdict is None:
        return
    made.total[verdict] += 1
    _named(made.days, when[:10])[verdict] += 1
    _named(made.agents, text(event, "agent") or NO_AGENT)[verdict] += 1
    for rule in rules_of(event):
        _hit(made.rules, rule, verdict, when)
    if text(event, "op") == "proposed" and verdict is Verdict.ASK:
        _waits(made, text(event, "proposal"), AgentQuestion(since=when, rules=rules_of(event)))
    recent = made.recent.setdefault(verdict, [])
    recent.append(event)
    if len(recent) > 2 * MOST_RECENT:
        del recent[:MOST_RECENT]


def _goes_on(made: DecisionCounts, event: Event) -> None:
    """Another version of an agent's change is the same question, asked since the first one."""
    asked = made._asked.pop(text(event, "parent"), None)
    if asked is not None:
        _waits(made, text(event, "proposal"), asked)


def _named(counts: dict[str, Counter[T]], name: str) -> Counter[T]:
    if name not in counts and len(counts) >= MOST_NAMES:
        name = OTHER
    return counts.setdefault(name, Counter())


def _hit(rules: dict[str, Hits], rule: str, verdict: Verdict, when: str) -> None:
    if rule not in rules and len(rules) >= MOST_NAMES:
        rule = OTHER
    hits = rules.setdefault(rule, Hits())
    hits.counts[verdict] += 1
    hits.last = when


def _waits(made: DecisionCounts, proposal: str, asked: AgentQuestion) -> None:
    if len(made._asked) >= MOST_WAITS:
        made._asked.pop(next(iter(made._asked)))
    made._asked[proposal] = asked


def _answered(made: DecisionCounts, event: Event, op: str, when: str) -> None:
    if text(event, "origin") in OWN:
        return
    made.answers[op] += 1
    asked = made._asked.pop(text(event, "proposal"), None)
    if op not in (APPROVED, REJECTED):
        return
    _named(made.by_agent, text(event, "agent") or NO_AGENT)[op] += 1
    if asked is None:
        return
    for rule in asked.rules:
        _named(made.by_rule, rule)[op] += 1
    if len(made.waits) < MOST_WAITS:
        made.waits.append(_seconds(asked.since, when))


def _seconds(start: str, end: str) -> float:
    try:
        gone = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except (ValueError, TypeError):
        return 0.0
    return max(gone.total_seconds(), 0.0)


def by_day(counts: Counts, *, last: str, days: int) -> list[tuple[str, Counter[Verdict]]]:
    """Return the days up to one, those without a decision too."""
    try:
        end = datetime.fromisoformat(last[:10])
    except ValueError:
        return []
    names = [(end - timedelta(days=back)).date().isoformat() for back in range(days - 1, -1, -1)]
    return [(name, counts.get(name, Counter())) for name in names]


def busiest(counts: dict[str, Counter[T]], *, most: int) -> list[tuple[str, Counter[T]]]:
    """Return those with the most of whatever is counted; the rest in one row."""
    order = sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
    kept, rest = order[:most], order[most:]
    if not rest:
        return kept
    together = sum((count for _, count in rest), Counter[T]())
    return [*kept, (f"{len(rest)} more", together)]


# How long people took, in steps that mean something to them.
STEPS: Sequence[tuple[str, float]] = (
    ("< 10 s", 10),
    ("< 1 min", 60),
    ("< 5 min", 300),
    ("< 15 min", 900),
    ("< 1 h", 3600),
    ("≥ 1 h", float("inf")),
)


def by_wait(waits: Iterable[float]) -> list[tuple[str, int]]:
    """Return how many answers took how long."""
    counts = [0] * len(STEPS)
    for seconds in waits:
        counts[next(at for at, (_, most) in enumerate(STEPS) if seconds < most)] += 1
    return [(name, count) for (name, _), count in zip(STEPS, counts, strict=True)]
