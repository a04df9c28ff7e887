r"""Edit a file's content in a form, and get back every byte that nobody touched.

A browser gives each line end back as `\r\n`, whatever it was. So the lines that came back are
compared with those that went out: a line that is still there keeps its own bytes, one that
changed keeps its line end, and a new one gets the line end that most others have.
Always true: text that comes back unchanged gives exactly the content that went out.
"""

from __future__ import annotations

import re

from penstock.core.diff.hunks import hunks
from penstock.core.errors import InputError
from penstock.core.text.line_endings import LF, end_of, split

LARGEST = 512 * 1024
ANY_END = re.compile(rb"[^\r\n]*+(?:\r\n|\n|\r|\Z)")


def offered(content: bytes | None) -> str:
    """Return what a form shows of a content. Raises InputError for what cannot be edited so."""
    if content is None:
        raise InputError("nothing-to-edit", "the proposal deletes this file")
    if len(content) > LARGEST:
        raise _not_editable(f"it is larger than {LARGEST // 1024} KiB")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise _not_editable("it is not UTF-8 text") from None
    if "\0" in text:
        raise _not_editable("it contains null characters, which a form can't keep")
    return _plain(content).decode("utf-8")


def editable(content: bytes | None) -> bool:
    """Say whether a content can be edited in a form."""
    try:
        offered(content)
    except InputError:
        return False
    return True


def taken(was: bytes, text: str) -> bytes:
    """Return the content that a form's text stands for."""
    try:
        now = _plain(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise InputError("not-text", "the text contains half a character") from None
    old = _lines(was)
    end = end_of(was)
    pieces: list[bytes] = []
    done = 0
    new = split(now)
    for hunk in hunks(_plain(was), now):
        pieces += old[done : hunk.before_start]
        places = old[hunk.before_start : hunk.before_end]
        for at, line in enumerate(new[hunk.after_start : hunk.after_end]):
            pieces.append(_ended(line, _end(places[at]) if at < len(places) else b"", end))
        done = hunk.before_end
    return b"".join([*pieces, *old[done:]])


def _plain(content: bytes) -> bytes:
    return content.replace(b"\r\n", LF).replace(b"\r", LF)


def _lines(content: bytes) -> list[bytes]:
    """Return the lines with the ends they have, one for each line of the plain form."""
    return [line for line in ANY_END.findall(content) if line]


def _end(line: bytes) -> bytes:
    return line[len(line.rstrip(b"\r\n")) :]


def _ended(line: bytes, own: bytes, usual: bytes) -> bytes:
    """Return a line with the end of the one whose place it takes, or else the usual one."""
    return line.removesuffix(LF) + (own or usual) if line.endswith(LF) else line


def _not_editable(because: str) -> InputError:
    return InputError(
        "not-editable",
        "this content can't be edited in a form",
        because=because,
        hint="use `penstock edit` with your own editor",
    )
