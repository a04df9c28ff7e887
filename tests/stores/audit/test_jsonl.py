"""The log on the disk: crashes, rotation, strangers in its place, and many writers at once."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.audit import head_slots as slots
from penstock.core.audit.chain import GENESIS
from penstock.core.audit.evidence import Evidence
from penstock.core.audit.log_head import LogHead
from penstock.core.audit.query import Query
from penstock.core.errors import AuditError
from penstock.stores.audit import group_commit
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.reader import line_at, read_lines
from penstock.stores.audit.remembered_head import HeadMemory
from penstock.stores.audit.segments import files_of, rotated, segment_name
from penstock.stores.audit.verify import verify_log

EVENT = {"op": "read_file", "path": "src/app.py", "status": "allowed"}
NOON = 1736769600.0
MANY = multiprocessing.get_context("fork")


class Ticking:
    """A clock that a test moves by hand."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "audit.jsonl")


def opened(path: str, clock: Callable[[], float] | None = None, **options: object) -> JsonlLog:
    return JsonlLog(path, clock=clock or Ticking(), **options)  # type: ignore[arg-type]


def filled(path: str, count: int = 5) -> JsonlLog:
    log = opened(path)
    for _ in range(count):
        log.append(EVENT, durable=True)
    return log


def ops(path: str) -> list[object]:
    return [json.loads(line)["op"] for line in read_lines(path)]


def sound(path: str, *, warnings: tuple[str, ...] = ()) -> int:
    """Return how many lines a record has; fails unless nothing is wrong with it."""
    report = verify_log(path)
    assert report.ok, report.as_json()
    assert tuple(sorted(warning.kind for warning in report.warnings)) == warnings
    return report.count


def raw(path: str) -> bytes:
    return Path(path).read_bytes()


# --- going on -------------------------------------------------------------------------------


def test_the_chain_goes_on_over_restarts(path: str) -> None:
    for number in range(3):  # S1-057
        assert filled(path, 4).head() is not None
        assert sound(path) == 4 * (number + 1)


def test_two_logs_on_one_file_make_one_chain(path: str) -> None:
    one, other = opened(path), opened(path)
    for _ in range(5):
        one.append(EVENT, durable=False)
        other.append(EVENT, durable=False)
        other.append(EVENT, durable=True)
    assert sound(path) == 15


def test_a_closed_log_opens_again_by_itself(path: str) -> None:
    log = filled(path, 1)
    log.close()
    log.append(EVENT, durable=False)
    assert sound(path) == 2


def test_the_file_belongs_to_its_owner_alone(path: str) -> None:
    filled(path, 1)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    os.chmod(path, 0o644)  # as a checkout or a copy would leave it
    filled(path, 1)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_lines_that_somebody_else_wrote_without_numbers_are_continued(path: str) -> None:
    from tests.core.audit.records import block, linked

    Path(path).write_bytes(block(linked(['"ts":"2025-01-13T11:00:00Z","op":"x"'] * 3)))
    os.chmod(path, 0o600)
    made = opened(path).append(EVENT, durable=True)
    assert made.seq == 3
    assert sound(path) == 4


# --- what may stand in the log's place -------------------------------------------------------


def refusal(path: str) -> str:
    with pytest.raises(AuditError) as caught:
        opened(path).append(EVENT, durable=True)
    assert caught.value.hint
    return caught.value.code


def test_a_missing_directory_is_told(tmp_path: Path) -> None:
    assert refusal(str(tmp_path / "none" / "audit.jsonl")) == "audit-no-directory"


def test_a_file_as_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert refusal(str(tmp_path / "file" / "audit.jsonl")) == "audit-no-directory"


