"""Which rules and exceptions have an end, and which of them have reached it.

Whether one still counts for a request is `conditions`'; the time comes from whoever asks.
Always true: what is listed here as ended decides nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from penstock.core.policy.conditions import in_force
from penstock.core.policy.rule import Rule, RuleExcept, Where


class RuleEnd(Struct, frozen=True, kw_only=True):
    """A rule, or an exception to the rule `of`, with an end."""

    id: str
    expires_at: float
    ended: bool
    where: Where
    of: str = ""
    owner: str = ""
    reason: str = ""

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"the exception `{self.id}` to `{self.of}`" if self.of else f"the rule `{self.id}`"


def endings(rules: Iterable[Rule], now: float) -> Iterator[RuleEnd]:
    """Yield every rule and exception that has an end, as it stands at a time."""
    for rule in rules:
        both: tuple[Rule | RuleExcept, ...] = (rule, *rule.excepts)
        for one in both:
            if one.expires_at is None or (isinstance(one, Rule) and not one.enabled):
                continue
            yield RuleEnd(
                id=one.id,
                expires_at=one.expires_at,
                ended=not in_force(one, now),
                of="" if one is rule else rule.id,
                owner=one.owner,
                reason=one.reason,
                where=one.where,
            )
