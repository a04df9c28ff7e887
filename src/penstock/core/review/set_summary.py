"""A change set in a few lines: how many files, how much of them, who asks, what was renamed.

What one file's change looks like is the diff's; which surface shows it is theirs.
Always true: the counts are those of the members that are given, and every member is in the list
once, in the order of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from penstock.core.model import Change
from penstock.core.proposals.model import STATE_WORDS, Proposal, State
from penstock.core.proposals.remarks import dangers
from penstock.core.review.file_tree import TreeRow, file_tree
from penstock.core.review.renames import RenamedFile
from penstock.core.text.quantities import counted

COUNTED = "lines"


class SetRow(Struct, frozen=True, kw_only=True):
    """One row of a set's tree; `one` is None for a directory."""

    row: TreeRow
    one: Proposal | None = None
    renamed: str = ""


class SetSummary(Struct, frozen=True, kw_only=True):
    """What is said of a set as a whole."""

    id: str
    rows: tuple[SetRow, ...]
    deleted: int
    added: int
    states: Mapping[State, int]
    danger: int

    @property
    def files(self) -> tuple[Proposal, ...]:
        """The members, in the order of the tree."""
        return tuple(row.one for row in self.rows if row.one is not None)

    @property
    def words(self) -> str:
        """Say how much it is: `8 files, −10 +200`."""
        return f"{counted(len(self.files), 'file')}, −{self.deleted:,} +{self.added:,}"

    @property
    def state_words(self) -> str:
        """Say how many of its files are in which state; of one state alone, only that."""
        if len(self.states) == 1:
            return STATE_WORDS[next(iter(self.states))]
        return ", ".join(f"{many} {STATE_WORDS[state]}" for state, many in self.states.items())


def summary(found: Sequence[Proposal], renames: Iterable[RenamedFile] = ()) -> SetSummary:
    """Return what is said of the members of a set."""
    by_path = {one.path: one for one in found}
    names = renamed_words(renames)
    states: dict[State, int] = {}
    for one in found:
        states[one.state] = states.get(one.state, 0) + 1
    in_lines = [one.change for one in found if one.change.unit == COUNTED]
    return SetSummary(
        id=found[0].set_id,
        rows=tuple(
            SetRow(row=row, one=by_path.get(row.path), renamed=names.get(row.path, ""))
            for row in file_tree(by_path)
        ),
        deleted=sum(change.lines_deleted for change in in_lines),
        added=sum(change.lines_added for change in in_lines),
        states=states,
        danger=sum(map(dangers, found)),
    )


def sets_of(found: Iterable[Proposal]) -> tuple[tuple[Proposal, ...], ...]:
    """Return the sets among some proposals, each where its first member is."""
    return tuple(tuple(some) for some in grouped(found) if len(some) > 1)


def grouped(found: Iterable[Proposal]) -> Iterable[list[Proposal]]:
    """Return single changes and sets, each where its first member is."""
    groups: dict[str, list[Proposal]] = {}
    for one in found:
        groups.setdefault(one.set_id or one.id, []).append(one)
    return groups.values()


def renamed_words(renames: Iterable[RenamedFile]) -> dict[str, str]:
    """Say of each file that only gets another name which one, by its path."""
    said: dict[str, str] = {}
    for pair in renames:
        much = "unchanged" if pair.alike == 100 else f"{pair.alike} % the same"
        said[pair.old] = f"renamed to {pair.new}"
        said[pair.new] = f"renamed from {pair.old} ({much})"
    return said


def short_counts(change: Change) -> str:
    """Return what a change removes and adds, in lines, or in bytes where it is no text."""
    unit = "" if change.unit == COUNTED else " bytes"
    return f"−{change.lines_deleted:,} +{change.lines_added:,}{unit}"
