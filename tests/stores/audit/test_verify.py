"""A record on the disk is verified by walking through it, and against what was signed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from penstock.core.audit.checkpoint import make_key
from penstock.core.audit.evidence import CheckpointNote, Evidence
from penstock.core.audit.findings import AuditReport
from penstock.stores.audit import segments
from penstock.stores.audit import verify as module
from penstock.stores.audit.checkpoints import Checkpoints
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.segments import Segment, rotated, segment_name
from penstock.stores.audit.verify import verify_log
from tests.core.audit.records import block, body, linked, record, relinked

KEY = make_key("penstock.test/log", bytes(range(32)))


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "audit.jsonl")


def put(path: str, lines: list[bytes], tail: bytes = b"") -> None:
    Path(path).write_bytes(block(lines) + tail)


def test_a_sound_record_is_called_sound(path: str) -> None:
    lines = record(40)
    put(path, lines)
    report = verify_log(path)
    assert report.ok, report.as_json()
    assert report.count == 40
    assert report.head == lines[-1][-73:-2].decode()


ATTACKS = {
    "edited": [*record(40)[:30], record(40)[30].replace(b"allowed", b"approved"), *record(40)[31:]],
    "deleted": [*record(40)[:20], *record(40)[21:]],
    "reordered": [*record(40)[:19], record(40)[20], record(40)[19], *record(40)[21:]],
    "sequence-gap": linked([body(n) for n in range(40) if n != 20]),
    "restarted": [*record(20), *record(20)],
    "duplicate-keys": linked([body(n) + (',"op":"x"' if n == 33 else "") for n in range(40)]),
}


@pytest.mark.parametrize("kind", ATTACKS)
def test_what_was_done_to_a_record_is_named(path: str, kind: str) -> None:
    put(path, ATTACKS[kind])
    report = verify_log(path)
    assert [problem.kind for problem in report.problems] == [kind]


def test_clock_steps_are_told_with_their_lines(path: str) -> None:
    times = {7: "2025-01-13T11:00:00Z", 35: "2025-01-13T11:30:00Z"}
    lines = linked([body(n, ts=times.get(n, f"2025-01-13T12:00:{n:02d}Z")) for n in range(40)])
    put(path, lines)
    report = verify_log(path)
    assert [(told.kind.value, told.line) for told in report.warnings] == [
        ("clock-step", 8),
        ("clock-step", 36),
    ]


def test_a_torn_tail_is_told(path: str) -> None:
    put(path, record(40), b'{"ts":')
    report = verify_log(path)
    assert report.ok
    assert [told.kind for told in report.warnings] == ["torn-tail"]


def test_the_root_that_was_signed_is_compared(path: str, tmp_path: Path) -> None:
    lines = record(40)
    put(path, lines)
    apart = Checkpoints(str(tmp_path / "apart"), path, public=KEY.public(), key=KEY)
    apart.sign()
    assert verify_log(path, apart.evidence()).ok
    put(path, relinked([*lines[:30], lines[30].replace(b"allowed", b"approved"), *lines[31:]], 30))
    report = verify_log(path, apart.evidence())
    assert [problem.kind for problem in report.problems] == ["rewritten"]


def test_a_record_that_is_gone_is_told_by_what_is_left_of_it(path: str, tmp_path: Path) -> None:
    put(path, record(5))
    remembered = str(tmp_path / "home" / "checkpoint")
    apart = Checkpoints(
        str(tmp_path / "apart"), path, public=KEY.public(), key=KEY, remembered=remembered
    )
    apart.sign()
    Path(path).unlink()
    report = verify_log(path, Evidence(remembered=apart.evidence().remembered))
    assert [problem.kind for problem in report.problems] == ["deleted"]
    assert report.count == 0


def test_a_segment_that_does_not_end_with_a_newline_was_not_left_so_by_us(tmp_path: Path) -> None:
    lines = record(6)
    (tmp_path / "audit.0000000000-0000000002.jsonl").write_bytes(block(lines[:3])[:-9])
    put(str(tmp_path / "audit.jsonl"), lines[3:])
    report = verify_log(str(tmp_path / "audit.jsonl"))
    assert report.problems[0].line == 3
    assert not report.ok


def test_a_log_that_is_rotated_while_it_is_verified_is_not_called_tampered(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, record(40))
    walk = module._walked

    def rotated_meanwhile(
        files: list[Segment], notice: frozenset[str], sizes: set[int]
    ) -> tuple[AuditReport, dict[int, str]]:
        if not rotated(path):
            Path(path).rename(segment_name(path, 0, 39))
            put(path, linked([body(40)], record(40)[-1][-73:-2].decode()))
        return walk(files, notice, sizes)

    monkeypatch.setattr(module, "_walked", rotated_meanwhile)
    report = verify_log(path)
    assert report.ok, report.as_json()
    assert report.count == 41


def test_what_is_no_file_and_named_like_a_segment_is_told(path: str, tmp_path: Path) -> None:
    put(path, record(3))
    (tmp_path / "audit.0000000003-0000000009.jsonl").symlink_to("/etc/passwd")
    (tmp_path / "audit.0000000010-0000000019.jsonl").mkdir()
    report = verify_log(path)
    assert [problem.kind for problem in report.problems] == ["stranger", "stranger"]
    assert report.count == 3


def test_a_file_of_one_endless_line_is_not_held_in_memory(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "BLOCK", 64)
    monkeypatch.setattr(segments, "MOST_LINE", 1024)
    Path(path).write_bytes(block(record(2)) + b"x" * 5000 + b"\n" + block(record(1)))
    report = verify_log(path)
    assert [(told.kind.value, told.line) for told in report.problems] == [
        ("not-json", 3),
        ("restarted", 4),
    ]
    Path(path).write_bytes(block(record(2)) + b"x" * 5000)
    assert verify_log(path).ok


def test_lines_that_are_asked_for_come_along_with_their_numbers(path: str) -> None:
    wanted = {3: "approved", 21: "key_made", 37: "approved"}
    lines = linked([body(n, op=wanted.get(n, "read_file")) for n in range(40)])
    lines = relinked(
        [*lines[:30], lines[30].replace(b'"read_file"', b'"\\u0061pproved"'), *lines[31:]], 30
    )
    put(path, lines)
    report = verify_log(path, notice=frozenset({"approved", "key_made"}))
    assert report.ok
    assert [number for number, _ in report.noticed] == [4, 22, 31, 38]  # an escape hides nothing
    assert all(text == lines[number - 1] for number, text in report.noticed)
    assert verify_log(path).noticed == ()
    assert "noticed" not in report.as_json()


# Checkpoints by the hash signed beside the root


SIGNED = [
    ({}, [], "as it was signed"),
    ({"head": ""}, [], "from before the hash was signed along"),
    ({"head": "sha256:" + "0" * 64}, [], "another hash, but the root is right"),
    ({"head": "sha256:" + "0" * 64, "root": bytes(32)}, ["rewritten"], "neither is right"),
    ({"head": "", "root": bytes(32)}, ["rewritten"], "only a root, and it is wrong"),
]


@pytest.mark.parametrize(("changes", "kinds", "why"), SIGNED, ids=[row[2] for row in SIGNED])
def test_a_checkpoint_is_compared_by_its_hash_and_otherwise_by_its_root(
    tmp_path: Path, changes: dict[str, Any], kinds: list[str], why: str
) -> None:
    log = JsonlLog(str(tmp_path / "audit.jsonl"), clock=lambda: 1736769600.0, rotate_at=3000)
    log.append_many([{"op": "x", "path": "a", "status": "ok"}] * 30, durable=True)
    apart = Checkpoints(str(tmp_path / "apart"), log.path, public=KEY.public(), key=KEY)
    signed = apart.sign()
    assert signed is not None
    log.append({"op": "y"}, durable=True)
    note = CheckpointNote(checkpoint=replace(signed, **changes), size=signed.size)
    report = verify_log(log.path, Evidence(own=[note]))
    assert [problem.kind for problem in report.problems] == kinds


def test_every_older_checkpoint_is_met_on_the_way_and_need_not_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "BLOCK", 700)  # two lines or three
    log = JsonlLog(str(tmp_path / "audit.jsonl"), clock=lambda: 1736769600.0, rotate_at=3000)
    apart = Checkpoints(str(tmp_path / "apart"), log.path, public=KEY.public(), key=KEY)
    for count in (1, 1, 5, 2, 11, 3):
        log.append_many([{"op": "x", "path": "a", "status": "ok"}] * count, durable=True)
        assert apart.sign() is not None

    def unopened(note: str) -> CheckpointNote:
        raise AssertionError(note)

    evidence = replace(apart.evidence(log.head()), check=unopened)
    assert len(evidence.older) == 5
    assert verify_log(log.path, evidence).ok
