"""Entries of a layer into changes: what is one, in which order, and how it is told."""

from __future__ import annotations

import pytest

from penstock.core.digest import digest
from penstock.core.file_mode import FileMode
from penstock.core.run.changes import Turn, changes, renames
from penstock.core.run.entry import EntryKind, LayerEntry, LayerNode
from penstock.core.run.place import LayerPlace, place_of
from penstock.core.run.quiet import QuietLayer
from penstock.core.run.summary import PathNote, SyncResult, counts, finished, started

OLD, NEW = digest(b"old"), digest(b"new")


def file(known: str = OLD, *, executable: bool = False, at: int | None = None) -> LayerNode:
    return LayerNode(kind=EntryKind.FILE, digest=known, executable=executable, at=at)


def link(held: bytes) -> LayerNode:
    return LayerNode(kind=EntryKind.LINK, link=held)


GONE = LayerNode(kind=EntryKind.DELETED)
FOLDER = LayerNode(kind=EntryKind.DIRECTORY)
PIPE = LayerNode(kind=EntryKind.SPECIAL)

ROWS = [
    ("a copy that was never changed", file(), file(), None),
    ("new bytes", file(NEW), file(), (True, None)),
    ("a new file", file(NEW), None, (True, None)),
    ("a new program", file(NEW, executable=True), None, (True, FileMode.EXECUTABLE)),
    ("chmod +x", file(executable=True), file(), (True, FileMode.EXECUTABLE)),
    ("chmod -x", file(), file(executable=True), (True, FileMode.FILE)),
    ("a program keeps its mode", file(NEW, executable=True), file(executable=True), (True, None)),
    ("a file in place of a link", file(NEW), link(b"x"), (True, FileMode.FILE)),
    ("a link", link(b"x"), None, (True, FileMode.LINK)),
    ("the same link", link(b"x"), link(b"x"), None),
    ("another link", link(b"y"), link(b"x"), (True, FileMode.LINK)),
    ("an empty directory", FOLDER, None, (True, FileMode.DIRECTORY)),
    ("a deletion", GONE, file(), (False, None)),
]


@pytest.mark.parametrize(("what", "node", "real", "then"), ROWS, ids=[row[0] for row in ROWS])
def test_an_entry_is_a_change(
    what: str,
    node: LayerNode,
    real: LayerNode | None,
    then: tuple[bool, FileMode | None] | None,
) -> None:
    made, held = changes([LayerEntry(path="a", node=node, real=real)])
    assert held == ()
    assert [(one.keeps, one.mode) for one in made] == ([] if then is None else [then]), what


HELD = [
    ("pipe", LayerEntry(path="p", node=PIPE), "pipe"),
    ("bad name", LayerEntry(path="\udcff", node=file()), "UTF-8"),
    ("too large", LayerEntry(path="a", node=file(), held="it is larger"), "larger"),
]


@pytest.mark.parametrize(("what", "entry", "because"), HELD, ids=[row[0] for row in HELD])
def test_what_cannot_be_proposed_is_held_with_its_reason(
    what: str, entry: LayerEntry, because: str
) -> None:
    made, held = changes([entry])
    assert made == ()
    assert because in held[0].because, what


def sized(size: int) -> LayerNode:
    return LayerNode(kind=EntryKind.FILE, digest=OLD, size=size)


def test_a_file_whose_new_name_is_held_keeps_its_old_one() -> None:
    """The layer would have the only copy of it otherwise, and be dropped."""
    new = LayerEntry(path="e/new", node=sized(9), held="it is larger than 8 bytes")
    entries = [
        new,
        LayerEntry(path="d/old", node=GONE, real=sized(9)),
        LayerEntry(path="d/other", node=GONE, real=sized(8)),
        LayerEntry(path="d", node=file(NEW), real=FOLDER),
    ]
    made, held = changes(entries)
    assert [one.path for one in made] == ["d/other"]
    assert {one.path: one.because for one in held} == {
        "e/new": new.held, "d/old": "it may be the file that is held as e/new",
        "d": "d/old is held",
    }  # fmt: skip
    bad = LayerEntry(path="\udcff", node=sized(9))
    assert changes([bad, entries[1]])[0] == ()
    assert len(changes([LayerEntry(path="e/new", node=sized(9)), entries[1]])[0]) == 2