def test_a_link_is_never_followed(path: str, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("")
    os.symlink(target, path)
    assert refusal(path) == "audit-symlink"
    assert target.read_text() == ""
    with pytest.raises(AuditError) as caught:
        verify_log(path)
    assert caught.value.code == "audit-symlink"


def test_a_dangling_link_creates_nothing(path: str, tmp_path: Path) -> None:
    os.symlink(tmp_path / "nowhere", path)
    assert refusal(path) == "audit-symlink"
    assert not (tmp_path / "nowhere").exists()


def test_a_directory_a_pipe_and_a_device_are_refused(path: str) -> None:
    os.mkdir(path)
    assert refusal(path) == "audit-not-a-file"
    os.rmdir(path)
    os.mkfifo(path)
    assert refusal(path) == "audit-not-a-file"
    assert refusal("/dev/null") == "audit-not-a-file"


def test_a_log_that_others_may_write_is_refused(path: str) -> None:
    filled(path, 1)
    os.chmod(path, 0o620)
    assert refusal(path) == "audit-permissions"
    assert len(raw(path).splitlines()) == 1


def test_a_read_only_place_is_told(path: str) -> None:
    if os.geteuid() == 0:
        assert refusal("/proc/penstock-audit.jsonl") in {"audit-read-only", "audit-no-directory"}
    else:
        os.chmod(os.path.dirname(path), 0o500)
        assert refusal(path) == "audit-read-only"


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "\ud800"])
def test_a_name_that_cannot_be_one_is_an_audit_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(AuditError):
        opened(f"{tmp_path}/{name}").append(EVENT, durable=True)


# --- unfinished lines ------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [1, 5, 60, 200])
def test_an_unfinished_line_is_set_aside_and_told(path: str, cut: int) -> None:
    filled(path, 3)
    torn = raw(path).splitlines()[0][:cut]
    with open(path, "ab") as file:
        file.write(torn)
    assert sound(path, warnings=("torn-tail",)) == 3
    made = opened(path).append(EVENT, durable=True)
    assert made.seq == 4  # the event before it tells what was set aside
    assert ops(path) == ["read_file"] * 3 + ["tail_set_aside", "read_file"]
    told = json.loads(line_at(path, 4))
    assert raw(os.path.join(os.path.dirname(path), told["file"])) == torn
    assert told["bytes"] == cut
    assert sound(path, warnings=("tail-set-aside",)) == 5


def test_zeros_after_a_power_cut_are_set_aside(path: str) -> None:
    filled(path, 3)
    with open(path, "ab") as file:
        file.write(b"\0" * 9000)
    opened(path).append(EVENT, durable=True)
    assert ops(path)[-2:] == ["tail_set_aside", "read_file"]
    assert sound(path, warnings=("tail-set-aside",)) == 5


def test_a_log_that_holds_nothing_but_an_unfinished_line_begins_anew(path: str) -> None:
    Path(path).write_bytes(b'{"ts":"2025')
    os.chmod(path, 0o600)
    opened(path).append(EVENT, durable=True)
    assert ops(path) == ["tail_set_aside", "read_file"]
    assert json.loads(line_at(path, 1))["prev_hash"] == GENESIS


def test_a_line_that_lacks_only_its_newline_is_finished(path: str) -> None:
    filled(path, 3)
    Path(path).write_bytes(raw(path)[:-1])
    assert sound(path, warnings=("torn-tail",)) == 3
    opened(path).append(EVENT, durable=True)
    assert ops(path) == ["read_file"] * 4
    assert sound(path) == 4


def test_unfinished_lines_are_kept_side_by_side(path: str) -> None:
    filled(path, 1)
    for number in range(3):
        with open(path, "ab") as file:
            file.write(b"torn %d" % number)
        opened(path).append(EVENT, durable=True)
    kept = sorted(name for name in os.listdir(os.path.dirname(path)) if "torn" in name)
    assert [raw(os.path.join(os.path.dirname(path), name)) for name in kept] == [
        b"torn 0",
        b"torn 1",
        b"torn 2",
    ]


def test_a_last_line_that_cannot_be_read_is_followed_by_a_new_start_that_says_so(
    path: str,
) -> None:
    filled(path, 2)
    with open(path, "ab") as file:
        file.write(b"not ours\n")
    opened(path).append(EVENT, durable=True)
    assert raw(path).splitlines()[2] == b"not ours"
    report = verify_log(path)
    assert [problem.kind for problem in report.problems] == ["not-json", "restarted"]


# --- a disk that is full ----------------------------------------------------------------------


