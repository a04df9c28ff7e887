"""What of a change is dangerous: the warnings beside it, and which of them want a proof of its own.

Measuring a change is `core.diff`'s, and finding what hides in a text `core.text`'s; who has to
prove what is the gate's business.
Always true: what the queue says of a change can only add to what its bytes say.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.model import Change, ChangeKind
from penstock.core.proposals.model import UNDO, Proposal
from penstock.core.text.display import warnings

# What is lost here was not asked about line by line.
LOSSES: Mapping[ChangeKind, str] = {
    ChangeKind.REPLACE: "it replaces most of the file",
    ChangeKind.DELETE: "it deletes the file",
}


def warnings_of(content: bytes | None, change: Change) -> tuple[str, ...]:
    """Return what an approver must know: of the change, and hidden in the text."""
    if content is None:
        return change.notes
    return (*change.notes, *warnings(content.decode("utf-8", "replace")))


def dangers(one: Proposal, content: bytes | None, change: Change) -> tuple[str, ...]:
    """Return why a change needs a fresh proof; none where an unlock is enough.

    `content` is what the file would hold and `change` how its bytes measure now. Every warning
    counts, and every note of a rule: there is one level of them. What an undo takes away was
    written by Penstock, and comes back with another undo.
    """
    lost = LOSSES.get(change.kind, "") if one.origin != UNDO else ""
    found = (lost, *warnings_of(content, change), *one.warnings, *one.decision.notes)
    return tuple(filter(None, dict.fromkeys(found)))
