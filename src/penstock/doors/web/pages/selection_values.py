"""What the page of several selected changes shows, as plain values: the diffs, and what is ticked.

Changes that are alike (`core.review.alike`) are shown once, with all of their files. As many
changes are taken as fit a page; the others come after them.
Always true: what is on this page counts as shown, the lines of the one that stands for others as
theirs, too; a change with danger flags, or with parts that were not shown, is not ticked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from penstock.core.diff.coverage import line_parts
from penstock.core.errors import PenstockError
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.core.review.alike import likeness
from penstock.core.text.display import in_line, spoken
from penstock.doors.web import drift
from penstock.doors.web.diff.content_type import Presentation, is_wide, look_of
from penstock.doors.web.diff.file import MOST_ROWS, ROWS_OF_OTHERS, SHELF, FileView, of_proposal
from penstock.doors.web.diff.options import DiffOptions
from penstock.doors.web.pages import queue_values
from penstock.doors.web.pages.queue_values import HeadFacts
from penstock.doors.web.reader import PageReader
from penstock.doors.web.selection import SelectedChange, tick
from penstock.gate.lookup import closed
from penstock.gate.views import change_key

if TYPE_CHECKING:
    from penstock.gate import Gate

NONE: tuple[str, ...] = ()
Found = tuple[str, tuple[Proposal, ...]]  # what was selected by this id


class SelectedRow(Struct, frozen=True, kw_only=True):
    """One change that can be ticked: `value` is what its tick sends, empty where it has none.

    `dangers`, `unseen` and `problem` are why it is not ticked, or cannot be.
    """

    id: str
    path: str
    files: int
    line: int
    value: str
    back: str  # what a rejection sends; empty where it is closed
    dangers: tuple[str, ...] = NONE
    unseen: tuple[str, ...] = NONE
    problem: str = ""

    @property
    def ticked(self) -> bool:
        """True for a change that needs no second look."""
        return bool(self.value) and not self.dangers and not self.unseen


class SelectedSection(Struct, kw_only=True):
    """Changes that are shown by the same diffs: one, a set, or several that are alike."""

    members: list[Found]
    views: list[tuple[HeadFacts, FileView | None]] = field(default_factory=list)
    rows: list[SelectedRow] = field(default_factory=list)

    @property
    def alike(self) -> int:
        """How many are alike."""
        return len(self.members)

    @property
    def weight(self) -> int:
        """How many rows of a page it takes."""
        return sum(
            len(view.page.rows) if view and view.page else ROWS_OF_OTHERS for _, view in self.views
        ) + len(self.members)


class SelectionView(Struct, frozen=True, kw_only=True):
    """What fits a page of some selected changes, and the ids of what comes after."""

    sections: tuple[SelectedSection, ...]
    rest: tuple[str, ...]

    @property
    def rows(self) -> list[SelectedRow]:
        """Every change on the page."""
        return [row for section in self.sections for row in section.rows]

    @property
    def found(self) -> list[Proposal]:
        """Every proposal on the page that can still be approved."""
        members = (found for section in self.sections for _, found in section.members)
        some = (one for found in members for one in found)
        return [one for one in some if one.state is State.WAITING]


def view_of(
    gate: Gate,
    selected: Sequence[Found],
    reader: PageReader,
    *,
    options: DiffOptions,
    looks: bool,
) -> SelectionView:
    """Return what a page shows of selected changes; with `looks`, it counts as shown."""
    sections, rest = _fitting(gate, selected, options)
    if looks:
        for section in sections:
            _show(gate, section, reader)
    for section in sections:
        section.rows = [_row(gate, id_, found, reader) for id_, found in section.members]
    return SelectionView(sections=tuple(sections), rest=tuple(rest))


def _fitting(
    gate: Gate, selected: Sequence[Found], options: DiffOptions
) -> tuple[list[SelectedSection], list[str]]:
    """Return the sections that fit a page, at least one, and the ids of the others."""
    made: dict[str, SelectedSection] = {}
    rest: list[str] = []
    left = MOST_ROWS
    for id_, found in selected:
        key = _likeness(gate, found) or id_
        if key in made:
            made[key].members.append((id_, found))
            left -= 1
        elif left <= 0:
            rest.append(id_)
        else:
            views = list(_views(gate, found, options))
            made[key] = SelectedSection(members=[(id_, found)], views=views)
            left -= made[key].weight
    return list(made.values()), rest


def _views(
    gate: Gate, found: Sequence[Proposal], options: DiffOptions
) -> Iterator[tuple[HeadFacts, FileView | None]]:
    now = gate.now()
    for one in found:
        try:
            shown = of_proposal(one, *gate.contents(one), options=options)
        except PenstockError:
            shown = None
        yield queue_values.facts(one, now), shown


def _likeness(gate: Gate, found: Sequence[Proposal]) -> str:
    """Return by what a change is alike others; empty for a set and for what is no plain text."""
    if len(found) != 1 or found[0].state is not State.WAITING:
        return ""
    (one,) = found
    try:
        before, after = gate.contents(one)
    except PenstockError:
        return ""
    if look_of(before, after) is not Presentation.TEXT or is_wide(before) or is_wide(after):
        return ""
    compared = SHELF.compared((one.base, one.content), before, after)
    return likeness(one, compared.old, compared.new, compared.hunks)


def _show(gate: Gate, section: SelectedSection, reader: PageReader) -> None:
    """Mark what a section shows; what it shows whole of the first is shown of those alike."""
    _, first = section.members[0]
    for one, (_, view) in zip(first, section.views, strict=True):
        if view is not None:
            view.sent_to(reader, change_key(one))
    if reader.unseen(first):
        return
    for _, (one,) in section.members[1:]:
        compared = SHELF.compared((one.base, one.content), *gate.contents(one))
        reader.show_all(change_key(one), line_parts(compared.hunks))


# -- what is ticked --------------------------------------------------------------------------------


def _row(gate: Gate, id_: str, found: tuple[Proposal, ...], reader: PageReader) -> SelectedRow:
    digest = drift.shown(found)
    back = SelectedChange(id=id_, digest=digest).text
    problem, value, dangers, unseen = _problem(gate, id_, found, reader), "", NONE, NONE
    if not problem:
        value = SelectedChange(id=id_, digest=digest, acknowledged=tick(gate, found, reader)).text
        flags = (text for one in found if one.state in OPEN for text in gate.dangers(one))
        dangers = tuple(in_line(text) for text in dict.fromkeys(flags))
        unseen = tuple(f"{spoken(one.path)}: {one.places}" for one in reader.unseen(found))
    return SelectedRow(
        id=id_,
        path=spoken(found[0].path),
        files=len(found),
        line=_line(gate, found),
        value=value,
        back=back if any(one.state in OPEN for one in found) else "",
        dangers=dangers,
        unseen=unseen,
        problem=problem,
    )


def _line(gate: Gate, found: Sequence[Proposal]) -> int:
    """Return where a change of one file begins; 0 where that says nothing."""
    (one, *others) = found
    if others or one.base is None or one.content is None or not _likeness(gate, found):
        return 0
    compared = SHELF.compared((one.base, one.content), *gate.contents(one))
    return compared.hunks[0].after_start + 1


def _problem(gate: Gate, id_: str, found: Sequence[Proposal], reader: PageReader) -> str:
    """Return why a change cannot be approved with others; empty where it can."""
    over = next((one for one in found if one.state not in OPEN), None)
    if over is not None:
        return in_line(closed(over).message)
    try:
        drift.on_its_base(gate, found)
        for one in found:
            gate.contents(one)
    except PenstockError as error:
        return in_line(error.message)
    if any(drift.unticked(gate, reader, one) for one in found):
        return "hunks of it are deselected; decide on its own page"
    if reader.left_out(id_):
        return "files of it are deselected; decide on its own page"
    return ""
