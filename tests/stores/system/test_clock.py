"""The clock that cannot be turned back, and telling the living from the dead."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from penstock.stores.system import clock as clock_module
from penstock.stores.system import process as alive_module
from penstock.stores.system.clock import SystemClock, boot_id, boot_time
from penstock.stores.system.process import alive, this_process
from tests.fakes.queue import FixedClock, MemoryProposals


def test_now_is_now() -> None:
    before, moment, after = time.time(), SystemClock().now(), time.time()
    assert before <= moment.wall <= after + 1
    assert moment.boot_id == boot_id()
    assert 0 < moment.boot <= boot_time()


def test_time_goes_on_within_one_process() -> None:
    clock = SystemClock()
    moments = [clock.now() for _ in range(100)]
    assert moments == sorted(moments, key=lambda moment: (moment.wall, moment.boot))


def test_the_wall_time_is_never_earlier_than_what_was_remembered() -> None:
    """X6, B9: after a restart with a clock that was set back, the mark still counts."""
    ahead = time.time() + 3600
    assert SystemClock(lambda wall: max(wall, ahead)).now().wall == ahead


def test_time_goes_on_from_the_mark_while_the_wall_clock_is_behind() -> None:
    ahead = time.time() + 3600
    clock = SystemClock(lambda wall: max(wall, ahead))
    first = clock.now()
    second = clock.now()
    assert second.wall - first.wall == pytest.approx(second.boot - first.boot, abs=1e-6)
    assert second.wall > first.wall


def test_the_mark_is_written_once_a_second_at_most() -> None:
    marks: list[float] = []

    def remember(wall: float) -> float:
        marks.append(wall)
        return wall

    clock = SystemClock(remember)
    for _ in range(50):
        clock.now()
    assert len(marks) <= 2 + int(clock_module.EVERY)
    assert marks[0] == pytest.approx(time.time(), abs=60)


def test_a_clock_uses_the_queue_as_its_memory() -> None:
    queue = MemoryProposals()
    ahead = time.time() + 100
    queue.last_wall(ahead)
    assert SystemClock(queue.last_wall).now().wall >= ahead


def test_tokens_are_32_hexadecimal_digits_and_never_the_same() -> None:
    tokens = {SystemClock().token() for _ in range(200)}
    assert len(tokens) == 200
    assert {len(token) for token in tokens} == {32}
    assert all(set(token) <= set("0123456789abcdef") for token in tokens)


def test_the_boot_clock_needs_no_special_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert boot_time() > 0
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    assert boot_time() > 0
    monkeypatch.delattr(time, "CLOCK_MONOTONIC", raising=False)
    assert boot_time() > 0


def test_reading_the_boot_id_imports_no_codec() -> None:
    """A failing disk made that import fail, and proposing crashed with a LookupError."""
    code = "import sys; from penstock.stores.system.clock import boot_id; boot_id();"
    code += "sys.exit('encodings.ascii' in sys.modules)"
    assert subprocess.run([sys.executable, "-I", "-c", code], check=False).returncode == 0


def test_a_machine_without_a_boot_id_has_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    boot_id.cache_clear()
    monkeypatch.setattr(clock_module, "BOOT_ID", "/nonexistent")
    assert boot_id() == ""
    boot_id.cache_clear()


def test_the_test_clock_moves_when_it_is_told_to() -> None:
    clock = FixedClock()
    made = clock.now()
    assert clock.now() == made
    clock.advance(60)
    assert clock.now().since(made) == 60
    clock.set_wall(made.wall - 1000)
    assert clock.now().since(made) == 60
    clock.restart()
    assert clock.now().since(made) == -1000
    tokens = [clock.token() for _ in range(3)]
    assert len(set(tokens)) == 3
    assert tokens == [FixedClock(tokens=n).token() for n in range(3)]
    assert len(tokens[0]) == 32


# Living and dead


def test_this_process_is_alive() -> None:
    assert alive(this_process())


def test_a_process_that_ended_is_not() -> None:
    script = "from penstock.stores.system.process import this_process; print(this_process())"
    mark = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert not alive(mark)


def test_another_process_with_the_same_number_is_not_it() -> None:
    pid, started, *rest = this_process().split(" ")
    assert not alive(" ".join([pid, str(int(started) - 1), *rest]))


def test_a_process_of_before_the_restart_is_not_alive() -> None:
    parts = this_process().split(" ")
    parts[2] = "another-start"
    assert not alive(" ".join(parts))


def test_a_process_of_another_container_is_given_some_time() -> None:
    parts = this_process().split(" ")
    parts[3] = "pid:[1]"
    assert alive(" ".join(parts))
    parts[4] = str(int(float(parts[4]) - alive_module.UNSEEN - 5))
    assert not alive(" ".join(parts)) or parts[4].startswith("-")


def test_a_zombie_is_not_alive() -> None:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - in another process
        os.write(write, this_process().encode())
        os._exit(0)
    os.close(write)
    with open(read) as file:
        mark = file.read()  # to the end: the child has closed it by ending
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert not alive(mark)
    os.waitpid(pid, 0)


@pytest.mark.parametrize(
    "mark", ["", "1", "a b c d e", "1 2 3 4", "-1 2 3 4 5", "1 2 3 4 x", " " * 4]
)
def test_a_mark_that_cannot_be_read_belongs_to_nobody(mark: str) -> None:
    assert not alive(mark)


def test_without_proc_the_number_has_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alive_module, "stat_fields", lambda pid: ())
    mark = this_process()
    assert mark.split(" ")[1] == "-"
    assert alive(mark)
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert not alive(" ".join([str(process.pid), *mark.split(" ")[1:]]))
