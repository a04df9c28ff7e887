"""How a proposal looks at a terminal: removed lines first, then the diff, nothing hidden.

Always true: the text shown is the text that would be written; what a terminal would swallow or
obey (escapes, overrides, zero-width characters) is made visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from penstock.cli.terminal.progress import comparing
from penstock.core.diff.coverage import Unseen, byte_parts, never_opened
from penstock.core.diff.hunks import hunks as hunks_of
from penstock.core.diff.hunks import unified
from penstock.core.diff.measure import lost_lines
from penstock.core.diff.rows import Kind, blocks, listed
from penstock.core.file_mode import WORDS, FileMode
from penstock.core.proposals.flag import RiskLevel
from penstock.core.proposals.intent import quoted
from penstock.core.proposals.model import STATE_WORDS, Moment, Proposal, State
from penstock.core.proposals.remarks import dangers, remarks
from penstock.core.proposals.short_id import short
from penstock.core.review.header import second_row
from penstock.core.review.heads import HunkHeads
from penstock.core.review.line_notes import line_notes
from penstock.core.review.set_summary import SetSummary, short_counts
from penstock.core.text.display import in_line, spoken, visible_bytes, visible_diff
from penstock.core.text.line_endings import split
from penstock.core.text.quantities import change_counts, counted

SHOWN_LOST, SHOWN_HUNKS = 40, 20
LEVEL_STYLE = {RiskLevel.DANGER: "bold red", RiskLevel.NOTICE: "yellow"}
RED, GREEN, CYAN, DIM, BOLD_RED = "31", "32", "36", "2", "1;31"
DIFF_COLOUR = {"+": GREEN, "-": RED, "@": CYAN, "\\": DIM}


def what_changes(one: Proposal) -> str:
    """Return how much of a file changes, and what it becomes where that is another thing."""
    if one.mode is None or one.mode in (one.base_mode, FileMode.FILE if one.creates else None):
        return change_counts(one.change)
    becomes = f"becomes {WORDS[one.mode]}"
    touched = one.change.lines_deleted or one.change.lines_added
    return f"{change_counts(one.change)}, {becomes}" if touched else becomes


def show(
    out: Console, one: Proposal, before: bytes | None, after: bytes | None, *, now: Moment
) -> None:
    """Print a proposal as a person judges it: what it is, the lines that go, the diff."""
    out.print(Text(f"{spoken(one.path)}: {what_changes(one)}", style="bold"))
    out.print(Text(f"  {second_row(one, now)}"))
    in_lines = one.change.unit == "lines"
    with comparing(before, after, steps=3) as step:
        step("removed lines")
        gone = list(lost(before, after)) if in_lines else []
        step("diff")
        text = list(diff(one.path, before, after, one.modes))
        step("hunks")
        choice = hunk_numbers(before, after) if in_lines else ""
        notes = line_notes(before, after) if in_lines else ()
    write(out, gone)
    facts(out, one)
    for note in notes:
        out.print(Text(f"  {'note':10} {note}"))
    write(out, text)
    if choice:
        out.print(Text(choice, style="cyan"))


def show_set(out: Console, whole: SetSummary, now: Moment) -> None:
    """Print what a change set is: how much of which files; their diffs follow."""
    first = whole.files[0]
    title = f"Change set {short(whole.id)}: {whole.words}, applied atomically"
    out.print(Text(title, style="bold"))
    out.print(Text(f"  {second_row(first, now)}"))
    for each in whole.rows:
        name = f"  {'  ' * each.row.depth}{spoken(each.row.name)}"
        if each.one is not None:
            waits = each.one.state is State.WAITING
            said = (
                short_counts(each.one.change),
                spoken(each.renamed),
                "" if waits else STATE_WORDS[each.one.state],
                counted(dangers(each.one), "danger") if dangers(each.one) else "",
            )
            name += "  " + " · ".join(filter(None, said))
        out.print(Text(name))


def show_preview(
    out: Console,
    path: str,
    words: str,
    before: bytes | None,
    after: bytes | None,
    warnings: Iterable[str] = (),
) -> None:
    """Print what a strategy or chosen hunks would result in; nothing is stored yet."""
    title = f"Preview of {spoken(path)}: {words}; nothing is written yet"
    out.print(Text(title, style="bold"))
    for warning in warnings:
        out.print(Text(f"  warning    {in_line(warning)}", style="bold yellow"))
    write(out, [*lost(before, after), *diff(path, before, after)])


def not_printed(path: str, before: bytes | None, after: bytes | None) -> tuple[Unseen, ...]:
    """Return what of a change `show` does not print: what is no text. Lines are printed whole."""
    if b"\0" not in (before or b"") and b"\0" not in (after or b""):
        return ()
    return (never_opened(path, byte_parts(before, after)),)


def facts(out: Console, one: Proposal) -> None:
    """Print which proposal it is, whose, why it needs approval, and every warning."""
    rows = {
        "id": f"{short(one.id)} ({STATE_WORDS[one.state]})",
        "change set": short(one.set_id) if one.set_id else "",
        "replaces": short(one.parent) if one.parent else "",
        "created by": one.origin,
        "tool call": one.actor.tool_call_id,
        "reason": one.decision.because,
        "file now": one.base.replace("sha256:", "SHA-256 ") if one.base else "does not exist",
        "would be": one.content.replace("sha256:", "SHA-256 ") if one.content else "deleted",
    }
    for name, value in rows.items():
        if value:
            out.print(Text(f"  {name:10} {spoken(value)}"))
    for flag in remarks(one):
        out.print(Text(f"  {flag.level:10} {in_line(flag.text)}", style=LEVEL_STYLE[flag.level]))
    said = quoted(one.why, one.regions)
    if said:
        out.print(Text("  the agent says (not checked):"))
    for line in said:
        out.print(Text(f"  {line}"))


Coloured = tuple[str, str]
Modes = tuple[str | None, str | None]


def write(out: Console, lines: Iterable[Coloured]) -> None:
    """Print lines exactly as they are: Rich would turn tabs into spaces."""
    colours = out.color_system is not None
    out.file.write(
        "".join(
            f"\x1b[{colour}m{text}\x1b[0m\n" if colours and colour else f"{text}\n"
            for text, colour in lines
        )
    )
    out.file.flush()


def lost(before: bytes | None, after: bytes | None) -> Iterator[Coloured]:
    """Yield the lines that would be removed, to be shown before anything else."""
    lines = lost_lines(before or b"", after or b"", limit=SHOWN_LOST + 1, white_space=False)
    if lines:
        yield "REMOVED LINES", BOLD_RED
    for number, line in lines[:SHOWN_LOST]:
        yield f"{number:6} - {_shown(line)}", RED
    if len(lines) > SHOWN_LOST:
        yield "       ... more in the diff below", RED


def diff(
    path: str, before: bytes | None, after: bytes | None, modes: Modes = (None, None)
) -> Iterator[Coloured]:
    """Yield the unified diff, its headings with the function that they are about."""
    heads = HunkHeads(path, before, after)
    whole = visible_diff(unified(before, after, path=path, modes=modes, heads=heads))
    for line in whole.removesuffix("\n").split("\n"):
        if line:
            yield line.removesuffix("\r"), DIFF_COLOUR.get(line[0], "")


def hunk_numbers(before: bytes | None, after: bytes | None) -> str:
    """Return the numbers by which hunks are chosen, when there is something to choose."""
    if before is None or after is None:
        return ""
    found = hunks_of(before, after)
    some = found[:SHOWN_HUNKS]
    named = ["{number} at line {line} (-{deleted} +{added})".format(**one) for one in listed(some)]
    more = f", ... {len(found)} in all" if len(found) > SHOWN_HUNKS else ""
    return f"hunks: {', '.join(named)}{more}" if len(found) > 1 else ""


def numbered(out: Console, content: bytes) -> None:
    """Print a file with line numbers, for choosing where to insert."""
    lines = enumerate(split(content), 1)
    write(out, ((f"{number:6}  {_shown(line)}", "") for number, line in lines))


def hunks(out: Console, before: bytes | None, after: bytes | None) -> None:
    """Print every hunk with the number by which it is chosen."""
    old, new = split(before or b""), split(after or b"")
    for block in blocks(hunks_of(before or b"", after or b""), len(old), context=0):
        if block.kind is Kind.HEAD:
            write(out, [(f"hunk {block.hunk}, line {block.before.start + 1}", CYAN)])
        elif block.kind is Kind.GONE:
            write(out, ((f"  - {_shown(old[at])}", RED) for at in block.before))
        elif block.kind is Kind.NEW:
            write(out, ((f"  + {_shown(new[at])}", GREEN) for at in block.after))


def _shown(line: bytes) -> str:
    return visible_bytes(line.removesuffix(b"\n").removesuffix(b"\r"))
