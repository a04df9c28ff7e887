"""The forms: what a person decides on the page, handed to `answers` with the digest they saw.

Always true: a form that is refused comes back with the reason and what is different now; one
that is done sends the browser on, so that loading again does nothing twice. A form says of every
box on its page whether it is ticked; one that leaves some out, or names others, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from msgspec import Struct, field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import InputError, RefusedError
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import Proposal, State
from penstock.core.text.quantities import counted
from penstock.doors.web import drift as seen
from penstock.doors.web import wording
from penstock.doors.web.answers import AnswerResult
from penstock.doors.web.errors import status_of
from penstock.doors.web.middleware import FormFields
from penstock.doors.web.pages import comment_fields, proposal_state
from penstock.doors.web.pages.change_set import set_page
from penstock.doors.web.pages.flash import next_to, onward
from penstock.doors.web.pages.passkeys import challenge_response
from penstock.doors.web.pages.proposal_state import waiting_ids
from penstock.doors.web.pages.review import back_to, edit_page, one_page
from penstock.doors.web.proof import BROUGHT
from penstock.doors.web.reader import disagrees
from penstock.doors.web.request import form_of, reader_of, single, world_of
from penstock.doors.web.textarea import taken

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

MOST_REASON = 1000
PREVIEW_OF = "preview-"


def _do(request: Request, action: str, **given: object) -> AnswerResult:
    id_ = request.path_params["id"]
    return world_of(request).answer(request.state.session, action, id_, **given)


def _shown_again(request: Request, answered: AnswerResult) -> Response:
    """Return the page of what was answered, with why it was not done."""
    assert answered.error is not None
    here, found = world_of(request).find(request.path_params["id"])
    status = status_of(answered.error)
    if found[0].id != request.path_params["id"]:
        return set_page(request, here, found, status=status, answered=answered)
    return one_page(request, here, found[0], status=status, answered=answered)


def brought(form: FormFields) -> dict[str, str]:
    """Return what a form proves a person with."""
    given = {name: form.get(name) for name in BROUGHT}
    return {**given, "code": given["code"].replace(" ", "")}


def challenge(request: Request) -> Response:
    """Return what a passkey has to sign to approve what was shown."""
    form, ticks = form_of(request), _taken_ticks(request)
    if unsent := _unsent(request, ticks):
        return challenge_response(AnswerResult(error=unsent))
    answered = _do(
        request,
        "ask",
        digest=form.get("digest"),
        keep=ticks.keep,
        acknowledged=form.get("unseen"),
        unlock=form.get("unlock"),
    )
    return challenge_response(answered)


def approve(request: Request) -> Response:
    """Approve what was shown, and write it; with hunks unticked, show what the others make."""
    form = form_of(request)
    ticks = _taken_ticks(request)
    if ticks.of_set and not ticks.keep:
        raise InputError("not-in-set", "no file is selected", hint="select one, or reject all")
    if unsent := _unsent(request, ticks):
        return _shown_again(request, AnswerResult(error=unsent))
    gate, after = _before(request)
    answered = _do(
        request,
        "approve",
        digest=form.get("digest"),
        keep=ticks.keep,
        comments=_comments_left(request, ticks),
        acknowledged=form.get("unseen"),
        **brought(form),
    )
    if answered.error is not None:
        if answered.error.code == "hunks-unticked" and ticks.hunks:
            return _to_preview(request, ticks.hunks, unticked=1)
        return _shown_again(request, answered)
    if not answered.receipts:
        return back_to(answered.proposals[0].id)
    first = answered.receipts[0]
    if len(answered.receipts) == 1 and not answered.rejected and waiting_ids(gate):
        return onward(gate, after, first.id)
    return RedirectResponse(f"/history/{first.set_id or first.id}?done=1", 303)


def _before(request: Request) -> tuple[Gate, str]:
    """Return the gate, and what follows in the queue on what is about to be answered."""
    here, found = world_of(request).find(request.path_params["id"])
    return here.gate, next_to(here.gate, found)


def _unsent(request: Request, ticks: Ticks) -> RefusedError | None:
    """Return why what is ticked is not approved: it has comments, which an approval can't send."""
    _, found = world_of(request).find(request.path_params["id"])
    taken = [one for one in found if not ticks.keep or one.id in ticks.keep]
    return comment_fields.unsent(reader_of(request), taken)


