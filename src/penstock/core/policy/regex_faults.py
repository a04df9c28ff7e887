"""Say what is wrong with a regex, where, and what to do about it.

RE2 gives a short message and no position; this module finds the position and the words that
a rules author can act on. It also knows where RE2 and the Rust engine part ways, because a
rule file in the original's format must load there too. Compiling is `regexes`' work.
Always true: reading a pattern here takes one pass, whatever the pattern is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from penstock.core.text.late_regex import late_regex


class Fault(Struct, frozen=True, kw_only=True):
    """What is wrong with a pattern: in words, where (0-based, -1 unknown), and what to do."""

    what: str
    position: int = -1
    hint: str = ""

    def __str__(self) -> str:
        return self.what if self.position < 0 else f"{self.what} at position {self.position}"


# One piece: an escape, a bracket class as far as it goes, a group's opening, or a character.
PIECE = late_regex(
    r"\\Q.*?(?:\\E|\Z)"
    r"|\\[pPx]\{[^}]*+\}|\\x[0-9A-Fa-f]{2}|\\[pP].|\\[0-7]{1,3}+|\\.|\\\Z"
    r"|\[\^?+\]?+(?:\[:\^?+\w++:\]|\\.|[^\]\\])*+\]?+"
    r"|\((?:\?(?:P?<[=!]?+|P=|[=!>|(]|[a-zA-Z^-]*+:?+))?+"
    r"|.",
    re.DOTALL,
)


def pieces(pattern: str) -> Iterator[tuple[int, str]]:
    """Yield the pattern's pieces with their positions; every character is in one of them."""
    for found in PIECE.finditer(pattern):
        yield found.start(), found.group()


CLOSE_HINT = "Check regex syntax. Expected closing ')' for group."

# What RE2 says, and what we say: words, hint.
SAID: dict[str, tuple[str, str]] = {
    "missing )": ("unmatched parenthesis", CLOSE_HINT),
    "unexpected )": ("unmatched parenthesis", "remove the `)` or write `\\)`"),
    "missing ]": ("unclosed character class", "close it with `]` or write `\\[`"),
    "trailing \\": ("trailing backslash", "write `\\\\` for a backslash"),
    "bad repetition operator": ("repeated repetition", "put the inner part in `(?:...)`"),
    "invalid repetition size": ("repetition out of range", "repeat at most 1000 times"),
    "no argument for repetition operator": ("nothing to repeat", "escape it with `\\`"),
    "invalid character class range": ("invalid character class", "check its ends and names"),
    "invalid escape sequence": ("unknown escape", "remove the backslash or write `\\\\`"),
    "invalid perl operator": ("unknown group", "`(?:...)`, `(?P<name>...)` and `(?i)` exist"),
    "invalid named capture group": ("invalid group name", "use letters and digits, each name once"),
    "pattern too large": ("too large when compiled", "use smaller repetitions"),
}
LOOK_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
LOOK_HINT = "use the `..._exclude_regex` field, or a second rule"


def explained(pattern: str, message: str) -> Fault:
    """Turn RE2's message about a pattern into a fault with a position."""
    kind, _, fragment = message.partition(": ")
    what, hint = _special(pattern, kind, fragment) or SAID.get(
        kind.partition(" - ")[0], (kind or "not accepted", "see the RE2 syntax page")
    )
    return Fault(what=what, position=_position(pattern, kind, fragment), hint=hint)


def _special(pattern: str, kind: str, fragment: str) -> tuple[str, str] | None:
    """Return the words for what other engines have and RE2 has not."""
    if fragment in LOOK_AROUND:
        return "look-around is not supported", LOOK_HINT
    if fragment[:1] == "\\" and fragment[1:2].isdigit():
        return "back-references are not supported", "spell both parts out"
    if fragment == "(?P" and "(?P=" in pattern:
        return "back-references are not supported", "spell both parts out"
    if fragment == "(?>" or (kind.startswith("bad repetition") and fragment.endswith("+")):
        return "possessive matching is not supported", "leave it out; RE2 never backtracks"
    return None


