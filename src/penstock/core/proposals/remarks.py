"""Everything that a person should know of a proposal, in the one order that all surfaces show.

Flags of the change, notes of rules, warnings of a strategy, and what older versions stored as
sentences only. How each is drawn is the surface's.
Always true: dangers come first, and a sentence comes once.
"""

from __future__ import annotations

from penstock.core.proposals.flag import LEVELS, RiskFlag, RiskLevel
from penstock.core.proposals.model import Proposal


def remarks(one: Proposal) -> tuple[RiskFlag, ...]:
    """Return the remarks on a proposal."""
    known = {flag.text: flag for flag in one.flags}
    for code, texts in (("rule", one.decision.notes), ("warning", one.warnings)):
        for text in texts:
            known.setdefault(text, RiskFlag(level=RiskLevel.NOTICE, code=code, text=text))
    return tuple(sorted(known.values(), key=lambda flag: LEVELS.index(flag.level)))


def dangers(one: Proposal) -> int:
    """Return how many of the remarks are of the graver level."""
    return sum(flag.level is RiskLevel.DANGER for flag in one.flags)