def _comments_left(request: Request, ticks: Ticks) -> list[LineComment]:
    """Return the comments on the files of a set that are not taken."""
    _, found = world_of(request).find(request.path_params["id"])
    left = [one for one in found if ticks.keep and one.id not in ticks.keep]
    return [said for one in left for said in reader_of(request).comments(one.id)]


def reject(request: Request) -> Response:
    """Send it back with a reason."""
    form = form_of(request)
    reason = form.get("reason").strip()[:MOST_REASON]
    _, found = world_of(request).find(request.path_params["id"])
    comments = comment_fields.to_send(reader_of(request), form, found)
    gate, after = _before(request)
    answered = _do(request, "reject", reason=reason, digest=form.get("digest"), comments=comments)
    if not answered.ok:
        comment_fields.keep(reader_of(request), form, found)  # what was typed is not lost
        return _shown_again(request, answered)
    for one in found:
        reader_of(request).keep_comments(one.id, ())
    return onward(gate, after, request.path_params["id"])


def comment(request: Request) -> Response:
    """Keep the comments that are being written, and go back to the page."""
    form = form_of(request)
    _, found = world_of(request).find(request.path_params["id"])
    comment_fields.keep(reader_of(request), form, found)
    return RedirectResponse(f"/proposals/{request.path_params['id']}{_inside(form.get('to'))}", 303)


def strategy(request: Request) -> Response:
    """Make the version that a preview showed."""
    form, _ = form_of(request), single(request)
    wanted, at = form.get("strategy"), _line(form.get("at"))
    given = {"digest": form.get("digest"), "result": _result(form)}
    return _onward(request, _do(request, "strategy", strategy=wanted, at=at, **given))


def _line(text: str) -> int | None:
    plain = text.strip()
    return int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 9 else None


def hunks(request: Request) -> Response:
    """Make the version that holds the hunks which a preview showed, and no others."""
    form = form_of(request)
    here, one = single(request)
    total = proposal_state.hunks_to_choose(*here.gate.contents(one), one)
    chosen = wording.from_ranges(form.get("hunks"), most=total)
    given = {"digest": form.get("digest"), "result": _result(form)}
    answered = _do(request, "hunks", hunks=sorted(chosen), **given)
    if answered.ok:
        reader_of(request).untick(request.path_params["id"], ())
    return _onward(request, answered)


def _result(form: FormFields) -> str:
    """Return the digest of what was previewed: what nobody has looked at is not made."""
    if not form.get("result"):
        raise disagrees("it does not name the preview")
    return form.get("result")


def choose(request: Request) -> Response:
    """Keep what is not ticked, and go to another part of the page."""
    ticks = _taken_ticks(request)
    to = form_of(request).get("to")
    if to == "preview":
        return _to_preview(request, ticks.hunks)
    if to.startswith(PREVIEW_OF):
        one = to.removeprefix(PREVIEW_OF)
        return _to_preview(request, ticks.of_files.get(one, ()), of=one)
    return RedirectResponse(f"/proposals/{request.path_params['id']}{_inside(to)}", 303)


def _inside(to: str) -> str:
    """Return a query of the same page that a form names, and nothing else."""
    plain = to.startswith("?") and all(sign.isalnum() or sign in "?&=#-_:," for sign in to)
    return to if plain and to.isascii() else ""


