"""Stand at the end of the chain and put lines there.

Knows where the chain ends in the file, finds it again when others wrote or something happened,
sets right what a crash left, and rotates a full log out. Who calls it, and when a line must have
reached the disk, is `jsonl`'s business.
Always true: lines are put only behind the line that they name; what was set aside, lost or
skipped is told by a line before the next event; what is remembered of the end moves with each
write, under the same lock.

States of the file, and what the next write does: ends with a newline: goes on. Unfinished last
line: `tail_set_aside`. Last line `log_rotated`: the rename was lost in a crash, it is done now.
Empty or gone: goes on from the newest segment, or begins. Does not hold the entry that is
remembered: `chain_start` with the head that is missing. Ends before it because the machine
stopped: `entries_lost`. Goes on behind it: `entries_unremembered`. Nothing is remembered of a log
that has entries: `head_missing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from penstock.core.audit import chain
from penstock.core.audit.event import compose
from penstock.core.audit.log_head import LogHead
from penstock.core.digest import digest
from penstock.core.errors import AuditError
from penstock.core.timestamps import seconds_of, stamp
from penstock.stores.audit.file import LogFile, keep_aside
from penstock.stores.audit.reader import line_numbered
from penstock.stores.audit.remembered_head import HeadMemory
from penstock.stores.audit.segments import (
    Tail,
    files_of,
    first_number,
    last_line,
    rotated,
    segment_name,
    whole_blocks,
)
from penstock.stores.system.os_errors import told

SMALL_STEP = 5  # seconds that a clock may go back without anybody being told
LINE_FRAME = 300  # more than what `chain` puts around a body
ROTATED = b',"op":"log_rotated",'

# A line that was written: its number, the hash before it, and its own.
Made = tuple[int, str, str]


class ChainWriter:
    """The place where the chain of one log goes on. Made for one thread at a time."""

    def __init__(
        self,
        path: str,
        *,
        clock: Callable[[], float],
        rotate_at: int,
        memory: HeadMemory | None,
        wait: float,
    ) -> None:
        self.path = path
        self.file = LogFile(path, wait=wait)
        self._clock = clock
        self._rotate_at = self._limit = rotate_at
        self._memory = memory
        self._end = -1  # where the chain ended when we last looked; -1 where we do not know
        self._hash, self._seq, self._ts = chain.GENESIS, -1, ""
        self._second, self._stamp = -1, ""
        self._owed: list[bytes] = []  # what must be told before the next event
        self._restarted = False  # from a new start of the chain on until its head is remembered
        self._forgetful = ""  # why the head could not be remembered, told once

    def close(self) -> None:
        """Give the file back; the next write opens it again."""
        self.file.drop()
        self._end = -1
        if self._memory is not None:
            self._memory.close()

    def require_ready(self) -> None:
        """Open and lock the file, as a write would; it is made where there is none."""
        try:
            self.file.lock()
            self.file.require_current()
        except OSError as error:
            raise told(error, self.path) from error
        finally:
            self.file.unlock()

    def owe(self, event: Mapping[str, object]) -> None:
        """Have an event told before the next one."""
        self._owed.append(compose(event))

    def write(self, bodies: Sequence[bytes]) -> list[Made]:
        """Put lines at the end of the chain, under the lock; return (seq, prev, hash) of each.

        First it finds out where the chain stands and tells what must be told.
        """
        ts = self._now()
        self.file.lock()
        try:
            ts = self._catch_up(ts)
            if self._end and self._end + sum(map(len, bodies)) + LINE_FRAME > self._limit:
                self._rotate(ts)
            owed = list(self._owed)
            made = self._put(ts, [*owed, *bodies])
            del self._owed[: len(owed)]
            self._remember(made[-1])
            return made[len(owed) :]
        except BaseException as error:
            self._end = -1
            if isinstance(error, OSError):
                raise told(error, self.path) from error
            raise
        finally:
            self.file.unlock()

    def _put(self, ts: str, bodies: Sequence[bytes]) -> list[Made]:
        seq, prev, lines, made = self._seq, self._hash, [], []
        for body in bodies:
            seq += 1
            line, found = chain.link(ts, seq, body, prev, sha256)
            lines.append(line)
            made.append((seq, prev, found))
            prev = found
        data = b"".join(lines)
        self.file.put(data, self._end)
        self._end += len(data)
        self._ts = ts
        self._seq, self._hash = seq, prev
        return made

    def _remember(self, last: Made) -> None:
        """Remember the end outside. The lines are written by now: a failure is told, not raised."""
        if self._memory is None:
            return
        head = LogHead(seq=last[0], event_hash=last[2])
        try:
            if self._restarted:
                self._memory.restart(head)
            else:
                self._memory.move(head)
        except AuditError as error:
            self.owe_forgetting(error)
        else:
            self._restarted = False

    def owe_forgetting(self, error: AuditError) -> None:
        """Have it told, once for each reason, that the head could not be remembered."""
        if self._forgetful != error.code:
            self._forgetful = error.code
            self.owe({"op": "head_not_remembered", "status": error.code})

    # --- where the chain stands ------------------------------------------------------------

    def _catch_up(self, ts: str) -> str:
        """Find the end of the chain: others wrote, we have just come, or something happened.

        Returns the time to write with, which never lies before that of the last line.
        """
        self.file.require_current()
        tail = self.file.tail()
        ours = tail.end == self._end and chain.stated_hash(tail.line) == self._hash
        if tail.torn:
            tail = self._heal(tail)
        self._end = tail.end
        if tail.end:
            self._adopt(tail.line)
            if ROTATED in tail.line and self._limit == self._rotate_at:
                self._rename_out(ts)
        else:
            self._begin()
        if not ours:
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
            self._owe_start(head or LogHead(seq=-1, event_hash="unreadable"))
        if self._seq < 0:
            # Written by somebody else, without numbers. Counting goes on behind it all the
            # same: segments are put in order by the numbers of their lines.
            blocks = whole_blocks(files_of(self.path))
            self._seq = sum(block.count(b"\n") for block in blocks) - 1

    def _compare_with_memory(self) -> None:
        """See that the entry which is remembered stands where it was written."""
        if self._memory is None:
            return
        facts = self._memory.facts()
        head = facts.expected(self._seq)
        if facts.is_empty:
            self._note({"op": "head_missing", "entries": self._seq + 1})
        elif head is not None and self._hash_at(head.seq) != head.event_hash:
            self._owe_start(head)
        elif lost := facts.lost(self._seq):
            self.owe({"op": "entries_lost", "status": "noted", "entries": lost})
        else:
            beyond = facts.unremembered(self._seq)
            self._note({"op": "entries_unremembered", "entries": beyond})

    def _note(self, event: Mapping[str, object]) -> None:
        """Have it told of how many entries nothing is remembered, unless that is known already."""
        if event["entries"] and not (self._forgetful or self._restarted):
            self.owe({**event, "status": "noted"})

    def _hash_at(self, seq: int) -> str:
        """Return the hash of an entry; "" where the log ends before it."""
        if seq >= self._seq:
            return self._hash if seq == self._seq else ""
        return chain.stated_hash(line_numbered(self.path, seq))

    def _owe_start(self, missing: LogHead) -> None:
        """The chain never starts anew silently: the next line names what is missing."""
        if not self._restarted:
            start = {"op": "chain_start", "status": "restarted"}
            lost = {"missing_head": missing.event_hash, "missing_seq": missing.seq}
            self.owe({**start, **lost})
            self._restarted = True

    def _heal(self, tail: Tail) -> Tail:
        """Set an unfinished line aside; one that lacks only its newline is finished instead."""
        line = tail.torn
        own = "sha256:" + sha256(line[: -chain.HASHED_BEFORE]).hexdigest()
        if chain.stated_hash(line) == own:
            self.file.put(b"\n", tail.end + len(line))
            return Tail(line=line, torn=b"", end=tail.end + len(line) + 1)
        name = keep_aside(self.path, line)
        self.file.cut(tail.end)
        event = {"op": "tail_set_aside", "status": "recovered", "bytes": len(line)}
        self.owe({**event, "file": name, "digest": digest(line)})
        return Tail(line=tail.line, torn=b"", end=tail.end)

    # --- rotation --------------------------------------------------------------------------

    def _rotate(self, ts: str) -> None:
        """Close this segment with a line that tells, and go on in a new file.

        The line also changes the file's size, which is how every other process that has it
        open notices that it must look again.
        """
        made = self._put(ts, [compose({"op": "log_rotated", "status": "done"})])
        self._remember(made[-1])
        self._rename_out(ts)

    def _rename_out(self, ts: str) -> None:
        """Give the full log its numbers, then open a new one and find our place in it."""
        name = segment_name(self.path, first_number(self.file.fd), self._seq)
        if not self.file.rename_out(name):
            # A record that grows beyond its size is better than none: try again much later.
            self._limit = self._end + self._rotate_at
            return
        self._limit = self._rotate_at
        self.file.lock()
        self._end = -1
        self._catch_up(ts)

    # --- time ------------------------------------------------------------------------------

    def _now(self) -> str:
        """Return the present second. Once a second the end is compared with what is remembered."""
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
                self.owe(stepped)
                self._rotate(self._ts)
        self._stamp = ts
        return ts
