"""What is said about a proposal above its diff, and in the list: words of ours, values made safe.

Always true: a value from an agent (path, name, reason) cannot break its line or be markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from rich.text import Text

from penstock.core.diff.coverage import Unseen
from penstock.core.errors import PenstockError, StoreError, of_system
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.proposals.intent import quoted
from penstock.core.proposals.model import STATE_WORDS, Moment, Proposal, State
from penstock.core.proposals.remarks import dangers, remarks
from penstock.core.proposals.short_id import short
from penstock.core.review.header import second_row
from penstock.core.review.set_summary import SetRow, short_counts
from penstock.core.text.display import harmless, in_line, spoken
from penstock.core.text.quantities import change_counts, duration
from penstock.doors.tui.diff_rows import TextRows, Tone

COLUMNS = 79


def drawn(text: str, style: str = "", **layout: Any) -> Text:
    """Return a text as the screen draws it; every text of ours goes through here."""
    return Text(harmless(text), style=style, **layout)


def title(one: Proposal) -> str:
    """Return what would happen, in one line."""
    return f"{one.change.kind.upper()} {spoken(one.path)}: {change_counts(one.change)}"


def facts(
    one: Proposal,
    now: Moment,
    *,
    moved: bool = False,
    details: bool = False,
    notes: Sequence[str] = (),
) -> Iterator[TextRows]:
    """Yield the two rows of the header, every flag, notes and reasons; `details` adds the ids."""
    yield TextRows(kind=Tone.TITLE, texts=folded(title(one)))
    yield TextRows(kind=Tone.FACT, texts=folded(second_row(one, now)))
    found = remarks(one)
    told = {level: [flag for flag in found if flag.level is level] for level in RiskLevel}
    if told[RiskLevel.DANGER]:
        yield TextRows(kind=Tone.DANGER, texts=_flag_lines(told[RiskLevel.DANGER]))
    if moved:
        behind = "notice: the file has changed since this was proposed; press b to rebase"
        yield TextRows(kind=Tone.WARNING, texts=folded(behind))
    if told[RiskLevel.NOTICE]:
        yield TextRows(kind=Tone.WARNING, texts=_flag_lines(told[RiskLevel.NOTICE]))
    lines = [line for note in notes for line in folded(f"note    {in_line(note)}")]
    lines += _fact_lines(one, details=details)
    if lines:
        yield TextRows(kind=Tone.FACT, texts=tuple(lines))
    said = quoted(one.why, one.regions)
    if said:
        texts = [line for text in said for line in _folded_quote(text)]
        yield TextRows(kind=Tone.FACT, texts=("the agent says (not checked):", *texts))


def _flag_lines(found: Sequence[RiskFlag]) -> tuple[str, ...]:
    return tuple(line for flag in found for line in folded(f"{flag.level}: {in_line(flag.text)}"))


def _folded_quote(text: str) -> tuple[str, ...]:
    return tuple(wrap(text, COLUMNS, subsequent_indent="> ")) or (">",)


def folded(text: str) -> tuple[str, ...]:
    """Return a sentence as lines that a small terminal shows whole."""
    return tuple(wrap(text, COLUMNS, subsequent_indent="        ")) or ("",)


def _fact_lines(one: Proposal, *, details: bool) -> Iterator[str]:
    ids = {
        "id": f"{short(one.id)} ({STATE_WORDS[one.state]})",
        "set": one.set_id,
        "call": one.actor.tool_call_id,
        "parent": one.parent,
        "base": one.base or "(no file)",
        "content": one.content or "(deleted)",
    }
    asked = {
        "origin": one.origin,
        "because": one.decision.because,
    }
    for name, value in {**asked, **(ids if details else {})}.items():
        if value:
            # a digest then fits into 79 columns
            yield from folded(f"{name:7} {in_line(value)}")


def in_list(one: Proposal, now: Moment) -> str:
    """Return a proposal as one line of the queue."""
    change = one.change
    who = spoken(one.actor.agent) or "-"
    waiting = one.state is State.WAITING
    left = time_left(one.expires_in(now)) if waiting else STATE_WORDS[one.state]
    group = "! " if dangers(one) else "+ " if one.set_id else "  "
    counts = f"-{change.lines_deleted} +{change.lines_added}"
    return f"{group}{change.kind:8}{counts:>12}  {left:>8}  {spoken(one.path)}  {who}"


def tree_line(row: SetRow, unseen: Mapping[str, Unseen]) -> str:
    """Return one row of a set's tree: what was viewed, the name, the counts, another name."""
    name = f"{'  ' * row.row.depth}{spoken(row.row.name)}"
    if row.one is None:
        return f"    {name}"
    left = unseen.get(row.one.path)
    mark = "[x]" if left is None else "[ ]" if left.all_of_it else "[~]"
    said = (short_counts(row.one.change), spoken(row.renamed), "DANGER" * bool(dangers(row.one)))
    return f"{mark} {name}  {'  '.join(filter(None, said))}"


def time_left(seconds: float) -> str:
    """Return how long until it expires, short."""
    return "expired" if seconds <= 0 else duration(seconds)


def as_error(fault: Exception) -> PenstockError:
    """Return any failure as an error of ours; one that nobody foresaw tells only its kind."""
    if isinstance(fault, PenstockError):
        return fault
    if isinstance(fault, OSError):
        return of_system(fault)
    return StoreError(
        "internal",
        "internal error",
        because=f"{type(fault).__name__}; nothing more was done",
        hint="use `penstock review --plain`, and report this",
    )


def trouble(error: PenstockError) -> str:
    """Return an error as every door tells it, its values made safe."""
    return "\n".join(spoken(line) for line in error.render().split("\n"))
