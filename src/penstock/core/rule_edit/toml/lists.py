"""Add an element to a TOML list, or take one out, and leave the others as they are written.

A list may stand on one line or on many, with a comma behind its last element or without, and
with comments anywhere. An element alone on its line goes with its line.
Always true: the text between the other elements stays, and what comes out is a list again.
"""

from __future__ import annotations

import re

from penstock.core.rule_edit.toml.blocks import element_spans
from penstock.core.rules.toml_positions import GAP

COMMA = re.compile(r"[ \t\r\n]*+(?:#[^\n]*+\n[ \t\r\n]*+)*+,")
TO_LINE_END = re.compile(r"[ \t]*+(?:#[^\n]*+)?+\r?+\n")


def appended(text: str, element: str, newline: str) -> str:
    """Return a list with one more element at its end."""
    spans = element_spans(text)
    if not spans:
        gap = GAP.match(text, 1)
        comments = gap is not None and "#" in gap.group()
        # A comment in an empty list ends with its line, so the element goes in front of it.
        return f"[{element},{text[1:]}" if comments else f"[{element}]"
    last = spans[-1][1]
    comma = COMMA.match(text, last)
    after = comma.end() if comma else last
    line = TO_LINE_END.match(text, after)
    if line is None:
        tail = text[after:]
        return f"{text[:after]}{' ' if comma else ', '}{element}{tail}"
    indent = _indent(text, spans[-1][0])
    with_comma = text[:after] if comma else f"{text[:last]},"
    rest = text[after : line.end()]
    return f"{with_comma}{rest}{indent}{element}{',' if comma else ''}{newline}{text[line.end() :]}"


def _indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    before = text[start:at]
    return before if before.strip() == "" and start else "  "


def without(text: str, number: int) -> str:
    """Return a list without its n-th element."""
    spans = element_spans(text)
    start, end = spans[number]
    comma = COMMA.match(text, end)
    after = comma.end() if comma else end
    begin = text.rfind("\n", 0, start) + 1
    line = TO_LINE_END.match(text, after)
    if begin and not text[begin:start].strip() and line is not None:
        return text[:begin] + text[line.end() :]
    if number + 1 < len(spans):
        return text[:start] + text[spans[number + 1][0] :]
    if number:
        return text[: spans[number - 1][1]] + text[end:]
    return text[:start] + text[after:].lstrip(" \t")
