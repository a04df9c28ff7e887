"""What a content is to the eye: text, wide text, a picture, or bytes.

Always true: a picture is one by its first bytes and by its name alike, so that no script is drawn
in place of being read, and only kinds that a browser cannot run anything from count (no SVG); wide
text is shown as its characters only where nobody could read its bytes as plain text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from penstock.core.text.line_endings import BOM, CRLF, LF

T = TypeVar("T")
LARGEST_SHOWN = 64 * 1024 * 1024
LARGEST_PICTURE = 8 * 1024 * 1024
HEX_BYTES, HEX_WIDTH = 512, 8  # of one page, of one row
# First bytes, what a browser may be told that they are, and how such files are named.
PICTURES: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png", (".png", ".apng")),
    (b"\xff\xd8\xff", "image/jpeg", (".jpg", ".jpeg", ".jpe", ".jfif")),
    (b"GIF87a", "image/gif", (".gif",)),
    (b"GIF89a", "image/gif", (".gif",)),
    (b"RIFF", "image/webp", (".webp",)),
)
# The longer mark first: UTF-32's begins with UTF-16's.
WIDE: tuple[tuple[bytes, str, str], ...] = (
    (b"\xff\xfe\x00\x00", "utf-32-le", "UTF-32 little endian"),
    (b"\x00\x00\xfe\xff", "utf-32-be", "UTF-32 big endian"),
    (b"\xff\xfe", "utf-16-le", "UTF-16 little endian"),
    (b"\xfe\xff", "utf-16-be", "UTF-16 big endian"),
)
# Bytes that a shell or an interpreter would read as words, whatever mark stands before them.
# Characters of two bytes hardly ever look like this: one of the two is another kind of byte.
PLAIN_WORDS = re.compile(rb"[a-z \t\n/.=|;-]{8}")


class Presentation(StrEnum):
    """How a change is shown."""

    TEXT = "text"
    BYTES = "bytes"
    TOO_LARGE = "too-large"


def picture_type(path: str, content: bytes | None) -> str:
    """Return the content type of a picture, empty for anything else."""
    if content is None or len(content) > LARGEST_PICTURE:
        return ""
    if content.startswith(b"RIFF") and content[8:12] != b"WEBP":
        return ""
    kinds = (
        kind
        for magic, kind, ends in PICTURES
        if content.startswith(magic) and path.lower().endswith(ends)
    )
    return next(kinds, "")


def look_of(before: bytes | None, after: bytes | None) -> Presentation:
    """Return how two sides are best shown beside each other."""
    sides = [side for side in (before, after) if side is not None]
    if sum(map(len, sides)) > LARGEST_SHOWN:
        return Presentation.TOO_LARGE
    text = all(b"\0" not in side or _wide(side) for side in sides)
    return Presentation.TEXT if text else Presentation.BYTES


def _wide(content: bytes) -> str:
    """Return the codec of text with two or four bytes a character; empty when it is none."""
    for mark, codec, _ in WIDE:
        if content.startswith(mark):
            if PLAIN_WORDS.search(content):
                return ""
            try:
                content.decode(codec)
            except UnicodeDecodeError:
                return ""
            return codec
    return ""


def is_wide(content: bytes | None) -> bool:
    """Say whether a text has two or four bytes a character: its lines are not those of bytes."""
    return content is not None and bool(_wide(content))


def as_utf8(content: bytes) -> bytes:
    """Return a text as UTF-8 for showing; what is not wide text stays as it is."""
    codec = _wide(content)
    return content.decode(codec).encode("utf-8", "surrogatepass") if codec else content


def encoding(content: bytes | None) -> str:
    """Return what a text is written in, in words, with its line ends."""
    if content is None:
        return "no file"
    said = [_letters(content), _ends(as_utf8(content))]
    return ", ".join(part for part in said if part)


def _letters(content: bytes) -> str:
    codec = _wide(content)
    if codec:
        return next(name for _, known, name in WIDE if known == codec)
    if b"\0" in content:
        return "bytes"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8"
    return "UTF-8 with a byte order mark" if content.startswith(BOM) else "UTF-8"


def _ends(content: bytes) -> str:
    if b"\0" in content:
        return ""
    pairs, feeds = content.count(CRLF), content.count(LF)
    ends = "CRLF" if feeds and pairs == feeds else "LF" if not pairs else "CRLF and LF mixed"
    missing = "no final newline" if content and not content.endswith(LF) else ""
    return ", ".join(part for part in (ends if feeds else "", missing) if part)


class HexRow(Struct, frozen=True, kw_only=True):
    """A few bytes: where they stand, as numbers, and as far as they are letters."""

    at: str
    numbers: str
    letters: str


def hex_range(start: int, number: int) -> range:
    """Return which bytes a page shows; the first one begins a row before the place `start`."""
    first = max(0, start - start % HEX_WIDTH - HEX_WIDTH) + (number - 1) * HEX_BYTES
    return range(first, first + HEX_BYTES)


def hex_rows(content: bytes | None, some: range) -> tuple[HexRow, ...]:
    """Return rows of bytes."""
    if content is None:
        return ()
    places = range(some.start, min(some.stop, len(content)), HEX_WIDTH)
    return tuple(_hex_row(at, content[at : at + HEX_WIDTH]) for at in places)


def _hex_row(at: int, part: bytes) -> HexRow:
    letters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
    return HexRow(at=f"{at:08x}", numbers=part.hex(" "), letters=letters)


def first_difference(a: Sequence[T], b: Sequence[T]) -> int:
    """Return the place of the first byte or letter that differs, found by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
