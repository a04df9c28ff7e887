"""What a sink lacks: read on from a cursor, over rotated files, and after the log was replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.core.errors import InputError
from penstock.core.ship.batch import ShipCursor
from penstock.core.ship.sink import sink_of
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.ship.cursors import ShipCursors
from penstock.stores.ship.secret import kept_secret
from penstock.stores.ship.unsent import has_lost, unsent

SINK = sink_of("file:/x")
ROTATE_AT = 1 << 30


def log(folder: Path, *, rotate: int = 0) -> JsonlLog:
    most = rotate or ROTATE_AT
    return JsonlLog(str(folder / "audit.jsonl"), clock=lambda: 1e9, rotate_at=most)


def add(folder: Path, count: int, *, rotate: int = 0) -> None:
    made = log(folder, rotate=rotate)
    for number in range(count):
        made.append({"op": "note", "path": f"{number}", "status": "ok"}, durable=False)


def numbers(folder: Path, cursor: ShipCursor) -> list[int]:
    return [one.after.seq for one in unsent(str(folder / "audit.jsonl"), cursor)]


@pytest.mark.parametrize("rotate", [0, 900])
def test_reading_goes_on_behind_every_cursor(tmp_path: Path, rotate: int) -> None:
    add(tmp_path, 25, rotate=rotate)
    every = list(unsent(str(tmp_path / "audit.jsonl"), ShipCursor()))
    many = len(every)  # a rotation is an entry, too
    assert [one.after.seq for one in every] == list(range(many))
    assert (len(list(tmp_path.glob("*.jsonl"))) > 3) == bool(rotate)
    for one in every:
        assert numbers(tmp_path, one.after) == list(range(one.after.seq + 1, many))
        assert not has_lost(str(tmp_path / "audit.jsonl"), one.after)


def test_a_cursor_outlives_a_rotation(tmp_path: Path) -> None:
    add(tmp_path, 5)
    last = list(unsent(str(tmp_path / "audit.jsonl"), ShipCursor()))[-1].after
    add(tmp_path, 20, rotate=600)
    assert len(list(tmp_path.glob("*.jsonl"))) > 2
    found = numbers(tmp_path, last)
    assert found == list(range(5, 5 + len(found)))
    assert len(found) > 20


def test_an_unfinished_line_is_no_entry(tmp_path: Path) -> None:
    add(tmp_path, 2)
    with open(tmp_path / "audit.jsonl", "ab") as file:
        file.write(b'{"ts":"')
    assert numbers(tmp_path, ShipCursor()) == [0, 1]


def test_a_log_that_was_replaced_is_sent_from_the_start(tmp_path: Path) -> None:
    add(tmp_path, 5)
    last = list(unsent(str(tmp_path / "audit.jsonl"), ShipCursor()))[-1].after
    os.unlink(tmp_path / "audit.jsonl")
    assert has_lost(str(tmp_path / "audit.jsonl"), last)
    made = log(tmp_path)
    made.append({"op": "another", "path": "", "status": "ok"}, durable=False)
    assert has_lost(str(tmp_path / "audit.jsonl"), last)
    assert numbers(tmp_path, last) == [0]


def test_a_missing_log_has_nothing(tmp_path: Path) -> None:
    assert numbers(tmp_path, ShipCursor()) == []
    assert not has_lost(str(tmp_path / "audit.jsonl"), ShipCursor())


def test_a_cursor_is_kept_and_a_broken_one_says_nothing(tmp_path: Path) -> None:
    cursors = ShipCursors(str(tmp_path), "audit")
    assert cursors.get(SINK) == ShipCursor()
    kept = ShipCursor(seq=3, head="sha256:x", first=0, at=99)
    cursors.keep(SINK, kept, problem="away")
    assert (cursors.get(SINK), cursors.problem(SINK)) == (kept, "away")
    (file,) = (tmp_path / "ship").glob("*.json")
    for broken in (b"", b"{", b"[]", b'{"seq":"x"}', b'{"seq":1,"first":0,"at":-5}'):
        file.write_bytes(broken)
        assert cursors.get(SINK) == ShipCursor()


def test_one_process_sends_at_a_time(tmp_path: Path) -> None:
    one, other = ShipCursors(str(tmp_path), "audit"), ShipCursors(str(tmp_path), "audit")
    with one.turn(SINK) as mine, other.turn(SINK) as theirs:
        assert (mine, theirs) == (True, False)
    with other.turn(SINK) as theirs:
        assert theirs


def test_a_secret_comes_from_a_variable_or_a_private_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("Bearer abc\n")
    os.chmod(tmp_path / "token", 0o600)
    beside = str(tmp_path)
    assert kept_secret("", {}, beside=beside) == ""
    assert kept_secret("env:T", {"T": "Splunk x"}, beside=beside) == "Splunk x"
    assert kept_secret("file:token", {}, beside=beside) == "Bearer abc"


@pytest.mark.parametrize("how", ["unset", "lines", "exposed", "missing", "directory"])
def test_a_secret_that_cannot_be_used_is_told_and_not_shown(tmp_path: Path, how: str) -> None:
    (tmp_path / "token").write_text("hush\n")
    os.chmod(tmp_path / "token", 0o644)
    text = {"unset": "env:T", "lines": "env:L", "missing": "file:no", "directory": "file:."}
    with pytest.raises(InputError) as told:
        kept_secret(text.get(how, "file:token"), {"L": "hush\nhush"}, beside=str(tmp_path))
    assert told.value.code == "bad-credential"
    assert "hush" not in told.value.render()