def limited(path: str, bytes_more: int, work: Callable[[], None]) -> None:
    """Do something in a child process in which files cannot grow beyond a limit."""
    limit = os.path.getsize(path) + bytes_more
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("room", [0, 1, 100, 250])
@pytest.mark.parametrize("durable", [False, True])
def test_a_write_that_does_not_fit_is_taken_back(path: str, room: int, durable: bool) -> None:
    log = filled(path, 3)
    before = raw(path)

    def work() -> None:
        for _ in range(2):
            with pytest.raises(AuditError) as caught:
                log.append(EVENT, durable=durable)
            assert caught.value.code == "audit-disk-full"
        with pytest.raises(AuditError):
            log.append_many([EVENT] * 3, durable=durable)

    limited(path, room, work)
    assert raw(path) == before
    log.append(EVENT, durable=True)
    assert sound(path) == 4


def test_a_torn_line_that_cannot_be_set_aside_stops_the_record(path: str) -> None:
    filled(path, 3)
    with open(path, "ab") as file:
        file.write(b"x" * 5000)
    before = raw(path)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        with pytest.raises(AuditError) as caught:
            opened(path).append(EVENT, durable=True)
        assert caught.value.code == "audit-disk-full"

    limited(path, 0, work)
    assert raw(path) == before
    assert not [name for name in os.listdir(os.path.dirname(path)) if "torn" in name]


# --- rotation ---------------------------------------------------------------------------------


def test_a_full_log_is_rotated_out_under_its_numbers_and_the_chain_goes_on(path: str) -> None:
    log = opened(path, rotate_at=2000)
    for _ in range(30):
        log.append(EVENT, durable=False)
    segments = rotated(path)
    assert len(segments) >= 3  # S0-088
    assert segments[0].first == 0
    for earlier, later in pairwise(segments):
        assert later.first == earlier.last + 1
        assert os.path.getsize(earlier.path) <= 2000 + 400
    assert sound(path) == 30 + len(segments)
    assert ops(path).count("log_rotated") == len(segments)


def test_rotated_logs_of_the_broker_keep_their_prefix(tmp_path: Path) -> None:
    path = str(tmp_path / ".agentzero_audit.jsonl")
    log = opened(path, rotate_at=1000)
    for _ in range(10):
        log.append(EVENT, durable=False)
    names = {os.path.basename(segment.path) for segment in files_of(path)}
    assert len(names) > 1
    assert all(name.startswith(".agentzero_audit") for name in names)
    assert all(name.endswith(".jsonl") for name in names)


def test_a_log_of_another_name_is_rotated_just_the_same(tmp_path: Path) -> None:
    path = str(tmp_path / "record")
    log = opened(path, rotate_at=1000)
    for _ in range(10):
        log.append(EVENT, durable=False)
    assert rotated(path)
    sound(path)


def test_every_process_that_has_the_log_open_notices_a_rotation(path: str) -> None:
    one, other = opened(path, rotate_at=1500), opened(path, rotate_at=1500)
    for _ in range(20):
        one.append(EVENT, durable=False)
        other.append(EVENT, durable=False)
    assert sound(path) == 40 + len(rotated(path))


def test_a_rename_that_a_crash_prevented_is_done_by_the_next_append(path: str) -> None:
    log = opened(path, rotate_at=1500)
    while not rotated(path):
        log.append(EVENT, durable=False)
    segment = rotated(path)[0].path
    os.rename(segment, path)  # as it was between the line that tells and the rename
    opened(path, rotate_at=1500).append(EVENT, durable=True)
    assert rotated(path)[0].path == segment
    assert ops(path)[-2:] == ["log_rotated", "read_file"]
    assert sound(path)


def test_a_crash_after_the_rename_loses_nothing(path: str) -> None:
    log = opened(path, rotate_at=1500)
    while not rotated(path):
        log.append(EVENT, durable=False)
    os.unlink(path)  # as it was before the new file was made
    made = opened(path).append(EVENT, durable=True)
    assert made.seq == rotated(path)[0].last + 1
    assert sound(path)


def test_a_log_that_cannot_be_renamed_grows_on(path: str) -> None:
    log = opened(path, rotate_at=1000)
    for _ in range(2):
        log.append(EVENT, durable=False)
    os.mkdir(segment_name(path, 0, 3))
    for _ in range(2):
        log.append(EVENT, durable=False)
    assert not [segment for segment in rotated(path) if os.path.isfile(segment.path)]
    os.rmdir(segment_name(path, 0, 3))
    assert sound(path) == 5
    assert ops(path).count("log_rotated") == 1