def test_directories_go_once_they_are_empty_and_before_what_replaces_them() -> None:
    entries = [
        LayerEntry(path="d/e", node=GONE, real=FOLDER),
        LayerEntry(path="d/e/f", node=GONE, real=file()),
        LayerEntry(path="d", node=file(NEW), real=FOLDER),
        LayerEntry(path="z", node=file(NEW)),
    ]
    made, _ = changes(entries)
    assert [(one.path, one.keeps) for one in made] == [
        ("d/e/f", False), ("z", True), ("d/e", False), ("d", False), ("d", True),
    ]  # fmt: skip
    assert [one.turn for one in made] == [
        Turn.FILES, Turn.FILES, Turn.REMOVALS, Turn.REMOVALS, Turn.REPLACEMENTS,
    ]  # fmt: skip


def test_an_id_is_of_the_run_the_path_and_the_bytes() -> None:
    (one,), _ = changes([LayerEntry(path="a", node=file(NEW))])
    (same,), _ = changes([LayerEntry(path="a", node=file(NEW), real=file())])
    (other,), _ = changes([LayerEntry(path="a", node=file(OLD))])
    assert one.key("r-1") == same.key("r-1")
    assert len({one.key("r-1"), one.key("r-2"), other.key("r-1")}) == 3


def test_a_deletion_and_a_creation_of_the_same_bytes_are_a_rename() -> None:
    entries = [
        LayerEntry(path="old.py", node=GONE, real=file(NEW)),
        LayerEntry(path="new.py", node=file(NEW)),
        LayerEntry(path="copy.py", node=file(OLD)),
    ]
    made, _ = changes(entries)
    assert renames(made, {"old.py": NEW}) == {"new.py": "old.py"}


PLACES = [
    ("src/app.py", LayerPlace.PROJECT),
    (".env", LayerPlace.PROJECT),
    (".git/config", LayerPlace.GIT),
    ("vendor/lib/.git/HEAD", LayerPlace.GIT),
    ("node_modules/a/b.js", LayerPlace.SCRATCH),
    ("web/node_modules/a", LayerPlace.SCRATCH),
    ("target/debug/x", LayerPlace.SCRATCH),
    ("dist/tracked.js", LayerPlace.PROJECT),
    ("a/__pycache__/b.pyc", LayerPlace.SCRATCH),
    ("node_modules.txt", LayerPlace.PROJECT),
]


@pytest.mark.parametrize(("path", "place"), PLACES)
def test_a_path_belongs_to(path: str, place: LayerPlace) -> None:
    assert place_of(path, tracked=lambda: {"dist/tracked.js"}) is place


def test_a_file_is_out_of_date_when_it_was_changed_after_its_copy() -> None:
    copied = file(NEW, at=10)
    assert LayerEntry(path="a", node=copied, real=file(at=11)).out_of_date
    assert not LayerEntry(path="a", node=copied, real=file(at=9)).out_of_date
    assert not LayerEntry(path="a", node=copied, real=None).out_of_date
    assert not LayerEntry(path="a", node=file(NEW), real=file(at=9)).out_of_date


def test_the_summary_names_what_needs_somebody() -> None:
    result = SyncResult(
        applied=("a",),
        pending=(PathNote(path="src/app.py −280"),),
        blocked=(PathNote(path=".env"),),
        failed=(PathNote(path="x", note="the disk is full"),),
        scratch=4210,
        git=3,
    )
    assert counts(result) == (
        "1 applied, 1 pending (src/app.py −280), 1 blocked (.env), 1 not written (x), "
        "3 git files, 4,210 scratch files"
    )
    said = "\n".join(finished("r-1", 0, result, kept=True))
    assert "run r-1 finished (exit 0)" in said
    assert "penstock runs enter r-1" in said
    assert "not written: x: the disk is full" in said
    assert "stay in the run's layer" in said
    assert finished("r-1", 2, SyncResult(), kept=False) == [
        "penstock: run r-1 finished (exit 2): 0 applied"
    ]


def test_the_banner_says_what_does_not_hold() -> None:
    (line,) = started("r-1", landlock=7, scoped=True)
    assert "Network access is open" in line
    assert "sockets" in "\n".join(started("r-1", landlock=4, scoped=False))


def test_a_sync_is_due_after_two_seconds_without_changes_and_only_once() -> None:
    quiet = QuietLayer()
    looks = [(1, 0.0), (1, 1.0), (1, 2.0), (1, 3.0), (2, 4.0), (3, 5.0), (3, 7.0), (3, 9.0)]
    due = []
    for stamp, now in looks:
        if quiet.look(stamp, now):
            due.append(now)
            quiet.begin(stamp)
    assert due == [2.0, 7.0]
    assert not quiet.is_time(9.4)
    assert quiet.is_time(9.5)
    quiet.look(3, 10.0, cost=1.0)
    assert not quiet.is_time(29.0), "a look that takes a second is followed by a long pause"
