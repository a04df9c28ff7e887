"""Which pages there are, and how an error looks on one.

Always true: every address here is behind `Admitted`; handlers are plain functions, which
Starlette runs in threads, because the gate blocks.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from penstock.core.errors import PenstockError
from penstock.doors.web.errors import status_of
from penstock.doors.web.pages import answer_forms as answering
from penstock.doors.web.pages import decisions as looking_back
from penstock.doors.web.pages import history as undoing
from penstock.doors.web.pages import review as showing
from penstock.doors.web.render import page

ROUTES: list[Route] = [
    Route("/", showing.queue, methods=["GET"]),
    Route("/proposals/{id}", showing.proposal, methods=["GET"]),
    Route("/proposals/{id}/edit", showing.edit, methods=["GET"]),
    Route("/proposals/{id}/insert", showing.insert, methods=["GET"]),
    Route("/proposals/{id}/raw/{side}", showing.raw, methods=["GET"]),
    Route("/proposals/{id}/{action}", answering.act, methods=["POST"]),
    Route("/history", undoing.history, methods=["GET"]),
    Route("/history/{id}", undoing.receipt, methods=["GET"]),
    Route("/history/{id}/undo", undoing.undo, methods=["POST"]),
    Route("/decisions", looking_back.decisions, methods=["GET"]),
    Route("/rules", looking_back.rules, methods=["GET"]),
    Route("/audit", looking_back.audit, methods=["GET"]),
    Route("/audit/verify", looking_back.verify, methods=["POST"]),
]


def problem(request: Request, error: PenstockError) -> Response:
    """Return an error as a page."""
    return page(request, "problem.html", status=status_of(error), error=error)
