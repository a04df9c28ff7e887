"""One share of verifying a long record, in this process or in a child of its own.

A share is a run of whole lines, given as spans of files. Its result says where it begins and
ends in the chain, so that shares can be joined; a share in which anything is wrong has none,
and the whole record is then walked through in order by `verify`.
Always true: a child gets its share on stdin and answers one JSON document on stdout.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from penstock.core.audit import chain
from penstock.core.audit.merkle import roots_at
from penstock.core.audit.verify import START, LogWalk, VerifyMark
from penstock.stores.audit.segments import blocks_of

Span = tuple[str, int, int]


def lines_in(spans: Iterable[Span]) -> Iterator[bytes]:
    """Yield the whole lines of some spans in blocks."""
    for path, start, end in spans:
        for block in blocks_of(path, start, end):
            if block.endswith(b"\n"):
                yield block


def check(spans: Iterable[Span], notice: Iterable[str] = ()) -> dict[str, Any] | None:
    """Check one share; None when it must be looked at in the order of the record."""
    blocks = lines_in(spans)
    first = next(blocks, b"")
    if not first:
        return None
    line = first.partition(b"\n")[0]
    ts, seq = chain.place(line)
    prev = "sha256:" + line[-153:-89].decode("ascii", "replace")
    start = START if prev == chain.GENESIS else VerifyMark(hash=prev)
    walk = LogWalk(start, notice=frozenset(notice))
    with uncollected():
        walk.feed(first)
        while not (walk.problems or walk.breaks) and (block := next(blocks, b"")):
            walk.feed(block)
    if walk.problems or walk.breaks:
        return None
    mark = walk.mark
    return {
        "prev": prev,
        "first": [seq, ts],
        "last": [mark.seq, mark.ts],
        "hash": mark.hash,
        "count": mark.count,
        "warnings": [[told.kind, told.line, told.message] for told in walk.warnings],
        "noticed": [[line, text.decode("utf-8")] for line, text in walk.noticed],
    }


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector out: a block leaves thousands of tuples and not one cycle."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def roots(spans: Iterable[Span], sizes: Iterable[int]) -> dict[str, str]:
    """Return the roots of the record at some sizes, by size."""
    found, _ = roots_at(lines_in(spans), sizes)
    return {str(size): root.hex() for size, root in found.items()}


def main() -> None:
    """Do what stdin asks."""
    job = json.load(sys.stdin)
    spans = [(path, start, end) for path, start, end in job["spans"]]
    json.dump(check(spans, job["notice"]), sys.stdout)
