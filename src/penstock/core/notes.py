"""What people ask to be told about a change besides its counts.

Each note is a sentence that begins with stable words, so that doors may look for them.
Always true: a note judges nothing; it is there so that a person does not have to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.core.lines import Facts
from penstock.core.model import Source

LOOKED_AT = 1 << 18  # bytes of new content that are searched for placeholders
FEW_BYTES = 0.5
MANY_LINES, LONG_LINE = 20, 2000

# A line that stands for code that is not there, in the comment styles of common languages.
PLACEHOLDER = re.compile(
    rb"^[ \t]*(?:\.\.\.|pass|(?:#|//|--|;|/\*|<!--)[ \t]*"
    rb"(?:\.\.\.|[^\n]{0,60}?(?:rest of|remain|unchanged|existing code|same as before|"
    rb"omitted|previous code|other methods|implementation here))[^\n]{0,200})[ \t]*;?[ \t\r]*$",
    re.MULTILINE | re.IGNORECASE,
)


def notes_on(old: Source | None, new: Source | None, was: Facts, will: Facts) -> tuple[str, ...]:
    """Return every note that the facts of two contents call for."""
    if old is None or new is None:
        return ()
    return (*_size_notes(new, was, will), *_end_notes(was, will))


def _size_notes(new: Source, was: Facts, will: Facts) -> Iterator[str]:
    if was.size and not will.size:
        yield f"shrinks to nothing: all {was.size} bytes would be lost"
        return
    if will.size < was.size * FEW_BYTES:
        stand_ins = len(PLACEHOLDER.findall(new.read(0, LOOKED_AT)))
        if stand_ins:
            sizes = f"{was.size} bytes become {will.size}"
            yield f"a stub over code: {sizes}, and {stand_ins} line(s) only stand for code"
    if was.lines >= MANY_LINES and will.lines <= 2 and will.size > LONG_LINE:
        yield f"one giant line: {was.lines} lines become {will.lines}"


def _end_notes(was: Facts, will: Facts) -> Iterator[str]:
    old, new = _line_ends(was), _line_ends(will)
    if was.lines and will.lines and old != new:
        yield f"line ends change from {old} to {new}"
    if was.size and will.size and was.bom != will.bom:
        yield f"the byte order mark is {'added' if will.bom else 'removed'}"
    if was.size and will.size and was.ends != will.ends:
        yield f"the newline at the end is {'added' if will.ends else 'removed'}"


def _line_ends(facts: Facts) -> str:
    if facts.old_mac:
        return "CR"
    if not facts.pairs:
        return "LF"
    return "CRLF" if facts.pairs == facts.feeds else "mixed"
