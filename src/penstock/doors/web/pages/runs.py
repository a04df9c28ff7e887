"""The pages about isolated runs: which there are, and the tree of what each changed so far.

Always true: looking at a run changes nothing; a proposal is answered on its own page.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from penstock.doors.run.view import runs_of, tree
from penstock.doors.web.render import page
from penstock.doors.web.request import choice_of, place


def runs(request: Request) -> Response:
    """List the runs of a workspace, newest first."""
    here = place(request)
    return page(request, "runs.html", here="runs", runs=runs_of(here), **choice_of(request, here))


def run(request: Request) -> Response:
    """Show what one run changed."""
    here = place(request)
    found = tree(here, request.path_params["run"])
    return page(request, "run.html", here="runs", tree=found, **choice_of(request, here))
