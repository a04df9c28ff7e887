"""What a person should know about a change beyond its counts, one plain sentence each.

A file that shrinks to nothing, a stub written over code, many lines that become one, changed
line ends: each is said once, starting with fixed words so that a door can look for them. How
much changed is measured in `measure`; what follows from a note is for the rules to say.
Always true: a note starts with one of the words of `NotePrefix`, and the notes never decide
anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from penstock.core.model import Source
from penstock.core.text.lines import BLOCK, ContentFacts, blocks
from penstock.core.text.quantities import counted, size


class NotePrefix(StrEnum):
    """The words that a note starts with."""

    EMPTIED = "shrinks to nothing"
    STUB = "stub over code"
    ONE_LINE = "one long line"
    LINE_ENDS = "line ends"
    BYTE_ORDER_MARK = "byte order mark"
    FINAL_NEWLINE = "final newline"
    IN_BYTES = "measured in bytes"
    BOUNDS = "counts are bounds"


# A stub is short. More than this is not searched for placeholders, so that it stays cheap.
SEARCHED = 4 * BLOCK
BLANKS = b" \t\r\n\f\v"
# How content looks from which something was left out: a comment, or a line with dots, that
# says so; or a comment that begins with dots.
LEFT_OUT = (
    b"rest of", b"existing code", b"existing content", b"unchanged", b"remains the same",
    b"remain the same", b"stays the same", b"same as before", b"previous code", b"code here",
    b"implementation here", b"omitted", b"truncated", b"keep existing",
)  # fmt: skip
DOTS = (b"...", "…".encode())
COMMENTS = (b"#", b"//", b"/*", b"*", b"--", b"<!--", b";", b"%", b'"""', b"'''", b"{/*")
MARKERS = b"#/*-<!;%{\"' \t"
# Lines that stand where code was; believed only when most of the bytes are gone.
FILLERS = frozenset(
    (b"...", "…".encode(), b"pass", b"todo", b"# todo", b"// todo", b"todo!()",
     b"unimplemented!()", b"raise notimplementederror", b"raise notimplementederror()")
)  # fmt: skip
FILLER_STARTS = (
    b"raise notimplementederror", b"throw new notimplementedexception",
    b"throw new unsupportedoperationexception", b"throw new error('not implemented",
    b'throw new error("not implemented', b"todo!(", b"unimplemented!(", b'panic!("not implemented',
    b'panic("not implemented', b"pass  # todo", b"pass # todo", b"return none  # todo", b"# todo",
    b"// todo", b"/* todo", b"<!-- todo", b"# fixme", b"// fixme", b"# not implemented",
    b"// not implemented",
)  # fmt: skip
# Counts from which many lines are many, and a line is long.
MANY_LINES, LONG_LINE, LONGER = 10, 1000, 4


def about_text(
    before: Source, was: ContentFacts, after: Source, now: ContentFacts
) -> Iterator[str]:
    """Yield the notes on one text that becomes another."""
    yield from emptied(was, after, now)
    yield from _stub(before, was, after, now)
    yield from one_line(was, now)
    yield from _marks(was, now)


def in_bytes(was: ContentFacts, now: ContentFacts) -> Iterator[str]:
    """Yield a note when content could not be read as lines of text."""
    if not (was.text and now.text):
        side = "old" if now.text else "new" if was.text else "old and new"
        yield f"{NotePrefix.IN_BYTES}: {side} content is not UTF-8 text"


def emptied(was: ContentFacts, after: Source, now: ContentFacts) -> Iterator[str]:
    """Yield a note when all content goes."""
    if was.size and now.size <= BLOCK and not b"".join(blocks(after, 0, now.size)).strip(BLANKS):
        kept = "only whitespace" if now.size else "nothing"
        yield f"{NotePrefix.EMPTIED}: {_lines(was.lines)} removed, {kept} left"


def _stub(before: Source, was: ContentFacts, after: Source, now: ContentFacts) -> Iterator[str]:
    """Placeholders count only where much got lost, and when they were not there before."""
    if not 0 < now.size <= min(was.size * 3 // 4, SEARCHED):
        return
    fewer = now.size * 2 <= was.size
    found = _placeholders(after, now.size, fillers=fewer)
    if found and found > _placeholders(before, min(was.size, SEARCHED), fillers=fewer):
        left = counted(found, "placeholder")
        yield f"{NotePrefix.STUB}: {size(was.size)} become {size(now.size)}, with {left}"


def _placeholders(source: Source, end: int, *, fillers: bool) -> int:
    content = b"".join(blocks(source, 0, end)).lower()
    return sum(
        stands_for_more(line.strip(BLANKS), fillers=fillers) for line in content.split(b"\n")
    )


def stands_for_more(line: bytes, *, fillers: bool) -> bool:
    """Say whether a line, in small letters and without blanks around it, stands for others.

    With `fillers` such lines count as well that are good code elsewhere: `pass`, `...`.
    """
    if fillers and (line in FILLERS or line.startswith(FILLER_STARTS)):
        return True
    comment = line.startswith(COMMENTS)
    if comment and line.lstrip(MARKERS).startswith(DOTS):
        return True
    says = comment or line.startswith(DOTS) or line.endswith(DOTS)
    return says and any(words in line for words in LEFT_OUT)


def one_line(was: ContentFacts, now: ContentFacts) -> Iterator[str]:
    """Yield a note when new content is a line, or a few, that nobody can read."""
    mean = now.size // max(now.lines, 1)
    joined = was.lines >= MANY_LINES and now.lines == 1 and now.size * 2 >= was.size
    if joined or (mean >= LONG_LINE and mean >= LONGER * (was.size // max(was.lines, 1))):
        become = f"{_lines(was.lines)} become {now.lines}, of" if was.lines else "lines of"
        yield f"{NotePrefix.ONE_LINE}: {become} {mean} bytes on average"


def _marks(was: ContentFacts, now: ContentFacts) -> Iterator[str]:
    """Yield notes on what no line shows: its end, a mark before the first, the last newline."""
    old, new = _ends(was), _ends(now)
    if old and new and old != new:
        yield f"{NotePrefix.LINE_ENDS}: {old} becomes {new}"
    if was.bom != now.bom:
        yield f"{NotePrefix.BYTE_ORDER_MARK}: {'added' if now.bom else 'removed'}"
    if was.size and now.size and was.ends != now.ends:
        yield f"{NotePrefix.FINAL_NEWLINE}: {'added' if now.ends else 'removed'}"


def _ends(facts: ContentFacts) -> str:
    r"""Return the name of the line ends of a content, or nothing when it has none."""
    if facts.old_mac:
        return "CR"
    if not facts.feeds:
        return ""
    return {0: "LF", facts.feeds: "CRLF"}.get(facts.pairs, "LF and CRLF")


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"
