"""What every audit log must do, in memory and on the disk."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.audit.chain import GENESIS
from penstock.core.audit.event import compose
from penstock.core.audit.query import Query
from penstock.core.audit.verify import LogWalk
from penstock.core.errors import InputError
from penstock.ports import AuditLog
from penstock.stores.audit.jsonl import JsonlLog
from tests.fakes.audit_log import MemoryLog

Log = JsonlLog | MemoryLog
EVENT = {"op": "read_file", "path": "src/app.py", "status": "allowed"}


class Ticking:
    """A clock that a test moves by hand."""

    def __init__(self, now: float = 1736769600.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


MAKERS: dict[str, Callable[[Path, Ticking], Log]] = {
    "memory": lambda _folder, clock: MemoryLog(clock=clock),
    "jsonl": lambda folder, clock: JsonlLog(str(folder / "audit.jsonl"), clock=clock),
}


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture(params=MAKERS)
def log(request: pytest.FixtureRequest, tmp_path: Path, clock: Ticking) -> Log:
    return MAKERS[request.param](tmp_path, clock)


def is_sound(log: Log, count: int) -> bool:
    walk = LogWalk()
    walk.feed(b"".join(line + b"\n" for line in log.lines()))
    return not (walk.problems or walk.breaks) and walk.mark.count == count


def test_it_is_an_audit_log(log: Log) -> None:
    port: AuditLog = log
    assert port.append(EVENT, durable=True).seq == 0


def test_the_first_line_follows_the_zeros_and_each_next_the_one_before(log: Log) -> None:
    first = log.append(EVENT, durable=True)
    second = log.append(EVENT, durable=False)
    assert (first.seq, first.prev_hash) == (0, GENESIS)  # B19
    assert (second.seq, second.prev_hash) == (1, first.event_hash)  # S1-055
    assert first.event_hash != second.event_hash
    assert is_sound(log, 2)


def test_a_line_has_the_keys_of_the_broker_in_order(log: Log) -> None:
    event = {**EVENT, "created": False, "base_hash": "sha256:1", "patch_hash": "sha256:2"}
    log.append({**event, "tool_call_id": "tc-1", "context_id": "ctx-1"}, durable=True)
    found = json.loads(next(log.lines()))
    expected = ["ts", "seq", "op", "path", "status", "created", "base_hash", "patch_hash"]
    assert list(found) == [*expected, "tool_call_id", "context_id", "prev_hash", "event_hash"]
    assert found["ts"] == "2025-01-13T12:00:00Z"  # X8, S1-054


def test_several_events_go_on_in_their_order(log: Log) -> None:
    log.append(EVENT, durable=True)
    made = log.append_many([{**EVENT, "n": n} for n in range(5)], durable=True)
    assert [one.seq for one in made] == [1, 2, 3, 4, 5]
    assert [event.get("n") for event in log.read()] == [None, 0, 1, 2, 3, 4]
    assert log.append_many([], durable=True) in ((), [])
    assert is_sound(log, 6)


def test_an_event_that_was_composed_before_goes_on_as_it_is(log: Log) -> None:
    log.append(compose(EVENT), durable=True)
    assert next(log.read())["op"] == "read_file"


def test_the_head_is_the_last_line(log: Log) -> None:
    assert log.head() is None
    made = log.append(EVENT, durable=True)
    head = log.head()
    assert head is not None
    assert (head.seq, head.event_hash) == (made.seq, made.event_hash)


def test_an_event_that_cannot_be_one_adds_nothing(log: Log) -> None:
    with pytest.raises(InputError):
        log.append({"op": "x", "prev_hash": "y"}, durable=True)
    with pytest.raises(InputError):
        log.append_many([EVENT, {"path": "no op"}], durable=True)
    assert log.head() is None


def test_content_and_secrets_never_reach_a_line(log: Log) -> None:
    log.append({**EVENT, "content": "the file", "command": "x --token hunter2"}, durable=True)
    line = next(log.lines())
    assert b"the file" not in line
    assert b"hunter2" not in line


def test_events_are_chosen_by_time_outcome_and_number(log: Log, clock: Ticking) -> None:
    for n in range(6):
        status = "denied" if n % 2 else "allowed"
        log.append({**EVENT, "status": status, "n": n}, durable=False)
        clock.now += 60

    def chosen(**query: object) -> list[object]:
        return [event["n"] for event in log.read(Query(**query))]  # type: ignore[arg-type]

    assert chosen(outcome="denied") == [1, 3, 5]
    assert chosen(since="2025-01-13T12:02:00Z", until="2025-01-13T12:04:00Z") == [2, 3]
    assert chosen(last=2) == [4, 5]
    assert chosen(last=1, outcome="allowed") == [4]
    assert chosen(path="docs/**") == []
    assert chosen(last=99) == [0, 1, 2, 3, 4, 5]


def test_threads_that_append_at_once_make_one_chain(log: Log) -> None:
    made: list[int] = []

    def work(durable: bool) -> None:
        for _ in range(25):
            made.append(log.append(EVENT, durable=durable).seq)

    threads = [threading.Thread(target=work, args=(n % 2 == 0,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == list(range(150))
    assert is_sound(log, 150)
