"""Before and after images on disk, each under the digest of its bytes.

An image is `ab/<64 hex digits>` below one directory: a short header, then the bytes,
compressed where that helps. Which images are still needed is the gate's to say.
Always true: an image is there whole or not at all, also after a power cut; what comes out
has the digest that it was asked for by; and pruning never takes one that was put meanwhile.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import struct
import time
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from io import BytesIO

from msgspec import Struct

from penstock.core.digest import PREFIX
from penstock.core.errors import StoreError
from penstock.core.model import Bytes, Source
from penstock.stores.system import private

# Marks the format; then whether it is compressed, and the size of what comes out.
HEADER = struct.Struct(">4s?Q")
MAGIC = b"PSB1"
PIECE = 1 << 20
LEVEL = 1
# Compressing pays only if it takes this share off the first piece.
WORTH = 0.9
# A temporary file this old was left by a crash: no write takes so long.
LEFT_BEHIND = 24 * 3600.0
# Its time tells when the images were pruned last.
PRUNED = ".pruned"
HEX = frozenset("0123456789abcdef")


class _Image(Struct, frozen=True, kw_only=True):
    """One stored image as a scan has seen it."""

    name: str
    path: str
    size: int
    changed: int


class DiskBlobs:
    """The images of one workspace. Several processes may use it at once."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder)
        self._ready: set[str] = set()

    def put(self, data: bytes) -> str:
        """Keep some bytes and return their digest."""
        return self.put_source(Bytes(data))

    def put_source(self, source: Source) -> str:
        """Keep what a source holds, read once and in pieces, and return its digest."""
        with private.told("keep an image in", self._folder):
            self._make(self._folder)
            # Shared: puts do not wait for each other, only for a prune that is dropping.
            with private.locked(self._folder, shared=True):
                return self._put(source)

    def get(self, digest: str) -> bytes | None:
        """Return the bytes, checked against their digest, or None when they are gone."""
        name = _hex(digest)
        if not name:
            return None
        with private.told("read an image in", self._folder):
            try:
                made = BytesIO()  # which hands over what it holds, where `join` would hold it twice
                made.writelines(_pieces(self._path(name), name))
                return made.getvalue()
            except FileNotFoundError:
                return None

    def prune(
        self,
        *,
        budget: int,
        keep: Collection[str],
        spare: Collection[str] = (),
        before: float = 0.0,
        at: float | None = None,
    ) -> int:
        """Drop the oldest images until `budget` bytes on disk hold the rest.

        Those in `keep` stay, whatever they take; those in `spare` go last, and only for the
        budget; all others that were put before a wall time go too. Returns how many were
        dropped. `at` is what `pruned_at` returns from then on.
        """
        kept, spared = ({_hex(digest) for digest in some} for some in (keep, spare))
        with private.told("prune the images in", self._folder):
            if at is not None:
                self._mark(at)
            images = sorted(
                (image.name in spared, image.changed, image.name, image) for image in self._images()
            )
            over = sum(image.size for _, _, _, image in images) - budget
            dropped = 0
            for spare_it, changed, name, image in images:
                old = changed < before * 1e9 and not spare_it
                if name not in kept and (over > 0 or old) and self._drop(image):
                    over -= image.size
                    dropped += 1
            return dropped

    def pruned_at(self) -> float:
        """Return the wall time of the last `prune` that said one, 0 when there was none."""
        with private.told("look at the images in", self._folder):
            try:
                return os.lstat(os.path.join(self._folder, PRUNED)).st_mtime
            except (FileNotFoundError, NotADirectoryError):
                return 0.0

    def _mark(self, at: float) -> None:
        """Remember when it was pruned as the time of an empty file."""
        self._make(self._folder)
        path = os.path.join(self._folder, PRUNED)
        with suppress(FileExistsError):
            os.close(os.open(path, private.FRESH, private.OWN_FILE))
        os.utime(path, (at, at), follow_symlinks=False)

    def size(self) -> int:
        """Return how many bytes the images take on disk."""
        with private.told("look at the images in", self._folder):
            return sum(image.size for image in self._images())

    def _put(self, source: Source) -> str:
        small = source.read(0, source.size) if source.size <= PIECE else None
        if small is not None:
            # Its name is known before anything is written: mostly it is there already.
            name = hashlib.sha256(small).hexdigest()
            if self._touch(name):
                return PREFIX + name
            source = Bytes(small)
        fresh = os.path.join(self._folder, private.TEMP_PREFIX + secrets.token_hex(8))
        try:
            name = _write(fresh, source)
            if not self._touch(name):
                self._place(fresh, name)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(fresh)
        return PREFIX + name

    def _touch(self, name: str) -> bool:
        """Make an image young again if it is there and whole; say whether it is."""
        path = self._path(name)
        try:
            before = os.lstat(path).st_mtime_ns
            for _ in _pieces(path, name):
                pass
        except (FileNotFoundError, StoreError):
            return False  # gone, or damaged: written anew over what is left of it
        # Strictly later, so that a prune that has scanned it sees that it was put again.
        now = max(time.time_ns(), before + 1)
        os.utime(path, ns=(now, now))
        # It may have been put by a process that has not come to this point yet.
        private.sync_dir(os.path.dirname(path))
        return True

    def _place(self, fresh: str, name: str) -> None:
        path = self._path(name)
        parent = os.path.dirname(path)
        self._make(parent)
        os.rename(fresh, path)
        private.sync_dir(parent)

    def _make(self, folder: str) -> None:
        """Make a directory once per process; one that is removed later is made again."""
        if folder not in self._ready or not os.path.isdir(folder):
            private.private_dir(folder)
            self._ready.add(folder)

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name[:2], name)

    def _drop(self, image: _Image) -> bool:
        """Remove an image unless it was put again since the scan."""
        with private.locked(self._folder):
            try:
                if os.lstat(image.path).st_mtime_ns != image.changed:
                    return False
                os.unlink(image.path)
            except FileNotFoundError:
                pass  # another prune was faster; the space is free all the same
            return True

    def _images(self) -> Iterator[_Image]:
        """Yield every image there is; remove what crashes left behind long ago."""
        for entry in _entries(self._folder):
            if entry.name.startswith(private.TEMP_PREFIX):
                _remove_old(entry)
            elif len(entry.name) == 2 and entry.is_dir(follow_symlinks=False):
                yield from _images_in(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except FileNotFoundError:
        return []


def _images_in(folder: str) -> Iterator[_Image]:
    for entry in _entries(folder):
        if _hex(PREFIX + entry.name):
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                yield _Image(
                    name=entry.name,
                    path=entry.path,
                    size=status.st_size,
                    changed=status.st_mtime_ns,
                )


def _remove_old(entry: os.DirEntry[str]) -> None:
    with suppress(FileNotFoundError):
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > LEFT_BEHIND:
            os.unlink(entry.path)


def _hex(digest: str) -> str:
    """Return the digits of a digest, or nothing for what is none: no path comes of it."""
    name = digest.removeprefix(PREFIX)
    fits = digest.startswith(PREFIX) and len(name) == 64 and HEX.issuperset(name)
    return name if fits else ""


def _write(path: str, source: Source) -> str:
    """Write a source as an image under a fresh name, onto the disk; return its digits."""
    state = hashlib.sha256()
    size = 0
    with open(os.open(path, private.FRESH, private.OWN_FILE), "wb") as file:
        first = source.read(0, min(PIECE, source.size))
        squeeze, packed = _squeezed(first)
        file.write(HEADER.pack(MAGIC, squeeze is not None, source.size))
        for piece in _read(source, first):
            state.update(piece)
            size += len(piece)
            file.write(packed or (squeeze.compress(piece) if squeeze else piece))
            packed = b""
        file.write(squeeze.flush() if squeeze else b"")
        if size != source.size:  # a file that shrank while it was read
            file.seek(0)
            file.write(HEADER.pack(MAGIC, squeeze is not None, size))
        file.flush()
        private.sync(file.fileno())
    return state.hexdigest()


def _squeezed(first: bytes) -> tuple[zlib._Compress | None, bytes]:
    """Compress the first piece; where that does not help, nothing will be compressed."""
    squeeze = zlib.compressobj(LEVEL)
    packed = squeeze.compress(first) + squeeze.flush(zlib.Z_SYNC_FLUSH)
    return (squeeze, packed) if len(packed) < WORTH * len(first) else (None, b"")


def _read(source: Source, first: bytes) -> Iterator[bytes]:
    """Yield a source in pieces, the first of which was read already; bounded by its size."""
    piece, offset, end = first, 0, source.size
    while piece:
        yield piece
        offset += len(piece)
        piece = source.read(offset, min(PIECE, end - offset)) if offset < end else b""


def _pieces(path: str, name: str) -> Iterator[bytes]:
    """Yield an image's bytes. At the end StoreError `blob-broken` unless all were right.

    Whoever uses them before the end uses bytes that are not checked yet.
    """
    with open(_open(path, name), "rb") as file:
        start = file.read(HEADER.size)
        if len(start) != HEADER.size or not start.startswith(MAGIC):
            raise _broken(name, "it has a wrong header")
        _, compressed, size = HEADER.unpack(start)
        stored = iter(lambda: file.read(PIECE), b"")
        state = hashlib.sha256()
        seen = 0
        for piece in _unsqueezed(stored, name) if compressed else stored:
            seen += len(piece)
            if seen > size:
                break
            state.update(piece)
            yield piece
    if seen != size or state.hexdigest() != name:
        raise _broken(name, "its content does not match its digest")


def _open(path: str, name: str) -> int:
    try:
        return private.open_plain(path)
    except OSError as problem:
        if problem.errno in (errno.ELOOP, errno.EINVAL, errno.ENXIO):
            raise _broken(name, "it is not a regular file") from None
        raise


def _unsqueezed(stored: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Yield what compressed pieces hold, never more than a piece at a time."""
    expand = zlib.decompressobj()
    try:
        for packed in stored:
            rest = packed
            while rest:
                yield expand.decompress(rest, PIECE)
                rest = expand.unconsumed_tail
    except zlib.error as problem:
        raise _broken(name, str(problem)) from None
    if not expand.eof or expand.unused_data:
        raise _broken(name, "it has the wrong length")


def _broken(name: str, because: str) -> StoreError:
    return StoreError(
        "blob-broken",
        f"the stored content {PREFIX}{name} is damaged",
        because=because,
        hint="check the disk; writes that need this content can't be undone",
    )
