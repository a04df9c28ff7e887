"""`cold_append` writes what `jsonl` would, or nothing."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.audit import head_slots as slots
from penstock.core.audit.event import compose
from penstock.stores.audit.append import ROTATED
from penstock.stores.audit.cold_append import ColdLog, append_cold
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.reader import read_lines
from penstock.stores.audit.remembered_head import HeadMemory
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
    """Append one line in the full way, which remembers where the log ends."""
    memory = memory_of(path)
    log = JsonlLog(path, clock=lambda: NOON, memory=memory)
    log.append(EVENT, durable=False)
    memory_of(path).claim(0, int(NOON), seen=None)
    return log


def memory_of(path: str) -> HeadMemory:
    return HeadMemory(f"{path}.head")


def cold(
    path: str, *, ts: str = TS, room: int = ROOM, now: float = NOON, events: int = 1000
) -> tuple[int, str, str] | None:
    log = ColdLog(path, f"{path}.head", room, events, 300)
    return append_cold(log, BODY, ts, now)


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


def cut(path: str) -> None:
    """Back to a copy from before the last line, whose links are all right."""
    full(path)
    Path(path).write_bytes(Path(path).read_bytes().splitlines(keepends=True)[0])


def rewritten(path: str) -> None:
    """The same length, the same links, another content."""
    from tests.core.audit.records import block, relinked

    lines = [line.replace(b"denied", b"passed") for line in Path(path).read_bytes().splitlines()]
    Path(path).write_bytes(block(relinked(lines, 0)))


def forgotten(path: str) -> None:
    os.unlink(f"{path}.head")


def remembered_before_a_restart(path: str) -> None:
    """Written in another start of the machine: the full way compares."""
    with open(f"{path}.head", "r+b") as file:
        file.seek(slots.SIGNED - slots.BOOT - 1)
        file.write(b"x" * slots.BOOT)


def rotation_begun(path: str) -> None:
    with open(path, "ab") as file:
        line = list(read_lines(path))[-1]
        file.write(line.replace(b',"op":"decided",', ROTATED) + b"\n")


@pytest.mark.parametrize(
    "happened",
    [gone, emptied, torn, garbage, without_numbers, linked_elsewhere, open_to_others, a_pipe,
     rotation_begun, cut, rewritten, forgotten, remembered_before_a_restart],
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


def test_what_is_remembered_moves_with_each_line_on_both_ways(path: str) -> None:
    for _ in range(3):
        for way in (cold, full):
            assert way(path) is not None
            head = JsonlLog(path, clock=lambda: NOON).head()
            assert head is not None
            assert memory_of(path).recall() == head


def test_a_line_by_which_a_checkpoint_is_due_is_left_to_the_full_way(path: str) -> None:
    assert cold(path, events=2) is None, "the second line of two"
    assert cold(path, now=NOON + 300) is None
    assert cold(path, now=NOON + 299) is not None
    memory_of(path).mark(2, int(NOON) + 300)
    assert cold(path, now=NOON + 300, events=2) is not None, "signed, so it counts anew"
    assert cold(path, now=NOON + 300, events=2) is None


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
