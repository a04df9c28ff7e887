"""Width and height of a picture, read from its first bytes: PNG, JPEG, GIF and WebP.

Always true: only headers are read, a bounded number of them; what does not fit the format has no
size, whatever it claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Size = tuple[int, int]

MOST_SEGMENTS = 500  # of a JPEG before its size; one has a few dozen
# Segments of a JPEG that hold its size: all sorts of frames, but not the tables between them.
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
ALONE = frozenset({0x01, *range(0xD0, 0xD8)})  # markers without a length


def image_size(content: bytes | None) -> Size | None:
    """Return the width and height of a picture in pixels; None for what is none."""
    if not content:
        return None
    for sign, read in _READERS.items():
        if content.startswith(sign):
            size = read(content)
            return size if size and size[0] > 0 and size[1] > 0 else None
    return None


def size_change(before: bytes | None, after: bytes | None) -> str:
    """Say how the size of a picture changes: `32 × 32 px`, `32 × 32 px to 64 × 64 px`."""
    old, new = (
        f"{size[0]:,} × {size[1]:,} px" if (size := image_size(one)) else ""
        for one in (before, after)
    )
    return old if old == new else " to ".join(filter(None, (old, new)))


def _number(content: bytes, at: int, length: int, order: str = "big") -> int:
    return int.from_bytes(content[at : at + length], "little" if order == "little" else "big")


def _png(content: bytes) -> Size | None:
    if content[12:16] != b"IHDR" or len(content) < 24:
        return None
    return _number(content, 16, 4), _number(content, 20, 4)


def _gif(content: bytes) -> Size | None:
    if len(content) < 10:
        return None
    return _number(content, 6, 2, "little"), _number(content, 8, 2, "little")


def _jpeg(content: bytes) -> Size | None:
    at = 2
    for _ in range(MOST_SEGMENTS):
        if len(content) < at + 9 or content[at] != 0xFF:
            return None
        marker = content[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker in ALONE:
            at += 2
        elif marker in FRAMES:
            return _number(content, at + 7, 2), _number(content, at + 5, 2)
        else:
            at += 2 + max(_number(content, at + 2, 2), 2)
    return None


def _webp(content: bytes) -> Size | None:
    if content[8:12] != b"WEBP" or len(content) < 30:
        return None
    kind = content[12:16]
    if kind == b"VP8 " and content[23:26] == b"\x9d\x01\x2a":
        return _number(content, 26, 2, "little") & 0x3FFF, _number(
            content, 28, 2, "little"
        ) & 0x3FFF
    if kind == b"VP8L" and content[20] == 0x2F:
        bits = _number(content, 21, 4, "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return _number(content, 24, 3, "little") + 1, _number(content, 27, 3, "little") + 1
    return None


_READERS: Mapping[bytes, Callable[[bytes], Size | None]] = {
    b"\x89PNG\r\n\x1a\n": _png,
    b"GIF87a": _gif,
    b"GIF89a": _gif,
    b"\xff\xd8\xff": _jpeg,
    b"RIFF": _webp,
}
