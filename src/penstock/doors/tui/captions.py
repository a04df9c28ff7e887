"""What is said about a proposal above its diff, and in the list: words of ours, values made safe.

Always true: a value from an agent (path, name, reason) cannot break its line or be markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from rich.text import Text

from penstock.core.errors import PenstockError, StoreError, of_system
from penstock.core.proposals.model import Moment, Proposal, State
from penstock.core.text.display import harmless, in_line, spoken
from penstock.doors.tui.diff_rows import TextRows, Tone

MINUTE = 60
COLUMNS = 79


def drawn(text: str, style: str = "", **layout: Any) -> Text:
    """Return a text as the screen draws it; every text of ours goes through here."""
    return Text(harmless(text), style=style, **layout)


def title(one: Proposal) -> str:
    """Return what would happen, in one line."""
    change = one.change
    lost = f"{change.lines_deleted} of {change.existing_lines} {change.unit} would be lost"
    return f"{change.kind.upper()} {spoken(one.path)}: {lost}, {change.lines_added} new"


def facts(one: Proposal, *, moved: bool = False) -> Iterator[TextRows]:
    """Yield the title, every warning, and who asked for it and why."""
    yield TextRows(kind=Tone.TITLE, texts=folded(title(one)))
    warnings = [in_line(text) for text in (*one.decision.notes, *one.warnings)]
    if moved:
        warnings.insert(0, "the file has changed since this was proposed; b rebases it")
    if warnings:
        texts = [line for text in warnings for line in folded(f"warning: {text}")]
        yield TextRows(kind=Tone.WARNING, texts=tuple(texts))
    yield TextRows(kind=Tone.FACT, texts=tuple(line for row in _rows(one) for line in folded(row)))


def folded(text: str) -> tuple[str, ...]:
    """Return a sentence as lines that a small terminal shows whole."""
    return tuple(wrap(text, COLUMNS, subsequent_indent="        ")) or ("",)


def _rows(one: Proposal) -> Iterator[str]:
    rows = {
        "id": f"{one.id} ({one.state})",
        "set": one.set_id,
        "after": one.parent,
        "origin": one.origin,
        "agent": " ".join(x for x in (one.actor.agent, one.actor.tool_call_id) if x),
        "because": one.decision.because,
        "base": one.base or "(no file)",
        "content": one.content or "(removed)",
    }
    for name, value in rows.items():
        if value:
            yield f"{name:7} {in_line(value)}"  # a digest then fits into 79 columns


def in_list(one: Proposal, now: Moment) -> str:
    """Return a proposal as one line of the queue."""
    change = one.change
    who = spoken(one.actor.agent) or "-"
    left = time_left(one.expires_in(now)) if one.state is State.WAITING else str(one.state)
    group = "+ " if one.set_id else "  "
    counts = f"-{change.lines_deleted} +{change.lines_added}"
    return f"{group}{change.kind:8}{counts:>12}  {left:>8}  {spoken(one.path)}  {who}"


def time_left(seconds: float) -> str:
    """Return how long it still waits, short."""
    if seconds <= 0:
        return "over"
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    minutes = seconds / MINUTE
    return f"{minutes:.0f} min" if minutes < 2 * MINUTE else f"{minutes / MINUTE:.0f} h"


def as_error(fault: Exception) -> PenstockError:
    """Return any failure as an error of ours; one that nobody foresaw tells only its kind."""
    if isinstance(fault, PenstockError):
        return fault
    if isinstance(fault, OSError):
        return of_system(fault)
    return StoreError(
        "internal",
        "this failed inside Penstock",
        because=f"{type(fault).__name__}; nothing more was done",
        hint="penstock review --plain, and tell us",
    )


def trouble(error: PenstockError) -> str:
    """Return an error as every door tells it, its values made safe."""
    return "\n".join(spoken(line) for line in error.render().split("\n"))
