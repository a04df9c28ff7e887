"""After a crash: what was begun is ended, what is ours goes, everything else stays.

A crash is made by carrying out a write up to some point and letting go of it there, as the
kernel does for a process that is killed. `tests/faults` does the same with real kills.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

from penstock.core.digest import digest
from penstock.core.errors import PenstockError, StaleError, StoreError
from penstock.core.paths.relpath import RelPath
from penstock.ports import Ending, PlannedWrite, RecoveredWrite
from penstock.stores.files import batch as writer
from penstock.stores.files import errors
from penstock.stores.files.batch import Batch, Step, _plan
from penstock.stores.files.journal import SetDirection
from penstock.stores.files.step import is_temp_name, temp_name
from penstock.stores.files.workspace import DiskFiles

OLD, NEW = b"old", b"new"


def planned(text: str, new: bytes | None, held: bytes | None) -> PlannedWrite:
    expect = None if held is None else digest(held)
    return PlannedWrite(path=RelPath(text=text), new=new, expect=expect)


MODIFY = [planned("dir/a", NEW, OLD)]
CREATE = [planned("x/y/a", NEW, None)]
REMOVE = [planned("dir/a", None, OLD)]
SET = [
    planned("dir/a", NEW, OLD),
    planned("x/y/b", NEW, None),
    planned("dir/c", None, OLD),
]


@pytest.fixture(params=["exchange", "no exchange"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> DiskFiles:
    root = tmp_path / "workspace"
    (root / "dir").mkdir(parents=True)
    for name in ("a", "c"):
        (root / "dir" / name).write_bytes(OLD)
    (root / "dir" / ".penstock-0123456789abcdef.tmp").write_bytes(b"theirs")
    return opened(tmp_path, exchange=request.param == "exchange")


def opened(tmp_path: Path, *, exchange: bool = True) -> DiskFiles:
    return DiskFiles(
        str(tmp_path / "workspace"),
        journal_dir=str(tmp_path / "journal"),
        use_exchange=None if exchange else False,
    )


def crash(files: DiskFiles, writes: list[PlannedWrite], *, swapped: int = -1) -> list[Step]:
    """Carry out a write up to some swaps and let go; -1 lets go in the middle of staging."""
    writer = files._writer
    plans = [_plan(write) for write in writes]
    batch = Batch(note=writer._noted(plans), shown="")
    writer._open(batch, plans)
    writer.lock(batch)
    for step, write in zip(batch.steps, writes, strict=True):
        step.stage(write.new, step.check(), flush=False)
    if swapped >= 0:
        batch.note.staged([step.ours for step in batch.steps], flush=False)
    for step in batch.steps[: max(swapped, 0)]:
        step.swap()
    batch.note.leave()
    batch.close()
    return batch.steps


def renumber(files: DiskFiles) -> None:
    """Let the disk have had another number when the note was made, as after a restart."""
    (name,) = notes(files)
    note = Path(files.root).parent / "journal" / name
    lines = [json.loads(line) for line in note.read_bytes().splitlines()]
    for idents in (line["staged"] for line in lines if "staged" in line):
        for ident in idents:
            ident[0] += 1
    note.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def held(files: DiskFiles, text: str) -> bytes | None:
    full = Path(files.root) / text
    return full.read_bytes() if full.is_file() else None


def everything(files: DiskFiles) -> set[str]:
    root = Path(files.root)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def notes(files: DiskFiles) -> list[str]:
    journal = Path(files.root).parent / "journal"
    return os.listdir(journal) if journal.exists() else []


BEFORE = {"dir/a", "dir/c", "dir/.penstock-0123456789abcdef.tmp"}

ENDS = [
    ("modify, staged", MODIFY, -1, Ending.PUT_BACK, BEFORE),
    ("modify, told", MODIFY, 0, Ending.PUT_BACK, BEFORE),
    ("modify, swapped", MODIFY, 1, Ending.FINISHED, BEFORE),
    ("create, staged", CREATE, -1, Ending.PUT_BACK, BEFORE),
    ("create, told", CREATE, 0, Ending.PUT_BACK, BEFORE),
    ("create, swapped", CREATE, 1, Ending.FINISHED, BEFORE | {"x/y/a"}),
    ("remove, told", REMOVE, 0, Ending.PUT_BACK, BEFORE),
    ("remove, swapped", REMOVE, 1, Ending.FINISHED, BEFORE - {"dir/a"}),
    ("set, staged", SET, -1, Ending.PUT_BACK, BEFORE),
    ("set, told", SET, 0, Ending.PUT_BACK, BEFORE),
    ("set, one swapped", SET, 1, Ending.PUT_BACK, BEFORE),
    ("set, two swapped", SET, 2, Ending.PUT_BACK, BEFORE),
    ("set, all swapped", SET, 3, Ending.FINISHED, BEFORE - {"dir/c"} | {"x/y/b"}),
]


@pytest.mark.parametrize("restarted", [False, True], ids=["", "restarted"])
@pytest.mark.parametrize(("where", "writes", "swapped", "ending", "there"), ENDS)
def test_a_crash_is_ended_one_way_or_the_other(
    files: DiskFiles,
    where: str,
    writes: list[PlannedWrite],
    swapped: int,
    ending: Ending,
    there: set[str],
    restarted: bool,
) -> None:
    crash(files, writes, swapped=swapped)
    if restarted:
        renumber(files)
    assert files.recover() == (
        RecoveredWrite(paths=tuple(write.path.text for write in writes), ending=ending),
    )
    assert everything(files) == there
    for write in writes:
        content = write.new if ending is Ending.FINISHED else (write.expect and OLD)
        assert held(files, write.path.text) == (content or None)
    assert (Path(files.root) / "x").exists() == ("x/y/a" in there or "x/y/b" in there)
    assert notes(files) == []
    assert files.recover() == ()


def test_a_save_after_the_crash_is_not_undone(files: DiskFiles) -> None:
    """A set is put back, but one of its files was saved by somebody meanwhile."""
    crash(files, SET, swapped=2)
    (Path(files.root) / "dir/a").write_bytes(b"saved since")
    (Path(files.root) / "x/y/b").write_bytes(b"saved as well")
    (recovered,) = files.recover()
    assert recovered.ending is Ending.PUT_BACK
    assert held(files, "dir/a") == b"saved since"
    assert held(files, "x/y/b") == b"saved as well"
    assert "x/y/b" in recovered.kept
    (other,) = [name for name in recovered.kept if name != "x/y/b"]
    assert held(files, other) == OLD, "the version before is kept, not dropped"


def test_a_version_that_came_out_and_was_not_expected_gets_its_name_back(
    files: DiskFiles,
) -> None:
    (step,) = crash(files, MODIFY, swapped=1)
    (Path(files.root) / "dir" / step.temp).write_bytes(b"a save that we displaced")
    (recovered,) = files.recover()
    assert recovered.ending is Ending.PUT_BACK
    assert held(files, "dir/a") == b"a save that we displaced"
    assert everything(files) == BEFORE


def test_a_removed_name_that_somebody_took_is_left_to_them(files: DiskFiles) -> None:
    crash(files, [*REMOVE, planned("dir/c", NEW, OLD)], swapped=1)
    (Path(files.root) / "dir/a").write_bytes(b"theirs")
    (recovered,) = files.recover()
    assert held(files, "dir/a") == b"theirs"
    assert [held(files, name) for name in recovered.kept] == [OLD]


def test_a_file_that_vanished_after_the_crash_comes_back_with_the_set(files: DiskFiles) -> None:
    crash(files, SET, swapped=1)
    (Path(files.root) / "dir/a").unlink()
    files.recover()
    assert held(files, "dir/a") == OLD


def test_a_directory_that_vanished_takes_its_part_along(files: DiskFiles) -> None:
    crash(files, [planned("x/y/b", NEW, None)], swapped=0)
    (Path(files.root) / "x").rename(Path(files.root).parent / "elsewhere")
    (recovered,) = files.recover()
    assert recovered.ending is Ending.PUT_BACK
    assert notes(files) == []


def test_what_a_set_decided_is_carried_on_with(files: DiskFiles) -> None:
    crash(files, SET, swapped=3)
    journal = Path(files.root).parent / "journal"
    (note,) = journal.iterdir()
    with note.open("a") as file:
        file.write(json.dumps({"decided": SetDirection.BACK.value}) + "\n")
    (recovered,) = files.recover()
    assert recovered.ending is Ending.PUT_BACK
    assert everything(files) == BEFORE


def test_the_note_of_a_living_writer_is_left_alone(files: DiskFiles) -> None:
    note = files._writer._noted([_plan(MODIFY[0])])
    assert files.recover() == ()
    assert len(notes(files)) == 1
    note.drop()
    assert notes(files) == []


UNREADABLE = [
    ("nothing in it", b""),
    ("half a line", b'{"version": 1, "root'),
    ("no JSON", b"\x00\xff\n"),
    ("JSON of another kind", b"[1, 2]\n"),
    ("no plans", b'{"version": 1, "root": "ROOT", "missing": []}\n'),
    ("plans that are no list", b'{"version": 1, "root": "ROOT", "plans": 7, "missing": []}\n'),
    (
        "another number of staged files",
        b'{"version": 1, "root": "ROOT", "plans": [], "missing": [], "staged": [null]}\n',
    ),
    ("a plan that is no table", b'{"version": 1, "root": "ROOT", "plans": [7], "missing": []}\n'),
    ("deeply nested", b"[" * 100_000 + b"\n"),
]


@pytest.mark.parametrize(("why", "text"), UNREADABLE, ids=[one[0] for one in UNREADABLE])
def test_a_note_that_says_nothing_changes_nothing(files: DiskFiles, why: str, text: bytes) -> None:
    files.recover()
    journal = Path(files.root).parent / "journal"
    journal.mkdir()
    (journal / "x.write").write_bytes(text.replace(b"ROOT", files.root.encode()))
    (journal / "other").write_bytes(b"not a note")
    assert files.recover() == ()
    assert everything(files) == BEFORE
    assert notes(files) == ["other"]


FOREIGN = [
    ("a file that is not called like ours", {"temp": "a"}),
    ("a name in another directory", {"temp": "../c"}),
    ("a path that climbs", {"parts": ["..", "x"]}),
    ("a path with a NUL", {"parts": ["a\0b"]}),
    ("no path", {"parts": []}),
    ("a path that no disk can hold", {"parts": ["\ud800"]}),
    ("a way that we do not go", {"way": "burn"}),
]


@pytest.mark.parametrize(("why", "wrong"), FOREIGN, ids=[one[0] for one in FOREIGN])
def test_a_forged_note_cannot_name_what_is_not_ours(
    files: DiskFiles, why: str, wrong: dict[str, object]
) -> None:
    plan = {"way": "modify", "parts": ["dir", "a"], "temp": temp_name(), "expect": None, "new": ""}
    note = {"version": 1, "root": files.root, "plans": [{**plan, **wrong}], "missing": []}
    journal = Path(files.root).parent / "journal"
    journal.mkdir()
    (journal / "x.write").write_text(json.dumps(note) + "\n")
    assert files.recover() == ()
    assert everything(files) == BEFORE


def test_notes_of_other_workspaces_and_later_versions_stay(files: DiskFiles) -> None:
    journal = Path(files.root).parent / "journal"
    journal.mkdir()
    for name, note in {
        "a.write": {"version": 1, "root": "/elsewhere", "plans": [], "missing": []},
        "b.write": {"version": 99, "root": files.root},
    }.items():
        (journal / name).write_text(json.dumps(note) + "\n")
    assert files.recover() == ()
    assert sorted(notes(files)) == ["a.write", "b.write"]


def test_names_are_ours_only_in_their_exact_form() -> None:
    assert is_temp_name(temp_name())
    for other in (
        "",
        "a",
        ".penstock-.tmp",
        ".penstock-0123456789ABCDEF.tmp",
        ".penstock-0123456789abcde.tmp",
        ".penstock-0123456789abcdef",
        "x.penstock-0123456789abcdef.tmp",
        ".penstock-.penstock-0123.tmp.tmp",
    ):
        assert not is_temp_name(other)


def test_without_a_journal_there_is_nothing_to_go_by(files: DiskFiles) -> None:
    assert DiskFiles(files.root).recover() == ()


# -- a swap that meets somebody else ------------------------------------------------------


def middle(files: DiskFiles, write: PlannedWrite) -> tuple[Step, Batch]:
    """Return a step whose names have been swapped, its directory still open."""
    writer = files._writer
    plan = _plan(write)
    batch = Batch(note=writer._noted([plan]), shown="")
    writer._open(batch, [plan])
    writer.lock(batch)
    (step,) = batch.steps
    step.stage(write.new, step.check(), flush=False)
    step.swap()
    return step, batch


def test_a_save_into_our_file_while_it_had_the_name_gets_the_name(files: DiskFiles) -> None:
    step, batch = middle(files, MODIFY[0])
    (Path(files.root) / "dir/a").write_bytes(b"saved into ours")
    step.put_back()
    batch.close()
    assert held(files, "dir/a") == b"saved into ours"
    assert [held(files, name) for name in step.kept] == [OLD]


def test_a_save_by_rename_while_ours_had_the_name_gets_the_name(files: DiskFiles) -> None:
    step, batch = middle(files, MODIFY[0])
    other = Path(files.root) / "dir/other"
    other.write_bytes(b"renamed over ours")
    other.rename(Path(files.root) / "dir/a")
    step.put_back()
    batch.close()
    assert held(files, "dir/a") == b"renamed over ours"
    assert [held(files, name) for name in step.kept] == [OLD]


def test_our_own_file_goes_when_it_is_put_back(files: DiskFiles) -> None:
    step, batch = middle(files, MODIFY[0])
    step.put_back()
    batch.close()
    assert held(files, "dir/a") == OLD
    assert step.kept == []
    assert everything(files) == BEFORE


def test_a_link_that_came_out_gets_its_name_back(files: DiskFiles) -> None:
    step, batch = middle(files, MODIFY[0])
    beside = Path(files.root) / "dir" / step.temp
    beside.unlink()
    beside.symlink_to("/etc/passwd")
    assert not step.settle(), "what came out is no file"
    step.put_back()
    batch.close()
    assert os.readlink(Path(files.root) / "dir/a") == "/etc/passwd"


def test_a_kept_file_has_a_name_that_fits(files: DiskFiles) -> None:
    long = "n" * 250
    (Path(files.root) / "dir" / long).write_bytes(OLD)
    step, batch = middle(files, planned(f"dir/{long}", NEW, OLD))
    step.keep()
    batch.close()
    (name,) = step.kept
    assert held(files, name) == OLD
    assert len(name.removeprefix("dir/")) <= 255


def test_what_came_in_between_is_named_in_the_error() -> None:
    error = errors.stale("a", None, None)
    assert isinstance(error, StaleError)
    assert "absent" in error.because


def test_a_journal_that_cannot_be_written_stops_before_anything_is_touched(
    files: DiskFiles,
) -> None:
    (Path(files.root).parent / "journal").write_bytes(b"in the way")
    with pytest.raises(StoreError, match="journal-failed"):
        files.replace(MODIFY[0].path, NEW, expect=digest(OLD))
    assert everything(files) == BEFORE
    assert held(files, "dir/a") == OLD


# --- what a power cut left beside a file, and no note lists ---------------------------------

A = RelPath(text="src/a.txt")
TEMP = ".penstock-0123456789abcdef.tmp"
EARLIER, LATER = b"old\n", b"new and longer\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.txt").write_bytes(EARLIER)
    return tmp_path / "src"


def sweep(folder: Path) -> tuple[str, ...]:
    return DiskFiles(str(folder.parent)).sweep(A, [EARLIER, LATER])


@pytest.mark.parametrize(
    "held", [b"", LATER, LATER[:5], EARLIER], ids=["empty", "whole", "torn", "old"]
)
def test_what_an_interrupted_write_left_is_removed(folder: Path, held: bytes) -> None:
    (folder / TEMP).write_bytes(held)
    assert sweep(folder) == (TEMP,)
    assert [path.name for path in folder.iterdir()] == ["a.txt"]
    assert sweep(folder) == ()


@pytest.mark.parametrize(
    ("name", "held", "why"),
    [
        (TEMP, b"saved by an editor meanwhile\n", "a version that is nowhere else"),
        (TEMP, LATER + b"x", "more than was to be written"),
        (".penstock-0123.tmp", LATER, "another name"),
        ("a.txt.tmp", LATER, "another program's"),
        (".penstock-0123456789ABCDEF.tmp", LATER, "not quite our name"),
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
    (folder / TEMP.replace("0", "3")).write_bytes(LATER)
    os.link(folder / TEMP.replace("0", "3"), folder / "second")
    assert sweep(folder) == ()
    assert len(list(folder.iterdir())) == 6


def test_nothing_is_removed_while_another_penstock_writes_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LOCK_TRIES", 1)
    (folder / TEMP).write_bytes(LATER)
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert sweep(folder) == ()
    os.close(held)
    assert sweep(folder) == (TEMP,)


def test_a_directory_that_is_gone_or_replaced_has_nothing_to_sweep(folder: Path) -> None:
    (folder / TEMP).write_bytes(LATER)
    outside = folder.parent.parent / "outside"
    os.rename(folder, outside)
    assert sweep(folder) == ()
    os.symlink(outside, folder)
    with pytest.raises(PenstockError, match="link"):
        sweep(folder)
    assert (outside / TEMP).exists()
