"""What an edit would change in practice: replayed on what was decided before.

The dry run tells all of it. The real run looks only for what must stop it: something that a
person refused and that would now go through, which only a person may force.
Always true: nothing is written; what cannot be replayed is told as a change, never as none.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.app import rule_edits as app
from penstock.app.decision_logs import past_of
from penstock.app.workspace import inside_agent, read_rules
from penstock.core.errors import PenstockError, RefusedError
from penstock.core.learning.impact import Flip, Impact, impact
from penstock.core.rule_edit.edit import Detail, EditError, parsing
from penstock.core.rules.load import build, load
from penstock.doors.reviewer.plan import EditPlan, reading
from penstock.doors.reviewer.responses import Document

if TYPE_CHECKING:
    from penstock.core.rules.layers import LoadResult

MOST = 100_000  # decisions that are replayed, the newest
MOST_TOLD = 10
HINT = "Narrow the rule, or let a person force it at their own terminal with --force."


def effect(plan: EditPlan) -> Document:
    """Return the `impact_analysis` of a dry run."""
    if not plan.after:
        return {"rules_affected": 0, "would_change_behavior": False}
    try:
        found = _impact(plan)
    except PenstockError as error:
        overlaps = len(plan.checked.overlaps)
        why = {"not_replayed": error.message}
        return {"rules_affected": overlaps, "would_change_behavior": True, **why}
    document = found.document()
    affected = {*plan.checked.overlaps, *found.affected}
    return {**document, "rules_affected": len(affected), "affected_rules": sorted(affected)}


def respect_people(plan: EditPlan, *, force: bool) -> None:
    """Refuse an edit that would allow what a person refused, unless a person forces it."""
    if not plan.after or not app.tells_of_refusals(plan.files):
        return
    blocking = _impact(plan).blocking
    if not blocking:
        return
    if not force:
        raise EditError(*(_detail(plan, flip) for flip in blocking[:MOST_TOLD]))
    why = inside_agent()
    if why:
        raise RefusedError(
            "inside-agent",
            "only a person may force rules that allow what a person refused",
            because=why,
            hint="run the command in your own terminal",
        )


def _detail(plan: EditPlan, flip: Flip) -> Detail:
    field = "rule" if plan.operation.type == "add_rule" else "operation"
    said = f"a person refused this, and it would be {_would(flip)}: {flip.tool} `{flip.subject}`"
    return Detail(field, said[:500], HINT)


def _would(flip: Flip) -> str:
    return "allowed" if flip.after == "allow" else "let through"


def _impact(plan: EditPlan) -> Impact:
    """Replay the decisions that are about the edited file."""
    before, after = _levels(plan)
    past = past_of(before, most=MOST)
    return impact(build(before), build(after), past, now=time.time())


def _levels(plan: EditPlan) -> tuple[LoadResult, LoadResult]:
    """Return what a policy's files say as they are, and as they would be."""
    read = reading(plan.after)

    def overlaid(path: str) -> bytes | None:
        return plan.after[path] if path in plan.after else read(path)

    parse = parsing(plan.before)
    before, after = load(plan.main, read_rules, parse=parse), plan.checked.loaded
    if after is None or after.name != plan.main:
        after = load(plan.main, overlaid, parse=parse)
    return before, after
