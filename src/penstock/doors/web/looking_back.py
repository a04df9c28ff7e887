"""The pages about what was done: history and undo, decisions, rules, the state of the record.

Always true: numbers come from the record itself and say which part of it they cover; verifying
happens when somebody asks for it, never by loading a page.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import PenstockError, StaleError
from penstock.core.when import stamp
from penstock.doors.web import answers, charts, pages
from penstock.doors.web import shown as seen
from penstock.doors.web.answering import form_of
from penstock.doors.web.filediff import Shown, of_contents
from penstock.doors.web.problems import status_of
from penstock.doors.web.render import page
from penstock.doors.web.showing import MOST_WAITING, SET_ROWS, difference, key_of, view_of, world_of
from penstock.doors.web.tally import Tally, busiest, by_day, by_wait, median, tally
from penstock.doors.web.world import name_of

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.proposal import Receipt
    from penstock.gate import Item

    Plan = tuple[tuple[Item, bytes | None], ...]

DAYS = 30
MOST_EVENTS = 50_000
MOST_RECEIPTS = 300
MOST_DECISIONS = 100
NEWEST_LINES = 30
FRESH = 5.0  # seconds for which counts are not made again


def place(request: Request) -> Workspace:
    """Return the workspace that a page is about."""
    return world_of(request).here(request.query_params.get("workspace", ""))


def _places(request: Request, here: Workspace) -> dict[str, Any]:
    """Return what the choice of a workspace needs."""
    known = [(name_of(each), os.path.basename(each.root)) for each in world_of(request).workspaces]
    return {"chosen": name_of(here), "workspaces": known, "root": here.root}


# -- history and undo ------------------------------------------------------------------------------


def history(request: Request) -> Response:
    """Show what was written, newest first."""
    from penstock.gate.undoing import standing

    here = place(request)
    receipts = world_of(request).gate_of(here).parts.proposals.receipts(limit=MOST_RECEIPTS)
    stands = standing(receipts)
    return page(
        request,
        "history.html",
        here="history",
        written=[pages.written(each, stands) for each in receipts],
        most=MOST_RECEIPTS,
        **_places(request, here),
    )


def receipt(request: Request) -> Response:
    """Show one write, or those of a set, and what undoing it would put back."""
    here, found = world_of(request).find_receipts(request.path_params["id"])
    return _receipt_page(request, here, found)


def _receipt_page(
    request: Request,
    here: Workspace,
    found: tuple[Receipt, ...],
    *,
    answered: answers.Answered | None = None,
) -> Response:
    from penstock.gate.undoing import standing

    gate = here.gate
    rebase = "rebase" in request.query_params or form_of(request).get("rebase") == "1"
    stands = standing(gate.parts.proposals.receipts(limit=MOST_RECEIPTS * 4))
    error = answered.error if answered else None
    plan: tuple[Any, ...] = ()
    changed: tuple[Any, ...] = ()
    digest = ""
    stale: PenstockError | None = None
    try:
        planned = gate.preview_undo(found, rebase=rebase)
        digest = seen.shown_undo(planned)
        plan = tuple(_planned(planned, request))
    except StaleError as since:
        stale = since
        changed = _changed(here, found, since)
    except PenstockError as no:
        stale = no
    return page(
        request,
        "undo.html",
        status=status_of(error) if error else 200,
        here="history",
        id=request.path_params["id"],
        written=[pages.written(each, stands) for each in found],
        done="done" in request.query_params,
        next=_next(here),
        plan=plan,
        changed=changed,
        stale=stale,
        error=error,
        digest=digest,
        rebase=rebase,
        key=key_of(here),
    )


def _next(here: Workspace) -> str:
    """Return the id of what waits longest."""
    from penstock.core.proposal import State

    gate = here.gate
    found = gate.parts.proposals.find(states=[State.WAITING], limit=MOST_WAITING)
    waiting = pages.items(found, gate.parts.clock.now())
    return waiting[0].id if waiting else ""


def _planned(planned: Plan, request: Request) -> Iterator[tuple[str, str, Shown | None]]:
    """Yield each file with its change, as far as they fit a page; the others by name."""
    left = SET_ROWS
    for item, now in planned:
        shown = _compared(item.path, now, item.content, request) if left > 0 else None
        left -= len(shown.page.rows) if shown and shown.page else 20
        what = "remove" if item.content is None else "create" if now is None else "change"
        yield item.path, what, shown


def _compared(path: str, now: bytes | None, then: bytes | None, request: Request) -> Shown:
    from penstock.core.digest import digest

    key = (None if now is None else digest(now), None if then is None else digest(then))
    return of_contents(key, path, now, then, view=view_of(request))


def _changed(here: Workspace, found: tuple[Receipt, ...], since: StaleError) -> tuple[Any, ...]:
    if since.code != "changed-since":
        return ()
    gate = here.gate
    return tuple(
        difference(seen.Difference(path=path, shown=was, now=gate.current(path)))
        for path, was in gate.changed_since(found)
    )


def undo(request: Request) -> Response:
    """Put back what a write replaced."""
    form, world = form_of(request), world_of(request)
    answered = world.answer(
        request.state.session,
        "undo",
        request.path_params["id"],
        digest=form.get("digest"),
        passphrase=form.get("passphrase"),
        code=form.get("code").replace(" ", ""),
        rebase=form.get("rebase") == "1",
    )
    if answered.ok:
        return RedirectResponse(f"/history/{answered.receipts[0].id}?done=1", 303)
    here, found = world.find_receipts(request.path_params["id"])
    return _receipt_page(request, here, found, answered=answered)


# -- decisions -------------------------------------------------------------------------------------


class Counting:
    """Counts of each workspace's record, made again when the record has grown."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, Tally]] = {}
        self._lock = threading.Lock()

    def of(self, here: Workspace) -> Tally:
        """Return what the newest part of a record tells."""
        with self._lock:  # counting takes a moment: nobody counts beside another
            made_at, known = self._known.get(here.state, (0.0, None))
            if known is not None and time.monotonic() - made_at < FRESH:
                return known
            since = stamp(time.time() - DAYS * 86400)
            made = tally(here.record.newest(last=MOST_EVENTS, since=since))
            self._known[here.state] = (time.monotonic(), made)
            return made


