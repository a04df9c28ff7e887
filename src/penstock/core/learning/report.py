"""What a policy stopped, or would have stopped, counted; and the edits that would calm it.

Finding the decisions is a store's work, printing them the command's.
Always true: an edit is offered only for calls that came several times, that no person rejected,
and that `risk` does not keep from being allowed for good; Penstock's own protection is never in
one.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from penstock.core.learning.clusters import Cluster, clusters
from penstock.core.learning.past_decision import ASK, DECISIONS, DEFAULT, DENY, Past, Person
from penstock.core.learning.risk import never
from penstock.core.policy.builtin import CODE_GONE_RULE, CODE_RULE, SELF_RULE, STATE_RULE
from penstock.core.text.redact import redact

LEAST = 3  # calls before an edit is worth offering
MOST = 20  # rows of each table
MOST_EXAMPLES = 3
OWN = frozenset({SELF_RULE, STATE_RULE, CODE_RULE, CODE_GONE_RULE, "penstock-removal"})
NO_RULE = "(no rule)"


class StopCount(Struct, frozen=True, kw_only=True):
    """How often one rule, or one kind of call, was asked about and denied."""

    name: str
    asked: int
    denied: int
    examples: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All of them."""
        return self.asked + self.denied


class CalmingEdit(Struct, frozen=True, kw_only=True):
    """A command that would have let some calls pass, and how many."""

    command: str
    rule: str
    calms: int
    examples: tuple[str, ...]


class StopReport(Struct, frozen=True, kw_only=True):
    """Everything about a span of time."""

    calls: int = 0
    asked: int = 0
    denied: int = 0
    observed: int = 0  # of those, how many passed because the rules only observed
    approved: int = 0
    rejected: int = 0
    by_rule: tuple[StopCount, ...] = ()
    by_kind: tuple[StopCount, ...] = ()
    edits: tuple[CalmingEdit, ...] = ()

    @property
    def share(self) -> float:
        """The part of all calls that was stopped, or would have been."""
        return (self.asked + self.denied) / self.calls if self.calls else 0.0


class _Answers(Struct):
    approved: int = 0
    rejected: int = 0
    refused: set[str] = field(default_factory=set)

    def add(self, past: Past) -> None:
        if past.person is Person.REJECTED:
            self.rejected += 1
            self.refused |= {past.subject, past.key} - {""}
        elif past.decision:  # what an agent wrote by itself is no answer
            self.approved += 1


def report(decisions: Iterable[Past], *, least: int = LEAST) -> StopReport:
    """Return what some decisions tell."""
    answers = _Answers()
    calls: list[Past] = []
    for past in decisions:
        if past.person is not None:
            answers.add(past)
        elif past.decision in DECISIONS:
            calls.append(past)
    stopped = [past for past in calls if past.decision in (ASK, DENY)]
    return StopReport(
        calls=len(calls),
        asked=sum(past.decision == ASK for past in stopped),
        denied=sum(past.decision == DENY for past in stopped),
        observed=sum(past.observed for past in stopped),
        approved=answers.approved,
        rejected=answers.rejected,
        by_rule=_counts((leading(past), [past]) for past in stopped),
        by_kind=_counts((_kind(one), one.pasts) for one in clusters(stopped)),
        edits=tuple(_edits(stopped, answers.refused, least))[:MOST],
    )


def leading(past: Past) -> str:
    """Return the rule that is named first for a decision."""
    own = [rule for rule in past.rules if not rule.startswith(DEFAULT)]
    return (own or [*past.rules, NO_RULE])[0]


def _kind(cluster: Cluster) -> str:
    return f"{cluster.tool}: {redact(cluster.pattern)}"


def _counts(groups: Iterable[tuple[str, Sequence[Past]]]) -> tuple[StopCount, ...]:
    found: dict[str, list[Past]] = {}
    for name, pasts in groups:
        found.setdefault(name, []).extend(pasts)
    counts = [
        StopCount(
            name=name,
            asked=sum(past.decision == ASK for past in pasts),
            denied=sum(past.decision == DENY for past in pasts),
            examples=_examples(Counter(past.subject for past in pasts if past.subject)),
        )
        for name, pasts in found.items()
    ]
    return tuple(sorted(counts, key=lambda one: (-one.total, one.name))[:MOST])


def _examples(calls: Counter[str]) -> tuple[str, ...]:
    return tuple(redact(call) for call, _ in calls.most_common(MOST_EXAMPLES))


def _edits(stopped: Sequence[Past], refused: set[str], least: int) -> Iterator[CalmingEdit]:
    by_rule: dict[str, list[Past]] = {}
    for past in stopped:
        if past.whole and leading(past) not in OWN:
            by_rule.setdefault(leading(past), []).append(past)
    found = [(rule, one) for rule, pasts in by_rule.items() for one in clusters(pasts)]
    for rule, cluster in sorted(found, key=lambda pair: -pair[1].count):
        known = {past.subject for past in cluster.pasts} | {past.key for past in cluster.pasts}
        if cluster.count < least or never(cluster) or known & refused:
            continue
        words = ["penstock", "rules", "add", *_what(rule), *_which(cluster)]
        if redact(shlex.join(words)) == shlex.join(words):
            yield CalmingEdit(
                command=shlex.join(words),
                rule=rule,
                calms=cluster.count,
                examples=_examples(cluster.calls),
            )


def _what(rule: str) -> list[str]:
    """What only a default stopped, a rule of one's own allows; else that rule has an exception."""
    by_default = rule.startswith(DEFAULT) or rule == NO_RULE
    return ["--allow"] if by_default else ["--except", rule]


def _which(cluster: Cluster) -> list[str]:
    option = "--path" if cluster.kind == "path" else "--command"
    return [option, cluster.pattern]
