"""Say what a broken link of the chain means.

A link is broken where a line does not name the hash of the line before it. Where the hash that
it does name is found, and how the numbers go, tells what was done: cut, put in, moved, replaced.
Always true: each broken link is explained by exactly one problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from penstock.core.audit.chain import GENESIS
from penstock.core.audit.findings import AuditProblem, TamperKind
from penstock.core.text.quantities import entries


class Break(Struct, frozen=True, kw_only=True):
    """A line that does not name the hash of the line before it."""

    number: int
    prev: str
    seq: int
    before_seq: int


def find_hashes(blocks: Iterable[bytes], wanted: frozenset[str]) -> dict[str, int]:
    """Return the numbers of the lines that have these hashes."""
    found: dict[str, int] = {}
    bare = {text[7:].encode(): text for text in wanted}
    number = 0
    for block in blocks:
        for line in block.split(b"\n")[:-1]:
            number += 1
            if line[-66:-2] in bare:
                found.setdefault(bare[line[-66:-2]], number)
    return found


def explain(breaks: Sequence[Break], where: Mapping[str, int]) -> list[AuditProblem]:
    """Say what each broken link means, from where the hash it names is found.

    Found further down: lines changed places. Found above: what stands between was put in.
    Found nowhere: the number tells whether lines are missing or the line above was replaced.
    """
    moved = [
        (found.number, where[found.prev] + 1)
        for found in breaks
        if where.get(found.prev, 0) >= found.number
    ]
    problems = [_reordered(low, high) for low, high in _joined(moved)]
    for found in breaks:
        if not any(low <= found.number <= high for low, high in moved):
            problems.append(_explained(found, where.get(found.prev, 0)))
    return problems


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def _reordered(low: int, high: int) -> AuditProblem:
    said = f"lines {low} to {high - 1} are not in their original order"
    return AuditProblem(kind=TamperKind.REORDERED, line=low, message=said)


def _explained(found: Break, above: int) -> AuditProblem:
    number, gap = found.number, found.seq - found.before_seq - 1
    if found.prev == GENESIS:
        kind, line = TamperKind.RESTARTED, number
        said = "the hash chain restarts here"
    elif above:
        kind, line = TamperKind.INSERTED, above + 1
        said = f"line {number} follows line {above}; the entries in between were inserted"
    elif number == 1:
        kind, line = TamperKind.DELETED, 1
        more = f": {entries(found.seq)}" if found.seq > 0 else ""
        said = f"the beginning is missing{more}"
    elif found.seq >= 0 and gap > 0:
        kind, line = TamperKind.DELETED, number
        said = f"{entries(gap)} missing before this line"
    elif found.seq >= 0:
        kind, line = TamperKind.EDITED, number - 1
        said = f"it was replaced: line {number} names another hash than this line has"
    else:
        kind, line = TamperKind.DELETED, number
        said = "the line that this one follows is missing"
    return AuditProblem(kind=kind, line=line, message=said)
