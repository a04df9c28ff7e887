"""A crash during a write of programs, links and directories ends one way or the other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.core.file_mode import FileMode
from penstock.ports import Ending, PlannedWrite
from penstock.stores.files.workspace import DiskFiles
from tests.contracts.test_file_modes import write
from tests.stores.files.test_recovery import crash, notes, opened, renumber

FILE, PROGRAM, LINK, FOLDER = FileMode
Tree = dict[str, tuple[str, str]]

BEFORE: Tree = {
    "run": ("100644", "x"),
    "link": ("120000", "old"),
    "d": ("040000", ""),
    "d/in": ("100644", "i"),
    "empty": ("040000", ""),
}


@pytest.fixture(params=["exchange", "no exchange"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> DiskFiles:
    root = tmp_path / "workspace"
    (root / "d").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "run").write_text("x")
    (root / "d/in").write_text("i")
    os.symlink("old", root / "link")
    return opened(tmp_path, exchange=request.param == "exchange")


def tree(files: DiskFiles) -> Tree:
    root, found = Path(files.root), {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(root))] = "120000", os.readlink(path)
        elif path.is_dir():
            found[str(path.relative_to(root))] = "040000", ""
        else:
            mode = "100755" if path.stat().st_mode & 0o100 else "100644"
            found[str(path.relative_to(root))] = mode, path.read_text()
    return found


def without(*names: str) -> Tree:
    return {name: held for name, held in BEFORE.items() if name not in names}


CHMOD = [write("run", b"x", b"x", PROGRAM, FILE)]
RELINK = [write("link", b"new", b"old", LINK, LINK)]
UNLINK = [write("link", None, b"old", was=LINK)]
MKDIR = [write("n/m", b"", None, FOLDER)]
RMDIR = [write("empty", None, b"", was=FOLDER)]
SET = [
    write("d", None, b"", was=FOLDER),
    write("d/in", None, b"i", was=FILE),
    write("link", b"x", b"old", PROGRAM, LINK),
    write("n", b"", None, FOLDER),
    write("n/to", b"../run", None, LINK),
]
AFTER_SET: Tree = without("d", "d/in") | {
    "link": ("100755", "x"),
    "n": ("040000", ""),
    "n/to": ("120000", "../run"),
}

ENDS = [
    ("chmod, staged", CHMOD, -1, Ending.PUT_BACK, BEFORE),
    ("chmod, told", CHMOD, 0, Ending.PUT_BACK, BEFORE),
    ("chmod, swapped", CHMOD, 1, Ending.FINISHED, BEFORE | {"run": ("100755", "x")}),
    ("link, staged", RELINK, -1, Ending.PUT_BACK, BEFORE),
    ("link, told", RELINK, 0, Ending.PUT_BACK, BEFORE),
    ("link, swapped", RELINK, 1, Ending.FINISHED, BEFORE | {"link": ("120000", "new")}),
    ("unlink, told", UNLINK, 0, Ending.PUT_BACK, BEFORE),
    ("unlink, swapped", UNLINK, 1, Ending.FINISHED, without("link")),
    ("mkdir, opened", MKDIR, -1, Ending.PUT_BACK, BEFORE),
    (
        "mkdir, told",
        MKDIR,
        0,
        Ending.FINISHED,
        BEFORE | {"n": ("040000", ""), "n/m": ("040000", "")},
    ),
    ("rmdir, told", RMDIR, 0, Ending.PUT_BACK, BEFORE),
    ("rmdir, swapped", RMDIR, 1, Ending.FINISHED, without("empty")),
    ("set, staged", SET, -1, Ending.PUT_BACK, BEFORE),
    *((f"set, {many} swapped", SET, many, Ending.PUT_BACK, BEFORE) for many in range(4)),
    ("set, all swapped", SET, 5, Ending.FINISHED, AFTER_SET),
]


@pytest.mark.parametrize("restarted", [False, True], ids=["", "restarted"])
@pytest.mark.parametrize(("where", "writes", "swapped", "ending", "there"), ENDS)
def test_a_crash_is_ended_one_way_or_the_other(
    files: DiskFiles,
    where: str,
    writes: list[PlannedWrite],
    swapped: int,
    ending: Ending,
    there: Tree,
    restarted: bool,
) -> None:
    crash(files, writes, swapped=swapped)
    if restarted:
        renumber(files)
    (recovered,) = files.recover()
    assert (recovered.ending, recovered.kept) == (ending, ())
    assert tree(files) == there
    assert notes(files) == []
    assert files.recover() == ()


def test_a_link_that_somebody_set_meanwhile_is_theirs(files: DiskFiles) -> None:
    crash(files, [*RELINK, *CHMOD], swapped=1)
    os.unlink(Path(files.root) / "link")
    os.symlink("theirs", Path(files.root) / "link")
    files.recover()
    assert os.readlink(Path(files.root) / "link") == "theirs"
