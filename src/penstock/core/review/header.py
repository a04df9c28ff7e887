"""The second row of a change's header: who asks, by which rule it needs approval, the time left.

The first row, the path and how much of it changes, is `quantities.change_counts`'.
Always true: what comes from an agent stands here as visible text in one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from penstock.core.model import Verdict
from penstock.core.proposals.model import OPEN, STATE_WORDS, Moment, Proposal
from penstock.core.text.display import spoken
from penstock.core.text.quantities import duration

SEPARATOR = " · "
DEFAULT = "default."  # how the default of an action is named among rules


def second_row(one: Proposal, now: Moment) -> str:
    """Return `claude · rule rewrites · 59 min left`."""
    return SEPARATOR.join(filter(None, _parts(one, now)))


def _parts(one: Proposal, now: Moment) -> Iterator[str]:
    yield spoken(one.actor.agent)
    yield rule_words(one)
    yield time_words(one, now)


def rule_words(one: Proposal) -> str:
    """Name the rule that asks for a person, or denies; the default where none does."""
    spoke = (reason for reason in one.decision.reasons if reason.verdict is one.decision.verdict)
    rule = next((reason.rule for reason in spoke if reason.rule), "")
    if rule and not rule.startswith(DEFAULT):
        return f"rule {spoken(rule)}"
    return "" if one.decision.verdict is Verdict.ALLOW else "no rule matches"


def time_words(one: Proposal, now: Moment) -> str:
    """Say how long it is still pending, or what became of it."""
    if one.state not in OPEN:
        return STATE_WORDS[one.state]
    left = one.expires_in(now)
    return f"{duration(left)} left" if left > 0 else "expired"


def least_time(found: Iterable[Proposal], now: Moment) -> float:
    """Return the seconds until the first of some proposals expires."""
    return min((one.expires_in(now) for one in found if one.state in OPEN), default=0.0)
