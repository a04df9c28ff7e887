"""Pending changes as a table: id, age, agent, change set, lines, file.

Always true: an id is as short as it can be and still name one change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from penstock.cli.terminal.render import STYLE, counts
from penstock.core.proposals.model import STATE_WORDS
from penstock.core.proposals.short_id import short
from penstock.core.text.display import spoken
from penstock.core.text.quantities import duration

if TYPE_CHECKING:
    from penstock.core.proposals.model import Moment, Proposal

HEADING = ("id", "age", "agent", "set", "lines", "file")
STATE = "state"


def table(
    found: Sequence[Proposal], now: Moment, *, known: Collection[str], states: bool
) -> list[Text]:
    """Return the heading and a line for each change; `states` adds what became of each."""
    if not found:
        return []
    rows = [_row(one, now, known) for one in found]
    heading = (*HEADING[:-1], *((STATE,) if states else ()), HEADING[-1])
    names = [STATE_WORDS[one.state] for one in found]
    if states:
        rows = [(*row[:-1], name, row[-1]) for row, name in zip(rows, names, strict=True)]
    widths = [max(len(row[at]) for row in (heading, *rows)) for at in range(len(heading))]
    lines = [Text(_line(heading, widths), style="bold")]
    for one, row in zip(found, rows, strict=True):
        lines.append(Text(_line(row, widths)))
        if states:
            lines[-1].stylize(STYLE[one.state], *_span(widths))
    return lines


def _row(one: Proposal, now: Moment, known: Collection[str]) -> tuple[str, ...]:
    return (
        spoken(short(one.id, known)),
        duration(now.since(one.created)),
        spoken(one.actor.agent) or "-",
        spoken(short(one.set_id, known)) if one.set_id else "-",
        counts(one.change),
        spoken(one.path),
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _span(widths: Sequence[int]) -> tuple[int, int]:
    """Return where the state stands in a line: it is the last column but one."""
    start = sum(widths[:-2]) + 2 * (len(widths) - 2)
    return start, start + widths[-2]
