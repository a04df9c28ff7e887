"""The page of a change set: a tree of its files, each with its diff and its own choices.

One file's diff is `diff.file`'s, the page of a file alone `review`'s, what a form does with the
answer `answer_forms`'.
Always true: a file whose diff is not on the page is not marked as viewed, and says so; every
choice of how a file is shown is in the address, so that none needs a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from penstock.core.diff import expansion
from penstock.core.diff.coverage import Unseen, fingerprint
from penstock.core.errors import PenstockError
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.core.proposals.remarks import dangers
from penstock.core.review.content_kind import ContentKind, content_kind
from penstock.core.review.set_summary import SetSummary, summary
from penstock.core.text.display import spoken, visible
from penstock.core.text.quantities import size
from penstock.doors.web import answers, wording
from penstock.doors.web import drift as seen
from penstock.doors.web.diff.file import MOST_ROWS, ROWS_OF_OTHERS, FileView, of_proposal
from penstock.doors.web.diff.options import HIDE, SetFileOptions
from penstock.doors.web.pages import proposal_state
from penstock.doors.web.pages import queue_values as pages
from penstock.doors.web.pages.comment_fields import boxes_of
from penstock.doors.web.pages.flash import flash_of
from penstock.doors.web.pages.queue import mark_of
from penstock.doors.web.pages.review import one_page, refusal
from penstock.doors.web.render import page
from penstock.doors.web.request import (
    asked,
    editors_of,
    looks,
    reader_of,
    remember_view,
    view_of,
    world_of,
)
from penstock.gate.lookup import rejected_before
from penstock.gate.views import change_key

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate

MOST_LOOKED_BACK = 100  # files of a set whose earlier versions are looked for
REBASABLE = frozenset({*OPEN, State.STALE, State.EXPIRED})
# What an address says of the file of a number: gaps that are opened, white space, page of rows.
OPENED, SPACE, PAGE_OF = "o", "s", "p"


def proposal(request: Request) -> Response:
    """Show one proposal, or a set of them."""
    world = world_of(request)
    here, found = world.find(request.path_params["id"])
    world.gate_of(here).expire()
    here, found = world.find(request.path_params["id"])
    if request.path_params["id"] != found[0].id:
        return set_page(request, here, found)
    return one_page(request, here, found[0])


class SetFile(Struct, frozen=True, kw_only=True):
    """One file of a set: what is said of it, its diff where it is loaded, its ticks.

    `kind` is why a file is only loaded when somebody asks for it.
    """

    one: pages.HeadFacts
    number: int
    look: FileView | None
    unseen: Unseen | None
    dropped: frozenset[int]
    dropped_before: frozenset[int]
    choose: bool
    edit: bool
    renamed: str
    rejected: bool
    kind: str
    load: str
    danger: int

    @property
    def dropped_text(self) -> str:
        """The hunks that are not ticked, as a form carries them."""
        return wording.as_ranges(self.dropped)

    @property
    def viewed(self) -> str:
        """Say how much of it was on the screen."""
        if self.unseen is None:
            return "viewed"
        return "not viewed" if self.unseen.all_of_it else "viewed in part"


def set_page(
    request: Request,
    here: Workspace,
    found: Sequence[Proposal],
    *,
    status: int = 200,
    answered: answers.AnswerResult | None = None,
) -> Response:
    """Return the page of a set: every file with its change, and one answer for all."""
    gate, reader = here.gate, reader_of(request)
    whole = summary(found, gate.renames(found))
    looks_of = _loaded(request, gate, whole)
    asked_about = [one for one in found if one.state is State.WAITING]
    unseen = {each.path: each for each in reader.unseen(asked_about)}
    missing = [unseen[one.path] for one in asked_about if one.path in unseen]
    files = list(_files(request, gate, whole, looks_of, unseen))
    left_paths = reader.left_out(found[0].set_id)
    response = page(
        request,
        "set.html",
        status=status,
        here="queue",
        flash=flash_of(request),
        owners=proposal_state.owners(gate, found),
        editors=editors_of(request, here, found),
        set_id=found[0].set_id,
        item=pages.item(found, gate.now()),
        tree=_tree(whole, files),
        files=files,
        words=_common_words(found),
        left_out={one.id for one in found if one.path in left_paths},
        boxes=len(asked_about),
        viewed=len(asked_about) - len(missing),
        unseen=missing,
        unseen_name=fingerprint(missing),
        view=view_of(request),
        plain_query=_query(request),
        behind=[spoken(one.path) for one in _behind(gate, found)],
        digest=seen.shown(found),
        mark=mark_of(found),
        key=proposal_state.key_of(request, here, lambda: asked_about),
        open=bool(asked_about),
        neighbours=proposal_state.neighbours(gate, found[0]),
        **refusal(answered),
    )
    remember_view(request, response)
    return response


# -- what is loaded --------------------------------------------------------------------------------


class _Loaded(Struct, frozen=True, kw_only=True):
    look: FileView | None = None
    kind: str = ""


def _loaded(request: Request, gate: Gate, whole: SetSummary) -> list[_Loaded]:
    """Return the diffs, as far as they fit a page, from the file on that was asked for."""
    found, reader = whole.files, reader_of(request)
    wanted = request.query_params.get("from", "")
    first = next((at for at, one in enumerate(found) if one.id == wanted), None)
    left, made = MOST_ROWS, []
    for at, one in enumerate(found):
        one_look = _Loaded()
        if left > 0 and at >= (first or 0):
            one_look = _look(request, gate, one, at + 1, asked_for=at == first)
            rows = one_look.look.page if one_look.look else None
            left -= len(rows.rows) if rows else ROWS_OF_OTHERS
        if one_look.look is not None and looks(request):
            one_look.look.sent_to(reader, change_key(one))
        made.append(one_look)
    return made


def _look(request: Request, gate: Gate, one: Proposal, at: int, *, asked_for: bool) -> _Loaded:
    try:
        before, after = gate.contents(one)
    except PenstockError:
        return _Loaded()
    kind = content_kind(one.path, before, after)
    options = _options(request, at)
    if kind.collapsed and not asked_for and options.plain:
        return _Loaded(kind=_kind_words(kind, before, after))
    shown = of_proposal(one, before, after, options=options)
    return _Loaded(look=replace(shown, boxes=boxes_of(reader_of(request), one)))


def _kind_words(kind: ContentKind, before: bytes | None, after: bytes | None) -> str:
    words = f"{kind} file" if kind is not ContentKind.LOCK else str(kind)
    return f"{words}, {size(max(len(before or b''), len(after or b'')))}"


def _options(request: Request, at: int) -> SetFileOptions:
    query = request.query_params
    return SetFileOptions(
        view=view_of(request),
        number=max(asked(request, f"{PAGE_OF}{at}"), 1),
        opened=expansion.read(query.get(f"{OPENED}{at}", "")),
        white_space=query.get(f"{SPACE}{at}") != HIDE,
        at=at,
        beside=_query(request, without=at),
    )


def _query(request: Request, *, without: int = 0) -> str:
    """Return what an address says of the other files, and from which one on they are loaded."""
    own = {f"{name}{without}" for name in (OPENED, SPACE, PAGE_OF)}
    kept = (
        (name, value)
        for name, value in request.query_params.items()
        if name not in own and (name == "from" or _is_of_file(name))
    )
    return "&".join(f"{name}={value}" for name, value in kept if _is_plain(value))


def _is_of_file(name: str) -> bool:
    return name[:1] in (OPENED, SPACE, PAGE_OF) and name[1:].isascii() and name[1:].isdecimal()


def _is_plain(value: str) -> bool:
    return value.isascii() and all(sign.isalnum() or sign in "-:," for sign in value)


# -- what is said of each --------------------------------------------------------------------------


def _files(
    request: Request,
    gate: Gate,
    whole: SetSummary,
    loaded: Sequence[_Loaded],
    unseen: Mapping[str, Unseen],
) -> Iterator[SetFile]:
    reader, now = reader_of(request), gate.now()
    members = [row for row in whole.rows if row.one is not None]
    for number, (row, found) in enumerate(zip(members, loaded, strict=True), 1):
        one = row.one
        assert one is not None
        can = _possible(gate, one, found.look)
        dropped = reader.unticked(one.id)
        # Boxes here would tick again, unseen, what was deselected in an earlier version.
        before = frozenset() if dropped else seen.unticked(gate, reader, one)
        yield SetFile(
            one=pages.facts(one, now),
            number=number,
            look=found.look,
            unseen=unseen.get(one.path),
            dropped=dropped,
            dropped_before=before,
            choose=not before and _can_choose(can, found.look),
            edit=bool(can and can.edit),
            renamed=spoken(row.renamed),
            rejected=len(members) <= MOST_LOOKED_BACK and rejected_before(gate, one) is not None,
            kind=found.kind,
            load=f"?from={one.id}#{one.id}",
            danger=dangers(one),
        )


def _can_choose(can: proposal_state.Possible | None, look: FileView | None) -> bool:
    return bool(can and can.choose and look and look.options.white_space)


def _possible(gate: Gate, one: Proposal, look: FileView | None) -> proposal_state.Possible | None:
    if look is None:
        return None
    return proposal_state.possible(one, *gate.contents(one), look)


def _tree(whole: SetSummary, files: Sequence[SetFile]) -> list[tuple[int, str, SetFile | None]]:
    """Return the rows of the tree: how deep, the name, and the file where it is one."""
    by_id = {each.one.id: each for each in files}
    return [
        (row.row.depth, spoken(row.row.name), by_id[row.one.id] if row.one else None)
        for row in whole.rows
    ]


def _common_words(found: Sequence[Proposal]) -> str:
    """Return what the agent says of the whole set; the words of one file stand on its page."""
    said = {one.why for one in found}
    return visible(said.pop()) if len(said) == 1 else ""


def _behind(gate: Gate, found: Sequence[Proposal]) -> list[Proposal]:
    """Return the files that changed since, or whose time is over: a rebase brings them back."""
    return [one for one in found if one.state in REBASABLE and not _on_its_base(gate, one)]


def _on_its_base(gate: Gate, one: Proposal) -> bool:
    if one.state not in OPEN:
        return False
    try:
        return gate.digest(one.path) == one.base
    except PenstockError:
        return not one.text_like  # the apply itself reports links and directories
