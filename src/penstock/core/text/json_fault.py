"""Say what is wrong with a text that should be JSON, as other messages say it.

Reading is `strict_json`'s and `json`'s; which error it becomes is the caller's.
Always true: the place comes first, and nothing is capitalised in the middle of a sentence.
"""

from __future__ import annotations

LONGEST = 200


def json_fault(wrong: Exception) -> str:
    """Return what a reader of JSON found: `line 1, column 2: expecting value`."""
    said = str(getattr(wrong, "msg", wrong))[:LONGEST] or "it is nested too deeply"
    line, column = getattr(wrong, "lineno", 0), getattr(wrong, "colno", 0)
    place = f"line {line}, column {column}: " if line else ""
    return f"{place}{said[:1].lower()}{said[1:]}"
