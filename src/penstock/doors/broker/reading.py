"""Read a window of a file's lines, and the digest of all of it, in one pass.

Always true: the digest is over the whole file, the content is whole characters, and at most
`max_bytes` of content are held, however large the file is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from penstock.core.digest import PREFIX
from penstock.core.errors import InputError
from penstock.core.model import Source

PIECE = 1 << 20
LONGEST_CHARACTER = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The lines that were asked for: counted from 1, both ends included."""

    start: int
    end: int
    max_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What was read; `end` is the last line of which anything is in `content`."""

    content: str
    end: int
    digest: str
    truncated: bool


@dataclass(slots=True)
class _Cutter:
    """Takes the wanted lines out of pieces as they come by."""

    window: Window
    line: int = 1
    kept: bytearray = field(default_factory=bytearray)
    binary: bool = False

    def take(self, piece: bytes) -> None:
        """Look at the next piece; the lines of the window are kept as far as there is room."""
        self.binary = self.binary or b"\0" in piece
        at, window = 0, self.window
        feeds = piece.count(b"\n") if self.line < window.start else 0
        if self.line + feeds < window.start:
            self.line += feeds
            return
        while at < len(piece) and self.line <= window.end:
            feed = piece.find(b"\n", at)
            stop = len(piece) if feed < 0 else feed + 1
            if self.line >= window.start:
                self._keep(piece[at:stop])
            if feed >= 0:
                self.line += 1
            at = stop

    def _keep(self, part: bytes) -> None:
        # One byte more than fits tells that something was cut.
        self.kept += part[: max(self.window.max_bytes + 1 - len(self.kept), 0)]


def read_window(source: Source, window: Window) -> Reading:
    """Return the lines of the window. Raises InputError `binary-file` for what is no text."""
    sha = hashlib.sha256()
    cutter = _Cutter(window)
    for piece in _pieces(source):
        sha.update(piece)
        cutter.take(piece)
    if cutter.binary:
        raise not_text()
    kept = bytes(cutter.kept)
    truncated = len(kept) > window.max_bytes
    content = _text(kept[: window.max_bytes], cut=truncated)
    return Reading(
        content=content,
        end=_last_line(content, window),
        digest=PREFIX + sha.hexdigest(),
        truncated=truncated,
    )


def _last_line(content: str, window: Window) -> int:
    """Return the number of the last line that is there, whole or in part."""
    lines = content.count("\n") + (bool(content) and not content.endswith("\n"))
    return window.start + lines - 1


def _pieces(source: Source) -> Iterator[bytes]:
    at = 0
    while at < source.size:
        piece = source.read(at, PIECE)
        if not piece:
            return
        at += len(piece)
        yield piece


def _text(data: bytes, *, cut: bool) -> str:
    """Return bytes as text; where they were cut, without the beginning of a last character."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        if cut and wrong.end == len(data) and len(data) - wrong.start < LONGEST_CHARACTER:
            return data[: wrong.start].decode("utf-8")
        raise not_text() from None


def not_text() -> InputError:
    """Return the error for content that is not text."""
    return InputError(
        "binary-file",
        "the file is not text",
        because="it holds a NUL byte or bytes that are no UTF-8",
        hint="only text is read and written here; ask a person to handle this file",
    )
