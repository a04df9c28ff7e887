"""Pending changes as a table: id, age, agent, change set, lines, file.

Always true: an id is as short as it can be and still name one change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import click

from penstock.core.proposals.model import STATE_WORDS, State
from penstock.core.proposals.short_id import short
from penstock.core.text.display import spoken
from penstock.core.text.quantities import duration

if TYPE_CHECKING:
    from penstock.core.model import Change
    from penstock.core.proposals.model import Moment, Proposal

HEADING = ("id", "age", "agent", "set", "lines", "file")
STATE = "state"
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
    rows = [_row(one, now, known) for one in found]
    heading = (*HEADING[:-1], *((STATE,) if states else ()), HEADING[-1])
    names = [STATE_WORDS[one.state] for one in found]
    if states:
        rows = [(*row[:-1], name, row[-1]) for row, name in zip(rows, names, strict=True)]
    widths = [max(len(row[at]) for row in (heading, *rows)) for at in range(len(heading))]
    lines = [click.style(_line(heading, widths), bold=True)]
    for one, row in zip(found, rows, strict=True):
        line = _line(row, widths)
        start, end = _span(widths) if states else (0, 0)
        style = click.style(line[start:end], **STYLE[one.state]) if states else ""
        lines.append(f"{line[:start]}{style}{line[end:]}")
    return lines


def _row(one: Proposal, now: Moment, known: Collection[str]) -> tuple[str, ...]:
    return (
        spoken(short(one.id, known)),
        duration(now.since(one.created)),
        spoken(one.actor.agent) or "-",
        spoken(short(one.set_id, known)) if one.set_id else "-",
        _counts(one.change),
        spoken(one.path),
    )


def _counts(change: Change) -> str:
    """Return what a change removes and adds, in lines, or in bytes where it is no text."""
    unit = "" if change.unit == "lines" else " bytes"
    return f"−{change.lines_deleted:,} +{change.lines_added:,}{unit}"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _span(widths: Sequence[int]) -> tuple[int, int]:
    """Return where the state stands in a line: it is the last column but one."""
    start = sum(widths[:-2]) + 2 * (len(widths) - 2)
    return start, start + widths[-2]
