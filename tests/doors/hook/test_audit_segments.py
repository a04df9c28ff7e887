"""What is done to a log that was rotated, and to what is remembered of it, is found or doubted.

The entries are written by real hooks, and `penstock audit verify` is asked. A problem is what
shows in the files. A doubt is what cannot be told from a writer that was killed at the wrong
moment: it is a warning, and the next entry puts it on the record.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.audit.records import linked, relinked
from tests.doors.hook.audit_attacks import Target
from tests.doors.hook.test_audit_attacks import RULES, Session, by_hooks_alone
from tests.project import Project

ENTRIES = 26


class RotatedSession(Session):
    def use(self, *, witness: bool) -> None:
        del witness
        self.project.write("penstock.toml", RULES + "rotate_bytes = 4096\n")

    def grow(self, entries: int) -> None:
        for _ in range(entries):
            self.write()

    def warnings(self) -> tuple[int, list[str], list[str]]:
        done = self.project.run("audit", "verify", "--json")
        found = done.json
        return (
            done.code,
            [problem["kind"] for problem in found["problems"]],
            [warning["kind"] for warning in found["warnings"]],
        )


def segments(target: Target) -> list[Path]:
    return sorted(target.folder.glob("audit.*-*.jsonl"))


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RotatedSession]:
    place = tmp_path_factory.mktemp("rotated")
    (place / "project" / ".git").mkdir(parents=True)
    (place / "home").mkdir()
    session = RotatedSession(Project(place / "project", place / "home"))
    running = by_hooks_alone(session)
    next(running)
    session.grow(ENTRIES)
    assert session.project.run("audit", "checkpoint").code == 0
    session.grow(2)  # what no checkpoint covers
    assert len(segments(session.target)) > 1
    session.keep()
    yield session
    next(running, None)


@pytest.fixture
def session(lived: RotatedSession) -> Iterator[RotatedSession]:
    yield lived
    lived.put_back()


# --- problems -----------------------------------------------------------------------------------


def swap_two_segments(target: Target) -> None:
    one, two = segments(target)[:2]
    data = one.read_bytes(), two.read_bytes()
    one.write_bytes(data[1])
    two.write_bytes(data[0])


def delete_the_first_segment(target: Target) -> None:
    segments(target)[0].unlink()


def delete_the_last_segment(target: Target) -> None:
    segments(target)[-1].unlink()


def empty_a_segment(target: Target) -> None:
    segments(target)[1].write_bytes(b"")


def truncate_a_segment(target: Target) -> None:
    one = segments(target)[0]
    one.write_bytes(b"".join(one.read_bytes().splitlines(keepends=True)[:-1]))


def truncate_a_segment_in_a_line(target: Target) -> None:
    one = segments(target)[0]
    one.write_bytes(one.read_bytes()[:-40])


def copy_a_segment(target: Target) -> None:
    shutil.copy(segments(target)[0], target.folder / "audit.0000000999-0000001999.jsonl")


def edit_in_a_segment_and_hash_anew(target: Target) -> None:
    one = segments(target)[0]
    lines = one.read_bytes().splitlines()
    lines[1] = lines[1].replace(b'"path":"', b'"path":"x', 1)
    one.write_bytes(b"".join(line + b"\n" for line in relinked(lines, 1)))


def delete_the_log_alone(target: Target) -> None:
    target.log.unlink()


def delete_the_log_and_cut_the_segment(target: Target) -> None:
    delete_the_log_alone(target)
    one = segments(target)[-1]
    one.write_bytes(b"".join(one.read_bytes().splitlines(keepends=True)[:-1]))


def link_a_segment(target: Target) -> None:
    one = segments(target)[0]
    moved = one.replace(target.folder.parent / "elsewhere")
    one.symlink_to(moved)


def other_line_endings(target: Target) -> None:
    target.log.write_bytes(target.log.read_bytes().replace(b"\n", b"\r\n"))


PROBLEMS = [
    swap_two_segments,
    delete_the_first_segment,
    delete_the_last_segment,
    empty_a_segment,
    truncate_a_segment,
    truncate_a_segment_in_a_line,
    copy_a_segment,
    edit_in_a_segment_and_hash_anew,
    delete_the_log_alone,
    delete_the_log_and_cut_the_segment,
    link_a_segment,
    other_line_endings,
]


def test_a_rotated_log_that_nobody_touched_is_sound(session: RotatedSession) -> None:
    assert session.warnings() == (0, [], [])
    session.grow(1)
    assert session.warnings() == (0, [], [])


@pytest.mark.parametrize("attack", PROBLEMS)
def test_what_is_done_to_a_rotated_log_is_found(
    session: RotatedSession, attack: Callable[[Target], None]
) -> None:
    attack(session.target)
    code, problems, _ = session.warnings()
    assert (code, bool(problems)) == (1, True)


# --- doubts -------------------------------------------------------------------------------------


def append_by_hand(target: Target, op: str = "decided") -> None:
    """Add an entry with the right number and hashes."""
    last = target.lines()[-1]
    said = json.loads(last)
    facts = f'"ts":"{said["ts"]}","seq":{said["seq"] + 1},"op":"{op}","path":"x","status":"done"'
    target.put([*target.lines(), *linked([facts], f"sha256:{last[-66:-2].decode()}")])


def forget_the_head(target: Target) -> None:
    target.memory[0].unlink()


def spoil_the_head(target: Target) -> None:
    target.memory[0].write_bytes(b"\xff" * 265)


def forget_the_head_and_cut_the_end(target: Target) -> None:
    forget_the_head(target)
    target.put(target.lines()[:-1])


DOUBTS = [
    (append_by_hand, "unremembered"),
    (forget_the_head, "head-missing"),
    (spoil_the_head, "head-missing"),
    (forget_the_head_and_cut_the_end, "head-missing"),
]


@pytest.mark.parametrize(("attack", "kind"), DOUBTS)
def test_what_cannot_be_told_from_a_crash_is_doubted_and_goes_on_the_record(
    session: RotatedSession, attack: Callable[[Target], None], kind: str
) -> None:
    attack(session.target)
    assert session.warnings() == (0, [], [kind])
    session.grow(2)
    assert session.warnings() == (0, [], [kind]), "the next entry covers it up, or tells it twice"


# --- what is no file ------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["head", "head.checkpoint", "checkpoints", "checkpoint.key"])
def test_a_pipe_in_place_of_a_file_is_named_and_nobody_waits_for_it(
    session: RotatedSession, which: str
) -> None:
    target = session.target
    places = dict(zip(("head", "head.checkpoint"), target.memory, strict=True))
    place = places.get(which, target.folder / which)
    place.unlink()
    os.mkfifo(place)
    try:
        done = session.project.run("audit", "verify", "--json")
        assert done.code == 1
        assert done.json["error"]["code"] == "audit-not-a-file"
        assert str(place) in done.json["error"]["message"]
    finally:
        place.unlink()
