"""What a search is after, and what it prints: every line, or lines that hold secrets.

A search through a whole project is everyday, and prints a line of `.env` only where it is after
such lines, or meets one; then a person is asked.
Always true: the text alone is looked at, and only its beginning.
"""

from __future__ import annotations

import re

from penstock.core.text.late_regex import late_regex

_EVERY_LINE = late_regex(r"[.^$*+]*|\[[^]]*\][*+]?|=|\\S\+?|\\w\+?|\^?\[[^]]*\][*+]?=[.*+$]*")
_SECRET = late_regex(
    r"token|secret|passw|pwd\b|credential|(?:api|access|private|master|signing).?key"
    r"|auth.?(?:key|header)|authorization|aws_|bearer"
    r"|\bsk[-_]|\bgh[pousr]_|\bglpat-|\bxox[bap]-|AKIA|AIza|\bpk_live",
    re.IGNORECASE,
)

# In capitals, as in the first line of a key and in names of variables.
_CAPITALS = late_regex(r"PRIVATE|_KEY\b|AUTH_|BEGIN")

_LOGIN = late_regex(r"://[^/\s:@]{1,64}:[^@\s]{1,256}@")  # an address with a password in it
# By their names some directories hold nothing but secrets, whatever is searched for in them.
_KEPT = late_regex(r"key|secret|cred|token|passw|cert|(?:^|/)\.\w", re.IGNORECASE)
_OR = late_regex(r"\\?\|")
_EDGES = late_regex(r"\\[b<>]|[\^$()]")
_PLAIN = late_regex(r"[\w .:/=@#,'\"-]+")
MOST_LINES = 2_000


def holds_secrets(folder: str) -> bool:
    """Say whether a directory is one for secrets, by its name."""
    return _KEPT.search(folder) is not None


def reveals(pattern: str, text: str, *, any_case: bool = False) -> bool:
    """Say whether a search prints lines of a text that hold secrets.

    Only plain words are looked for; what else a pattern meets is judged by what it is after.
    """
    pieces = [_EDGES.sub("", piece) for piece in _OR.split(pattern[:512])]
    if not all(_PLAIN.fullmatch(piece) for piece in pieces):
        return finds_secrets(pattern)
    fold = str.lower if any_case else str
    wanted = [fold(piece) for piece in pieces]
    lines = [line for line in text.split("\n")[:MOST_LINES] if _has(fold(line), wanted)]
    sought = finds_secrets(pattern)
    return any(sought or _LOGIN.search(line) or finds_secrets(line[:512]) for line in lines)


def _has(line: str, pieces: list[str]) -> bool:
    return any(piece in line for piece in pieces)


def finds_secrets(pattern: str) -> bool:
    """Say whether a search would show secrets where it meets them."""
    start = pattern[:512]
    return bool(
        _EVERY_LINE.fullmatch(pattern[:64]) or _SECRET.search(start) or _CAPITALS.search(start)
    )
