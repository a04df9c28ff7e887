"""Texts that a regex or a glob matches, made from it: a few, and different ones.

To see whether two rules meet, or what slips past one, examples are asked; making them is
quick and simple where comparing two regexes is neither. Which examples to ask is for others.
Always true: a sample of a regex was searched for and found; their number and their length are
bounded whatever the pattern is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct, field

from penstock.core.policy.regex_faults import REPETITION, pieces
from penstock.core.policy.regexes import fault, search
from penstock.core.text.late_regex import late_regex

MOST = 24  # samples of one pattern
LONGEST = 400  # characters of one
DEEPEST = 40  # groups in groups
ESCAPED = {
    **{"d": "1", "w": "a", "s": " ", "D": "x", "W": " ", "S": "x", "n": "\n", "t": "\t"},
    **{"b": "", "B": "", "A": "", "z": "", "r": "\r", "f": "\f", "v": "\v"},
}
# One of these is in nearly every class of characters.
PROBES = "aA1 -_./xz0\n~:@%=+,;&|<>$`'\"\\()[]{}*?!#^é"
REPEATS = "*+?{"


@lru_cache(maxsize=4096)
def pattern_samples(pattern: str) -> tuple[str, ...]:
    """Return a few texts in which a pattern is found; none when it is too tangled."""
    if fault(pattern) is not None:
        return ()
    made = _PatternReader(pattern).whole()
    return tuple(dict.fromkeys(text for text in made if search(pattern, text)))


class _PatternReader(Struct):
    """Reads a pattern once, from left to right; each part becomes the texts it may stand for."""

    pattern: str
    tokens: list[tuple[int, str]] = field(default_factory=list)
    at: int = 0

    def __post_init__(self) -> None:
        self.tokens = list(pieces(self.pattern))

    def whole(self) -> list[str]:
        """Return what the whole pattern may stand for."""
        return self._either(0)

    def _either(self, depth: int) -> list[str]:
        """Read alternatives up to a closing parenthesis."""
        found = self._row(depth)
        while self._next() == "|":
            self.at += 1
            found = [*found[: MOST // 2], *self._row(depth)]
        return found[:MOST]

    def _row(self, depth: int) -> list[str]:
        parts: list[list[str]] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom(depth)))
        return _joined(parts)

    def _next(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _atom(self, depth: int) -> list[str]:
        piece = self._next()
        self.at += 1
        if piece[0] != "(":
            return [_one(piece)]
        if piece[:2] == "(?" and piece[-1] not in ":<" and self._next() == ")":
            self.at += 1  # flags
            return [""]
        if piece[-1] == "<":
            self._skip_name()
        inner = self._either(depth + 1) if depth < DEEPEST else self._skip_group()
        self.at += 1  # the closing parenthesis
        return inner

    def _skip_name(self) -> None:
        while self._next() not in ("", ">"):
            self.at += 1
        self.at += 1

    def _skip_group(self) -> list[str]:
        opened = 1
        while self._next() and opened:
            opened += (self._next()[0] == "(") - (self._next() == ")")
            self.at += opened > 0
        return [""]

    def _repeated(self, texts: list[str]) -> list[str]:
        """Read what says how often, and repeat as seldom as it allows, or once."""
        if self._next() not in tuple(REPEATS):
            return texts
        start, sign = self.tokens[self.at]
        counted = REPETITION.match(self.pattern, start) if sign == "{" else None
        if sign == "{" and counted is None:
            return texts
        self.at += len(counted.group()) if counted else 1
        if self._next() == "?":
            self.at += 1
        least = int(counted.group()[1:-1].split(",")[0]) if counted else 0
        if sign == "+" or least:
            return [(text * max(least, 1))[:LONGEST] for text in texts]
        return [*texts[: MOST // 2], ""]


def _joined(parts: Sequence[list[str]]) -> list[str]:
    """Join the first choice of each part, then each other choice once."""
    usual = [part[0] if part else "" for part in parts]
    found = ["".join(usual)[:LONGEST]]
    for at, part in enumerate(parts):
        for other in part[1:]:
            if len(found) >= MOST:
                return found
            found.append("".join([*usual[:at], other, *usual[at + 1 :]])[:LONGEST])
    return found


def _one(piece: str) -> str:
    """Return a text for one piece that is no group."""
    if piece in ("^", "$"):
        return ""
    if piece == ".":
        return "x"
    if piece[0] == "[" or piece[:2] in ("\\p", "\\P", "\\x"):
        return _of_class(piece)
    if piece[:2] == "\\Q":
        return piece[2:].removesuffix("\\E")
    if piece[0] == "\\" and len(piece) > 1:
        return ESCAPED.get(piece[1], piece[1])
    return piece


@lru_cache(maxsize=1024)
def _of_class(piece: str) -> str:
    whole = f"^{piece}$"
    if fault(whole) is not None:
        return "x"
    inside = [char for char in piece[1:-1] if char not in "^-\\[]"]
    return next((char for char in (*inside[:8], *PROBES) if search(whole, char)), "x")


def sample_path(glob: str) -> str:
    """Return a path that meets a glob."""
    parts = ("a/b" if part == "**" else part for part in glob.split("/"))
    return "/".join(parts).replace("*", "x").replace("?", "x")


def nests_repetition(pattern: str) -> bool:
    """Say whether something that repeats without end is itself repeated without end."""
    inner: list[bool] = [False]
    closed = False
    for start, piece in pieces(pattern):
        endless = piece in ("*", "+") or (piece == "{" and _is_endless(pattern, start))
        if endless and closed:
            return True
        closed = piece == ")" and len(inner) > 1 and inner.pop()
        if closed:
            inner[-1] = True
        if piece[0] == "(":
            inner.append(False)
        inner[-1] = inner[-1] or endless
    return False


def _is_endless(pattern: str, at: int) -> bool:
    found = REPETITION.match(pattern, at)
    return found is not None and found.group().endswith(",}")


WORD = late_regex(r"\\.|([A-Za-z0-9]{3})[A-Za-z0-9]*+", re.DOTALL)


def words_in(text: str) -> set[str]:
    """Return the first three characters of each word, as which rules are looked up."""
    return set(filter(None, WORD.findall(text)))
