"""Ask logs of decisions: the newest that fit, how many of which kind, what was denied most.

Several logs are asked as one, Penstock's own record with its segments or files of the original
hook. The columns come from `columns`; lines are read only to be shown.
Always true: an answer tells what the logs hold now; a line that does not fit any more is left
out; nothing is written but indexes.
"""

from __future__ import annotations

import heapq
import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from penstock.core.errors import AuditError
from penstock.core.learning.past_decision import Past
from penstock.stores.audit.segments import files_of, open_to_read
from penstock.stores.decisions.columns import CHUNK, IndexColumns, Told, pieces_of, quiet
from penstock.stores.decisions.lines import DecisionField, kind_of, told_by
from penstock.stores.system.os_errors import shut

BLOCK = 256 * 1024
MOST_LINE = 16 << 20
MOST_KNOWN = 20_000
# What stands before a call on a line of the original: nothing that the rules could ask about.
HEAD = re.compile(rb'\{"timestamp": ?"[^"\\]*", ?"session_id": ?"[^"\\]*", ?(?="tool_name")')


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionQuery:
    """Which decisions are asked for; what is empty fits all. Times are seconds since 1970."""

    decision: str = ""
    source: str = ""
    tool: str = ""
    rule: str = ""
    session: str = ""
    needs_review: bool | None = None
    since: int = 0
    until: int = 0

    def fits(self, kind: DecisionField) -> bool:
        """Say whether decisions of a kind can be among them."""
        return (
            (not self.decision or kind.decision == self.decision)
            and (not self.source or kind.source == self.source)
            and (not self.tool or kind.tool == self.tool)
            and (not self.rule or kind.rule == self.rule)
            and (self.needs_review is None or kind.review == self.needs_review)
        )


ALL = DecisionQuery()


class Decisions:
    """The decisions of some logs. Each log is a file with the segments rotated out of it.

    `folder` says where the index of a log lies.
    """

    def __init__(
        self, paths: Sequence[str], folder: Callable[[str], str], *, told: Told = quiet
    ) -> None:
        self.logs: list[list[IndexColumns]] = []
        for path in paths:
            pieces: list[IndexColumns] = []
            for segment in files_of(path):
                try:
                    pieces += pieces_of(segment.path, folder(path), told=told)
                except AuditError as fault:
                    if not isinstance(fault.__cause__, FileNotFoundError):
                        raise  # else it was rotated away while we looked
            self.logs.append(pieces)

    @property
    def total(self) -> int:
        """How many decisions the logs hold."""
        return sum(piece.count for log in self.logs for piece in log)

    def newest(self, wanted: DecisionQuery) -> Iterator[Past]:
        """Yield the decisions that fit, newest first."""
        streams = [self._of(log, wanted) for log in self.logs]
        merged = heapq.merge(*streams, key=lambda one: -one[0]) if len(streams) > 1 else streams[0]
        for _, past in merged:
            yield past

    def _of(self, log: Sequence[IndexColumns], wanted: DecisionQuery) -> Iterator[tuple[int, Past]]:
        for piece in reversed(log):
            fd = -1
            try:
                for row in rows_of(piece, wanted):
                    fd = fd if fd >= 0 else open_to_read(piece.path)
                    yield from self._shown(fd, piece, row, wanted)
            finally:
                if fd >= 0:
                    shut(fd)

    def _shown(
        self, fd: int, piece: IndexColumns, row: int, wanted: DecisionQuery
    ) -> Iterator[tuple[int, Past]]:
        past = told_by(line_at(fd, piece.offset[row]))
        if past is not None and past.decision and wanted.fits(kind_of(past)):
            yield piece.second[row], past

    def tally(self, wanted: DecisionQuery = ALL) -> Counter[DecisionField]:
        """Count the decisions that fit by their kinds."""
        found: Counter[DecisionField] = Counter()
        for log in self.logs:
            for piece in log:
                for number, count in _numbers(piece, wanted).items():
                    if count and wanted.fits(piece.kinds[number]):
                        found[piece.kinds[number]] += count
        return found

    def denied_commands(self, wanted: DecisionQuery = ALL) -> Counter[str]:
        """Count the commands that were denied, each by its text."""
        found: Counter[str] = Counter()
        for log in self.logs:
            for piece in log:
                found.update(_denied(piece, wanted))
        return found


