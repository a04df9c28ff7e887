"""Pending changes as a table: id, age, agent, change set, lines, file.

A change set is a row of its own, with its files below it.
Always true: an id is as short as it can be and still name one change; every change that is given
is in the table or counted in the row that says how many more its set has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct, field

from penstock.core.proposals.model import STATE_WORDS, State
from penstock.core.proposals.short_id import short
from penstock.core.review.set_summary import grouped, short_counts, summary
from penstock.core.text.display import spoken
from penstock.core.text.quantities import counted, duration

if TYPE_CHECKING:
    from penstock.core.proposals.model import Moment, Proposal

HEADING = ("id", "age", "agent", "set", "lines", "file")
STATE = "state"
MOST_FILES = 10  # of one set
STYLE: dict[State, dict[str, Any]] = {
    State.WAITING: {"fg": "yellow"},
    State.APPROVED: {"fg": "cyan"},
    State.APPLIED: {"fg": "green"},
    State.REJECTED: {"fg": "red"},
    State.DENIED: {"fg": "red"},
    State.EXPIRED: {"dim": True},
    State.STALE: {"fg": "magenta"},
    State.SUPERSEDED: {"dim": True},
}


def table(
    found: Sequence[Proposal], now: Moment, *, known: Collection[str], states: bool
) -> list[str]:
    """Return the heading and a line for each change; `states` adds what became of each."""
    if not found:
        return []
    rows = [row for group in grouped(found) for row in _rows(group, now, known)]
    heading = (*HEADING[:-1], *((STATE,) if states else ()), HEADING[-1])
    cells = [(*row.cells[:-1], *((row.state,) if states else ()), row.cells[-1]) for row in rows]
    widths = [max(len(row[at]) for row in (heading, *cells)) for at in range(len(heading))]
    lines = [click.style(_line(heading, widths), bold=True)]
    for row, some in zip(rows, cells, strict=True):
        line = _line(some, widths)
        start, end = _span(widths) if states else (0, 0)
        style = click.style(line[start:end], **row.style) if states else ""
        lines.append(f"{line[:start]}{style}{line[end:]}")
    return lines


class _Row(Struct, frozen=True, kw_only=True):
    """One row without its state, and the state."""

    cells: tuple[str, ...]
    state: str = ""
    style: dict[str, Any] = field(default_factory=dict)


def _rows(group: Sequence[Proposal], now: Moment, known: Collection[str]) -> Iterator[_Row]:
    if len(group) == 1:
        yield _row(group[0], now, known)
        return
    whole, first = summary(group), group[0]
    yield _Row(
        cells=(
            spoken(short(whole.id, known)),
            duration(now.since(first.created)),
            spoken(first.actor.agent) or "-",
            counted(len(group), "file"),
            f"−{whole.deleted:,} +{whole.added:,}",
            "(change set)",
        ),
        state=whole.state_words,
        style=STYLE[next(iter(whole.states))] if len(whole.states) == 1 else {},
    )
    for one in whole.files[:MOST_FILES]:
        yield _row(one, now, known, indent="  ")
    more = len(group) - MOST_FILES
    if more > 0:
        yield _Row(cells=("", "", "", "", "", f"  ... {counted(more, 'more file')}"))


def _row(one: Proposal, now: Moment, known: Collection[str], *, indent: str = "") -> _Row:
    cells = (
        spoken(short(one.id, known)),
        duration(now.since(one.created)),
        spoken(one.actor.agent) or "-",
        spoken(short(one.set_id, known)) if one.set_id else "-",
        short_counts(one.change),
        indent + spoken(one.path),
    )
    return _Row(cells=cells, state=STATE_WORDS[one.state], style=STYLE[one.state])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _span(widths: Sequence[int]) -> tuple[int, int]:
    """Return where the state stands in a line: it is the last column but one."""
    start = sum(widths[:-2]) + 2 * (len(widths) - 2)
    return start, start + widths[-2]
