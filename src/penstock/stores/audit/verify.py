"""Verify a record on the disk: its chain, and against what was signed and remembered.

A long record is checked in shares by several processes at once; if every share is sound and
they fit together, that was all. Otherwise it is walked through in order, and every finding is
named with its line.
Always true: the quick way only ever says that nothing is wrong; what is wrong, the walk says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from penstock.core.audit import chain
from penstock.core.audit.broken_links import find_hashes
from penstock.core.audit.evidence import Evidence, LogFacts, LogHead, compare
from penstock.core.audit.findings import AuditProblem, AuditReport, TamperKind
from penstock.core.audit.verify import LogWalk
from penstock.core.errors import AuditError
from penstock.stores.audit.reader import line_at, numbered_lines
from penstock.stores.audit.segments import (
    Segment,
    blocks_of,
    files_of,
    open_to_read,
    read_tail,
    strangers,
    whole_blocks,
)
from penstock.stores.audit.verify_worker import Span, check, roots
from penstock.stores.system.os_errors import shut, telling

SHARE = 16 * 1024 * 1024  # a child process pays from about here on
HEAD_START = 12 * 1024 * 1024  # about what we check before a child has begun
MOST_WORKERS = 4
MOST_TRIES = 5
NOTHING = Evidence()


def verify_log(
    path: str,
    evidence: Evidence = NOTHING,
    *,
    workers: int = 0,
    notice: frozenset[str] = frozenset(),
) -> AuditReport:
    """Verify the record at `path` and return what was found.

    Lines whose `op` is in `notice` come along as `noticed`, at no further pass. Raises
    AuditError `audit-not-found` where there is neither a log nor a trace of one.
    """
    for _ in range(MOST_TRIES):
        before = _identities(path)
        report = _verified(path, evidence, workers, notice)
        if report.ok or before == _identities(path):
            break  # otherwise the log was rotated under our eyes: look again
    return report


def _identities(path: str) -> list[tuple[str, int]]:
    """Return the files of a record with their inodes; a rotation changes them."""
    with telling(path):
        return [(each.path, os.stat(each.path).st_ino) for each in files_of(path)]


def _verified(path: str, evidence: Evidence, workers: int, notice: frozenset[str]) -> AuditReport:
    files = files_of(path)
    if not files and evidence.level == "chain":
        raise AuditError("audit-not-found", f"there is no record at `{path}`")
    spans = _spans(files)
    report = _quick(files, spans, workers, notice) or _walked(files, notice)
    # Where a hash was signed beside a root, a sound chain itself says whether they agree.
    hashes = {} if report.problems else _hashes_at(files, evidence.sizes_to_find())
    evidence = evidence.opened(hashes)
    agreed = evidence.agreed(hashes)
    doubtful = {note.size for note in evidence.checkpoints()} - agreed.keys()
    found = LogFacts(
        count=report.count,
        roots={**agreed, **_roots(spans, doubtful)},
        at_head=_at_head(path, evidence.head, hashes),
    )
    # What a line itself shows says more than a root over many lines, so it is told first.
    told = [*_strangers(path), *report.problems], compare(evidence, found)
    return AuditReport(
        count=report.count,
        head=report.head,
        problems=tuple(one for each in told for one in sorted(each, key=lambda one: one.line)),
        warnings=(*report.warnings, *_unreached(evidence)),
        level=evidence.level,
        noticed=report.noticed,
    )


def _strangers(path: str) -> list[AuditProblem]:
    return [
        AuditProblem(
            kind=TamperKind.STRANGER,
            line=0,
            message=f"`{name}` is no file, but named like one of ours",
        )
        for name in strangers(path)
    ]


def _unreached(evidence: Evidence) -> list[AuditProblem]:
    return [
        AuditProblem(
            kind=TamperKind.UNREACHABLE, line=0, message=f"witness `{name}` could not be asked"
        )
        for name in evidence.unreachable
    ]


def _spans(files: Sequence[Segment]) -> list[Span]:
    with telling(files[-1].path if files else ""):
        return [(each.path, 0, os.stat(each.path, follow_symlinks=False).st_size) for each in files]


def _is_long(spans: Sequence[Span]) -> bool:
    return sum(end - start for _, start, end in spans) >= 2 * SHARE


# --- in order ------------------------------------------------------------------------------


def _walked(files: Sequence[Segment], notice: frozenset[str]) -> AuditReport:
    """Go through the record line by line where it must be, and explain what is broken."""
    walk = LogWalk(notice=notice)
    for block in whole_blocks(files):
        walk.feed(block)
    walk.tear(_torn_tail(files))
    where = find_hashes(whole_blocks(files), walk.orphans) if walk.breaks else {}
    return AuditReport(
        count=walk.mark.count,
        head=walk.mark.hash,
        problems=tuple(walk.finish(where)),
        warnings=tuple(walk.warnings),
        noticed=tuple(walk.noticed),
    )


def _torn_tail(files: Sequence[Segment]) -> bytes:
    last = b""
    if files:
        for block in blocks_of(files[-1].path, _near_end(files[-1].path)):
            last = block
    return last


def _near_end(path: str) -> int:
    """Return an offset from which on the unfinished last line, if any, is found whole."""
    fd = open_to_read(path)
    try:
        return read_tail(fd, os.fstat(fd).st_size).end
    finally:
        shut(fd)


# --- in shares -----------------------------------------------------------------------------


def _quick(
    files: Sequence[Segment], spans: Sequence[Span], workers: int, notice: frozenset[str]
) -> AuditReport | None:
    """Check the record in shares; None when it has to be walked through."""
    count = min(workers or len(os.sched_getaffinity(0)), MOST_WORKERS)
    if count < 2 or not _is_long(spans) or _torn_tail(files):
        return None
    shares = _shares(spans, count)
    ops = sorted(notice)
    children = [_start({"spans": share, "notice": ops}) for share in shares[1:]]
    results = [check(shares[0], ops), *(_answer(child) for child in children)]
    return _joined(results)


def _shares(spans: Sequence[Span], count: int) -> list[list[Span]]:
    """Divide the record into runs of lines; the first is ours and a little longer.

    We begin at once, while the children still start up.
    """
    total = sum(end - start for _, start, end in spans)
    ahead = min(HEAD_START, total // (2 * count))
    share = (total - ahead) // count + 1
    shares: list[list[Span]] = [[]]
    room = share + ahead
    for path, start, end in spans:
        at = start
        while at < end:
            if room <= 0 and len(shares) < count:
                shares.append([])
                room = share
            cut = _line_end(path, min(at + room, end), end) if room > 0 else end
            shares[-1].append((path, at, cut))
            room -= cut - at
            at = cut
    return [part for part in shares if part]


def _line_end(path: str, at: int, end: int) -> int:
    """Return where the line that reaches over `at` ends."""
    if at >= end:
        return end
    for block in blocks_of(path, at, end):
        return at + block.find(b"\n") + 1 if b"\n" in block else end
    return end


def _joined(results: Sequence[dict[str, Any] | None]) -> AuditReport | None:
    """Join shares that are sound each and follow one another; None when they do not."""
    count, head, seq, ts = 0, chain.GENESIS, -1, ""
    warnings: list[AuditProblem] = []
    noticed: list[tuple[int, bytes]] = []
    for result in results:
        if result is None or result["prev"] != head:
            return None
        first_seq, first_ts = result["first"]
        if count and (first_ts < ts or (seq >= 0 and first_seq != seq + 1)):
            return None
        for kind, line, message in result["warnings"]:
            warnings.append(AuditProblem(kind=TamperKind(kind), line=count + line, message=message))
        noticed += [(count + line, text.encode()) for line, text in result["noticed"]]
        count, head = count + result["count"], result["hash"]
        seq, ts = result["last"]
    return AuditReport(count=count, head=head, warnings=tuple(warnings), noticed=tuple(noticed))


def _roots(spans: Sequence[Span], sizes: set[int]) -> dict[int, bytes]:
    found = roots(spans, sizes) if sizes else {}
    return {int(size): bytes.fromhex(root) for size, root in found.items()}


def _at_head(path: str, head: LogHead | None, hashes: Mapping[int, str]) -> str:
    """Return the hash where the remembered head should be; counting lines takes a while."""
    if head is None:
        return ""
    if hashes.get(head.seq + 1) == head.event_hash:
        return head.event_hash
    return chain.stated_hash(line_at(path, head.seq + 1))


def _hashes_at(files: Sequence[Segment], sizes: set[int]) -> dict[int, str]:
    """Return the hash of the last of so many lines, for each size that can be found quickly.

    Only the numbers that the lines themselves bear are used for finding; a sound chain whose
    line has the hash that was signed is the chain that was signed, wherever the line was found.
    """
    found: dict[int, str] = {}
    for segment in files if sizes else ():
        fd = open_to_read(segment.path)
        try:
            with telling(segment.path):
                for number, line in numbered_lines(fd, [size - 1 for size in sizes]):
                    found[number + 1] = chain.stated_hash(line)
        finally:
            shut(fd)
    return found


# --- children ------------------------------------------------------------------------------


def _start(job: dict[str, object]) -> subprocess.Popen[str]:
    """Start a child with our own code, whatever its environment says."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    code = "import sys; sys.path.insert(0, sys.argv[1])\n"
    code += "from penstock.stores.audit.verify_worker import main; main()"
    child = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-I", "-c", code, here],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    if child.stdin is not None:
        with suppress(BrokenPipeError):
            child.stdin.write(json.dumps(job))
            child.stdin.close()
    return child


def _answer(child: subprocess.Popen[str]) -> dict[str, Any] | None:
    """Return a child's result; a child that failed has none, and its share is walked instead."""
    with child:
        text = child.stdout.read() if child.stdout else ""
    try:
        found = json.loads(text) if child.returncode == 0 else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
