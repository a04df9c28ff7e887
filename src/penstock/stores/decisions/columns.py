"""Keep an index of a log of decisions: columns that answer questions without reading the log.

One file for each log, in a directory of ours, never beside a log of somebody else. It is known
by the log's first line, so that a log keeps its index when it is renamed by a rotation. What
was appended since is read at each question and put into the index once it is much.
Always true: an index only saves time. One that is missing, torn, of another log or older than a
cut is made anew; one that cannot be written is done without; whoever reads sees a whole one.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from penstock.core.audit.chain import hexdigest
from penstock.core.errors import PenstockError
from penstock.stores.audit.segments import open_to_read
from penstock.stores.decisions.lines import DecisionField, Rows, told_by
from penstock.stores.system.os_errors import shut
from penstock.stores.system.private import private_dir

FORM = 2
START = 16  # bytes before the head: its length and its sum
MUCH = 512 * 1024  # bytes of new lines that are worth writing the index anew
BLOCK = 1 << 20
MOST_LINE = 64 << 20
MOST_LOG = 8 << 30  # bytes; of a longer log only the end is looked at
CHUNK = 16_384  # rows that are counted beforehand
MARK = 4096  # bytes at both ends of what was read, by which it is known again
COLUMNS: Mapping[str, Literal["Q", "I", "B"]] = {
    "offset": "Q",
    "second": "I",
    "session": "I",
    "low": "B",
    "high": "B",
    "denied": "I",
}

Told = Callable[[int, int], None]


def quiet(done: int, size: int) -> None:
    """Tell nobody how far it is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexColumns:
    """Some lines of one log as columns, in the order of the log.

    `low` and `high` are the two bytes of each row's kind: a column of single bytes is searched
    at the speed of memory.
    """

    path: str
    kinds: Sequence[DecisionField]
    sessions: Callable[[], list[str]]
    commands: Callable[[], list[str]]
    count: int
    offset: Sequence[int]
    second: Sequence[int]
    session: Any
    low: Any
    high: Any
    denied: Sequence[int]
    spans: Sequence[tuple[int, int]]
    """The first and the last second in each whole CHUNK of rows, which need not be in order."""
    tallies: Callable[[], list[dict[int, int]]]
    """How many of which kind there are in each of them, where that was counted beforehand."""


def pieces_of(path: str, folder: str, *, told: Told = quiet) -> list[IndexColumns]:
    """Return a log as columns, oldest first; the index in `folder` is used and kept up to date.

    Raises AuditError for what is no plain file, or not there.
    """
    fd = open_to_read(path)
    try:
        size = os.fstat(fd).st_size
        first = os.pread(fd, MARK, 0).partition(b"\n")[0]
        place = _place(folder, path, first)
        known = _open(place, fd, size)
        end = known.end if known else max(0, size - MOST_LOG)
        rows, upto = _scan(fd, end, size, known, told)
        if upto - end > MUCH:
            with suppress(OSError, PenstockError):
                _write(place, fd, _joined(known, rows), upto)
        _add_last(rows, fd, upto, size)
        found = [known.piece(path)] if known else []
        return [*found, _piece(path, rows)] if rows.kind else found
    finally:
        shut(fd)


def _place(folder: str, path: str, first: bytes) -> str:
    """Return where the index of a log lies: by its directory and first line, not by its name."""
    where = os.path.dirname(os.path.realpath(path)).encode("utf-8", "surrogateescape")
    return os.path.join(folder, hexdigest(where + b"\0" + first)[:32] + ".index")


# --- reading the log -----------------------------------------------------------------------------


def _scan(fd: int, start: int, size: int, known: _IndexFile | None, told: Told) -> tuple[Rows, int]:
    """Read the lines from `start` on into columns; a last line without its newline is left."""
    rows = known.tables() if known and start < size else Rows()
    at, want = start, BLOCK
    if start and not known:  # in the middle of a line of a very long log
        at += os.pread(fd, MOST_LINE, start).find(b"\n") + 1
    while at < size:
        data = os.pread(fd, min(want, size - at), at)
        cut = data.rfind(b"\n") + 1
        if cut:
            rows.add(data[: cut - 1], at)
            at, want = at + cut, BLOCK
        elif len(data) < want or want >= MOST_LINE:
            break  # unfinished, or nothing that was ever a line
        else:
            want *= 4
        told(at - start, size - start)
    return rows, at


def _add_last(rows: Rows, fd: int, at: int, size: int) -> None:
    """Add the last line where it is whole but for its newline; the index waits for that."""
    line = os.pread(fd, size - at, at) if 0 < size - at <= MOST_LINE else b""
    if line and told_by(line) is not None:
        rows.add(line, at)


def _piece(path: str, rows: Rows) -> IndexColumns:
    low, high = _planes(rows)
    return IndexColumns(
        path=path,
        kinds=rows.kinds,
        sessions=lambda: rows.sessions.all,
        commands=lambda: rows.commands.all,
        count=len(rows.kind),
        offset=rows.offset,
        second=rows.second,
        session=rows.session.tobytes(),
        low=low,
        high=high,
        denied=rows.denied,
        spans=_spans(rows.second),
        tallies=list,
    )


def _planes(rows: Rows) -> tuple[bytes, bytes]:
    """Return the lower and the higher bytes of the kinds."""
    data = rows.kind.tobytes()
    planes = data[0::2], data[1::2]
    return planes if sys.byteorder == "little" else planes[::-1]


