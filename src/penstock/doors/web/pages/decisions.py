"""The pages about what was decided: decisions, the rules in force, the state of the record.

Always true: numbers come from the record itself and say which part of it they cover; verifying
happens when somebody asks for it, never by loading a page.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from penstock.core.errors import PenstockError
from penstock.core.text.quantities import duration
from penstock.core.timestamps import stamp
from penstock.doors.web import charts
from penstock.doors.web.pages import history_values
from penstock.doors.web.render import page
from penstock.doors.web.request import choice_of, form_of, place, world_of
from penstock.doors.web.statistics import DecisionCounts, busiest, by_day, by_wait, tally

if TYPE_CHECKING:
    from penstock.app import Workspace

DAYS = 30
MOST_EVENTS = 50_000
MOST_DECISIONS = 100
NEWEST_LINES, MOST_LINES = 30, 200
LONGEST = 200  # characters of a search
FRESH = 5.0  # seconds for which counts are not made again


# -- decisions -------------------------------------------------------------------------------------


class LogCounts:
    """Counts of each workspace's record, made again when the record has grown."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, DecisionCounts]] = {}
        self._lock = threading.Lock()

    def of(self, here: Workspace) -> DecisionCounts:
        """Return what the newest part of a record tells."""
        with self._lock:  # counting takes a moment: nobody counts beside another
            made_at, known = self._known.get(here.state, (0.0, None))
            if known is not None and time.monotonic() - made_at < FRESH:
                return known
            since = stamp(time.time() - DAYS * 86400)
            made = tally(here.record.newest(last=MOST_EVENTS, since=since))
            self._known[here.state] = (time.monotonic(), made)
            return made


COUNTING = LogCounts()


def decisions(request: Request) -> Response:
    """Show recent decisions, drawn and listed."""
    here = place(request)
    counted = COUNTING.of(here)
    verdict = request.query_params.get("verdict", "")
    agent = request.query_params.get("agent", "")
    wanted = _wanted(request)
    recent = tally(_about(here, wanted)).recent if wanted else counted.recent
    return page(
        request,
        "decisions.html",
        here="decisions",
        tallied=counted,
        window=_window(counted),
        median=counted.median_wait,
        charts=drawn(counted, stamp(time.time())),
        lines=history_values.decision_lines(
            recent, most=MOST_DECISIONS, verdict=verdict, agent=agent
        ),
        wanted=wanted,
        verdict=verdict,
        agent=agent,
        agents=sorted(counted.agents)[:40],
        most=MOST_DECISIONS,
        **choice_of(request, here),
    )


def _wanted(request: Request) -> str:
    """Return the text that is searched for."""
    return request.query_params.get("q", "").strip()[:LONGEST]


def _about(here: Workspace, wanted: str) -> list[Any]:
    """Return the newest entries that hold a text, oldest first."""
    since = stamp(time.time() - DAYS * 86400)
    found = here.record.newest(last=MOST_EVENTS, since=since)
    return [event for event in found if history_values.is_about(event, wanted)]


def _window(counted: DecisionCounts) -> str:
    """Say which part of the audit log the numbers cover."""
    if counted.events >= MOST_EVENTS:
        return f"the latest {MOST_EVENTS:,} audit log entries, since {counted.first}"
    return f"the last {DAYS} days ({counted.events:,} audit log entries)"


def drawn(counted: DecisionCounts, today: str) -> tuple[charts.Chart, ...]:
    """Return the charts that people look at."""
    rules = {name: hits.counts for name, hits in counted.rules.items()}
    middle = counted.median_wait
    waited = "No answers yet." if middle is None else f"Median: {duration(middle)}."
    return (
        charts.over_time("Decisions by day", by_day(counted.days, last=today, days=DAYS)),
        charts.by_name("agents", "Decisions by agent", busiest(counted.agents, most=8), of="agent"),
        charts.by_name("rules", "Decisions by rule", busiest(rules, most=10), of="rule"),
        charts.acceptance(
            "accepted-agents",
            "Approved by people, by agent",
            busiest(counted.by_agent, most=8),
            of="agent",
        ),
        charts.acceptance(
            "accepted-rules",
            "Approved by people, by rule that asked",
            busiest(counted.by_rule, most=10),
            of="rule",
        ),
        charts.by_step(
            "waits",
            "Response time",
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
        layers=history_values.policy_lines(policy, counted, root=here.root),
        revision=policy.revision,
        files=[history_values.inside(file, here.root) for file in policy.files],
        problems=[history_values.inside(warning, here.root) for warning in policy.warnings],
        degraded=policy.degraded,
        window=_window(counted),
        added="added" in request.query_params,
        suggested=_suggested(here) if "suggest" in request.query_params else None,
        **choice_of(request, here),
    )


def _suggested(here: Workspace) -> list[dict[str, Any]]:
    """Return what past decisions suggest; looked for when somebody asks, for it takes a while."""
    from penstock.doors.web.pages.rule_form import suggestions

    return suggestions(here, now=time.time())


def audit(request: Request) -> Response:
    """Show where the record stands."""
    return _audit_page(request, place(request))


def _audit_page(request: Request, here: Workspace, **verified: Any) -> Response:
    head, wanted = here.record.head(), _wanted(request)
    lines = _about(here, wanted) if wanted else here.record.newest(last=NEWEST_LINES)
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
        lines=[_line(event) for event in reversed(lines[-MOST_LINES:])],
        found=len(lines),
        wanted=wanted,
        days=DAYS,
        path=here.audit_path,
        **{"report": None, "took": 0.0, **verified},
        **choice_of(request, here),
    )


def _line(event: Any) -> dict[str, str]:
    from penstock.core.learning.past_decision import text
    from penstock.core.text.display import spoken

    names = ("ts", "op", "status", "path", "agent", "by", "event_hash")
    return {name: spoken(text(event, name)) for name in names}


def verify(request: Request) -> Response:
    """Compare the record with everything that there is to compare it with."""
    here = world_of(request).here(form_of(request).get("workspace"))
    started = time.monotonic()
    report = here.verify()
    return _audit_page(request, here, report=report, took=time.monotonic() - started)
