"""What an archive holds: the names and contents of the files in it.

Read are zip, tar (plain, gzip, bzip2, xz), ar and cpio, from their bytes alone.
Always true: None means that it cannot be told; no archive makes this unpack more than `MOST_RAW`
bytes or look at more than `MOST_MEMBERS` members, and nothing in one makes it raise.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

MOST_RAW = 48 << 20
MOST_MEMBERS = 20_000
MOST_CONTENT = 1 << 20


class Member(Struct, frozen=True):
    """One file of an archive; `content` is None where it is too large, or no plain file."""

    name: str
    content: bytes | None = None


def members(data: bytes) -> list[Member] | None:
    """Return the files of an archive, or None."""
    try:
        raw = _raw(data)
        read = next((row for start, row in _FORMATS.items() if raw.startswith(start)), None)
        found = read or (_tar if raw[257:262] == b"ustar" else None)
        return list(found(raw)) if found else None
    except (ValueError, EOFError, OSError, KeyError, RuntimeError, zlib.error):
        return None


class _TooMuch(ValueError):  # noqa: N818 - the way out, never an error
    """There is more in it than is looked at."""


def _raw(data: bytes) -> bytes:
    """Return the bytes of an archive that may be compressed."""
    if data[:2] == b"\x1f\x8b":
        unpacker = zlib.decompressobj(wbits=31)
        raw = unpacker.decompress(data, MOST_RAW)
        return _bounded(raw, more=bool(unpacker.unconsumed_tail))
    if data[:3] == b"BZh":
        import bz2  # few archives are compressed so, and nearly no command names one

        return _bounded(bz2.BZ2Decompressor().decompress(data, MOST_RAW))
    if data[:6] == b"\xfd7zXZ\x00":
        return _bounded(_unpacked_xz(data))
    return data


def _unpacked_xz(data: bytes) -> bytes:
    import lzma

    try:
        return lzma.LZMADecompressor().decompress(data, MOST_RAW)
    except lzma.LZMAError as damaged:
        raise ValueError from damaged


def _bounded(raw: bytes, *, more: bool = False) -> bytes:
    if more or len(raw) >= MOST_RAW:
        raise _TooMuch
    return raw


def _zip(raw: bytes) -> Iterator[Member]:
    import zipfile  # few commands unpack anything

    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_MEMBERS:
                raise _TooMuch
            left = MOST_RAW
            for entry in entries:
                small = entry.file_size <= min(MOST_CONTENT, left) and not entry.flag_bits & 1
                left -= entry.file_size
                if not entry.is_dir():
                    yield Member(entry.filename, archive.read(entry) if small else None)
    except (zipfile.BadZipFile, NotImplementedError) as wrong:
        raise ValueError from wrong


def _tar(raw: bytes) -> Iterator[Member]:
    import tarfile  # few commands unpack anything

    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as archive:
            for count, entry in enumerate(archive):
                if count > MOST_MEMBERS:
                    raise _TooMuch
                if entry.isdir():
                    continue
                plain = entry.isreg() and entry.size <= MOST_CONTENT
                file = archive.extractfile(entry) if plain else None
                yield Member(entry.name, file.read() if file else None)
    except tarfile.TarError as wrong:
        raise ValueError from wrong


_AR_START, _AR_HEAD = b"!<arch>\n", 60


def _ar(raw: bytes) -> Iterator[Member]:
    at, longer = len(_AR_START), b""
    while at + _AR_HEAD <= len(raw):
        name, size = raw[at : at + 16].rstrip(), int(raw[at + 48 : at + 58])
        body = raw[at + _AR_HEAD : at + _AR_HEAD + size]
        at += _AR_HEAD + size + size % 2
        if name == b"//":  # names that do not fit stand here
            longer = body
        elif name not in (b"/", b"/SYM64/"):
            if name[:1] == b"/" and name[1:].isdigit():
                name = longer[int(name[1:]) :].partition(b"/\n")[0]
            yield Member(name.removesuffix(b"/").decode(errors="surrogateescape"), body)


_CPIO_HEAD = 110


def _cpio(raw: bytes) -> Iterator[Member]:
    at = 0
    while raw[at : at + 5] == b"07070":
        size = int(raw[at + 54 : at + 62], 16)
        length = int(raw[at + 94 : at + 102], 16)
        name = raw[at + _CPIO_HEAD : at + _CPIO_HEAD + length - 1].decode(errors="surrogateescape")
        start = _four(at + _CPIO_HEAD + length)
        at = _four(start + size)
        if name == "TRAILER!!!":
            return
        yield Member(name, raw[start : start + size])


def _four(at: int) -> int:
    return (at + 3) // 4 * 4


_FORMATS: Mapping[bytes, Callable[[bytes], Iterator[Member]]] = {
    b"PK\x03\x04": _zip,
    b"PK\x05\x06": _zip,
    _AR_START: _ar,
    b"070701": _cpio,
    b"070702": _cpio,
}
