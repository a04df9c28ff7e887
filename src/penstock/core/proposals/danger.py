"""What of a change is so dangerous that an approver has to prove anew who they are.

Measuring a change is `core.diff`'s, and finding flags `core.review`'s; who has to prove what is
the gate's business.
Always true: what the queue says of a change can only add to what its bytes say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from penstock.core.model import Change, ChangeKind
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.proposals.model import UNDO, Proposal

# What is lost here was not asked about line by line.
LOSSES: Mapping[ChangeKind, str] = {
    ChangeKind.REPLACE: "it replaces most of the file",
    ChangeKind.DELETE: "it deletes the file",
}


def dangers(one: Proposal, flags: Iterable[RiskFlag], change: Change) -> tuple[str, ...]:
    """Return why a change needs a fresh proof; none where an unlock is enough.

    `flags` and `change` are what its bytes say now. What an undo takes away was written by
    Penstock, and comes back with another undo. An older version stored sentences only, without a
    level: then each of them counts.
    """
    lost = LOSSES.get(change.kind, "") if one.origin != UNDO else ""
    grave = (flag.text for flag in (*flags, *one.flags) if flag.level is RiskLevel.DANGER)
    unknown = () if one.flags else one.warnings
    return tuple(filter(None, dict.fromkeys((lost, *grave, *unknown))))
