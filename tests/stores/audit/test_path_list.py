"""Lists of paths beside rotated files: they make queries quick, and never change an answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.core.audit.query import Query
from penstock.stores.audit import path_list
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.path_list import SUFFIX
from penstock.stores.audit.reader import read_lines
from penstock.stores.audit.segments import Segment, rotated
from penstock.stores.audit.verify import verify_log

PATHS = ("src/app.py", "src/other/app.py", "docs/caf\u00e9.md", 'odd "name".py', "README.md")
QUERIES = (
    Query(path="src/app.py"),
    Query(path="**/app.py"),
    Query(path="src/**", last=7),
    Query(path="docs/caf\u00e9.md"),
    Query(path="**/*name*", op="read"),
    Query(path="nowhere.py"),
)


@pytest.fixture
def log(tmp_path: Path) -> str:
    """Return a log with several rotated files."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    made = JsonlLog(str(folder / "audit.jsonl"), clock=lambda: 1.0, rotate_at=4000)
    for number in range(200):
        path = PATHS[number % len(PATHS)]
        made.append({"op": "read" if number % 2 else "write", "path": path}, durable=False)
    assert len(rotated(made.path)) > 3
    return made.path


def lists(log: str) -> list[str]:
    return [segment.path + SUFFIX for segment in rotated(log)]


def same(log: str) -> None:
    """Every query has the answer that reading everything has."""
    for query in QUERIES:
        assert list(read_lines(log, query, listed=True)) == list(read_lines(log, query))


def test_answers_are_those_of_the_log_itself(log: str) -> None:
    same(log)
    assert all(map(os.path.exists, lists(log)))
    same(log)
    assert list(read_lines(log, QUERIES[0], listed=True))


def test_only_the_lines_in_question_are_read(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    list(read_lines(log, QUERIES[0], listed=True))
    made, looked = list[str](), list[bytes]()
    real = path_list._line

    def entries(segment: Segment) -> list[bytes]:
        made.append(segment.path)
        return []

    def line(fd: int, offset: bytes) -> bytes | None:
        looked.append(offset)
        return real(fd, offset)

    monkeypatch.setattr(path_list, "_entries", entries)
    monkeypatch.setattr(path_list, "_line", line)
    found = list(read_lines(log, Query(path="src/other/app.py"), listed=True))
    assert found
    assert not made
    assert 0 < len(looked) <= 200 * 2 / len(PATHS)


@pytest.mark.parametrize("at", [0, 7, 40, -2])
def test_a_damaged_list_is_made_again(log: str, at: int) -> None:
    list(read_lines(log, QUERIES[0], listed=True))
    path = lists(log)[0]
    whole = Path(path).read_bytes()
    damaged = bytearray(whole)
    damaged[at] ^= 1
    Path(path).write_bytes(bytes(damaged))
    same(log)
    assert Path(path).read_bytes() == whole


def test_a_list_that_points_elsewhere_is_made_again(log: str) -> None:
    list(read_lines(log, QUERIES[0], listed=True))
    segment = rotated(log)[0]
    whole = Path(segment.path + SUFFIX).read_bytes()
    body = b"".join(
        b"%d %b\n" % (int(line.split(b" ", 1)[0]) + 3, line.split(b" ", 1)[1])
        for line in whole.splitlines()[1:]
    )
    descriptor = os.open(segment.path, os.O_RDONLY)
    forged = path_list._head(descriptor, body) + b"\n" + body
    os.close(descriptor)
    Path(segment.path + SUFFIX).write_bytes(forged)
    same(log)
    assert Path(segment.path + SUFFIX).read_bytes() == whole


def test_a_list_that_leaves_entries_out_is_found_by_verify(log: str) -> None:
    list(read_lines(log, QUERIES[0], listed=True))
    assert verify_log(log).ok
    segment = rotated(log)[0]
    whole = Path(segment.path + SUFFIX).read_bytes().partition(b"\n")[2]
    body = b"".join(line for line in whole.splitlines(keepends=True) if b"README" not in line)
    descriptor = os.open(segment.path, os.O_RDONLY)
    forged = path_list._head(descriptor, body) + b"\n" + body
    os.close(descriptor)
    Path(segment.path + SUFFIX).write_bytes(forged)
    (problem,) = verify_log(log).problems
    assert (problem.kind, problem.line) == ("edited", 0)
    assert "remove it, and it is made again" in problem.message
    os.unlink(segment.path + SUFFIX)
    same(log)
    assert verify_log(log).ok


def test_a_list_of_another_state_of_the_file_is_not_used(log: str) -> None:
    list(read_lines(log, QUERIES[0], listed=True))
    segment = rotated(log)[1]
    content = Path(segment.path).read_bytes()
    Path(segment.path).write_bytes(content.replace(b"README.md", b"READYOU.md"))
    same(log)
    query = Query(path="READYOU.md")
    assert len(list(read_lines(log, query, listed=True))) == content.count(b"README.md") > 0


def test_names_of_fields_and_paths_written_oddly_are_found(log: str) -> None:
    segment = rotated(log)[0]
    with open(segment.path, "ab") as file:
        file.write(b'{"p\\u0061th":"src/app.py"}\n{ "path" : "src/app.py" }\n')
        file.write(b'{"more":{"path":"src/app.py"}}\n')
    before = list(read_lines(log, QUERIES[0]))
    assert list(read_lines(log, QUERIES[0], listed=True)) == before
    assert b'{"p\\u0061th":"src/app.py"}' in before


def test_where_nothing_can_be_kept_the_answer_is_the_same(
    log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(path_list, "write_file", full)
    same(log)
    assert not any(map(os.path.exists, lists(log)))
