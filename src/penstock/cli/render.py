"""How a proposal looks at a terminal: what would be lost first, then the diff, nothing hidden.

Always true: the text shown is the text that would be written; what a terminal would swallow or
obey (escapes, overrides, zero-width characters) is made visible.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from penstock.core.change import lost_lines
from penstock.core.diff import unified
from penstock.core.display import spoken, visible, visible_bytes
from penstock.core.proposal import Moment, Proposal, State

SHOWN_LOST = 40
STYLE = {
    State.WAITING: "yellow",
    State.APPROVED: "cyan",
    State.APPLIED: "green",
    State.REJECTED: "red",
    State.DENIED: "red",
    State.EXPIRED: "dim",
    State.STALE: "magenta",
    State.SUPERSEDED: "dim",
}


def one_line(one: Proposal, now: Moment) -> Text:
    """Return a proposal as one line of the queue."""
    change = one.change
    counts = f"-{change.lines_deleted} +{change.lines_added}"
    left = f"{max(0, one.expires_in(now)):.0f}s left" if one.state is State.WAITING else ""
    who = one.actor.agent or "-"
    line = Text()
    line.append(f"{one.id}  ")
    line.append(f"{one.state:10}", style=STYLE[one.state])
    line.append(f"{change.kind:8} {counts:>12}  {spoken(one.path)}  {who}  {left}")
    return line


def show(out: Console, one: Proposal, before: bytes | None, after: bytes | None) -> None:
    """Print a proposal as a person judges it."""
    header(out, one)
    lost(out, before, after)
    diff(out, one.path, before, after)


def header(out: Console, one: Proposal) -> None:
    """Print what it is, who asked, why somebody has to look, and every warning."""
    change = one.change
    lost = f"{change.lines_deleted} of {change.existing_lines} lost"
    out.print(Text(f"{change.kind.upper()} {spoken(one.path)}", style="bold"))
    rows = {
        "proposal": f"{one.id} ({one.state})",
        "set": one.set_id,
        "instead of": one.parent,
        "made by": one.origin,
        "asked by": " ".join(x for x in (one.actor.agent, one.actor.tool_call_id) if x),
        change.unit: f"{lost}, {change.lines_added} new",
        "because": one.decision.because,
        "base": one.base or "(no file)",
        "content": one.content or "(removed)",
    }
    for name, value in rows.items():
        if value:
            out.print(Text(f"  {name:10} {spoken(value)}"))
    for warning in (*one.decision.notes, *one.warnings):
        out.print(Text(f"  warning    {spoken(warning)}", style="bold yellow"))


def lost(out: Console, before: bytes | None, after: bytes | None) -> None:
    """Print the lines that would be lost, before anything else."""
    if not before:
        return
    lines = lost_lines(before, after or b"", limit=SHOWN_LOST + 1)
    if not lines:
        return
    out.print(Text("LINES THAT WOULD BE LOST", style="bold red"))
    for number, line in lines[:SHOWN_LOST]:
        text = visible_bytes(line.rstrip(b"\n"))
        out.print(Text(f"{number:6} - {text}", style="red"))
    if len(lines) > SHOWN_LOST:
        out.print(Text("       ... and more, all of them in the diff below", style="red"))


DIFF_STYLE = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def diff(out: Console, path: str, before: bytes | None, after: bytes | None) -> None:
    """Print the unified diff, coloured where colour is wanted, with hunks numbered."""
    for line in unified(before, after, path=path).split(b"\n"):
        text = visible_bytes(line)
        out.print(Text(text, style=DIFF_STYLE.get(text[:1], "")))


def numbered(out: Console, content: bytes) -> None:
    """Print a file with line numbers, for choosing where to insert."""
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        out.print(Text(f"{number:6}  {visible(line)}"))


def hunks(out: Console, before: bytes | None, after: bytes | None) -> None:
    """Print every hunk with the number by which it is chosen."""
    from penstock.core.diff import hunks as hunks_of

    old, new = (before or b"").split(b"\n"), (after or b"").split(b"\n")
    for number, hunk in enumerate(hunks_of(before or b"", after or b""), 1):
        out.print(Text(f"hunk {number}, line {hunk.before_start + 1}", style="bold cyan"))
        for line in old[hunk.before_start : hunk.before_end]:
            out.print(Text(f"  - {visible_bytes(line)}", style="red"))
        for line in new[hunk.after_start : hunk.after_end]:
            out.print(Text(f"  + {visible_bytes(line)}", style="green"))