def test_strangers_beside_the_log_are_no_segments(path: str, tmp_path: Path) -> None:
    filled(path, 2)
    for name in ("audit.jsonl.torn-1", "audit.1-2.jsonl", "audit.x.jsonl", "other.jsonl"):
        (tmp_path / name).write_text("x")
    assert [segment.path for segment in files_of(path)] == [path]


# --- the log is deleted, moved or cut while somebody has it open -------------------------------


def test_a_log_deleted_under_an_open_writer_is_not_written_into_nowhere(path: str) -> None:
    log = filled(path, 3)
    os.unlink(path)
    log.append(EVENT, durable=True)
    assert os.path.exists(path)
    assert ops(path) == ["read_file"]


def test_within_a_second_a_deleted_log_is_noticed_even_without_durability(path: str) -> None:
    clock = Ticking()
    log = opened(path, clock)
    log.append(EVENT, durable=False)
    os.unlink(path)
    clock.now += 1
    log.append(EVENT, durable=False)
    assert ops(path) == ["read_file"]


def test_a_chain_that_was_deleted_never_restarts_silently(path: str, tmp_path: Path) -> None:
    memory = HeadMemory(str(tmp_path / "elsewhere"))
    log = opened(path, memory=memory)
    for _ in range(3):
        last = log.append(EVENT, durable=True)
    os.unlink(path)
    made = opened(path, memory=memory).append(EVENT, durable=True)
    start = json.loads(line_at(path, 1))
    assert start["op"] == "chain_start"  # S1-057, B20
    assert (start["missing_head"], start["missing_seq"]) == (last.event_hash, 2)
    assert made.seq == 1
    report = verify_log(path)
    assert [(problem.kind, problem.line) for problem in report.problems] == [("restarted", 1)]
    assert last.event_hash in report.problems[0].message


def test_a_restart_is_told_once(path: str, tmp_path: Path) -> None:
    memory = HeadMemory(str(tmp_path / "elsewhere"))
    opened(path, memory=memory).append_many([EVENT] * 9, durable=True)
    os.unlink(path)
    for durable in (False, True, False):
        opened(path, memory=memory).append(EVENT, durable=durable)
    assert ops(path) == ["chain_start", *["read_file"] * 3]


def test_a_tail_cut_below_what_is_remembered_is_told_by_the_next_append(
    path: str, tmp_path: Path
) -> None:
    memory = HeadMemory(str(tmp_path / "elsewhere"))
    clock = Ticking()
    log = opened(path, clock, memory=memory)
    log.append_many([EVENT] * 5, durable=True)
    Path(path).write_bytes(b"".join(raw(path).splitlines(keepends=True)[:2]))
    log.append(EVENT, durable=False)  # the same process notices that the file shrank
    assert ops(path) == ["read_file", "read_file", "chain_start", "read_file"]
    assert [problem.kind for problem in verify_log(path).problems] == ["restarted"]


def test_a_log_replaced_by_its_older_copy_is_told(path: str, tmp_path: Path) -> None:
    memory = HeadMemory(str(tmp_path / "elsewhere"))
    log = opened(path, memory=memory)
    log.append(EVENT, durable=True)
    older = raw(path)
    log.append_many([EVENT] * 3, durable=True)
    os.unlink(path)
    Path(path).write_bytes(older)
    os.chmod(path, 0o600)
    log.append(EVENT, durable=True)
    assert ops(path) == ["read_file", "chain_start", "read_file"]


def test_a_memory_that_cannot_be_written_is_told_on_the_record(path: str, tmp_path: Path) -> None:
    memory = HeadMemory(str(tmp_path / "none" / "head"))
    log = opened(path, memory=memory)
    log.append(EVENT, durable=True)
    log.append(EVENT, durable=True)
    assert "head_not_remembered" in ops(path)


# --- the remembered head ----------------------------------------------------------------------


def test_the_memory_only_goes_forward(tmp_path: Path) -> None:
    memory = HeadMemory(str(tmp_path / "head"))
    assert memory.recall() is None
    newer, older = (LogHead(seq=seq, event_hash="sha256:" + "a" * 64) for seq in (9, 4))
    memory.remember(newer)
    memory.remember(older)
    assert memory.recall() == newer
    memory.restart(older)
    assert memory.recall() == older
    (tmp_path / "head").write_bytes(b"garbage")
    assert memory.recall() is None