def _to_preview(
    request: Request, chosen: Collection[int], *, of: str = "", **more: int
) -> Response:
    """Go to what the chosen hunks make; `of` is a file of the set that the form is about."""
    if not chosen:
        raise InputError("no-hunks", "no hunk is selected", hint="select one, or reject all")
    query = urlencode({"hunks": wording.as_ranges(chosen), **more}, safe=",")
    return RedirectResponse(f"/proposals/{of or request.path_params['id']}/preview?{query}", 303)


# -- what is ticked --------------------------------------------------------------------------------


class Ticks(Struct, frozen=True, kw_only=True):
    """What a form takes: hunks of a file, or files of a set; empty where it has no boxes.

    `of_files` are the hunks of files of a set, by their ids, as far as the form shows them.
    """

    hunks: tuple[int, ...] = ()
    keep: tuple[str, ...] = ()
    of_set: bool = False
    of_files: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def _taken_ticks(request: Request) -> Ticks:
    """Return what is ticked, and keep what is not; a form that disagrees is refused."""
    here, found = world_of(request).find(request.path_params["id"])
    if form_of(request).get("digest") != seen.shown(found):
        return Ticks()  # whatever it ticks, it is about something else, and refused for that
    if found[0].id != request.path_params["id"]:
        keep = _ticked_files(request, found)
        of_files = _ticked_hunks_of_set(request, here, found)
        return Ticks(of_set=True, keep=keep, of_files=of_files)
    return Ticks(hunks=_ticked_hunks(request, here, found[0]))


def _ticked_files(request: Request, found: Sequence[Proposal]) -> tuple[str, ...]:
    form, waits = form_of(request), [one for one in found if one.state is State.WAITING]
    keep = form.all("keep")
    if form.all("boxes") != (str(len(waits)),):
        raise disagrees(
            f"{counted(len(waits), 'file')} of this set can be selected, but the form differs"
        )
    if len(set(keep)) < len(keep):
        raise disagrees("a file is named twice")
    reader, known = reader_of(request), set(form.get("left").split())
    out = reader.left_out(request.path_params["id"])
    if any(one.path in out and one.id in keep and one.id not in known for one in waits):
        raise disagrees("the selection was changed on another page")
    if not _only_asks(request):
        left = {one.path for one in waits if one.id not in keep}
        reader.leave_out(request.path_params["id"], left)
    return keep


def _only_asks(request: Request) -> bool:
    """Say whether a form asks for a touch: whoever cancels it may still tick something else."""
    return request.url.path.endswith("/challenge")


def _ticked_hunks_of_set(
    request: Request, here: Workspace, found: Sequence[Proposal]
) -> dict[str, tuple[int, ...]]:
    """Return the hunks of each file whose boxes the form has; it says which files these are."""
    form = form_of(request)
    named = form.get("ticks").split()
    waits = {one.id: one for one in found if one.state is State.WAITING}
    if len(form.all("ticks")) > 1 or len(set(named)) < len(named) or not set(named) <= set(waits):
        raise disagrees("it names hunks of a file that can't be selected")
    return {each: _ticked_hunks(request, here, waits[each], of=f"-{each}") for each in named}


