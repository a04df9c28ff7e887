"""Verify a record on the disk: its chain, and against what was signed and remembered.

The record is walked through once, in order; every finding is named with its line.
Always true: only what the walk found sound is compared by the hashes that it bears.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress

from penstock.core.audit import chain
from penstock.core.audit.broken_links import find_hashes
from penstock.core.audit.evidence import Evidence, LogFacts, compare, doubts
from penstock.core.audit.findings import AuditProblem, AuditReport, TamperKind
from penstock.core.audit.merkle import roots_at
from penstock.core.audit.verify import LogWalk
from penstock.core.errors import AuditError
from penstock.stores.audit import path_list
from penstock.stores.audit.file import take_lock
from penstock.stores.audit.remembered_head import HeadMemory, RememberedHead
from penstock.stores.audit.segments import (
    Segment,
    blocks_of,
    files_of,
    open_to_read,
    read_tail,
    strangers,
    whole_blocks,
)
from penstock.stores.system.os_errors import shut, telling

MOST_TRIES = 5
WAIT = 5.0  # seconds
NOTHING = Evidence()


def verify_log(
    path: str,
    evidence: Evidence = NOTHING,
    *,
    notice: frozenset[str] = frozenset(),
) -> AuditReport:
    """Verify the record at `path` and return what was found.

    Lines whose `op` is in `notice` come along as `noticed`, at no further pass. Raises
    AuditError `audit-not-found` where there is neither a log nor a trace of one.
    """
    for _ in range(MOST_TRIES):
        before = _identities(path)
        report = _verified(path, evidence, notice)
        if report.ok or before == _identities(path):
            break  # otherwise the log was rotated under our eyes: look again
    return report


def remembered_end(path: str, memory: HeadMemory) -> tuple[RememberedHead, int]:
    """Return what is remembered of a log and the number of its last entry, between two writes.

    Where the lock cannot be had they are of two moments, and entries seem unremembered to none.
    """
    for segment in reversed(files_of(path)):
        fd = open_to_read(segment.path)
        try:
            with suppress(AuditError):
                take_lock(fd, path, wait=WAIT)
            facts = memory.facts()
            tail = read_tail(fd, os.fstat(fd).st_size)
        finally:
            shut(fd)
        if tail.line:
            return facts, chain.place(tail.line)[1]
    return memory.facts(), -1


def _identities(path: str) -> list[tuple[str, int]]:
    """Return the files of a record with their inodes; a rotation changes them."""
    with telling(path):
        return [(each.path, os.stat(each.path).st_ino) for each in files_of(path)]


def _verified(path: str, evidence: Evidence, notice: frozenset[str]) -> AuditReport:
    files = files_of(path)
    if not files and evidence.is_empty:
        raise AuditError(
            "audit-not-found", f"there is no audit log at `{path}`", hint="check the path"
        )
    report, there = _walked(files, notice, evidence.sizes_to_find())
    # Where a hash was signed beside a root, a sound chain itself says whether they agree.
    hashes = {} if report.problems else there
    evidence = evidence.opened(hashes)
    agreed = evidence.agreed(hashes)
    doubtful = {note.size for note in evidence.checkpoints()} - agreed.keys()
    found = LogFacts(
        count=report.count,
        roots={**agreed, **_roots(files, doubtful)},
        at_head=there.get(evidence.head.seq + 1, "") if evidence.head else "",
    )
    # What a line itself shows says more than a root over many lines, so it is told first.
    beside = [*_strangers(path), *_lists(files)]
    told = [*beside, *report.problems], compare(evidence, found)
    return AuditReport(
        count=report.count,
        head=report.head,
        problems=tuple(one for each in told for one in sorted(each, key=lambda one: one.line)),
        warnings=(*report.warnings, *doubts(evidence, report.count)),
        level=evidence.level,
        cosigned=evidence.cosigned,
        noticed=report.noticed,
    )


def _strangers(path: str) -> list[AuditProblem]:
    return [
        AuditProblem(
            kind=TamperKind.STRANGER,
            line=0,
            message=f"`{name}` is not a file, but named like an audit log",
        )
        for name in strangers(path)
    ]


def _lists(files: Sequence[Segment]) -> list[AuditProblem]:
    """Return the lists of paths that would have hidden entries from whoever asks for a path."""
    found = []
    for segment in files[:-1]:  # the live log has none
        fd = open_to_read(segment.path)
        try:
            name = segment.path + path_list.SUFFIX
            message = f"`{name}` does not list what the log says: remove it, and it is made again"
            if path_list.misleads(segment, fd):
                found.append(AuditProblem(kind=TamperKind.EDITED, line=0, message=message))
        finally:
            shut(fd)
    return found


def _walked(
    files: Sequence[Segment], notice: frozenset[str], sizes: set[int]
) -> tuple[AuditReport, dict[int, str]]:
    """Go through the record, explain what is broken, and return the hashes at some sizes."""
    walk = LogWalk(notice=notice)
    hashes: dict[int, str] = {}
    wanted = sorted(sizes)
    for block in whole_blocks(files):
        before = walk.mark.count
        walk.feed(block)
        low, high = bisect_right(wanted, before), bisect_right(wanted, walk.mark.count)
        lines = block.split(b"\n") if low < high else []
        for size in wanted[low:high]:
            hashes[size] = chain.stated_hash(lines[size - before - 1])
    walk.tear(_torn_tail(files))
    where = find_hashes(whole_blocks(files), walk.orphans) if walk.breaks else {}
    report = AuditReport(
        count=walk.mark.count,
        head=walk.mark.hash,
        problems=tuple(walk.finish(where)),
        warnings=tuple(walk.warnings),
        noticed=tuple(walk.noticed),
    )
    return report, hashes


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


def _roots(files: Sequence[Segment], sizes: set[int]) -> dict[int, bytes]:
    """Return the roots at some sizes: the tree has whole lines alone, like the one signed."""
    blocks = (block for each in files for block in blocks_of(each.path) if block[-1:] == b"\n")
    return roots_at(blocks, sizes)[0] if sizes else {}