def restarted_machine(path: str) -> None:
    """Make what is remembered that of another start of the machine."""
    with open(path, "r+b") as file:
        file.seek(slots.SIGNED - slots.BOOT - 1)
        file.write(b"x" * slots.BOOT)


def test_entries_that_never_reached_the_disk_are_lost_and_not_cut(
    path: str, tmp_path: Path
) -> None:
    memory = HeadMemory(str(tmp_path / "head"))
    log = opened(path, memory=memory)
    log.append_many([EVENT] * 2, durable=True)
    kept = raw(path)
    log.append_many([EVENT] * 3, durable=False)
    Path(path).write_bytes(kept)
    restarted_machine(memory.path)
    facts = memory.facts()
    assert verify_log(path, Evidence(head=facts.expected(1))).ok
    opened(path, memory=memory).append(EVENT, durable=False)
    assert ops(path) == ["read_file", "read_file", "entries_lost", "read_file"]
    report = verify_log(path, Evidence(head=memory.recall()))
    assert report.ok
    assert [(one.kind, one.line) for one in report.warnings] == [("entries-lost", 3)]


def test_after_a_restart_what_had_reached_the_disk_is_still_missed(
    path: str, tmp_path: Path
) -> None:
    memory = HeadMemory(str(tmp_path / "head"))
    log = opened(path, memory=memory)
    log.append_many([EVENT] * 3, durable=True)
    log.append(EVENT, durable=False)
    Path(path).write_bytes(b"".join(raw(path).splitlines(keepends=True)[:2]))
    restarted_machine(memory.path)
    report = verify_log(path, Evidence(head=memory.facts().expected(1)))
    assert [problem.kind for problem in report.problems] == ["tail-cut"]
    opened(path, memory=memory).append(EVENT, durable=False)
    assert ops(path)[2] == "chain_start"


def test_what_is_remembered_shows_that_the_end_is_missing(path: str, tmp_path: Path) -> None:
    memory = HeadMemory(str(tmp_path / "head"))
    opened(path, memory=memory).append_many([EVENT] * 5, durable=True)
    assert verify_log(path, Evidence(head=memory.recall())).ok
    Path(path).write_bytes(b"".join(raw(path).splitlines(keepends=True)[:3]))
    report = verify_log(path, Evidence(head=memory.recall()))
    assert [(problem.kind, problem.line) for problem in report.problems] == [("tail-cut", 3)]
    assert report.level == "remembered"


# --- time -------------------------------------------------------------------------------------


def test_a_clock_that_goes_back_a_little_is_evened_out(path: str) -> None:
    clock = Ticking()
    log = opened(path, clock)
    for step in (0, -2, 1, -3, 10):
        clock.now = NOON + step
        log.append(EVENT, durable=False)
        log.append(EVENT, durable=False)
    assert sound(path) == 10


def test_a_clock_that_goes_back_far_begins_a_new_segment_and_is_told(path: str) -> None:
    clock = Ticking()
    log = opened(path, clock)
    log.append(EVENT, durable=False)
    clock.now = NOON - 86400
    log.append(EVENT, durable=False)
    clock.now = NOON - 86000
    log.append(EVENT, durable=False)
    assert ops(path) == ["read_file", "log_rotated", "clock_stepped", "read_file", "read_file"]
    assert sound(path, warnings=("clock-step",)) == 5
    day = Query(since="2025-01-12T00:00:00Z", until="2025-01-13T00:00:00Z", op="read_file")
    assert len(list(read_lines(path, day))) == 2  # each segment is still sorted


# --- reading ----------------------------------------------------------------------------------


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=60),
    st.integers(0, 150),
    st.integers(0, 150),
    st.integers(0, 5),
)
def test_a_span_of_time_is_found_by_halving_exactly_as_by_reading_all(
    tmp_path: Path, steps: list[int], since: int, until: int, last: int
) -> None:
    path = str(tmp_path / f"{time.monotonic_ns()}.jsonl")
    clock = Ticking()
    log = opened(path, clock, rotate_at=6000)
    for number, step in enumerate(steps):
        clock.now += step
        log.append({**EVENT, "n": number, "pad": "x" * (number * 37 % 400)}, durable=False)
    query = Query(
        since=f"2025-01-13T12:{since // 60:02d}:{since % 60:02d}Z",
        until=f"2025-01-13T12:{until // 60:02d}:{until % 60:02d}Z",
        last=last,
    )
    everything = [
        json.loads(line) for segment in files_of(path) for line in raw(segment.path).splitlines()
    ]
    expected = [event["seq"] for event in everything if query.since <= event["ts"] < query.until]
    found = [json.loads(line)["seq"] for line in read_lines(path, query)]
    assert found == (expected[-last:] if last else expected)


