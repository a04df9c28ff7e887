"""Check the chain of the record, and say what happened to it and where.

Two ways through the same bytes: blocks in which all is well are checked as a whole, at a few
times the cost of hashing them; a block with anything unusual is read line by line. Signed
checkpoints, and what is remembered elsewhere, are compared by `evidence`; reading files is a
store's work.
Always true: a block passes as a whole only if each of its lines would pass alone. Tampering is
a result, never an exception.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from msgspec import Struct

from penstock.core.audit import chain
from penstock.core.audit.broken_links import Break, explain
from penstock.core.audit.fast_lines import NOTICED, Shapes
from penstock.core.audit.findings import AuditProblem, TamperKind
from penstock.core.audit.line import AuditLine, look
from penstock.core.text.quantities import counted

MOST_PROBLEMS = 1000
SMALL = 8 * 1024  # bytes; below this, reading line by line is quick enough


class VerifyMark(Struct, frozen=True, kw_only=True):
    """Where a check stands: the last line's hash, number and time, and how many lines."""

    hash: str = chain.GENESIS
    seq: int = -1
    ts: str = ""
    count: int = 0


START = VerifyMark()


# --- whole blocks --------------------------------------------------------------------------


def pass_block(block: bytes, before: VerifyMark, shapes: Shapes) -> VerifyMark | None:
    """Check a block of whole lines at once; None when it must be read line by line.

    `before.count` 0 with another hash than GENESIS means a beginning inside the record.
    """
    # (1) Each line is JSON with every name once, and its hashes stand last.
    found = shapes.read(block)
    if found is None:
        return None
    hashed, numbers, prevs, owns = found
    # (2) Each line has the hash that its own bytes give, and names that of the line before.
    hashes = b"".join([sha256(text).digest() for text in hashed]).hex().encode()
    if b"".join(owns) != hashes or b"".join(prevs) != before.hash[7:].encode() + hashes[:-64]:
        return None
    # (3) Numbers and times go on.
    if not _numbers_go_on(numbers, before.seq, shapes) or not _times_go_on(hashed, before.ts):
        return None
    ts, seq = chain.place(hashed[-1])
    return VerifyMark(
        hash="sha256:" + hashes[-64:].decode(),
        seq=seq if seq >= 0 else before.seq,
        ts=ts or before.ts,
        count=before.count + len(hashed),
    )


def _numbers_go_on(numbers: Sequence[bytes], before: int, shapes: Shapes) -> bool:
    if b"" in numbers:
        return not shapes.numbered
    first = int(numbers[0][:18]) if before < 0 else before + 1
    return numbers == tuple(map(b"%d".__mod__, range(first, first + len(numbers))))


def _times_go_on(lines: Sequence[bytes], before: str) -> bool:
    """Lines begin with their time, so lines in order are times in order (mostly both)."""
    if not lines[0].startswith(b'{"ts":"'):
        return True
    if before.encode() > lines[0][7:27]:
        return False
    if sorted(lines) == list(lines):
        return True
    times = [line[7:27] for line in lines]
    return sorted(times) == times


# --- line by line --------------------------------------------------------------------------


