"""The record: appending beside a bare write, verifying beside hashing, choosing a day's denials."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from bench.row import Row, best_of, each
from penstock.core.audit import chain
from penstock.core.audit.approval.approvals import NOTICE
from penstock.core.audit.checkpoint import make_key
from penstock.core.audit.event import compose
from penstock.core.audit.query import Query
from penstock.core.text.secret_signs import may_hold_secret
from penstock.core.timestamps import stamp
from penstock.stores.audit.checkpoints import Checkpoints
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.reader import read_lines
from penstock.stores.audit.verify import verify_log

MILLION = int(os.environ.get("PENSTOCK_BENCH_EVENTS", "1000000"))
START = 1735689600  # 2025-01-01
SECONDS_APART = 2
DAY = Query(since="2025-01-10T00:00:00Z", until="2025-01-11T00:00:00Z", outcome="denied")
TIMES = 400


def event(number: int) -> dict[str, object]:
    """Return one event as the broker writes it; one in twenty is a denial."""
    return {
        "op": ("read_file", "write_file_propose", "write_file_apply")[number % 3],
        "path": f"src/pkg{number % 50}/module_{number % 997}.py",
        "status": "denied" if number % 20 == 0 else "allowed",
        "agent": "claude",
        "tool_call_id": f"toolu_{number * 7919:016x}",
        "context_id": f"ctx-{number % 100}",
        "created": False,
        "base_hash": f"sha256:{number * 31:064x}",
        "patch_hash": f"sha256:{number * 37:064x}",
        "rule": f"r-{number % 12}",
    }


def write_record(path: str, count: int) -> None:
    """Write a long record quickly: the lines are those that the log itself would write."""
    prev = chain.GENESIS
    with open(path, "wb", 1 << 20) as file:
        for number in range(count):
            ts = stamp(START + number * SECONDS_APART)
            body = compose(event(number))
            line, prev = chain.link(ts, number, body, prev, hashlib.sha256)
            file.write(line)


@contextmanager
def scratch() -> Iterator[str]:
    """Lend a folder on the disk."""
    folder = tempfile.mkdtemp(prefix="penstock-bench-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def appending(folder: str) -> Iterator[Row]:
    """Compare appends with a bare write of the same bytes."""
    log = JsonlLog(os.path.join(folder, "log"), clock=lambda: float(START), rotate_at=1 << 40)
    fact = event(1)
    body = compose(fact)
    log.append(body, durable=False)
    with open(log.path, "rb") as file:
        line = file.readline()
    raw = os.open(os.path.join(folder, "raw"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    numbers = count(2)

    def different() -> None:
        """Append events that differ as those of a session do: none is there twice."""
        log.append(event(next(numbers)), durable=False)

    calls: list[Callable[[], object]] = [
        lambda: os.write(raw, line),
        lambda: log.append(body, durable=False),
        different,
        lambda: event(next(numbers)),
    ]
    write, composed, whole, making = best_of([each(call, times=TIMES) for call in calls], rounds=60)
    whole -= making  # the event itself is the caller's
    beside = "os.write O_APPEND"
    per = 1 / TIMES
    yield Row(
        area="audit", name="append, event composed before", subject=composed * per,
        baseline=write * per, beside=beside, note="with hash, line and a look at the end",
    )  # fmt: skip
    yield Row(
        area="audit", name="append, whole", subject=whole * per, baseline=write * per,
        beside=beside, note="with redaction and JSON",
    )  # fmt: skip
    os.close(raw)


def secrets(folder: str) -> Iterator[Row]:
    """Compare the look for secrets in an event that has none with a bare write of its line."""
    values = [value for value in event(1).values() if isinstance(value, str)]
    texts = "|".join(value for value in values if not value.startswith("sha256:"))
    raw = os.open(os.path.join(folder, "line"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    data = texts.encode()
    calls: list[Callable[[], object]] = [
        lambda: os.write(raw, data),
        lambda: may_hold_secret(texts),
    ]
    write, look = best_of([each(call, times=TIMES) for call in calls], rounds=60)
    yield Row(
        area="audit", name="look for signs of secrets", subject=look / TIMES,
        baseline=write / TIMES, beside="os.write O_APPEND", limit=3,
        note="an event without any; nothing is imported or compiled for it",
    )  # fmt: skip
    os.close(raw)


def committing(folder: str) -> Iterator[Row]:
    """Compare durable appends, one by one and together, with a write and a wait."""
    log = JsonlLog(os.path.join(folder, "durable"), clock=time.time, rotate_at=1 << 40)
    body = compose(event(1))
    raw = os.open(os.path.join(folder, "sync"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def bare() -> None:
        os.write(raw, body)
        os.fdatasync(raw)

    def by_threads() -> None:
        threads = [
            threading.Thread(target=each(lambda: log.append(body, durable=True), times=8))
            for _ in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    many = [event(number) for number in range(128)]
    calls: list[Callable[[], object]] = [
        each(bare, times=128),
        each(lambda: log.append(body, durable=True), times=128),
        by_threads,
        lambda: log.append_many(many, durable=True),
    ]
    base, alone, threads, batch = best_of(calls, rounds=5)
    beside = "write + fdatasync"
    for name, seconds in (
        ("durable append", alone),
        ("durable append, 16 threads", threads),
        ("durable append, 128 at once", batch),
    ):
        yield Row(
            area="audit", name=name, subject=seconds / 128, baseline=base / 128, beside=beside
        )
    os.close(raw)


def reading(folder: str) -> Iterator[Row]:
    """Verify a long record, and choose a day's denials out of it."""
    path = os.path.join(folder, "long.jsonl")
    write_record(path, MILLION)

    def digest() -> None:
        with open(path, "rb") as file:
            hashlib.file_digest(file, "sha256")

    def verify() -> None:
        assert verify_log(path).count == MILLION

    base, chain_alone = best_of([digest, verify], rounds=5)
    beside = "sha256 of the file"
    yield Row(
        area="audit", name=f"verify {MILLION:,} events", subject=chain_alone, baseline=base,
        beside=beside, limit=8,
    )  # fmt: skip
    key = make_key("bench/log", bytes(32))
    apart = Checkpoints(os.path.join(folder, "apart"), path, public=key.public(), key=key)
    signing = best_of([apart.sign], rounds=1)[0]
    evidence = apart.evidence()
    signed = best_of([lambda: verify_log(path, evidence, notice=NOTICE)], rounds=4)[0]
    yield Row(
        area="audit", name="verify, with a signed checkpoint", subject=signed, baseline=base,
        beside=beside, limit=8, note="as `penstock audit verify` does",
    )  # fmt: skip
    yield Row(area="audit", name="sign for the first time", subject=signing, baseline=base,
              beside=beside)  # fmt: skip
    chosen = best_of([lambda: sum(1 for _ in read_lines(path, DAY))], rounds=9)[0]
    yield Row(
        area="audit", name="a day's denials out of all", subject=chosen, baseline=0.05,
        beside="50 ms", limit=1, note="no index",
    )  # fmt: skip


def rows() -> Iterator[Row]:
    """Measure the record."""
    with scratch() as folder:
        yield from appending(folder)
        yield from secrets(folder)
        yield from committing(folder)
        yield from reading(folder)