# --- rows ---------------------------------------------------------------------------------------


def rows_of(piece: IndexColumns, wanted: DecisionQuery) -> Iterator[int]:
    """Yield the numbers of a piece's rows that fit, last first."""
    numbers = {at for at, kind in enumerate(piece.kinds) if wanted.fits(kind)}
    if not numbers:
        return
    for low, high, unsure in reversed(_ranges(piece, wanted)):
        near = _with_session(piece, wanted.session, low, high) if wanted.session else None
        for row in _of_kinds(piece, numbers, low, high) if near is None else near:
            kind = piece.low[row] | piece.high[row] << 8
            if kind in numbers and (not unsure or _in_time(piece, row, wanted)):
                yield row


def _ranges(piece: IndexColumns, wanted: DecisionQuery) -> list[tuple[int, int, bool]]:
    """Return the rows among which those in time are, and where each must be looked at.

    Logs are nearly in order: several hooks write at once. So whole chunks are taken or left by
    their first and last second, and only those at the edges are looked into.
    """
    if not (wanted.since or wanted.until):
        return [(0, piece.count, False)]
    found: list[tuple[int, int, bool]] = []
    for at, (first, last) in enumerate(piece.spans):
        if last < wanted.since or (wanted.until and first >= wanted.until):
            continue
        unsure = first < wanted.since or bool(wanted.until and last >= wanted.until)
        low, high = at * CHUNK, (at + 1) * CHUNK
        if found and not unsure and found[-1][1:] == (low, False):
            low = found.pop()[0]
        found.append((low, high, unsure))
    rest = len(piece.spans) * CHUNK
    return [*found, (rest, piece.count, True)] if rest < piece.count else found


def _in_time(piece: IndexColumns, row: int, wanted: DecisionQuery) -> bool:
    second = piece.second[row]
    return second >= wanted.since and (not wanted.until or second < wanted.until)


def _of_kinds(piece: IndexColumns, numbers: set[int], low: int, high: int) -> Iterator[int]:
    """Find rows by the lower byte of their kind, at the speed of memory."""
    wanted = {number & 255 for number in numbers}
    if len(wanted) == 256 or len(numbers) == len(piece.kinds):
        yield from range(high - 1, low - 1, -1)
        return
    mask = bytes(piece.low[low:high]).translate(bytes(one in wanted for one in range(256)))
    at = mask.rfind(1)
    while at >= 0:
        yield low + at
        at = mask.rfind(1, 0, at)


def _with_session(piece: IndexColumns, session: str, low: int, high: int) -> Iterator[int]:
    sessions = piece.sessions()
    if session not in sessions:
        return
    data = bytes(piece.session[low * 4 : high * 4])
    mark = sessions.index(session).to_bytes(4, "little")
    at = data.rfind(mark)
    while at >= 0:
        if at % 4 == 0:
            yield low + at // 4
            at = data.rfind(mark, 0, at)
        else:  # across two rows
            at = data.rfind(mark, 0, at + 3)


def _numbers(piece: IndexColumns, wanted: DecisionQuery) -> Counter[int]:
    """Count the rows in time by the number of their kind."""
    if wanted.session:
        return Counter(piece.low[row] | piece.high[row] << 8 for row in rows_of(piece, wanted))
    found: Counter[int] = Counter()
    for low, high, unsure in _ranges(piece, wanted):
        if unsure:
            rows = (row for row in range(low, high) if _in_time(piece, row, wanted))
            found.update(piece.low[row] | piece.high[row] << 8 for row in rows)
        elif len(piece.kinds) <= 16:
            data = bytes(piece.low[low:high])
            found.update({at: data.count(at) for at in range(len(piece.kinds))})
        else:
            found.update(_summed(piece, low, high))
    return found