class LogWalk:
    """Goes through the blocks of a record in order and collects what is wrong."""

    def __init__(
        self,
        mark: VerifyMark = START,
        *,
        shapes: Shapes | None = None,
        notice: frozenset[str] = frozenset(),
    ) -> None:
        self.mark = mark
        self.problems: list[AuditProblem] = []
        self.warnings: list[AuditProblem] = []
        self.breaks: list[Break] = []
        self.noticed: list[tuple[int, bytes]] = []
        """Lines whose `op` is one that was asked for, with their numbers."""
        self._shapes = shapes or Shapes(NOTICED | notice)
        self._notice = notice
        self._last: AuditLine | None = None
        self._before_last = chain.GENESIS

    def feed(self, block: bytes) -> None:
        """Check one block; it ends with a newline.

        A block that does not pass is halved, so that one unusual line costs a few careful
        looks and not a block of them.
        """
        waiting = [block]
        while waiting:
            part = waiting.pop()
            passed = None if self._is_doubtful() else pass_block(part, self.mark, self._shapes)
            if passed is not None:
                self.mark, self._last = passed, None
                continue
            cut = part.find(b"\n", len(part) // 2) + 1
            if len(part) > SMALL and 0 < cut < len(part):
                waiting += [part[cut:], part[:cut]]
            else:
                self._read(part)

    def _read(self, part: bytes) -> None:
        for text in part.split(b"\n")[:-1]:
            line = look(text, self.mark.count + 1, self._shapes)
            self._step(line)
            if line.op in self._notice:
                self.noticed.append((line.number, text))

    def _is_doubtful(self) -> bool:
        """After a faulty line the next one must be looked at alone to say what happened."""
        return self._last is not None and self._last.fault is not None

    def _step(self, line: AuditLine) -> None:
        self._check_link(line)
        if line.fault is not None:
            self._tell(line.fault, line.number, line.why)
        self._check_place(line)
        self._check_op(line)
        previous = self.mark.hash
        self.mark = VerifyMark(
            hash=line.stated or line.actual,
            seq=line.seq if line.seq >= 0 else self.mark.seq + (self.mark.seq >= 0),
            ts=line.ts or self.mark.ts,
            count=line.number,
        )
        self._before_last, self._last = previous, line

    def _check_link(self, line: AuditLine) -> None:
        """See whether a line names the one before it; a faulty line before explains a lot."""
        if not line.prev or line.fault is TamperKind.EDITED:
            return
        before = self._last
        if line.prev == self.mark.hash or (before is not None and line.prev == before.actual):
            return
        if line.prev == chain.GENESIS and line.missing:
            return  # `_check_op` tells of a start that says what is missing
        if before is not None and before.fault is not None:
            if line.prev == self._before_last:
                self._call_inserted(before.number)
                return
            # The hash of a line that cannot be read is not known, so any next line may be right.
            if not before.stated and line.prev != chain.GENESIS and line.seq <= self.mark.seq + 1:
                return
        self._break(line)

    def _break(self, line: AuditLine) -> None:
        if len(self.breaks) < MOST_PROBLEMS:
            before = self.mark.seq if self.mark.count else -1
            self.breaks.append(
                Break(number=line.number, prev=line.prev, seq=line.seq, before_seq=before)
            )

    def _call_inserted(self, number: int) -> None:
        for at in range(len(self.problems) - 1, -1, -1):
            if self.problems[at].line == number:
                why = f"it was inserted: the next line follows line {number - 1}"
                self.problems[at] = AuditProblem(kind=TamperKind.INSERTED, line=number, message=why)
                return

    def _check_place(self, line: AuditLine) -> None:
        if line.ts and self.mark.ts and line.ts < self.mark.ts:
            said = f"the clock moved backwards from {self.mark.ts} to {line.ts[:40]}"
            self._warn(TamperKind.CLOCK_STEP, line.number, said)
        linked = line.prev == self.mark.hash and line.fault is None
        if linked and min(line.seq, self.mark.seq) >= 0 and line.seq != self.mark.seq + 1:
            said = f"the sequence number jumps from {self.mark.seq} to {line.seq}"
            self._tell(TamperKind.SEQUENCE_GAP, line.number, said)

    def _check_op(self, line: AuditLine) -> None:
        if line.missing:
            said = f"the log restarts; the entries up to {line.missing} are missing"
            self._tell(TamperKind.RESTARTED, line.number, said)
        elif line.op == "tail_set_aside":
            said = "an incomplete line was set aside here after a crash"
            self._warn(TamperKind.TAIL_SET_ASIDE, line.number, said)
        elif line.op == "entries_lost":
            said = "entries before this one had not reached the disk when the machine stopped"
            self._warn(TamperKind.ENTRIES_LOST, line.number, said)
        elif line.op == "entries_unremembered":
            said = "the entries before this one were not confirmed as written"
            self._warn(TamperKind.UNREMEMBERED, line.number, said)
        elif line.op == "head_missing":
            said = "the end of the log was not saved here; entries may be missing before this one"
            self._warn(TamperKind.HEAD_MISSING, line.number, said)

    def _tell(self, kind: TamperKind, line: int, message: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(AuditProblem(kind=kind, line=line, message=message))

    def _warn(self, kind: TamperKind, line: int, message: str) -> None:
        if len(self.warnings) < MOST_PROBLEMS:
            self.warnings.append(AuditProblem(kind=kind, line=line, message=message))

    def tear(self, tail: bytes) -> None:
        """Take in what stands after the last newline: an unfinished write, not tampering."""
        if not tail:
            return
        line = look(tail, self.mark.count + 1, self._shapes)
        if line.fault is None and line.prev == self.mark.hash:
            self._step(line)
            self._warn(TamperKind.TORN_TAIL, line.number, "the last line has no newline")
            return
        said = f"the last line is incomplete ({counted(len(tail), 'byte')}) and will be set aside"
        self._warn(TamperKind.TORN_TAIL, self.mark.count + 1, said)

    @property
    def orphans(self) -> frozenset[str]:
        """The hashes that broken links name; where they stand tells what happened."""
        return frozenset(found.prev for found in self.breaks)

    def finish(self, where: Mapping[str, int]) -> list[AuditProblem]:
        """Return all problems in order, with every broken link explained.

        `where` says at which line each of the `orphans` is found, if anywhere.
        """
        explained = explain(self.breaks, where)
        return sorted([*self.problems, *explained], key=lambda problem: problem.line)
