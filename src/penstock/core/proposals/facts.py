"""What an agent is told of one file of a proposal, in data and in words.

Always true: the same keys and the same words, whichever door tells it.
"""

from __future__ import annotations

from penstock.core.proposals.model import Proposal

VERBS = {"new": "created", "delete": "deleted"}


def facts(one: Proposal) -> dict[str, object]:
    """Return which file it is, from what to what, and how much of it changes."""
    return {
        "path": one.path,
        "kind": str(one.change.kind),
        "proposal_id": one.id,
        "base_digest": one.base or "",
        "content_digest": one.content or "",
        "lines_added": one.change.lines_added,
        "lines_deleted": one.change.lines_deleted,
        "existing_lines": one.change.existing_lines,
    }


def words(one: Proposal) -> str:
    """Return what happens to the file, and how much of it changes."""
    verb = VERBS.get(one.change.kind, "changed")
    counts = f"+{one.change.lines_added} -{one.change.lines_deleted} {one.change.unit}"
    return f"{verb} {one.path} ({counts})"
