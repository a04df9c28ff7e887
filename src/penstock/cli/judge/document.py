"""A decision as the JSON document of `penstock judge --json`.

Always true: the same keys for every decision, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable

from penstock.core.model import Action, Change, Decision, Verdict
from penstock.doors.setup.unseen_reads import EVERYWHERE
from penstock.gate import Judgement


def document(
    judged: Judgement, *, seen_by: list[str], remarks: Iterable[str] = ()
) -> dict[str, object]:
    """Return the decision as one JSON document; `seen_by` are agents whose hook sees the call."""
    decision = judged.decision
    return {
        **decision_facts(decision),
        "notes": [*notes_of(decision), *remarks],
        "revision": decision.revision,
        "degraded": decision.degraded or None,
        **({"observe": True} if judged.would else {}),
        "parts": [
            {**decision_facts(part), "change": change_facts(one.request.change)}
            for part, one in zip(decision.parts or (decision,), judged.prepared, strict=False)
        ],
        "seen_by": seen_by,
    }


def decision_facts(decision: Decision) -> dict[str, object]:
    """Return what every decision has."""
    return {
        "verdict": decision.verdict,
        "granted": decision.granted,
        "action": decision.action,
        "path": decision.path,
        "code": decision.code,
        "because": decision.because,
        "instead": decision.suggestion,
        "notes": list(decision.notes),
        "rules": [
            {"id": r.rule, "verdict": r.verdict, "reason": r.text, "where": r.where}
            for r in decision.reasons
        ],
    }


def notes_of(decision: Decision) -> list[str]:
    """Return a decision's notes; of a read also that an agent need not ask about each."""
    refused = decision.action is Action.READ and decision.verdict is not Verdict.ALLOW
    return [*decision.notes, *([EVERYWHERE] if refused else [])]


def change_facts(change: Change | None) -> dict[str, object] | None:
    """Return a change in numbers; None where nothing was measured."""
    if change is None:
        return None
    return {
        "kind": change.kind,
        "existing_lines": change.existing_lines,
        "lines_deleted": change.lines_deleted,
        "lines_added": change.lines_added,
        "change_ratio": change.change_ratio,
        "exact": change.exact,
        "unit": change.unit,
        "notes": list(change.notes),
    }
