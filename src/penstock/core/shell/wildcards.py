"""Patterns of file names as bash reads them, one name at a time.

A pattern is text in which `*`, `?` and `[` are live; a character that was quoted stands in
brackets of its own (`quoted`). `**` meets any number of directories: bash does so with
`globstar`, zsh always. Patterns in parentheses (`@(a|b)`, `(D)`) are not read.
Always true: a name that begins with a dot is met only by a pattern that does.
"""

from __future__ import annotations

import re
from functools import lru_cache

from penstock.core.text.late_regex import late_regex

_LIVE = late_regex(r"[*?]|\[[^\]]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9a-fA-F",
}
_CLASS = late_regex(r"\[:([a-z]{1,8}):\]")
_SET = late_regex(r"\[([!^]?)(\]?(?:\[:[a-z]{1,8}:\]|[^\]])*)\]")
_QUOTED = late_regex(r"[*?\[(]")
_ONE = late_regex(r"\[([*?\[(])\]")
_PLAIN_IN_SET = late_regex(r"[\\\[&~|]")


def quoted(text: str) -> str:
    """Return a pattern that meets this text only."""
    return _QUOTED.sub(lambda found: f"[{found.group()}]", text)


def is_read(pattern: str) -> bool:
    """True for a pattern that is read here."""
    return ("(" not in pattern or "(" not in _ONE.sub("", pattern)) and "\0" not in pattern


def is_wild(part: str) -> bool:
    """True when a part of a pattern may meet more than one name."""
    if "[" not in part:  # as in nearly all
        return "*" in part or "?" in part
    return _LIVE.search(_ONE.sub("", part)) is not None


def literal(part: str) -> str:
    """Return the text that a part without live characters stands for."""
    return _ONE.sub(r"\1", part) if "[" in part else part


def fits(part: str, name: str, *, folds: bool = False) -> bool:
    """Say whether a part of a pattern meets a name."""
    if name[:1] == "." and literal(part[:3])[:1] != ".":
        return False
    return matches(part, name, folds=folds)


def matches(pattern: str, text: str, *, folds: bool = False) -> bool:
    """Say whether a pattern meets a text, dots and slashes like any other character."""
    if not folds and "[" not in pattern and "?" not in pattern:
        first, star, last = pattern.partition("*")
        if not star:
            return text == pattern
        if "*" not in last:  # as in nearly all, and a regex takes long to compile
            enough = len(text) >= len(first) + len(last)
            return enough and text.startswith(first) and text.endswith(last)
    return _compiled(pattern, folds).fullmatch(text) is not None


@lru_cache(256)
def _compiled(pattern: str, folds: bool) -> re.Pattern[str]:
    return re.compile(_regex(pattern), re.DOTALL | (re.IGNORECASE if folds else 0))


def _regex(pattern: str) -> str:
    """Return a pattern as a regular expression that never tries a star in two ways."""
    chunks = [""]
    at = 0
    while at < len(pattern):
        char = pattern[at]
        found = _SET.match(pattern, at) if char == "[" else None
        if found:
            chunks[-1] += _set(found)
        elif char == "*":
            chunks.append("")
        else:
            chunks[-1] += "." if char == "?" else re.escape(char)
        at = found.end() if found else at + 1
    first, *middle = chunks
    if not middle:
        return first
    *middle, last = middle
    return first + "".join(f"(?>.*?{chunk})" for chunk in middle if chunk) + f".*{last}"


def _set(found: re.Match[str]) -> str:
    """Return a bracket expression; one that makes no sense meets nothing."""
    inside = _CLASS.sub(lambda one: "\0" + one.group(1) + "\0", found.group(2))
    pieces = inside.split("\0")
    pieces[::2] = [_PLAIN_IN_SET.sub(r"\\\g<0>", piece) for piece in pieces[::2]]
    pieces[1::2] = [_CLASSES.get(name, "") for name in pieces[1::2]]
    text = "".join(pieces)
    made = f"[{'^' if found.group(1) else ''}{_leading(text)}]"
    try:
        re.compile(made)
    except re.error:
        return r"(?!)"
    return made


def _leading(text: str) -> str:
    return "\\" + text if text[:1] in ("]", "^") else text
