"""What was just answered, said on the page that comes next: "Approved src/x.py · Undo".

The address of that page carries the id of what was answered, so it can be loaded again.
Always true: nothing is said but what the queue and its receipts say themselves; saying it changes
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import PenstockError
from penstock.core.proposals.model import Proposal, Receipt, State
from penstock.core.text.display import spoken
from penstock.core.text.quantities import counted
from penstock.doors.web.pages.proposal_state import neighbours, waiting_ids
from penstock.doors.web.request import world_of

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate


class Flash(Struct, frozen=True, kw_only=True):
    """What was done with which file, where it is undone, and a rule that would spare the question.

    `undo` is empty for what cannot be undone.
    """

    what: str
    path: str
    undo: str = ""
    offer: str = ""


def next_to(gate: Gate, found: Sequence[Proposal]) -> str:
    """Return the change that follows one in the queue, before that one is answered."""
    return neighbours(gate, found[0])[1]


def onward(gate: Gate, after: str, answered: str) -> Response:
    """Send the browser to the next change, or to the queue, and say there what was answered."""
    waiting = waiting_ids(gate)
    to = after if after in waiting else waiting[0] if waiting else ""
    page = f"/proposals/{quote(to, safe='')}" if to else "/"
    return RedirectResponse(f"{page}?done={quote(answered, safe='')}", 303)


def flash_of(request: Request) -> Flash | None:
    """Return what an address says was answered, as far as it was."""
    name, world = request.query_params.get("done", ""), world_of(request)
    if not name or "," in name:
        return None
    try:
        here, found = world.find_receipts(name)
        return _written(here, found)
    except PenstockError:
        pass
    try:
        here, closed = world.find(name)
    except PenstockError:
        return None
    rejected = [one for one in closed if one.state is State.REJECTED]
    return Flash(what="Rejected", path=_paths([one.path for one in rejected])) if rejected else None


def _written(here: Workspace, found: Sequence[Receipt]) -> Flash:
    first = found[0]
    return Flash(
        what="Reverted" if first.undoes else "Approved",
        path=_paths([one.path for one in found]),
        undo=f"/history/{quote(first.set_id or first.id, safe='')}",
        offer=offer_of(here, found),
    )


def _paths(paths: Sequence[str]) -> str:
    return spoken(paths[0]) if len(paths) == 1 else counted(len(paths), "file")


def offer_of(here: Workspace, found: Sequence[Receipt]) -> str:
    """Return the rule that would spare the question that was just answered, if it came often."""
    from penstock.app.places import user_rules
    from penstock.gate.rule_offer import rule_offer

    answered = [one for each in found if (one := here.gate.get(each.proposal)) is not None]
    return rule_offer(here.gate, answered, user_file=user_rules()) if answered else ""
