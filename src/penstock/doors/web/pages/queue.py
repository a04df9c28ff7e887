"""The queue: what is pending in every workspace, searched and in pages, and what changed of it.

How changes are grouped and found is `inbox`'; how one line looks, `queue_values`'. Every handler
runs in a thread.
Always true: a workspace that cannot be opened hides no other; an update is small, and says how
much of what changed it leaves out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from markupsafe import Markup
from msgspec import Struct, field
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from penstock.core.digest import digest
from penstock.core.errors import PenstockError
from penstock.core.proposals.model import STATE_WORDS, Moment, State
from penstock.doors.web import drift as seen
from penstock.doors.web.context import World
from penstock.doors.web.diff.file import SHELF
from penstock.doors.web.pages import inbox, queue_values
from penstock.doors.web.pages.flash import flash_of
from penstock.doors.web.pages.inbox import INBOX, PAGE, InboxPage, Order, PendingGroup, QueueQuery
from penstock.doors.web.render import macro, page, part
from penstock.doors.web.request import asked, world_of

ANSWERED_LATELY, MOST_CLOSED = 8, 60
MOST_FOUND = 1000  # closed changes that are searched
CLOSED = (State.APPLIED, State.REJECTED, State.DENIED, State.EXPIRED, State.STALE)
CHOICES = (State.WAITING, *CLOSED)
LARGEST_UPDATE = 3500  # bytes of cards in one update
MOST_ASKED = 200  # changes that one update is asked about
ORDERS = (
    (Order.DANGER, "danger first"),
    (Order.OLDEST, "oldest first"),
    (Order.NEWEST, "newest first"),
)


class _Queue(Struct, dict=True):
    """What is pending in all workspaces, and what was closed lately."""

    now: dict[str, Moment] = field(default_factory=dict)
    groups: tuple[PendingGroup, ...] = ()
    recent: list[queue_values.QueueItem] = field(default_factory=list)
    closed: list[tuple[str, PenstockError]] = field(default_factory=list)

    def items(self, groups: Iterable[PendingGroup], by: Order) -> list[queue_values.QueueItem]:
        """Return lines of the list."""
        return [
            queue_values.item(
                group.members,
                self.now[group.workspace],
                workspace=group.workspace,
                section=group.section if by is Order.DANGER else "",
                order=group.order(by),
            )
            for group in groups
        ]


def queue(request: Request) -> Response:
    """Show what is pending, or what was closed in some way, one page of it."""
    world = world_of(request)
    world.look_around()
    SHELF.warm()
    query = _query(request)
    found = _all(world, query)
    shown = inbox.page_of(found.groups, query)
    values = _values(found, shown, query)
    return page(request, "queue.html", here="queue", flash=flash_of(request), **values)


def _query(request: Request) -> QueueQuery:
    return inbox.query_of(request.query_params, max(asked(request, "page"), 1))


def _values(found: _Queue, shown: InboxPage, query: QueueQuery) -> dict[str, Any]:
    return {
        "items": found.items(shown.groups, query.order),
        "shown": shown,
        "query": query,
        "per_page": PAGE,
        "states": [(state, STATE_WORDS[state]) for state in CHOICES],
        "orders": ORDERS,
        "recent": sorted(found.recent, key=lambda one: one.created, reverse=True)[:ANSWERED_LATELY],
        "closed": found.closed,
    }


def _all(world: World, query: QueueQuery, *, recent: bool = True) -> _Queue:
    """Return what the query's state is about in each workspace, dangers first."""
    found = _Queue()
    for here in world.workspaces:
        name = os.path.basename(here.root)
        label = name if len(world.workspaces) > 1 else ""
        try:
            gate = world.gate_of(here)
            gate.expire()
            found.now[label] = gate.now()
            if query.state == State.WAITING:
                found.groups += INBOX.pending(gate.open(), workspace=label)
            else:
                some = gate.find(states=(State(query.state),), limit=MOST_FOUND)
                found.groups += inbox.grouped(some, workspace=label)
            if recent:
                some = gate.find(states=CLOSED, limit=MOST_CLOSED)
                found.recent += queue_values.items(some, found.now[label], workspace=label)
        except PenstockError as fault:
            found.closed.append((name, fault))
    if len(world.workspaces) > 1:
        by_danger = sorted(found.groups, key=lambda group: (group.order(Order.DANGER), group.id))
        found.groups = tuple(by_danger)
    return found


# -- what changed ----------------------------------------------------------------------------------


def updates(request: Request) -> Response:
    """Return the lines of some changes as they are now, which of them are gone, and the counts."""
    world, query = world_of(request), _query(request)
    found = _all(world, query, recent=False)
    shown = inbox.page_of(found.groups, query)
    ids = request.query_params.get("ids", "").split(",")[:MOST_ASKED]
    wanted = _with_sets(world, frozenset(filter(None, ids)))
    groups = [group for group in found.groups if wanted & _names(group)]
    matching = [group for group in groups if query.matches(group)]
    cards, left = _cards(found, matching, query.order)
    values = _values(found, shown, query)
    text = part(
        "queue_update.html",
        **values,
        cards=cards,
        left=left,
        gone=sorted(wanted - {group.id for group in matching}),
    )
    return HTMLResponse(text.encode("utf-8", "replace"))


def _names(group: PendingGroup) -> frozenset[str]:
    return frozenset((group.id, *(one.id for one in group.members)))


def _with_sets(world: World, ids: frozenset[str]) -> frozenset[str]:
    """Return ids with those of the sets that they belong to, by which a list has them."""
    sets = set()
    for id_ in ids:
        with suppress(PenstockError):
            sets |= {one.set_id for one in world.find(id_)[1] if one.set_id}
    return ids | sets


def _cards(found: _Queue, groups: Sequence[PendingGroup], by: Order) -> tuple[list[Markup], int]:
    """Return as many lines as an update may have, and how many are left out."""
    made: list[Markup] = []
    room = LARGEST_UPDATE
    for group in groups:
        (item,) = found.items([group], by)
        text = macro("queue_card.html", "card", item, time.time(), apart=True)
        room -= len(text.encode("utf-8", "replace"))
        if room < 0:
            break
        made.append(text)
    return made, len(groups) - len(made)


def state(request: Request) -> Response:
    """Return what an open page of a change is compared with."""
    _, found = world_of(request).find(request.path_params["id"])
    return JSONResponse({"mark": mark_of(found)})


def mark_of(found: Sequence[Any]) -> str:
    """Return a text that is another one when a change has another content or state."""
    said = f"{seen.shown(found)} {' '.join(str(one.state) for one in found)}"
    return digest(said.encode("utf-8", "replace")).removeprefix("sha256:")[:16]