def test_long_lines_are_found_by_time_as_well(path: str) -> None:
    clock = Ticking()
    log = opened(path, clock)
    for number in range(60):
        clock.now = NOON + number
        log.append({**EVENT, "many": ["y" * 990] * (number % 14)}, durable=False)
    query = Query(since="2025-01-13T12:00:20Z", until="2025-01-13T12:00:40Z")
    assert [json.loads(line)["seq"] for line in read_lines(path, query)] == list(range(20, 40))


def test_an_unfinished_last_line_is_not_read(path: str) -> None:
    filled(path, 3)
    with open(path, "ab") as file:
        file.write(b'{"ts":"2025-01-13T12:00:00Z","seq":3,"op":"torn"')
    assert len(list(read_lines(path))) == 3
    assert len(list(read_lines(path, Query(last=5)))) == 3
    assert len(list(read_lines(path, Query(since="2025-01-13T00:00:00Z")))) == 3


def test_a_log_without_times_is_read_as_a_whole(path: str) -> None:
    from tests.core.audit.records import block, linked

    Path(path).write_bytes(block(linked([f'"op":"x","n":{n}' for n in range(5)])))
    assert len(list(read_lines(path))) == 5
    assert list(read_lines(path, Query(since="2025-01-13T00:00:00Z"))) == []
    assert line_at(path, 9) == b""


def test_an_empty_log_has_nothing(path: str) -> None:
    Path(path).write_bytes(b"")
    assert list(read_lines(path)) == []
    assert list(read_lines(path, Query(last=3, since="2025-01-13T00:00:00Z"))) == []
    assert sound(path) == 0


def test_verifying_what_is_not_there_is_an_error_of_its_own(path: str) -> None:
    with pytest.raises(AuditError) as caught:
        verify_log(path)
    assert caught.value.code == "audit-not-found"


# --- many at once -----------------------------------------------------------------------------


def append_some(path: str, count: int, rotate_at: int) -> None:
    log = opened(path, time.time, rotate_at=rotate_at, wait=60.0)
    for number in range(count):
        log.append({**EVENT, "by": str(os.getpid())}, durable=number % 100 == 0)


