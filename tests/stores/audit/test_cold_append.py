"""`cold_append` writes what `jsonl` would, or nothing."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.audit.event import compose
from penstock.stores.audit.append import ROTATED
from penstock.stores.audit.cold_append import append_cold
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.reader import read_lines
from penstock.stores.audit.verify import verify_log

EVENT = {"op": "decided", "path": "src/app.py", "status": "denied"}
BODY = compose(EVENT)
TS = "2025-01-13T12:00:00Z"
NOON = 1736769600.0
ROOM = 10 * 1024 * 1024


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = str(tmp_path / "audit.jsonl")
    full(path)
    return path


def full(path: str) -> JsonlLog:
    log = JsonlLog(path, clock=lambda: NOON)
    log.append(EVENT, durable=False)
    return log


def cold(path: str, *, ts: str = TS, room: int = ROOM) -> tuple[int, str, str] | None:
    return append_cold(path, BODY, ts, rotate_at=room)


def test_both_ways_write_the_same_line(path: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other.jsonl")
    full(other)
    made = full(other).append(EVENT, durable=False)
    assert cold(path) is not None
    assert cold(path) == (made.seq, made.prev_hash, made.event_hash)
    assert Path(path).read_bytes() == Path(other).read_bytes()


def test_both_ways_take_turns_on_one_chain(path: str) -> None:
    log = full(path)
    for _ in range(5):
        assert cold(path) is not None
        log.append(EVENT, durable=True)
        log.append(EVENT, durable=False)
    report = verify_log(path)
    assert report.ok
    assert report.count == 17


def gone(path: str) -> None:
    os.unlink(path)


def emptied(path: str) -> None:
    Path(path).write_bytes(b"")


def torn(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b'{"ts":')


def garbage(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"garbage\n")


def without_numbers(path: str) -> None:
    from tests.core.audit.records import block, linked

    Path(path).write_bytes(block(linked(['"op":"x"'])))


def linked_elsewhere(path: str) -> None:
    os.rename(path, path + ".real")
    os.symlink(path + ".real", path)


def open_to_others(path: str) -> None:
    os.chmod(path, 0o644)


def a_pipe(path: str) -> None:
    os.unlink(path)
    os.mkfifo(path)


def rotation_begun(path: str) -> None:
    with open(path, "ab") as file:
        line = list(read_lines(path))[-1]
        file.write(line.replace(b',"op":"decided",', ROTATED) + b"\n")


@pytest.mark.parametrize(
    "happened",
    [gone, emptied, torn, garbage, without_numbers, linked_elsewhere, open_to_others, a_pipe,
     rotation_begun],
)  # fmt: skip
def test_anything_unusual_is_left_to_the_full_way(
    path: str, happened: Callable[[str], None]
) -> None:
    happened(path)
    before = Path(path).read_bytes() if os.path.isfile(path) else None
    assert cold(path) is None
    assert (Path(path).read_bytes() if os.path.isfile(path) else None) == before


def test_a_full_log_a_busy_one_and_a_clock_gone_back_are_left_to_the_full_way(path: str) -> None:
    assert cold(path, room=os.path.getsize(path) + 100) is None
    assert cold(path, ts="2025-01-13T11:00:00Z") is None
    with open(path, "rb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert cold(path) is None
    assert cold("a\0b") is None
    assert len(list(read_lines(path))) == 1
    assert cold(path) is not None


def test_the_short_way_imports_next_to_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import penstock.stores.audit.cold_append;"
        "print(' '.join(sorted(set(sys.modules) - before)))"
    )
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    foreign = {name for name in loaded if not name.startswith("penstock")}
    assert foreign <= {"_sha256", "_sha2", "fcntl", "posix", "__future__"}
