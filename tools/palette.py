"""Make a PNG smaller: at most 256 colours, the rarer ones replaced by their nearest.

Pages are flat areas and grey edges of letters, so nobody sees the difference.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

MAGIC = b"\x89PNG\r\n\x1a\n"
COLOURS = 128
Pixel = tuple[int, int, int]


def smaller(png: bytes) -> bytes:
    """Return the same picture with a palette; one that is not plain 8-bit RGB stays as it is."""
    parts = dict(_joined(png))
    width, height, depth, kind = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    if (depth, kind) not in ((8, 2), (8, 6)):
        return png
    size = 3 if kind == 2 else 4
    rows = _unfiltered(zlib.decompress(parts[b"IDAT"]), width * size, height, size)
    pixels = [[*zip(row[0::size], row[1::size], row[2::size], strict=True)] for row in rows]
    seen = Counter(pixel for row in pixels for pixel in row)
    palette = [pixel for pixel, _ in seen.most_common(COLOURS)]
    index = {pixel: _nearest(pixel, palette) for pixel in seen}
    data = b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = [
        (b"IHDR", head),
        (b"PLTE", b"".join(map(bytes, palette))),
        (b"IDAT", zlib.compress(data, 9)),
    ]
    made = MAGIC + b"".join(_chunk(name, body) for name, body in [*chunks, (b"IEND", b"")])
    return min(made, png, key=len)


def _joined(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks by name, those of the pixels as one."""
    at, pixels = len(MAGIC), b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if name == b"IDAT":
            pixels += body
        else:
            yield name, body
        at += length + 12
    yield b"IDAT", pixels


def _unfiltered(data: bytes, stride: int, height: int, size: int) -> Iterator[bytes]:
    """Yield each row as it was before it was made easy to compress."""
    above = bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        above = _row(data[start], bytearray(data[start + 1 : start + 1 + stride]), above, size)
        yield bytes(above)


def _row(how: int, line: bytearray, above: bytearray, size: int) -> bytearray:
    """Undo the filter of one row: none, left, above, their mean, or the nearest of three."""
    if how == 2:
        return bytearray((here + up) & 255 for here, up in zip(line, above, strict=True))
    for at in range(len(line)) if how else ():
        left = line[at - size] if at >= size else 0
        if how == 1:
            guess = left
        elif how == 3:
            guess = (left + above[at]) // 2
        else:
            guess = _paeth(left, above[at], above[at - size] if at >= size else 0)
        line[at] = (line[at] + guess) & 255
    return line


def _paeth(left: int, up: int, corner: int) -> int:
    if left == up == corner:
        return left
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


def _nearest(pixel: Pixel, palette: list[Pixel]) -> int:
    def away(at: int) -> int:
        return sum((a - b) ** 2 for a, b in zip(pixel, palette[at], strict=True))

    return min(range(len(palette)), key=away)


def _chunk(name: bytes, body: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + body))
    return struct.pack(">I", len(body)) + name + body + check
