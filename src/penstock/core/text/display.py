"""Show a text to the person who will judge it, with nothing hidden in it.

What is not seen is written out as `⟦U+202E RLO⟧`, repeated characters as `⟦U+200B ZWSP ×12⟧`,
spaces and tabs at the end of a line as `⟦U+0020 SPACE ×4⟧`, and a byte that is no UTF-8 as
`⟦U+DCFF byte FF⟧`. The opening bracket is written out too, so no text can pretend to be such
a note. What to say about a text is `deception`'s work.
Always true: two texts that differ are shown differently; time grows with the text's length.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache

from penstock.core.text.invisible import HiddenKind, class_of, short_name
from penstock.core.text.late_regex import late_regex

OPEN, CLOSE = "⟦", "⟧"
# Each begins with a set of characters, which `re` skips to quickly, and takes a run whole and
# never gives it back: otherwise a long run would be looked at once for each of its members.
LONE_RETURNS = late_regex(r"(?:\r(?!\n))++")
TRAILING = late_regex(r"[ \t](?<![ \t]{2})[ \t]*+(?=\r?\n|\Z)")
BODY = (" ", "+", "-")
HEADERS = ("--- ", "+++ ")
MORE_NAMES = {" ": "SPACE", "\t": "TAB", "\n": "LF"}


def visible(text: str, *, keep_newlines: bool = True) -> str:
    """Return a text with everything written out that would not be seen.

    Line feeds, and returns before them, stay as they are unless `keep_newlines` is false;
    tabs and spaces stay except at the end of a line.
    """
    return _shown(text, "" if keep_newlines else "\r\n")


def visible_bytes(data: bytes) -> str:
    """Return bytes as visible text; what is no UTF-8 is written out byte by byte."""
    return visible(data.decode("utf-8", "surrogateescape"))


def visible_diff(diff: bytes) -> str:
    """Return a unified diff as visible text; its first column is the diff's own.

    Returns that end every line alike are no news, so they stay; where only some lines have
    them they are written out, or two lines that differ would look the same.
    """
    lines = diff.decode("utf-8", "surrogateescape").split("\n")
    body = [line for line in lines if line[:1] in BODY and not line.startswith(HEADERS)]
    all_return = all(line.endswith("\r") for line in body)
    return "\n".join(_diff_line(line, keep_return=all_return) for line in lines)


def _diff_line(line: str, *, keep_return: bool) -> str:
    sign = line[:1] if line[:1] in BODY else ""
    end = "\r" if keep_return and line.endswith("\r") else ""
    return sign + visible(line[len(sign) : len(line) - len(end)]) + end


def spoken(path: str) -> str:
    """Return a path, or another value, for a message of one line: it cannot break the line."""
    return _shown(path, "\r\n\t")


def harmless(text: str) -> str:
    """Return a text with only those characters written out that nobody can see, lines kept.

    This is what each door does last to a text for people. What was written out before stays as
    it is, so doing it twice changes nothing.
    """
    if _is_plain(text):
        return text
    return _unseen(0x80 if text.isascii() else 0x110000).sub(_written, text)


def in_line(sentence: str) -> str:
    """Return a whole sentence for one line: as `harmless`, and it cannot break the line either.

    `spoken` is for a value that goes into a sentence; what it wrote out is kept here.
    """
    if _is_plain(sentence):
        return sentence
    return _unseen(0x80 if sentence.isascii() else 0x110000, "\t\n").sub(_written, sentence)


def _is_plain(text: str) -> bool:
    """Say whether each character is one that everybody sees, as in nearly all texts."""
    return text.isascii() and text.isprintable()


def json_visible(text: str) -> str:
    """Return JSON that means the same, with an escape for each character that is not seen."""
    return _unseen(0x80 if text.isascii() else 0x110000).sub(_escaped, text)


def _shown(text: str, besides: str) -> str:
    """Write out hidden characters first: what the later steps add must not be read again."""
    text = _hidden(besides, 0x80 if text.isascii() else 0x110000).sub(_written, text)
    return TRAILING.sub(_written, LONE_RETURNS.sub(_written, text))


@cache
def _hidden(besides: str, below: int) -> re.Pattern[str]:
    """Find runs of hidden characters; a small set of them is found much faster."""
    hidden = class_of(*(kind for kind in HiddenKind if kind is not HiddenKind.RETURN), below=below)
    return re.compile(rf"([{hidden}{OPEN}{besides}])\1*+")


@cache
def _unseen(below: int, besides: str = "") -> re.Pattern[str]:
    """Find returns as well, which no terminal should get, and leave the bracket."""
    return re.compile(rf"([{class_of(*HiddenKind, below=below)}{besides}])\1*+")


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _written(found: re.Match[str]) -> str:
    """Write out a run: of one character, or of the spaces and tabs that end a line."""
    run = found[0]
    if run.count(run[0]) == len(run):
        return _note(run[0], len(run))
    return "".join(_note(each[0][0], len(each[0])) for each in re.finditer(r" ++|\t++", run))


@lru_cache(maxsize=1024)
def _note(sign: str, times: int) -> str:
    code = ord(sign)
    name = MORE_NAMES.get(sign) or short_name(code)
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that it could not decode
        name = f"byte {code - 0xDC00:02X}"
    words = [f"U+{code:04X}", name, f"×{times}" if times > 1 else ""]
    return OPEN + " ".join(word for word in words if word) + CLOSE
