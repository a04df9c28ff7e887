"""What an edit would change in practice, for the dry run: replayed on what was decided before.

Always true: nothing is written, and what cannot be replayed is told as a change.
"""

from __future__ import annotations

from penstock.doors.reviewer.answers import Document
from penstock.doors.reviewer.planning import Plan


def effect(plan: Plan) -> Document:
    """Return the `impact_analysis` of a dry run."""
    return {
        "rules_affected": len(plan.checked.overlaps),
        "would_change_behavior": bool(plan.after),
    }
