"""The rule that would spare a person a question they have answered with yes again and again.

Which changes are of one kind, and which must never become a rule, is `core.learning`'s; how a
rule is written down is `core.rule_edit`'s. Nothing is changed here, only offered.
Always true: nothing is offered for a kind of change that a person has rejected, that touches what
must never be allowed for good, or that Penstock protects by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from penstock.core.learning.clusters import Cluster, clusters, path_glob
from penstock.core.learning.past_decision import Past
from penstock.core.learning.risk import never
from penstock.core.model import Verdict
from penstock.core.proposals.model import RULE_EDIT, UNDO, Proposal, State
from penstock.core.rule_edit.quick_rule import joined
from penstock.core.rule_edit.ways import Stop, ways_past

if TYPE_CHECKING:
    from penstock.gate.service import Gate

LEAST = 3  # approvals of one kind
MOST = 500  # proposals that are looked at, the newest


def rule_offer(gate: Gate, answered: Sequence[Proposal], *, user_file: str = "") -> str:
    """Return a sentence with the command that adds the rule, "" where none is worth offering."""
    kind = _kind(gate, answered[0]) if len({one.path for one in answered}) == 1 else None
    if kind is None:
        return ""
    reasons = [r for one in answered for r in one.decision.reasons]
    stops = [
        Stop(rule=reason.rule, path=_glob(kind))
        for reason in reasons
        if reason.verdict in (Verdict.ASK, Verdict.DENY)
    ]
    ways = ways_past(stops, gate.policy(), root=gate.root, user_file=user_file)
    said = f"you have approved changes like this {kind.count} times; to stop being asked: "
    return said + joined(ways) if ways else ""


def _glob(kind: Cluster) -> str:
    """The one file where it was always the same, else the files that are alike."""
    return next(iter(kind.calls)) if len(kind.calls) == 1 else path_glob(kind)


def _kind(gate: Gate, one: Proposal) -> Cluster | None:
    """Return the kind of change that one is of, where it was approved often and never rejected."""
    found = gate.find(states=(State.APPLIED, State.APPROVED), limit=MOST)
    yes = [each for each in found if each.answer and each.origin not in (RULE_EDIT, UNDO)]
    no = gate.find(states=(State.REJECTED,), limit=MOST)
    for kind in clusters(map(_past, yes)):
        if one.path in kind.calls:
            refused = any(_same(kind, other) for other in clusters(map(_past, no)))
            return kind if kind.count >= LEAST and not refused and not never(kind) else None
    return None


def _same(kind: Cluster, other: Cluster) -> bool:
    return (kind.head, kind.ending) == (other.head, other.ending)


def _past(one: Proposal) -> Past:
    return Past(tool="Write", tool_input={"file_path": one.path}, path=one.path)
