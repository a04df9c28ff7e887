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
from penstock.doors.web.pages import answer_forms, decisions, history, review
from penstock.doors.web.render import page

ROUTES: list[Route] = [
    Route("/", review.queue, methods=["GET"]),
    Route("/proposals/{id}", review.proposal, methods=["GET"]),
    Route("/proposals/{id}/edit", review.edit, methods=["GET"]),
    Route("/proposals/{id}/insert", review.insert, methods=["GET"]),
    Route("/proposals/{id}/raw/{side}", review.raw, methods=["GET"]),
    Route("/proposals/{id}/{action}", answer_forms.act, methods=["POST"]),
    Route("/history", history.history, methods=["GET"]),
    Route("/history/{id}", history.receipt, methods=["GET"]),
    Route("/history/{id}/undo", history.undo, methods=["POST"]),
    Route("/decisions", decisions.decisions, methods=["GET"]),
    Route("/rules", decisions.rules, methods=["GET"]),
    Route("/audit", decisions.audit, methods=["GET"]),
    Route("/audit/verify", decisions.verify, methods=["POST"]),
]


def problem(request: Request, error: PenstockError) -> Response:
    """Return an error as a page."""
    return page(request, "problem.html", status=status_of(error), error=error)
