"""Cut a window of lines out of a text file, and name the whole of it by its digest.

Opening the file and judging who may read it are left to others; here is only what of its bytes
is shown. One pass over the bytes, so that the digest is of what the lines were taken from.
Always true: no more than `max_bytes` are shown, a character is never cut, and memory stays that
of a piece and the window, however large the file.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from msgspec import Struct, field

from penstock.core.digest import digest_of_pieces
from penstock.core.errors import InputError
from penstock.core.model import Source

PIECE = 1 << 20
LF = b"\n"


class Window(Struct, frozen=True, kw_only=True):
    """Some lines of a file. `end_line` is the last one shown, whole or in part.

    Where nothing is shown `end_line` is `start_line` - 1. `truncated` tells of the cap on bytes
    only: that the lines asked for are not all of the file shows in their numbers.
    """

    text: str
    start_line: int
    end_line: int
    total_lines: int
    size: int
    digest: str
    truncated: bool


def line_range(start_line: int | None, end_line: int | None) -> tuple[int, int | None]:
    """Return a range of lines that makes sense; None at its end is the end of the file."""
    start = max(1, 1 if start_line is None else start_line)
    if end_line is not None and end_line < start:
        raise InputError(
            "bad-range",
            f"lines {start} to {end_line} are an empty range",
            hint="set `end_line` to at least `start_line`",
        )
    return start, end_line


def bytes_shown(asked: int | None, *, default: int, most: int) -> int:
    """Return how many bytes may be shown: what was asked for, within the caps."""
    return min(default if asked is None or asked <= 0 else asked, most)


def window(source: Source, *, start: int, end: int | None, max_bytes: int, shown: str) -> Window:
    """Return the lines from `start` to `end`, 1-based, both included.

    Raises InputError `not-text` for what holds a NUL, or no UTF-8 where it would be shown.
    """
    cut = _Cut(start=start, end=end, most=max_bytes, shown=shown)
    name = digest_of_pieces(cut.through(_pieces(source)))
    text = cut.text()
    return Window(
        text=text,
        start_line=start,
        end_line=start - 1 + _lines(text),
        total_lines=cut.line - 1 + (not cut.ended),
        size=cut.size,
        digest=name,
        truncated=cut.truncated,
    )


def _pieces(source: Source) -> Iterator[bytes]:
    at = 0
    while piece := source.read(at, PIECE):
        at += len(piece)
        yield piece


def _lines(text: str) -> int:
    return text.count("\n") + (text != "" and not text.endswith("\n"))


class _Cut(Struct, kw_only=True):
    """Bytes passing by: counts their lines and keeps those of the window."""

    start: int
    end: int | None
    most: int
    shown: str
    line: int = 1  # the line that the next byte belongs to
    size: int = 0
    ended: bool = True  # the last byte was a line feed, or there was none
    truncated: bool = False
    kept: bytearray = field(default_factory=bytearray)

    def through(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            if b"\0" in piece:
                raise not_text(self.shown, "it holds a NUL byte")
            self._keep(piece)
            self.size += len(piece)
            self.line += piece.count(LF)
            self.ended = piece.endswith(LF)
            yield piece

    def _keep(self, piece: bytes) -> None:
        """Keep what of a piece lies within the window; one byte too many tells of the cap."""
        if self.truncated or (self.end is not None and self.line > self.end):
            return
        low = _after(piece, self.start - self.line)
        high = len(piece) if self.end is None else _after(piece, self.end - self.line + 1)
        self.kept += piece[low : min(high, low + self.most + 1 - len(self.kept))]
        self.truncated = len(self.kept) > self.most

    def text(self) -> str:
        """Return the window; a character that the cap would cut is left out."""
        data = bytes(self.kept[: self.most])
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            return decoder.decode(data, final=not self.truncated)
        except UnicodeDecodeError:
            raise not_text(self.shown, "it is not valid UTF-8") from None


def _after(piece: bytes, count: int) -> int:
    """Return where the bytes behind the `count`-th line feed begin, the end when there is none."""
    at = 0
    for _ in range(count):
        found = piece.find(LF, at)
        if found < 0:
            return len(piece)
        at = found + 1
    return at


def not_text(shown: str, because: str) -> InputError:
    """Return the error for content that cannot be shown as text."""
    return InputError(
        "not-text",
        f"`{shown}` is not a text file",
        because=because,
        hint="ask the user what it contains, or edit its source",
    )
