"""Writing and reading a file beside doing the same by hand.

By hand means: temporary file, fsync, rename, fsync of the directory. That is the least that
survives a power cut; it checks nothing and keeps no attributes.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator

from bench.row import Row, best_of, each
from penstock.core.paths import relpath
from penstock.stores.files.workspace import DiskFiles

SMALL = 20_000
LARGE = 15_000_000
PIECE = 1 << 20
TIMES = 10
ROUNDS = 21  # a disk is noisier than a processor


def rows() -> Iterator[Row]:
    """Measure the writer and the reader."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        root = os.path.join(folder, "workspace")
        os.mkdir(root)
        yield from _writing(root, os.path.join(folder, "journal"))
        yield _reading(root)


def _writing(root: str, journal: str) -> Iterator[Row]:
    by_hand, safely, noted = best_of(
        [
            each(_by_hand(os.path.join(root, "by-hand")), times=TIMES),
            each(_safely(DiskFiles(root), "safely"), times=TIMES),
            each(_safely(DiskFiles(root, journal_dir=journal), "noted"), times=TIMES),
        ],
        rounds=ROUNDS,
    )
    beside = "temp+fsync+rename+fsync"
    yield Row(
        area="writing",
        name="replace 20 kB, compare-and-swap",
        subject=safely / TIMES,
        baseline=by_hand / TIMES,
        beside=beside,
        limit=2.0,
    )
    yield Row(
        area="writing",
        name="replace 20 kB with a crash note",
        subject=noted / TIMES,
        baseline=by_hand / TIMES,
        beside=beside,
        limit=2.5,
        note="a note is a file made and removed",
    )


def _content(turn: int) -> bytes:
    return (b"%8d\n" % turn) * (SMALL // 9)


def _by_hand(path: str) -> Callable[[], None]:
    turns = itertools.count()

    def write() -> None:
        descriptor = os.open(path + ".tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(descriptor, _content(next(turns)))
        os.fsync(descriptor)
        os.close(descriptor)
        os.rename(path + ".tmp", path)
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    return write


def _safely(files: DiskFiles, name: str) -> Callable[[], None]:
    path = relpath.parse(name, root=files.root)
    held = [files.replace(path, b"", expect=None).digest]
    turns = itertools.count()

    def write() -> None:
        held[0] = files.replace(path, _content(next(turns)), expect=held[0]).digest

    return write


def _reading(root: str) -> Row:
    files = DiskFiles(root)
    path = relpath.parse("large", root=root)
    files.replace(path, os.urandom(LARGE), expect=None)

    def in_pieces() -> None:
        with files.source(path) as source:
            for offset in range(0, source.size, PIECE):
                source.read(offset, PIECE)

    def at_once() -> None:
        with open(os.path.join(root, "large"), "rb") as file:
            file.read()

    subject, baseline = best_of([in_pieces, at_once])
    return Row(
        area="writing",
        name="read 15 MB in pieces",
        subject=subject,
        baseline=baseline,
        beside="open().read()",
        limit=2.0,
    )
