"""What every `Files` promises, asked of memory and of the disk in each of its ways."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.digest import EMPTY, digest
from penstock.core.errors import InputError, PenstockError, StaleError
from penstock.core.paths.relpath import RelPath
from penstock.ports import FileKind, Files, FileState, PlannedWrite
from penstock.stores.files.workspace import DiskFiles
from tests.fakes.files import MemoryFiles

WAYS: dict[str, dict[str, Any]] = {
    "disk": {},
    "disk, walking": {"use_openat2": False},
    "disk, no exchange": {"use_exchange": False},
    "disk, walking, no exchange": {"use_openat2": False, "use_exchange": False},
    "disk, not flushing": {"sync": False},
}


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """A store under test, and a way past it: what an editor does without asking."""

    files: Files
    edit: Callable[[str, bytes], None]

    def path(self, text: str) -> RelPath:
        return RelPath(text=text)

    def held(self, text: str) -> bytes | None:
        path = self.path(text)
        return None if self.files.state(path) is None else self.files.read(path)


def on_disk(folder: Path, way: str) -> Workspace:
    root = folder / "workspace"
    root.mkdir()
    journal = str(folder / "journal")

    def edit(path: str, data: bytes) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)

    return Workspace(files=DiskFiles(str(root), journal_dir=journal, **WAYS[way]), edit=edit)


def in_memory() -> Workspace:
    files = MemoryFiles()
    return Workspace(files=files, edit=files.edit)


@pytest.fixture(params=["memory", *WAYS])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    return in_memory() if request.param == "memory" else on_disk(tmp_path, request.param)


CONTENTS = {
    "nothing": b"",
    "a byte order mark and Windows line ends": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "old Mac line ends and no end": b"one\rtwo",
    "no text at all": bytes(range(256)) * 40,
    "Latin-1": "sch\xf6n\n".encode("latin-1"),
    "a NUL and a lone surrogate": b"\x00\xed\xa0\x80\n",
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_what_is_written_is_what_is_read_byte_for_byte(
    workspace: Workspace, content: bytes
) -> None:
    path = workspace.path("src/a.txt")
    state = workspace.files.replace(path, content, expect=None)
    assert workspace.files.read(path) == content
    assert state == workspace.files.state(path)
    assert (state.digest, state.size) == (digest(content), len(content))
    source = workspace.files.source(path)
    assert source.size == len(content)
    assert source.read(0, source.size) == content
    assert source.read(1, 3) == content[1:4]
    assert source.read(source.size, 10) == b""


def test_a_file_that_holds_what_was_expected_is_replaced(workspace: Workspace) -> None:
    workspace.edit("a", b"old")
    workspace.files.replace(workspace.path("a"), b"new", expect=digest(b"old"))
    assert workspace.held("a") == b"new"


STALE: list[tuple[str, bytes | None, str | None]] = [
    ("another content than expected", b"theirs", digest(b"mine")),
    ("gone although expected", None, digest(b"mine")),
    ("there although nothing was expected (S1-039)", b"theirs", None),
    ("empty although nothing was expected (B2)", b"", None),
    ("gone although the empty file was expected (B2)", None, EMPTY),
    ("a digest in capitals is another text", b"mine", digest(b"mine").upper()),
]


@pytest.mark.parametrize(("why", "there", "expect"), STALE)
def test_a_base_that_moved_is_refused_and_left_alone(
    workspace: Workspace, why: str, there: bytes | None, expect: str | None
) -> None:
    if there is not None:
        workspace.edit("dir/a", there)
    with pytest.raises(StaleError) as caught:
        workspace.files.replace(workspace.path("dir/a"), b"new", expect=expect)
    assert caught.value.code == "base-changed"
    assert (expect or "absent") in caught.value.because
    assert (digest(there) if there is not None else "absent") in caught.value.because
    assert workspace.held("dir/a") == there


def test_a_second_replace_with_the_same_base_is_refused(workspace: Workspace) -> None:
    path = workspace.path("a")
    workspace.edit("a", b"old")
    workspace.files.replace(path, b"first", expect=digest(b"old"))
    with pytest.raises(StaleError):
        workspace.files.replace(path, b"second", expect=digest(b"old"))
    assert workspace.held("a") == b"first"


def test_remove_takes_away_only_what_was_expected(workspace: Workspace) -> None:
    workspace.edit("a", b"old")
    with pytest.raises(StaleError):
        workspace.files.remove(workspace.path("a"), expect=digest(b"other"))
    assert workspace.held("a") == b"old"
    workspace.files.remove(workspace.path("a"), expect=digest(b"old"))
    assert workspace.held("a") is None
    with pytest.raises(StaleError):
        workspace.files.remove(workspace.path("a"), expect=digest(b"old"))


def test_what_is_not_there_has_no_state_and_no_kind(workspace: Workspace) -> None:
    workspace.edit("file", b"x")
    for text in ("nothing", "no/such/dir", "file/below"):
        assert workspace.files.state(workspace.path(text)) is None
        assert workspace.files.kind(workspace.path(text)) is None
    with pytest.raises(InputError, match="not-found"):
        workspace.files.read(workspace.path("nothing"))
    with pytest.raises(InputError, match="not-found"):
        workspace.files.source(workspace.path("no/such/dir"))


def test_a_directory_is_told_apart_from_a_file(workspace: Workspace) -> None:
    workspace.edit("dir/a", b"x")
    assert workspace.files.kind(workspace.path("dir")) is FileKind.DIRECTORY
    assert workspace.files.kind(workspace.path("dir/a")) is FileKind.FILE
    path = workspace.path("dir")
    asked: list[Callable[[], object]] = [
        lambda: workspace.files.state(path),
        lambda: workspace.files.read(path),
        lambda: workspace.files.source(path),
        lambda: workspace.files.replace(path, b"x", expect=None),
        lambda: workspace.files.replace(path, b"x", expect=digest(b"y")),
        lambda: workspace.files.remove(path, expect=digest(b"y")),
    ]
    for ask in asked:
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.code == "is-directory"


def test_nothing_is_created_below_a_file(workspace: Workspace) -> None:
    workspace.edit("file", b"x")
    with pytest.raises(InputError) as caught:
        workspace.files.replace(workspace.path("file/below/it"), b"new", expect=None)
    assert caught.value.code == "not-a-directory"
    assert workspace.held("file") == b"x"


def test_missing_parents_come_with_the_first_file_below_them(workspace: Workspace) -> None:
    workspace.files.replace(workspace.path("a/b/c/d"), b"new", expect=None)
    assert workspace.held("a/b/c/d") == b"new"
    assert workspace.files.kind(workspace.path("a/b")) is FileKind.DIRECTORY


def test_a_directory_lists_what_it_holds_by_name(workspace: Workspace) -> None:
    workspace.edit("dir/b.txt", b"12345")
    workspace.edit("dir/a/deep", b"1")
    listed = workspace.files.entries(workspace.path("dir"))
    assert [(e.name, e.kind, e.size) for e in listed] == [
        ("a", FileKind.DIRECTORY, 0),
        ("b.txt", FileKind.FILE, 5),
    ]
    assert "dir" in [e.name for e in workspace.files.entries(None)]


@pytest.mark.parametrize(("name", "code"), [("gone", "not-found"), ("file", "not-a-directory")])
def test_only_a_directory_can_be_listed(workspace: Workspace, name: str, code: str) -> None:
    workspace.edit("file", b"x")
    with pytest.raises(InputError) as caught:
        workspace.files.entries(workspace.path(name))
    assert caught.value.code == code


def planned(text: str, new: bytes | None, expect: bytes | None) -> PlannedWrite:
    base = None if expect is None else digest(expect)
    return PlannedWrite(path=RelPath(text=text), new=new, expect=base)


def test_a_set_creates_modifies_and_removes_together(workspace: Workspace) -> None:
    workspace.edit("changed", b"1")
    workspace.edit("dir/gone", b"2")
    states = workspace.files.replace_all(
        [
            planned("fresh/file", b"new", None),
            planned("changed", b"one", b"1"),
            planned("dir/gone", None, b"2"),
        ]
    )
    assert [workspace.held(p) for p in ("fresh/file", "changed", "dir/gone")] == [
        b"new",
        b"one",
        None,
    ]
    assert [state.digest if state else None for state in states] == [
        digest(b"new"),
        digest(b"one"),
        None,
    ]


def test_one_stale_file_stops_the_whole_set(workspace: Workspace) -> None:
    workspace.edit("a", b"1")
    workspace.edit("b", b"moved")
    with pytest.raises(StaleError) as caught:
        workspace.files.replace_all(
            [
                planned("a", b"one", b"1"),
                planned("new/dir/c", b"three", None),
                planned("b", b"two", b"2"),
            ]
        )
    assert "`b`" in caught.value.message
    assert (workspace.held("a"), workspace.held("b")) == (b"1", b"moved")
    assert workspace.files.kind(workspace.path("new")) is None, "no parent is left behind"


def test_directories_that_were_made_are_told_and_go_again_where_they_are_empty(
    workspace: Workspace,
) -> None:
    workspace.edit("old/kept", b"x")
    states = workspace.files.replace_all(
        [planned("old/a/b/c", b"1", None), planned("old/a/b/d", b"2", None)]
    )
    assert [state.made for state in states if state] == [("old/a", "old/a/b")] * 2
    made = [workspace.path("old/a"), workspace.path("old/a/b"), workspace.path("old")]
    workspace.files.remove(workspace.path("old/a/b/c"), expect=digest(b"1"))
    workspace.files.unmake(made)
    assert workspace.held("old/a/b/d") == b"2", "what is in use stays"
    workspace.files.remove(workspace.path("old/a/b/d"), expect=digest(b"2"))
    workspace.files.unmake(made)
    assert workspace.files.kind(workspace.path("old/a")) is None
    assert workspace.held("old/kept") == b"x"
    workspace.files.unmake([*made, workspace.path("old/kept"), workspace.path("none")])
    assert workspace.held("old/kept") == b"x", "only directories go"


SENSELESS: list[tuple[str, list[PlannedWrite], str]] = [
    ("one file twice", [planned("a", b"x", None), planned("a", b"y", None)], "twice-in-set"),
    ("a removal of nothing", [planned("a", None, None)], "nothing-to-do"),
]


@pytest.mark.parametrize(("why", "plan", "code"), SENSELESS)
def test_a_senseless_set_is_refused(
    workspace: Workspace, why: str, plan: list[PlannedWrite], code: str
) -> None:
    with pytest.raises(InputError) as caught:
        workspace.files.replace_all(plan)
    assert caught.value.code == code
    assert workspace.held("a") is None


def test_an_empty_set_changes_nothing(workspace: Workspace) -> None:
    assert list(workspace.files.replace_all([])) == []


def test_there_is_nothing_to_recover_after_a_good_day(workspace: Workspace) -> None:
    workspace.files.replace(workspace.path("a"), b"new", expect=None)
    assert workspace.files.recover() == ()
    assert workspace.held("a") == b"new"


REACHED = [
    ("a/b", "a/b", "nothing need exist"),
    ("./a//b/.", "a/b", "empty and `.` components go"),
    ("a/../b", "b", "`..` goes up"),
    ("{root}/c", "c", "an absolute path stands for itself"),
]


@pytest.mark.parametrize(("asked", "reached", "why"), REACHED)
def test_resolve_answers_with_an_absolute_path(
    workspace: Workspace, asked: str, reached: str, why: str
) -> None:
    root = workspace.files.root
    assert workspace.files.resolve(asked.format(root=root)) == f"{root}/{reached}"


def test_resolve_climbs_out_as_the_kernel_would(workspace: Workspace) -> None:
    assert workspace.files.resolve("../" * 60 + "etc/passwd") == "/etc/passwd"


def test_a_plain_place_is_known_by_no_other(workspace: Workspace) -> None:
    files = workspace.files
    for place in (f"{files.root}/a", f"{files.root}/a/b", files.root, "/elsewhere/c", "/"):
        assert list(files.known_as(place)) == []


def test_resolve_refuses_a_nul_and_nothing_else(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="nul-in-path"):
        workspace.files.resolve("a\0b")
    for odd in ("", "/", "\udc80", "\ud800", "x" * 10_000, "a/" * 5_000, "\n", "~"):
        assert workspace.files.resolve(odd).startswith("/")


# -- memory and disk never differ -------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "dir/a", "dir/sub/b", "a/below"])
DATA = st.sampled_from([b"", b"1", b"2\r\n"])
BASES = st.sampled_from([None, b"", b"1", b"2\r\n"])
WRITES = st.tuples(NAMES, st.one_of(st.none(), DATA), BASES)
OPERATIONS = st.one_of(
    st.tuples(st.just("edit"), st.lists(WRITES, min_size=1, max_size=1)),
    st.tuples(st.just("replace"), st.lists(WRITES, min_size=1, max_size=1)),
    st.tuples(st.just("set"), st.lists(WRITES, min_size=1, max_size=4)),
)


def outcome(
    workspace: Workspace, operation: str, writes: list[tuple[str, bytes | None, bytes | None]]
) -> object:
    """Do one thing; return the answer, or the code of the refusal."""
    text, new, base = writes[0]
    path = RelPath(text=text)
    expect = None if base is None else digest(base)
    try:
        if operation == "edit":
            return workspace.files.state(path)
        if operation == "set":
            return list(workspace.files.replace_all([planned(*write) for write in writes]))
        if new is None:
            workspace.files.remove(path, expect=expect or EMPTY)
            return None
        return workspace.files.replace(path, new, expect=expect)
    except PenstockError as problem:
        # Of several reasons to refuse a set, either store may tell the first that it meets.
        return problem.code if len(writes) == 1 else "refused"


def everything(workspace: Workspace) -> Iterator[tuple[str, FileState | str | None]]:
    for text in ("a", "b", "dir/a", "dir/sub/b", "a/below"):
        try:
            yield text, workspace.files.state(RelPath(text=text))
        except InputError as problem:
            yield text, problem.code


@pytest.mark.parametrize("way", ["disk", "disk, walking, no exchange"])
@settings(max_examples=60, deadline=None)
@given(operations=st.lists(OPERATIONS, max_size=8))
def test_memory_and_disk_give_the_same_answers(
    way: str, operations: list[tuple[str, list[tuple[str, bytes | None, bytes | None]]]]
) -> None:
    old_umask = os.umask(0o022)
    try:
        with tempfile.TemporaryDirectory() as folder:
            memory, disk = in_memory(), on_disk(Path(folder), way)
            for operation, writes in operations:
                assert outcome(disk, operation, writes) == outcome(memory, operation, writes)
            held = {t: s for t, s in everything(memory) if s != "is-directory" and s is not None}
            seen = {t: s for t, s in everything(disk) if s != "is-directory" and s is not None}
            assert seen == held
    finally:
        os.umask(old_umask)