def _ticked_hunks(
    request: Request, here: Workspace, one: Proposal, *, of: str = ""
) -> tuple[int, ...]:
    """Return the hunks that are ticked: of this page by their boxes, of others as before.

    `of` is what the names of the fields end with where a form is about several files.
    """
    form, reader = form_of(request), reader_of(request)
    total = proposal_state.hunks_to_choose(*here.gate.contents(one), one)
    before = [each.id for each in seen.earlier(here.gate, one)]
    if not total:
        if any(form.all(name + of) for name in ("hunk", "here", "drop", "total")):
            raise disagrees("there are no hunks to select")
        if not _only_asks(request):
            reader.settle(before)
        return ()
    once = all(len(form.all(name + of)) == 1 for name in ("here", "drop", "total"))
    if not once or form.get("total" + of) != str(total):
        raise disagrees(f"this change has {counted(total, 'hunk')}, but the form differs")
    on_page = wording.from_ranges(form.get("here" + of), most=total)
    ticked = [_line(text) or 0 for text in form.all("hunk" + of)]
    if len(set(ticked)) < len(ticked) or not on_page.issuperset(ticked):
        raise disagrees("it selects a hunk twice, or one that it does not show")
    unticked = reader.unticked(one.id)
    known = wording.from_ranges(form.get("drop" + of), most=total)
    elsewhere = unticked - on_page
    # A form ticks a hunk again only where its page showed that it was not ticked: one that was
    # unticked in another window since is not written by this one.
    if known - on_page != elsewhere or not (unticked & set(ticked)) <= known:
        raise disagrees("the selection was changed on another page")
    dropped = elsewhere | (on_page - set(ticked))
    if not _only_asks(request):
        reader.settle(before)
        reader.untick(one.id, dropped)
    return tuple(number for number in range(1, total + 1) if number not in dropped)


def edit(request: Request) -> Response:
    """Put the person's own text in the place of what was proposed."""
    form = form_of(request)
    here, one = single(request)
    was = here.gate.contents(one)[1] or b""
    content = taken(was, form.get("text"))
    if content == was and form.get("digest") == seen.shown([one]):
        return back_to(one.id)
    answered = _do(request, "edit", digest=form.get("digest"), content=content)
    if answered.ok:
        return _onward(request, answered)
    assert answered.error is not None
    # What the person typed is not lost because somebody was quicker.
    status = status_of(answered.error)
    return edit_page(request, here, one, form.get("text"), status=status, answered=answered)


def restore(request: Request) -> Response:
    """Go back to what the agent proposed, as a new version."""
    form = form_of(request)
    here, one = single(request)
    *_, first = (one, *seen.earlier(here.gate, one))
    content = here.gate.contents(first)[1]
    if content is None:
        raise InputError("nothing-to-edit", "the agent proposed to delete this file")
    return _onward(request, _do(request, "edit", digest=form.get("digest"), content=content))


def rebase(request: Request) -> Response:
    """Carry the proposal over to what the file holds now."""
    return _onward(request, _do(request, "rebase", digest=form_of(request).get("digest")))


def renew(request: Request) -> Response:
    """Give it its whole time again."""
    answered = _do(request, "renew")
    return back_to(request.path_params["id"]) if answered.ok else _shown_again(request, answered)


def revive(request: Request) -> Response:
    """Bring back what has expired."""
    answered = _do(request, "revive", digest=form_of(request).get("digest"))
    if not answered.ok:
        return _shown_again(request, answered)
    for one in answered.proposals:
        reader_of(request).take_over_comments(one)
    first = answered.proposals[0]
    return back_to(first.set_id if len(answered.proposals) > 1 else first.id)


def _onward(request: Request, answered: AnswerResult) -> Response:
    """Show the new version, or why there is none."""
    if not answered.ok:
        return _shown_again(request, answered)
    for one in answered.proposals:
        reader_of(request).take_over_comments(one)
    made = answered.proposals[0]
    here, _ = world_of(request).find(made.id)
    if len(here.gate.members(made.set_id)) > 1:  # it is answered together with its set
        return back_to(made.set_id, at=made.id, **{"from": made.id})
    return back_to(made.id)


ACTIONS: dict[str, Callable[[Request], Response]] = {
    "approve": approve,
    "challenge": challenge,
    "reject": reject,
    "comment": comment,
    "strategy": strategy,
    "hunks": hunks,
    "choose": choose,
    "edit": edit,
    "restore": restore,
    "rebase": rebase,
    "renew": renew,
    "revive": revive,
}


def act(request: Request) -> Response:
    """Do what a form asks for."""
    action = ACTIONS.get(request.path_params["action"])
    if action is None:
        raise InputError("no-page", "page not found")
    return action(request)