def _spans(seconds: array[int]) -> list[tuple[int, int]]:
    chunks = (seconds[at : at + CHUNK] for at in range(0, len(seconds) - CHUNK + 1, CHUNK))
    return [(min(chunk), max(chunk)) for chunk in chunks]


# --- the file ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _IndexFile:
    """An index that was read: its head, and its columns as they lie in memory."""

    head: dict[str, Any]
    data: mmap.mmap
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return int(self.head["end"])

    def bytes_of(self, name: str) -> memoryview:
        """Return a column's bytes, compared with their sum the first time."""
        if name not in self.made:
            at, length, crc = self.head["columns"][name]
            found = memoryview(self.data)[at : at + length]
            if len(found) != length or zlib.crc32(found) != crc:
                raise ValueError(name)
            self.made[name] = found
        view: memoryview = self.made[name]
        return view

    def texts(self, name: str) -> list[str]:
        found = json.loads(bytes(self.bytes_of(name)))
        return [str(one) for one in found]

    def tallies(self) -> list[dict[int, int]]:
        found = json.loads(bytes(self.bytes_of("tallies")))
        return [{int(kind): int(count) for kind, count in one} for one in found]

    def kinds(self) -> list[DecisionField]:
        return [DecisionField(*one) for one in self.head["kinds"]]

    def tables(self) -> Rows:
        """Return no rows, with the numbers that the index has given; texts only if they matter."""
        return Rows(self.kinds(), self.texts("sessions"), self.texts("commands"))

    def piece(self, path: str) -> IndexColumns:
        views = {name: self.bytes_of(name).cast("B").cast(form) for name, form in COLUMNS.items()}
        return IndexColumns(
            path=path,
            kinds=self.kinds(),
            sessions=lambda: self.texts("sessions"),
            commands=lambda: self.texts("commands"),
            count=len(views["low"]),
            offset=views["offset"],
            second=views["second"],
            session=self.bytes_of("session"),
            low=self.bytes_of("low"),
            high=self.bytes_of("high"),
            denied=views["denied"],
            spans=[(first, last) for first, last in self.head["spans"]],
            tallies=self.tallies,
        )


def _open(place: str, fd: int, size: int) -> _IndexFile | None:
    """Return the index of an open log if it is whole and still tells of it."""
    try:
        with open(place, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        text = data[START : START + int.from_bytes(data[:8], "little")]
        if zlib.crc32(text) != int.from_bytes(data[8:START], "little"):
            return None
        head = json.loads(text)
        known = _IndexFile(head, data)
        same = head["form"] == FORM and 0 < known.end <= size
        if not same or head["mark"] != _mark(fd, known.end):
            return None
        for name in (*COLUMNS, "tallies", "sessions", "commands"):
            known.bytes_of(name)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return known


def _mark(fd: int, end: int) -> str:
    """Return a sum over both ends of what was read of a log."""
    start = max(0, end - MARK)
    return hexdigest(os.pread(fd, min(MARK, end), 0) + os.pread(fd, end - start, start))


def _joined(known: _IndexFile | None, rows: Rows) -> dict[str, bytes]:
    """Return the columns of an index and of what was read behind it."""
    low, high = _planes(rows)
    before = known.piece("").count if known else 0
    denied = array("I", rows.denied)
    for at in range(0, len(denied), 2):
        denied[at] += before
    new = {
        "offset": rows.offset.tobytes(), "second": rows.second.tobytes(),
        "session": rows.session.tobytes(), "low": low, "high": high, "denied": denied.tobytes(),
    }  # fmt: skip
    old = {name: bytes(known.bytes_of(name)) if known else b"" for name in new}
    joined = {name: old[name] + new[name] for name in new}
    return {
        **joined,
        "tallies": json.dumps(_tallies(joined["low"], joined["high"])).encode(),
        "sessions": json.dumps(rows.sessions.all).encode(),
        "commands": json.dumps(rows.commands.all).encode(),
        "kinds": json.dumps(rows.kinds).encode(),
    }


def _tallies(low: bytes, high: bytes) -> list[list[tuple[int, int]]]:
    found = []
    for at in range(0, len(low) - CHUNK + 1, CHUNK):
        pairs = Counter(zip(low[at : at + CHUNK], high[at : at + CHUNK], strict=True))
        found.append([(one | two << 8, count) for (one, two), count in pairs.items()])
    return found


def _write(place: str, fd: int, columns: dict[str, bytes], end: int) -> None:
    """Put the index in its place in one step, for us alone to read."""
    kinds = json.loads(columns.pop("kinds"))
    seconds = array("I", columns["second"])
    head: dict[str, Any] = {
        "form": FORM, "end": end, "mark": _mark(fd, end), "kinds": kinds,
        "spans": _spans(seconds), "columns": {},
    }  # fmt: skip
    _lay_out(head, columns)
    text = json.dumps(head).encode()
    private_dir(os.path.dirname(place))
    name = f"{place}.{os.getpid()}.new"
    try:
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            size, crc = len(text).to_bytes(8, "little"), zlib.crc32(text).to_bytes(8, "little")
            file.write(size + crc + text)
            for column, data in columns.items():
                file.write(b"\0" * (head["columns"][column][0] - file.tell()) + data)
        os.replace(name, place)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        raise


def _lay_out(head: dict[str, Any], columns: dict[str, bytes]) -> None:
    """Give each column its place behind the head, however long the places make the head."""
    length = -1
    while length != len(json.dumps(head)):
        length = len(json.dumps(head))
        at = START + length
        for name, data in columns.items():
            at = -(-at // 8) * 8
            head["columns"][name] = [at, len(data), zlib.crc32(data)]
            at += len(data)