def test_eight_processes_append_ten_thousand_events_to_one_unbroken_chain(path: str) -> None:
    workers = [MANY.Process(target=append_some, args=(path, 1250, 400_000)) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    report = verify_log(path)
    assert report.ok, report.as_json()
    assert ops(path).count("read_file") == 10_000
    assert report.count == 10_000 + ops(path).count("log_rotated")
    assert (
        len({event["by"] for event in map(json.loads, read_lines(path, Query(op="read_file")))})
        == 8
    )


def test_a_forked_child_does_not_share_its_parents_lock(path: str) -> None:
    log = filled(path, 1)

    def work() -> None:
        for _ in range(300):
            log.append(EVENT, durable=False)

    children = [MANY.Process(target=work) for _ in range(3)]
    for child in children:
        child.start()
    work()
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    assert sound(path) == 1201


def test_a_lock_that_nobody_gives_back_is_told(path: str) -> None:
    import fcntl

    filled(path, 1)
    with open(path, "rb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(AuditError) as caught:
            opened(path, wait=0.05).append(EVENT, durable=True)
        assert caught.value.code == "audit-busy"
    opened(path).append(EVENT, durable=True)
    assert sound(path) == 2


def test_threads_that_wait_for_the_disk_together_wait_once() -> None:
    first, gate = threading.Event(), threading.Event()
    batches: list[int] = []

    def commit(bodies: object) -> list[object]:
        assert isinstance(bodies, list)
        batches.append(len(bodies))
        first.set()
        gate.wait(10)
        return list(bodies)

    joined = group_commit.GroupCommit(commit)  # type: ignore[arg-type]
    results: dict[int, object] = {}

    def work(number: int) -> None:
        results[number] = joined.commit([b"%d" % number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    threads[0].start()
    first.wait(10)
    for thread in threads[1:]:
        thread.start()
    while len(joined._waiting) < 7:
        time.sleep(0.001)
    gate.set()
    for thread in threads:
        thread.join(10)
    assert batches == [1, 7]  # seven waits for the disk became one
    assert results == {number: [b"%d" % number] for number in range(8)}


def test_a_failed_commit_is_everybodys_error() -> None:
    def commit(bodies: object) -> list[object]:
        raise AuditError("audit-io", "no")

    joined = group_commit.GroupCommit(commit)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(AuditError):
            joined.commit([b"x"])


KILLED = """
import sys, time
from penstock.stores.audit.jsonl import JsonlLog
log = JsonlLog(sys.argv[1], clock=time.time, rotate_at=20_000)
print("ready", flush=True)
while True:
    made = log.append({"op": "read_file", "path": "a", "status": "allowed"}, durable=True)
    print(made.seq, made.event_hash, flush=True)
"""


def test_killing_the_writer_at_any_moment_loses_nothing_that_was_acknowledged(path: str) -> None:
    acknowledged: list[str] = []
    for round_ in range(6):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        for _ in range(3 + 7 * round_):
            acknowledged.append(child.stdout.readline())
        child.kill()
        acknowledged += child.stdout.read().splitlines(keepends=True)
        child.wait()
        child.stdout.close()
    report = verify_log(path)
    assert report.ok, report.as_json()
    assert {warning.kind for warning in report.warnings} <= {"torn-tail", "tail-set-aside"}
    kept = {json.loads(line)["event_hash"] for line in read_lines(path)}
    whole = [text.split() for text in acknowledged if text.endswith("\n")]
    assert len(whole) > 50
    assert {parts[1] for parts in whole} <= kept


def test_an_append_after_a_lost_descriptor_opens_the_log_again(tmp_path: Path) -> None:
    log = JsonlLog(str(tmp_path / "audit.jsonl"), clock=lambda: 1736769600.0)
    log.append({"op": "decided", "path": "a"}, durable=True)
    log._writer.file.drop()  # what a failing unlock leaves behind
    log.append({"op": "decided", "path": "b"}, durable=True)
    assert verify_log(log.path).count == 2


def test_a_log_that_nobody_holds_any_more_gives_its_file_back(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(20):
        JsonlLog(str(tmp_path / f"{number}.jsonl"), clock=lambda: 1.0).append(
            {"op": "x"}, durable=True
        )
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_whether_a_line_could_be_written_is_known_without_writing_one(tmp_path: Path) -> None:
    log = JsonlLog(str(tmp_path / "log.jsonl"), clock=lambda: 0.0)
    log.require_ready()
    assert (tmp_path / "log.jsonl").read_bytes() == b""
    log.append({"op": "x"}, durable=True)
    kept = (tmp_path / "log.jsonl").read_bytes()
    log.require_ready()
    assert (tmp_path / "log.jsonl").read_bytes() == kept
    (tmp_path / "log.jsonl").unlink()
    (tmp_path / "log.jsonl").mkdir()
    with pytest.raises(AuditError, match="audit-not-a-file"):
        log.require_ready()


def test_behind_a_line_that_nobody_can_read_the_numbers_go_on(tmp_path: Path) -> None:
    """Segments are put in order by their numbers: beginning at 0 again would fork the chain."""
    path = str(tmp_path / "audit.jsonl")
    before = JsonlLog(path, clock=lambda: 1_000_000.0, rotate_at=20_000)
    for number in range(120):
        before.append({"op": "x", "path": str(number)}, durable=False)
    before.close()
    with open(path, "ab") as file:
        file.write(b"a line of somebody else\n")
    after = JsonlLog(path, clock=lambda: 1_000_000.0, rotate_at=20_000)
    for number in range(400):
        after.append({"op": "y", "path": str(number)}, durable=False)
    kinds = [str(problem.kind) for problem in verify_log(path).problems]
    assert kinds == ["not-json", "restarted"], "nothing is out of order"
