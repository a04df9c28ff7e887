"""Keep the record as JSON lines in a file that several processes append to.

Each append takes the lock of the file, makes sure that it still stands at the end of the chain,
writes its line in one piece and, when it must be durable, waits for the disk. What a crash left
unfinished is set aside and told; a full log is rotated out under its numbers; a chain whose end
is missing goes on with a line that says so.
Always true: a line that was acknowledged as durable is on the disk with all lines before it;
no line is ever changed, and nothing is dropped without a line that tells.

States of the file, and what the next append does: ends with a newline: goes on. Unfinished last
line: `tail_set_aside`. Last line `log_rotated`: the rename was lost in a crash, it is done now.
Empty or gone: goes on from the newest segment, or begins. Ends before what is remembered:
`chain_start` with the head that is missing.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256

from penstock.core import chain
from penstock.core.audit import EVERYTHING, Query, parse_line
from penstock.core.digest import digest
from penstock.core.errors import AuditError
from penstock.core.event import compose
from penstock.core.trust import Head
from penstock.core.when import seconds_of, stamp
from penstock.ports import Appended
from penstock.stores.group import GroupCommit
from penstock.stores.head_memory import HeadMemory
from penstock.stores.log_errors import shut, telling, told
from penstock.stores.log_reader import read_lines
from penstock.stores.logfile import LogFile, keep_aside, sync_directory
from penstock.stores.segments import (
    Tail,
    files_of,
    first_number,
    last_line,
    rotated,
    segment_name,
    whole_blocks,
)

ROTATE_AT = 10 * 1024 * 1024
WAIT = 10.0
SMALL_STEP = 5  # seconds that a clock may go back without anybody being told
LINE_FRAME = 300  # more than what `chain` puts around a body
ROTATED = b',"op":"log_rotated",'

Made = tuple[int, str, str]


class JsonlLog:
    """A record in a file. Threads and processes may share it."""

    def __init__(
        self,
        path: str,
        *,
        clock: Callable[[], float],
        rotate_at: int = ROTATE_AT,
        memory: HeadMemory | None = None,
        wait: float = WAIT,
    ) -> None:
        self.path = path
        self._clock = clock
        self._rotate_at = rotate_at
        self._memory = memory
        self._wait = wait
        self._begin_anew()
        _open_logs.add(self)

    def _begin_anew(self) -> None:
        """Know nothing yet. Also for a forked child, which must not share the parent's lock."""
        self._mutex = threading.Lock()
        self._group = GroupCommit(self._write_durably)
        self._file = LogFile(self.path, wait=self._wait)
        self._limit = self._rotate_at
        self._end = -1  # where the chain ends in the file; -1 forces a look at it
        self._hash, self._seq, self._ts = chain.GENESIS, -1, ""
        self._second, self._stamp = -1, ""
        self._owed: list[bytes] = []  # what must be told before the next event
        self._restarted = False

    def after_fork(self) -> None:
        """Let go of what belongs to the parent process."""
        self._file.drop()
        self._begin_anew()

    def close(self) -> None:
        """Give the file back; the next append opens it again."""
        with self._mutex:
            self._file.drop()
            self._end = -1

    # --- what callers use ------------------------------------------------------------------

    def append(self, event: Mapping[str, object] | bytes, *, durable: bool) -> Appended:
        """Add one line; with `durable` it has reached the disk. Raises AuditError.

        Bytes are an event that `compose` made before.
        """
        body = event if isinstance(event, bytes) else compose(event)
        return self._add([body], durable=durable)[0]

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[Appended]:
        """Add several lines in one piece, all or none."""
        bodies = [compose(event) for event in events]
        return self._add(bodies, durable=durable) if bodies else ()

    def head(self) -> Head | None:
        """Return the end of the record as it is on the disk, or None where there is none."""
        for segment in reversed(files_of(self.path)):
            line = last_line(segment.path)
            if line:
                return Head(seq=chain.place(line)[1], event_hash=chain.stated_hash(line))
        return None

    def lines(self, query: Query = EVERYTHING) -> Iterator[bytes]:
        """Yield the lines that a query asks for, oldest first, without their newlines."""
        return read_lines(self.path, query)

    def read(self, query: Query = EVERYTHING) -> Iterator[Mapping[str, object]]:
        """Yield the events that a query asks for, oldest first."""
        return (parse_line(line) or {} for line in read_lines(self.path, query))

    # --- writing ---------------------------------------------------------------------------

    def _add(self, bodies: Sequence[bytes], *, durable: bool) -> Sequence[Appended]:
        if durable:
            return self._group.commit(bodies)
        with self._mutex:
            made = self._write(bodies, look=False)
            if self._restarted:
                self._remember(made[-1])
        return [_appended(one) for one in made]

    def _write_durably(self, bodies: Sequence[bytes]) -> Sequence[Appended]:
        """Write, then wait for the disk without holding anybody else up."""
        with self._mutex:
            made = self._write(bodies, look=True)
            named, self._file.named = self._file.named, True
            with telling(self.path):
                fd = os.dup(self._file.fd)  # ours may be rotated out while we wait
        try:
            with telling(self.path):
                os.fdatasync(fd)
                if not named:
                    sync_directory(self.path)
        except AuditError:
            self._file.named = self._file.named and named
            raise
        finally:
            shut(fd)
        self._remember(made[-1])
        return [_appended(one) for one in made]

    def _remember(self, last: Made) -> None:
        """Remember the head outside. The lines are safe by now: a failure is told, not raised."""
        restarted, self._restarted = self._restarted, False
        if self._memory is None:
            return
        head = Head(seq=last[0], event_hash=last[2])
        try:
            if restarted:
                self._memory.restart(head)
            else:
                self._memory.remember(head)
        except AuditError as error:
            self._owed.append(compose({"op": "head_not_remembered", "status": error.code}))

    def _write(self, bodies: Sequence[bytes], *, look: bool) -> list[Made]:
        """Put lines at the end of the chain; return (seq, prev, hash) of each.

        Mostly nobody else has written since, so the lines are made before the lock is taken,
        and it is held for a look at the file's end and the write. With `look` the log's name
        is looked at, too; otherwise once a second is enough.
        """
        ts = self._now()
        if self._end > 0 and not self._owed:
            data, made = self._linked(ts, bodies)
            try:
                if self._end + len(data) <= self._limit and self._file.add(
                    data, self._end, look=look
                ):
                    self._end += len(data)
                    self._seq, _, self._hash = made[-1]
                    return made
            except OSError as error:
                self._end = -1
                raise told(error, self.path) from error
        return self._write_carefully(ts, bodies)

    def _write_carefully(self, ts: str, bodies: Sequence[bytes]) -> list[Made]:
        """Find out where the chain stands, tell what must be told, and write, under the lock."""
        self._file.lock()
        try:
            ts = self._catch_up(ts)
            if self._end and self._end + sum(map(len, bodies)) + LINE_FRAME > self._limit:
                self._rotate(ts)
            first = len(self._owed)
            made = self._put(ts, [*self._owed, *bodies])
            self._owed = []
            return made[first:]
        except BaseException as error:
            self._end = -1
            if isinstance(error, OSError):
                raise told(error, self.path) from error
            raise
        finally:
            self._file.unlock()

    def _linked(self, ts: str, bodies: Sequence[bytes]) -> tuple[bytes, list[Made]]:
        seq, prev, lines, made = self._seq, self._hash, [], []
        for body in bodies:
            seq += 1
            line, found = chain.link(ts, seq, body, prev, sha256)
            lines.append(line)
            made.append((seq, prev, found))
            prev = found
        return b"".join(lines), made

    def _put(self, ts: str, bodies: Sequence[bytes]) -> list[Made]:
        data, made = self._linked(ts, bodies)
        self._file.put(data, self._end)
        self._end += len(data)
        self._ts = ts
        self._seq, _, self._hash = made[-1]
        return made

    # --- where the chain stands ------------------------------------------------------------

    def _catch_up(self, ts: str) -> str:
        """Find the end of the chain: others wrote, we have just come, or something happened.

        Returns the time to write with, which never lies before that of the last line.
        """
        self._file.require_current()
        tail = self._file.tail()
        unsure = tail.end < self._end or self._end < 0
        if tail.torn:
            tail = self._heal(tail)
        self._end = tail.end
        if tail.end:
            self._adopt(tail.line)
            if ROTATED in tail.line and self._limit == self._rotate_at:
                self._rename_out(ts)
        else:
            self._begin()
        if unsure:
            self._compare_with_memory()
        return self._after_last(ts)

    def _begin(self) -> None:
        """Go on from the newest segment; without any this is the beginning."""
        self._hash, self._seq, self._ts = chain.GENESIS, -1, ""
        segments = rotated(self.path)
        if segments:
            self._adopt(last_line(segments[-1].path))

    def _adopt(self, line: bytes) -> None:
        """Stand behind this line. One that is no line of ours leaves no way but a new start."""
        stated = chain.stated_hash(line)
        self._ts, self._seq = chain.place(line)
        self._hash = stated or chain.GENESIS
        if not stated:
            head = self._memory.recall() if self._memory else None
            self._owe_start(head or Head(seq=-1, event_hash="unreadable"))
        elif self._seq < 0:  # written by somebody else, without numbers
            blocks = whole_blocks(files_of(self.path))
            self._seq = sum(block.count(b"\n") for block in blocks) - 1

    def _compare_with_memory(self) -> None:
        head = self._memory.recall() if self._memory else None
        if head is not None and head.seq > self._seq:
            self._owe_start(head)

    def _owe_start(self, missing: Head) -> None:
        """The chain never starts anew silently: the next line names what is missing."""
        if not self._restarted:
            start = {"op": "chain_start", "status": "restarted"}
            lost = {"missing_head": missing.event_hash, "missing_seq": missing.seq}
            self._owed.append(compose({**start, **lost}))
            self._restarted = True

    def _heal(self, tail: Tail) -> Tail:
        """Set an unfinished line aside; one that lacks only its newline is finished instead."""
        line = tail.torn
        own = "sha256:" + sha256(line[: -chain.HASHED_BEFORE]).hexdigest()
        if chain.stated_hash(line) == own:
            self._file.put(b"\n", tail.end + len(line))
            return Tail(line=line, torn=b"", end=tail.end + len(line) + 1)
        name = keep_aside(self.path, line)
        self._file.cut(tail.end)
        event = {"op": "tail_set_aside", "status": "recovered", "bytes": len(line)}
        self._owed.append(compose({**event, "file": name, "digest": digest(line)}))
        return Tail(line=tail.line, torn=b"", end=tail.end)

    # --- rotation --------------------------------------------------------------------------

    def _rotate(self, ts: str) -> None:
        """Close this segment with a line that tells, and go on in a new file.

        The line also changes the file's size, which is how every other process that has it
        open notices that it must look again.
        """
        self._put(ts, [compose({"op": "log_rotated", "status": "done"})])
        self._rename_out(ts)

    def _rename_out(self, ts: str) -> None:
        """Give the full log its numbers, then open a new one and find our place in it."""
        name = segment_name(self.path, first_number(self._file.fd), self._seq)
        if not self._file.rename_out(name):
            # A record that grows beyond its size is better than none: try again much later.
            self._limit = self._end + self._rotate_at
            return
        self._limit = self._rotate_at
        self._file.lock()
        self._end = -1
        self._catch_up(ts)

    # --- time ------------------------------------------------------------------------------

    def _now(self) -> str:
        """Return the present second. Once a second the log's name is looked at again."""
        second = int(self._clock())
        if second != self._second:
            self._second, self._stamp, self._end = second, stamp(second), -1
        return self._stamp

    def _after_last(self, ts: str) -> str:
        """Keep each segment sorted by time, so that it can be searched without an index.

        A small step back is evened out; a large one begins a new segment and is told.
        """
        if ts < self._ts and self._end:
            back = seconds_of(self._ts) - seconds_of(ts)
            if back <= SMALL_STEP:
                ts = self._ts
            else:
                stepped = {"op": "clock_stepped", "status": "noted", "seconds_back": back}
                self._owed.append(compose(stepped))
                self._rotate(self._ts)
        self._stamp = ts
        return ts


def _appended(made: Made) -> Appended:
    return Appended(seq=made[0], prev_hash=made[1], event_hash=made[2])


_open_logs: weakref.WeakSet[JsonlLog] = weakref.WeakSet()


def _after_fork() -> None:
    for log in list(_open_logs):
        log.after_fork()


os.register_at_fork(after_in_child=_after_fork)
