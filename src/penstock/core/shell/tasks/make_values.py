"""What variables and functions of make stand for in a text.

Functions on texts are carried out, `$(shell ...)` becomes the shell's own spelling, and any other
is an unknown word.
Always true: expansion is bounded in depth, length and number; a variable that the Makefile does
not set is left for the shell to know.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

from msgspec import Struct, field

from penstock.core.shell.look import LookHere
from penstock.core.shell.place import joined
from penstock.core.text.late_regex import late_regex

MOST_LENGTH = 65_536
MOST_DEPTH = 8
MOST_EXPANSIONS = 4_000
UNKNOWN = "${of_make}"
_CALL = late_regex(r"([a-z][a-z-]*)[ \t]+(.*)", re.DOTALL)
_BUILT_IN = {"MAKE": "make", "CURDIR": ".", "RM": "rm -f", "CC": "cc", "CP": "cp"}
Own = Mapping[str, str]


class MakeValues(Struct):
    """The variables of a Makefile; `given` are those of the call, which outweigh them."""

    here: LookHere
    directory: str
    variables: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    shells: list[str] = field(default_factory=list)
    count: int = 0

    def filled(self, text: str, own: Own | None = None, depth: int = 0) -> str:
        """Return a text with its variables and functions carried out."""
        self.count += 1
        if depth > MOST_DEPTH or len(text) > MOST_LENGTH or self.count > MOST_EXPANSIONS:
            return ""
        out: list[str] = []
        at = 0
        while (dollar := text.find("$", at)) >= 0:
            out.append(text[at:dollar])
            mark = text[dollar + 1 : dollar + 2]
            at = dollar + 2
            if mark in ("(", "{"):
                end = closing(text, dollar + 1)
                out.append(self._reference(text[at:end], own or {}, depth))
                at = end + 1
            else:
                out.append("$" if mark in ("$", "") else self._value(mark, own or {}, depth))
        return "".join(out)[:MOST_LENGTH] + text[at:]

    def _reference(self, inner: str, own: Own, depth: int) -> str:
        call = _CALL.fullmatch(inner)
        if call:
            return self._function(call.group(1), call.group(2), own, depth)
        name, colon, change = self.filled(inner, own, depth + 1).partition(":")
        value = self._value(name, own, depth)
        old, equals, new = change.partition("=")
        return _exchanged(old, new, value) if colon and equals else value

    def _value(self, name: str, own: Own, depth: int) -> str:
        for known in (self.given, own, self.variables, _BUILT_IN):
            if name in known:
                return self.filled(known[name], own, depth + 1)
        return f"${{{name}}}" if name.isidentifier() else UNKNOWN

    def _function(self, name: str, text: str, own: Own, depth: int) -> str:
        if name == "shell":
            command = self.filled(text, own, depth + 1)
            self.shells.append(command)
            return f"$({command})"
        if name == "file":  # `$(file >name,text)`
            self.shells.append(f": {self.filled(_arguments(text)[0], own, depth + 1)}")
            return ""
        if name == "foreach":
            return self._each(_arguments(text), own, depth)
        if name == "call":
            words = [self.filled(one, own, depth + 1).strip() for one in _arguments(text)]
            places = {str(at): word for at, word in enumerate(words)}
            return self._value(words[0], {**own, **places}, depth)
        parts = [self.filled(one, own, depth + 1) for one in _arguments(text)]
        if name == "wildcard":
            return " ".join(self._met(parts[0]))
        if name == "eval":
            before, _, after = parts[0].partition("=")
            self.variables[before.strip(" \t:?+")] = after.strip()
            return ""
        work = _ON_TEXTS.get(name)
        return work(parts) if work else UNKNOWN

    def _each(self, parts: list[str], own: Own, depth: int) -> str:
        if len(parts) < 3:
            return UNKNOWN
        name, words = (self.filled(one, own, depth + 1) for one in parts[:2])
        body = ",".join(parts[2:])
        turns = words.split()[:64]
        return " ".join(self.filled(body, {**own, name.strip(): word}, depth + 1) for word in turns)

    def _met(self, patterns: str) -> list[str]:
        start = f"{self.directory}/" if self.directory else ""
        return [
            one.removeprefix(start)
            for pattern in patterns.split()[:16]
            for one in self.here.names(joined(self.directory, pattern)) or ()
        ]


def closing(text: str, at: int) -> int:
    """Return where the bracket that opens at a place is closed, or the end of the text."""
    opens = text[at]
    closes = ")" if opens == "(" else "}"
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == opens) - (text[place] == closes)
        if depth == 0:
            return place
    return len(text)


def _arguments(text: str) -> list[str]:
    """Cut the arguments of a function at the commas outside of brackets."""
    out = [""]
    depth = 0
    for char in text:
        depth += (char in "({") - (char in ")}")
        if char == "," and depth <= 0:
            out.append("")
        else:
            out[-1] += char
    return out


def _exchanged(old: str, new: str, text: str) -> str:
    """`$(V:.c=.o)` and `$(patsubst %.c,%.o,$(V))`."""
    if "%" not in old:
        old, new = f"%{old}", f"%{new}"
    before, _, after = old.partition("%")
    return " ".join(
        new.replace("%", word[len(before) : len(word) - len(after) or None], 1)
        if word.startswith(before) and word.endswith(after)
        else word
        for word in text.split()
    )


def _each_word(change: Callable[[str], str]) -> Callable[[list[str]], str]:
    return lambda parts: " ".join(change(word) for word in parts[-1].split())


_ON_TEXTS: Mapping[str, Callable[[list[str]], str]] = {
    "subst": lambda parts: parts[-1].replace(parts[0], parts[1]) if parts[2:] else "",
    "patsubst": lambda parts: (
        _exchanged(parts[0], parts[1].strip(), parts[-1]) if parts[2:] else ""
    ),
    "strip": lambda parts: " ".join(parts[-1].split()),
    "addprefix": lambda parts: " ".join(parts[0] + word for word in parts[-1].split()),
    "addsuffix": lambda parts: " ".join(word + parts[0] for word in parts[-1].split()),
    "join": lambda parts: "".join(part.strip() for part in parts),
    "firstword": lambda parts: " ".join(parts[0].split()[:1]),
    "lastword": lambda parts: " ".join(parts[0].split()[-1:]),
    "word": lambda parts: (
        " ".join(parts[-1].split()[int(parts[0]) - 1 :][:1])
        if parts[0].strip().isdecimal()
        else UNKNOWN
    ),
    "sort": lambda parts: " ".join(sorted(set(parts[0].split()))),
    "dir": _each_word(lambda word: posixpath.dirname(word) + "/" if "/" in word else "./"),
    "notdir": _each_word(posixpath.basename),
    "basename": _each_word(lambda word: posixpath.splitext(word)[0]),
    **dict.fromkeys(("abspath", "realpath"), _each_word(lambda word: word)),
    # Both ways of a condition.
    **dict.fromkeys(("if", "or", "and"), lambda parts: " ".join(parts[1:] or parts)),
    **dict.fromkeys(("info", "warning", "error", "origin", "flavor"), lambda _: ""),
}