def _position(pattern: str, kind: str, fragment: str) -> int:
    """Return where the fault is: the bracket that has no partner, or RE2's own fragment."""
    if kind in ("missing )", "unexpected )"):
        return _lonely_parenthesis(pattern)
    if kind == "trailing \\":
        return len(pattern) - 1
    if fragment == "(?P" and "(?P=" in pattern:
        return pattern.find("(?P=")
    for start, piece in pieces(pattern):
        if kind == "missing ]" and piece[0] == "[" and not _closed(piece):
            return start
        if fragment and kind.startswith("invalid") and piece.startswith(fragment[:4]):
            return start
    return pattern.find(fragment) if fragment else -1


def _closed(piece: str) -> bool:
    return piece[-1] == "]" and piece not in ("[]", "[^]")


def _lonely_parenthesis(pattern: str) -> int:
    """Return the first `)` without its `(`, else the innermost `(` that is never closed."""
    open_at: list[int] = []
    for start, piece in pieces(pattern):
        if piece[0] == "(":
            open_at.append(start)
        elif piece == ")":
            if not open_at:
                return start
            open_at.pop()
    return open_at[-1] if open_at else -1


REPETITION = late_regex(r"\{\d++(?:,\d*+)?+\}")
OCTAL = late_regex(r"\\[0-7]")
ANGLE = late_regex(r"\\[<>]")
LONGEST_NAME = 100
SUSPECT = late_regex(r"[{\[]|\\[CQ0-7<>]|\(\?P?<")


def beyond_rust(pattern: str) -> Fault | None:
    """Return what RE2 accepts in a pattern and the Rust engine refuses, or None.

    A file that the original cannot load loses every rule in it, so it must not be written.
    """
    if not SUSPECT.search(pattern):
        return None
    names: set[str] = set()
    for start, piece in pieces(pattern):
        words = _refused_by_rust(piece, pattern, start) or _bad_name(piece, pattern, start, names)
        if words:
            return Fault(what=words[0], position=start, hint=words[1])
    return None


def _refused_by_rust(piece: str, pattern: str, start: int) -> tuple[str, str] | None:
    if piece == "{" and not REPETITION.match(pattern, start):
        return "a bare `{`", "write `\\{`"
    if piece == "\\C" or piece.startswith("\\Q"):
        return f"`{piece[:2]}`", "spell it out with ordinary escapes"
    if OCTAL.match(piece):
        return "an octal escape", "write `\\x00` or `\\x{...}`"
    if ANGLE.fullmatch(piece) or (piece[0] == "[" and ANGLE.search(piece.replace("\\\\", ""))):
        return "`\\<` or `\\>`", "write `<` and `>` without a backslash"
    if piece[0] == "[" and _nests(piece):
        return "a class inside a class", "escape `[`, `&`, `-` and `~` inside brackets"
    return None


def _bad_name(piece: str, pattern: str, start: int, names: set[str]) -> tuple[str, str] | None:
    """Look at the name of a group, which begins with a letter and is there once."""
    if piece[0] != "(" or piece[-1] != "<":
        return None
    end = start + len(piece)
    name = pattern[end : end + LONGEST_NAME].partition(">")[0]
    if name in names:
        return f"the group name `{name}` twice", "name each group once, or write `(?:...)`"
    names.add(name)
    if name[:1].isdigit():
        return f"the group name `{name}`", "begin it with a letter"
    return None


def _nests(piece: str) -> bool:
    """True when Rust would read set notation where RE2 reads plain characters."""
    inside = re.sub(r"\[:\^?+\w++:\]|\\.", "", piece[1:], flags=re.DOTALL)
    return any(sign in inside for sign in ("[", "&&", "--", "~~"))