COUNTING = Counting()


def decisions(request: Request) -> Response:
    """Show what the rules said lately, drawn and listed."""
    here = place(request)
    counted = COUNTING.of(here)
    verdict = request.query_params.get("verdict", "")
    agent = request.query_params.get("agent", "")
    return page(
        request,
        "decisions.html",
        here="decisions",
        tallied=counted,
        window=_window(counted),
        median=median(counted.waits),
        charts=drawn(counted, stamp(time.time())),
        lines=pages.decision_lines(
            counted.recent, most=MOST_DECISIONS, verdict=verdict, agent=agent
        ),
        verdict=verdict,
        agent=agent,
        agents=sorted(counted.agents)[:40],
        most=MOST_DECISIONS,
        **_places(request, here),
    )


def _window(counted: Tally) -> str:
    """Say which part of the record the numbers cover."""
    if counted.events >= MOST_EVENTS:
        return f"the newest {MOST_EVENTS:,} lines of the record, since {counted.first}"
    return f"the last {DAYS} days, {counted.events:,} lines of the record"


def drawn(counted: Tally, today: str) -> tuple[charts.Chart, ...]:
    """Return the charts that people look at."""
    rules = {name: hits.counts for name, hits in counted.rules.items()}
    middle = median(counted.waits)
    waited = "Nobody has answered yet." if middle is None else f"Half within {pages.span(middle)}."
    return (
        charts.over_time("Decisions by day", by_day(counted.days, last=today, days=DAYS)),
        charts.by_name("agents", "Decisions by agent", busiest(counted.agents, most=8), of="agent"),
        charts.by_name("rules", "Decisions by rule", busiest(rules, most=10), of="rule"),
        charts.by_step(
            "waits",
            "How long people took to answer",
            by_wait(counted.waits),
            of="time",
            words=waited,
        ),
    )


# -- rules and the record --------------------------------------------------------------------------


def rules(request: Request) -> Response:
    """Show the rules in force, each with when it last spoke."""
    here = place(request)
    counted, policy = COUNTING.of(here), here.policy()
    return page(
        request,
        "rules.html",
        here="rules",
        layers=pages.policy_lines(policy, counted, root=here.root),
        revision=policy.revision,
        files=[pages.inside(file, here.root) for file in policy.files],
        problems=[pages.inside(warning, here.root) for warning in policy.warnings],
        degraded=policy.degraded,
        window=_window(counted),
        **_places(request, here),
    )


def audit(request: Request) -> Response:
    """Show where the record stands."""
    return _audit_page(request, place(request))


def _audit_page(request: Request, here: Workspace, **verified: Any) -> Response:
    head = here.record.head()
    lines = here.record.newest(last=NEWEST_LINES)
    try:
        signed = here.record.checkpoints.latest()
    except PenstockError:
        signed = None  # verifying tells
    return page(
        request,
        "audit.html",
        here="audit",
        head=head,
        signed=signed,
        lines=[_line(event) for event in reversed(lines)],
        path=here.audit_path,
        **{"report": None, "took": 0.0, **verified},
        **_places(request, here),
    )


def _line(event: Any) -> dict[str, str]:
    from penstock.core.display import spoken
    from penstock.doors.web.tally import text

    names = ("ts", "op", "status", "path", "agent", "by", "event_hash")
    return {name: spoken(text(event, name)) for name in names}


def verify(request: Request) -> Response:
    """Compare the record with everything that there is to compare it with."""
    here = world_of(request).here(form_of(request).get("workspace"))
    started = time.monotonic()
    report = here.verify()
    return _audit_page(request, here, report=report, took=time.monotonic() - started)
