"""What became of a change, as an agent is told it: written, waiting, or there already.

Always true: what is not written is never told as written, and what waits is told with its id.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.audit.judgement import STATUS
from penstock.core.model import Decision
from penstock.core.proposals import facts as proposal_facts
from penstock.core.proposals.model import Proposal, Receipt, State
from penstock.doors.mcp.tool_call import Json, ToolAnswer, ToolCall
from penstock.gate.lookup import short_name

WAITS = STATUS["ask"]
APPLIED = "applied"
UNCHANGED = "unchanged"


def named(made: Sequence[Proposal]) -> str:
    """Return the id to ask about: of the set where there is one, else of the proposal."""
    return made[0].set_id or made[0].id


def applied(made: Sequence[Proposal], receipts: Sequence[Receipt]) -> ToolAnswer:
    """Tell what was written."""
    said = "; ".join(proposal_facts.words(one) for one in made)
    notes = [note for one in made for note in one.decision.notes]
    notes += [receipt.note for receipt in receipts if receipt.note]
    told = f"Written: {said}."
    by_path = {receipt.path: receipt.id for receipt in receipts}
    files = [{**facts(one), "receipt": by_path.get(one.path, "")} for one in made]
    data = _data(APPLIED, made, files) | {"applied": True, "notes": notes}
    return ToolAnswer(texts=(told, *notes), data=data)


def waiting(asked: ToolCall, made: Sequence[Proposal]) -> ToolAnswer:
    """Say that this needs approval, and what the agent does meanwhile."""
    name = short_name(asked.gate, named(made))
    asks = next((one for one in made if one.state is State.WAITING), made[0])
    because = asks.decision.because or "this needs the user's approval"
    left = min(one.expires_in(asked.gate.now()) for one in made)
    told = (
        f"Not written yet: {because}. Saved as pending change {name}; the user can approve it "
        f"with `penstock review`. Continue with other work, call `proposal_status` later, and do "
        f"not send it again unchanged."
    )
    warned = [text for one in made for text in one.warnings]
    data = _data(WAITS, made, [facts(one) for one in made])
    data |= {
        "applied": False,
        "because": because,
        "instead": asks.decision.suggestion,
        "rules": [reason.rule for reason in asks.decision.reasons],
        "warnings": warned,
        "expires_in_seconds": max(0, round(left)),
        "notes": [note for one in made for note in one.decision.notes],
    }
    return ToolAnswer(texts=(told,), data=data)


def unchanged(paths: Sequence[str], decision: Decision) -> ToolAnswer:
    """Tell that the files hold this already; nothing is stored and nothing written."""
    told = f"No change: {', '.join(paths)} already has this content."
    files = [{"path": path, "kind": UNCHANGED} for path in paths]
    data: Json = {"status": UNCHANGED, "applied": False, "changed": False, "files": files}
    return ToolAnswer(texts=(told,), data=data | {"notes": list(decision.notes)})


def _data(status: str, made: Sequence[Proposal], files: Sequence[Json]) -> Json:
    return {
        "status": status,
        "changed": True,
        "proposal_id": named(made),
        "files": list(files),
        "revision": made[0].decision.revision,
    }


def facts(one: Proposal) -> Json:
    """Return what is told of one file of a proposal."""
    return proposal_facts.facts(one) | {"unit": one.change.unit}
