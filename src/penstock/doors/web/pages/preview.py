"""Looking without changing: what a strategy or the ticked hunks would make, and long lines.

Always true: nothing here is stored, and no version exists until somebody posts "Use this"; the
form carries the digest of what this page shows.
"""

from __future__ import annotations

from urllib.parse import urlencode

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.diff.coverage import AFTER, BEFORE, SIDES, line_parts
from penstock.core.diff.hunks import hunks as hunks_of
from penstock.core.errors import InputError
from penstock.core.merge.combination import Combination
from penstock.core.merge.strategies import strategy_named
from penstock.core.model import Hunk
from penstock.core.proposals.model import State
from penstock.doors.web import drift as seen
from penstock.doors.web import wording
from penstock.doors.web.diff.comparison import Comparison
from penstock.doors.web.diff.file import SHELF, digest_of, of_contents
from penstock.doors.web.diff.markup import markup
from penstock.doors.web.diff.options import DiffOptions
from penstock.doors.web.pages import queue_values as pages
from penstock.doors.web.render import page
from penstock.doors.web.request import asked, looks, reader_of, remember_view, single, view_of
from penstock.gate.views import ChangeKey

LINE_PIECE = 4000  # characters of a long line on one page
ASKED = ("strategy", "at", "hunks")


class TwoSides(Struct, frozen=True, kw_only=True):
    """One file's change that is looked at: its bytes, and where its pages are."""

    path: str
    before: bytes | None
    after: bytes | None
    address: str  # of the page that shows it
    line_address: str  # of the page of one of its lines, without the query
    query: str  # what both have to be asked with

    @property
    def key(self) -> ChangeKey:
        """By what its views are kept."""
        return self.path, digest_of(self.before), digest_of(self.after)


# -- a strategy, or some hunks ---------------------------------------------------------------------


def combination_of(request: Request, total: int) -> Combination | None:
    """Return what a query asks to be made; None where it asks for nothing."""
    query = request.query_params
    if query.get("hunks"):
        return Combination(hunks=wording.from_ranges(query["hunks"], most=total))
    if not query.get("strategy"):
        return None
    at = asked(request, "at") if query.get("at", "").strip() else None
    return Combination(strategy=strategy_named(query["strategy"][:80]), at=at)


def preview(request: Request) -> Response:
    """Show what would come out; nothing is made."""
    here, one = single(request)
    before, after = here.gate.contents(one)
    made = combination_of(request, _hunk_count(before, after))
    if made is None:
        raise InputError("nothing-asked", "name what to preview: a strategy or hunks")
    if made.strategy == "insert" and made.at is None:
        return RedirectResponse(f"/proposals/{one.id}/insert", 303)
    merged = made.of(one.path, before, after)
    result = digest_of(merged.content)
    shown = of_contents(
        (one.base, result),
        one.path,
        before,
        merged.content,
        options=DiffOptions(view=view_of(request), number=max(asked(request, "page"), 1)),
    )
    if looks(request):
        shown.sent_to(reader_of(request), (one.path, one.base, result))
    query = urlencode([(name, request.query_params.get(name, "")) for name in ASKED])
    response = page(
        request,
        "preview.html",
        here="queue",
        one=pages.facts(one, here.gate.now()),
        digest=seen.shown([one]),
        result=result,
        made=made,
        hunks=wording.as_ranges(made.hunks) if made.hunks is not None else "",
        warnings=merged.warnings,
        shown=shown,
        query=query,
        unticked="unticked" in request.query_params,
        open=one.state is State.WAITING,
    )
    remember_view(request, response)
    return response


def _hunk_count(before: bytes | None, after: bytes | None) -> int:
    return len(hunks_of(before, after)) if before is not None and after is not None else 0


# -- a long line -----------------------------------------------------------------------------------


def line(request: Request) -> Response:
    """Show one line of a proposal, or of a preview of it, piece by piece."""
    here, one = single(request)
    before, after = here.gate.contents(one)
    made = combination_of(request, _hunk_count(before, after))
    if made is not None:
        after = made.of(one.path, before, after).content
    query = urlencode([(k, v) for k, v in request.query_params.items() if k in ASKED])
    base = f"/proposals/{one.id}"
    return line_page(
        request,
        TwoSides(
            path=one.path,
            before=before,
            after=after,
            address=f"{base}/preview" if made is not None else base,
            line_address=f"{base}/line",
            query=query,
        ),
    )


def line_page(request: Request, change: TwoSides) -> Response:
    """Return the page of a long line, beside the one that it stands for."""
    key = change.key
    made = SHELF.compared(key[1:], change.before, change.after)
    places = _places(request, made)
    lengths = {side: made.length(_line_of(made, side, at)) for side, at in places.items()}
    pieces = max(1, -(-max(lengths.values()) // LINE_PIECE))
    number = min(max(asked(request, "piece"), 1), pieces)
    some = range((number - 1) * LINE_PIECE, number * LINE_PIECE)
    if looks(request):
        parts = line_parts(made.hunks)
        for side, at in places.items():
            reader_of(request).show_piece(key, parts, side, at, some, length=lengths[side])
    return page(
        request,
        "line.html",
        here="queue",
        path=change.path,
        back=f"{change.address}?{change.query}",
        address=change.line_address,
        query=change.query,
        side=request.query_params.get("side", AFTER),
        at=asked(request, "line"),
        lines=[
            {
                "side": side,
                "number": at + 1,
                "length": lengths[side],
                "first": min(some.start + 1, lengths[side]),
                "last": min(some.stop, lengths[side]),
                "html": markup(made.piece(_line_of(made, side, at), some)),
            }
            for side, at in places.items()
        ],
        number=number,
        pieces=pieces,
    )


def _places(request: Request, made: Comparison) -> dict[str, int]:
    """Return the line that was asked for by its side, with the one that it stands for."""
    side, at = request.query_params.get("side", AFTER), asked(request, "line") - 1
    lines = made.old if side == BEFORE else made.new
    if side not in SIDES or not 0 <= at < len(lines):
        raise InputError("not-found", "there is no such line")
    found = {side: at}
    number = next((n for n, hunk in enumerate(made.hunks, 1) if at in _of(hunk, side)), 0)
    if number:
        other = AFTER if side == BEFORE else BEFORE
        partner = made.partner(number, **{"old" if side == BEFORE else "new": at})
        if partner is not None:
            found[other] = partner
    return {each: found[each] for each in SIDES if each in found}


def _of(hunk: Hunk, side: str) -> range:
    return hunk.before if side == BEFORE else hunk.after


def _line_of(made: Comparison, side: str, at: int) -> bytes:
    return (made.old if side == BEFORE else made.new)[at]
