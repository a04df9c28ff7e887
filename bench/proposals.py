"""The queue and its images beside the bare operations of SQLite and of the file system."""

from __future__ import annotations

import os
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from itertools import count

from msgspec.structs import replace

from bench.row import Row, best_of, each
from penstock.core.model import Change, ChangeKind, Decision, Reason, Verdict
from penstock.core.proposals.codec import to_json
from penstock.core.proposals.model import Moment, Proposal, State, Transition
from penstock.stores.queue.blobs import DiskBlobs
from penstock.stores.queue.sqlite import SqliteProposals

TIMES = 20
HISTORY = 20_000
PROPOSAL = Proposal(
    id="p",
    path="src/app.py",
    base="sha256:" + "0" * 64,
    content="sha256:" + "1" * 64,
    change=Change(kind=ChangeKind.REPLACE, existing_lines=270, new_lines=56, lines_deleted=214),
    decision=Decision(
        verdict=Verdict.ASK,
        reasons=(Reason(rule="big-replace", verdict=Verdict.ASK, text="214 of 270 lines"),),
        revision="sha256:" + "2" * 64,
    ),
    state=State.WAITING,
    created=Moment(wall=1.7e9, boot=1e4, boot_id="b"),
    ttl=3600.0,
)


def rows() -> Iterator[Row]:
    """Measure the queue in an empty state and with a history, and the images."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        yield from _queue(folder)
        yield from _images(folder)


def _queue(folder: str) -> Iterator[Row]:
    numbers = count()
    bare = _bare_insert(os.path.join(folder, "bare.db"), numbers)
    empty = SqliteProposals(os.path.join(folder, "empty", "penstock.db"))
    full = SqliteProposals(os.path.join(folder, "full", "penstock.db"))
    full.add([replace(PROPOSAL, id=f"old-{n}", state=State.APPLIED) for n in range(HISTORY)])
    life, late = each(_life(empty, numbers), times=TIMES), each(_life(full, numbers), times=TIMES)
    one, many, base = best_of([life, late, each(bare, times=TIMES)])
    beside = "one insert, WAL FULL"
    name = "add, get and approve a proposal"
    yield Row(
        area="proposals",
        name=name,
        subject=one / TIMES,
        baseline=base / TIMES,
        beside=beside,
        limit=4,
    )
    yield Row(
        area="proposals",
        name=f"the same with a history of {HISTORY}",
        subject=many / TIMES,
        baseline=one / TIMES,
        beside="with none",
        limit=1.5,
    )
    yield _listing(empty, full)
    for store in (empty, full):
        store.close()


def _listing(few: SqliteProposals, many: SqliteProposals) -> Row:
    """List what waits: as long as the answer is, whatever the history."""
    for store in (few, many):
        for proposal in store.find(states=[State.APPROVED]):
            store.move(proposal.id, Transition.REJECT)
        store.add([replace(PROPOSAL, id=f"w-{n}") for n in range(20)])
    subject, baseline = best_of(
        [
            each(lambda: many.find(states=[State.WAITING]), times=TIMES),
            each(lambda: few.find(states=[State.WAITING]), times=TIMES),
        ]
    )
    return Row(
        area="proposals",
        name=f"list 20 waiting, history of {HISTORY}",
        subject=subject / TIMES,
        baseline=baseline / TIMES,
        beside="with next to none",
        limit=1.5,
    )


def _life(store: SqliteProposals, numbers: Iterator[int]) -> Callable[[], None]:
    def run() -> None:
        name = f"p-{next(numbers)}"
        store.add([replace(PROPOSAL, id=name)])
        store.get(name)
        store.move(name, Transition.APPROVE)

    return run


def _bare_insert(path: str, numbers: Iterator[int]) -> Callable[[], object]:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE t (id TEXT PRIMARY KEY, body TEXT)")
    body = to_json(PROPOSAL)
    return lambda: db.execute("INSERT INTO t VALUES (?, ?)", (f"p-{next(numbers)}", body))


def _images(folder: str) -> Iterator[Row]:
    numbers = count()
    blobs = DiskBlobs(os.path.join(folder, "blobs"))
    for n in range(256):  # its directories are there after the first day
        os.makedirs(os.path.join(folder, "blobs", f"{n:02x}"), mode=0o700, exist_ok=True)
    for name, text, limit in (("text", _source(20_000), 4.0), ("noise", os.urandom(20_000), 4.0)):

        def put(text: bytes = text) -> None:
            blobs.put(b"%12d" % next(numbers) + text)

        def plain(text: bytes = text) -> None:
            _plain(os.path.join(folder, f"f{next(numbers)}"), text)

        subject, baseline = best_of([each(put, times=TIMES), each(plain, times=TIMES)])
        yield Row(
            area="proposals",
            name=f"keep an image of 20 kB of {name}",
            subject=subject / TIMES,
            baseline=baseline / TIMES,
            beside="a file, written and synced",
            limit=limit,
        )


def _plain(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _source(size: int) -> bytes:
    """Return text that looks like a program, always the same."""
    rng = random.Random(7)
    words = ["def", "return", "self", "value", "for", "name", "in", "items", "(", ")", "=", "if"]
    lines = ("    " + " ".join(rng.choices(words, k=8)) + str(rng.random()) for _ in range(size))
    return "\n".join(line for line, _ in zip(lines, range(size // 40), strict=False)).encode()[
        :size
    ]
