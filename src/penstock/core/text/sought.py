"""What a search is after: every line, or lines that hold secrets.

A search through a whole project is everyday, and prints a line of `.env` only where it is after
such lines; then a person is asked.
Always true: the text alone is looked at, and only its beginning.
"""

from __future__ import annotations

import re

_EVERY_LINE = re.compile(r"[.^$*+]*|\[[^]]*\][*+]?|=|\\S\+?|\\w\+?|\^?\[[^]]*\][*+]?=[.*+$]*")
_SECRET = re.compile(
    r"token|secret|passw|pwd\b|credential|(?:api|access|private|master|signing).?key"
    r"|auth.?(?:key|header)|authorization|aws_|bearer"
    r"|\bsk[-_]|\bgh[pousr]_|\bglpat-|\bxox[bap]-|AKIA|AIza|\bpk_live",
    re.IGNORECASE,
)

# In capitals, as in the first line of a key and in names of variables.
_CAPITALS = re.compile(r"PRIVATE|_KEY\b|AUTH_|BEGIN")


def finds_secrets(pattern: str) -> bool:
    """Say whether a search would show secrets where it meets them."""
    start = pattern[:512]
    return bool(
        _EVERY_LINE.fullmatch(pattern[:64]) or _SECRET.search(start) or _CAPITALS.search(start)
    )
