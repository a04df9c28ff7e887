r"""Lines of a file, their ends and its byte order mark, for everything that joins texts.

A line ends at `\n` and nowhere else, so that no other character can hide a change of lines.
What the lines mean is left to the modules that join them.
Always true: the lines of a content, put together again, are that content byte for byte.
"""

from __future__ import annotations

from io import BytesIO

LF = b"\n"
CRLF = b"\r\n"
BOM = b"\xef\xbb\xbf"
# Texts that start like this have two or four bytes a character: joining UTF-8 to them ruins both.
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def split(content: bytes) -> list[bytes]:
    """Return the lines of a content with their ends; only the last may have none."""
    return BytesIO(content).readlines()


def end_of(content: bytes) -> bytes:
    r"""Return the line end that most lines of a content have; `\n` when there is no line."""
    pairs = content.count(CRLF)
    return CRLF if pairs * 2 > content.count(LF) else LF


def in_style_of(existing: bytes, new: bytes) -> bytes:
    """Return new content with the line ends of the existing one.

    Only a clear style is changed: content that mixes line ends is left as it is written.
    """
    end = end_of(existing)
    pairs, ends = new.count(CRLF), new.count(LF)
    if end == CRLF and pairs == 0:
        return new.replace(LF, CRLF)
    if end == LF and LF in existing and pairs == ends:
        return new.replace(CRLF, LF)
    return new


def without_bom(content: bytes) -> bytes:
    """Return a content without the mark that may only stand at the very top of a file."""
    return content.removeprefix(BOM)
