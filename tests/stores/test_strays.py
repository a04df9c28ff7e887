"""Temporary files that a power cut left are removed, and nobody else's."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from penstock.core.errors import PenstockError
from penstock.core.paths import RelPath
from penstock.stores import writer
from penstock.stores.disk import DiskFiles

A = RelPath(text="src/a.txt")
TEMP = ".penstock-0123456789abcdef.tmp"
OLD, NEW = b"old\n", b"new and longer\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.txt").write_bytes(OLD)
    return tmp_path / "src"


def sweep(folder: Path) -> tuple[str, ...]:
    return DiskFiles(str(folder.parent)).sweep(A, [OLD, NEW])


@pytest.mark.parametrize("held", [b"", NEW, NEW[:5], OLD], ids=["empty", "new", "torn", "old"])
def test_what_an_interrupted_write_left_is_removed(folder: Path, held: bytes) -> None:
    (folder / TEMP).write_bytes(held)
    assert sweep(folder) == (TEMP,)
    assert [path.name for path in folder.iterdir()] == ["a.txt"]
    assert sweep(folder) == ()


@pytest.mark.parametrize(
    ("name", "held", "why"),
    [
        (TEMP, b"saved by an editor meanwhile\n", "a version that is nowhere else"),
        (TEMP, NEW + b"x", "more than was to be written"),
        (".penstock-0123.tmp", NEW, "another name"),
        ("a.txt.tmp", NEW, "another program's"),
        (".penstock-0123456789ABCDEF.tmp", NEW, "not quite our name"),
    ],
)
def test_whatever_else_is_there_stays(folder: Path, name: str, held: bytes, why: str) -> None:
    (folder / name).write_bytes(held)
    assert sweep(folder) == ()
    assert (folder / name).read_bytes() == held


def test_only_plain_files_with_one_name_are_ours(folder: Path) -> None:
    os.symlink("a.txt", folder / TEMP)
    os.mkfifo(folder / TEMP.replace("0", "1"))
    (folder / TEMP.replace("0", "2")).mkdir()
    (folder / TEMP.replace("0", "3")).write_bytes(NEW)
    os.link(folder / TEMP.replace("0", "3"), folder / "second")
    assert sweep(folder) == ()
    assert len(list(folder.iterdir())) == 6


def test_nothing_is_removed_while_another_penstock_writes_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LOCK_TRIES", 1)
    (folder / TEMP).write_bytes(NEW)
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert sweep(folder) == ()
    os.close(held)
    assert sweep(folder) == (TEMP,)


def test_a_directory_that_is_gone_or_replaced_has_nothing_to_sweep(folder: Path) -> None:
    (folder / TEMP).write_bytes(NEW)
    outside = folder.parent.parent / "outside"
    os.rename(folder, outside)
    assert sweep(folder) == ()
    os.symlink(outside, folder)
    with pytest.raises(PenstockError, match="link"):
        sweep(folder)
    assert (outside / TEMP).exists()