def _summed(piece: IndexColumns, low: int, high: int) -> Counter[int]:
    """Add up what was counted beforehand, and count the rows at both ends."""
    chunks = piece.tallies()
    first, last = -(-low // CHUNK), min(high // CHUNK, len(chunks))
    if first >= last:
        return _counted(piece, low, high)
    found = _counted(piece, low, first * CHUNK) + _counted(piece, last * CHUNK, high)
    for chunk in chunks[first:last]:
        found.update(chunk)
    return found


def _counted(piece: IndexColumns, low: int, high: int) -> Counter[int]:
    pairs = Counter(zip(piece.low[low:high], piece.high[low:high], strict=True))
    return Counter({one | two << 8: count for (one, two), count in pairs.items()})


def _denied(piece: IndexColumns, wanted: DecisionQuery) -> Counter[str]:
    rows, numbers = piece.denied[0::2], piece.denied[1::2]
    counted: Counter[int] = Counter()
    fits = [wanted.fits(kind) for kind in piece.kinds]
    session = set(rows_of(piece, wanted)) if wanted.session else None
    for low, high, unsure in _ranges(piece, wanted):
        first, last = bisect_left(rows, low), bisect_left(rows, high)
        if all(fits) and session is None and not unsure:
            counted.update(numbers[first:last])
            continue
        for at in range(first, last):
            row = rows[at]
            if (
                fits[piece.low[row] | piece.high[row] << 8]
                and (session is None or row in session)
                and (not unsure or _in_time(piece, row, wanted))
            ):
                counted[numbers[at]] += 1
    texts = piece.commands() if counted else []
    return Counter({texts[at]: n for at, n in counted.items() if at < len(texts)})


# --- lines --------------------------------------------------------------------------------------


def line_at(fd: int, offset: int) -> bytes:
    """Return the line that begins at an offset, without its newline."""
    size = 4096
    while True:
        data = os.pread(fd, size, offset)
        line, newline, _ = data.partition(b"\n")
        if newline or len(data) < size or size >= MOST_LINE:
            return line
        size *= 8


def recent(paths: Iterable[str], most: int, *, alike: bool = False) -> list[Past]:
    """Return up to `most` of the newest decisions of each log, what people answered included.

    With `alike`, calls that differ only in when and in which session they came may be told by one
    and the same value, the newest: whoever asks what rules say to them needs no more.
    """
    found: list[Past] = []
    for path in paths:
        left = most
        known: dict[bytes, Past | None] = {}
        for segment in reversed(files_of(path)):
            for line in _backwards(segment.path):
                past = _known(line, known) if alike else told_by(line)
                if past is not None:
                    found.append(past)
                    left -= 1
                if not left:
                    break
            if not left:
                break
    return found


def _known(line: bytes, known: dict[bytes, Past | None]) -> Past | None:
    """Read a line, unless one that is equal from the tool's name on was read before."""
    head = HEAD.match(line)
    if head is None:
        return told_by(line)
    call = line[head.end() :]
    if call not in known:
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[call] = told_by(line)
    return known[call]


def _backwards(path: str) -> Iterator[bytes]:
    """Yield the lines of a file, last first, also one that was not ended."""
    try:
        fd = open_to_read(path)
    except AuditError:
        return
    try:
        high, rest = os.fstat(fd).st_size, b""
        while high > 0 and len(rest) < MOST_LINE:
            low = max(0, high - BLOCK)
            rest, *lines = (os.pread(fd, high - low, low) + rest).split(b"\n")
            high = low
            yield from (line for line in reversed(lines) if line)
        if rest and high == 0:
            yield rest
    finally:
        shut(fd)
