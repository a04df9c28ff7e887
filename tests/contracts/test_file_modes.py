"""What every `Files` promises of programs, symbolic links and directories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.core.digest import EMPTY, digest
from penstock.core.errors import InputError, StaleError
from penstock.core.file_mode import FileMode, of_permissions, permissions
from penstock.core.paths.relpath import RelPath
from penstock.ports import FileKind, PlannedWrite
from tests.contracts.test_files import WAYS, Workspace, in_memory, on_disk


@pytest.fixture(params=["memory", *WAYS])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    return in_memory() if request.param == "memory" else on_disk(tmp_path, request.param)


def write(
    text: str,
    new: bytes | None,
    expect: bytes | None,
    mode: FileMode | None = None,
    was: FileMode | None = None,
) -> PlannedWrite:
    base = None if expect is None else digest(expect)
    return PlannedWrite(path=RelPath(text=text), new=new, expect=base, mode=mode, was=was)


def seen(workspace: Workspace, text: str) -> tuple[FileMode, bytes] | None:
    """Return what a name stands for, as a change would say it."""
    path = workspace.path(text)
    state = workspace.files.node(path)
    if state is None:
        return None
    reads = {FileKind.SYMLINK: workspace.files.link, FileKind.FILE: workspace.files.read}
    content = reads[state.kind](path) if state.kind in reads else b""
    assert state.digest == digest(content)
    return state.file_mode, content


FILE, PROGRAM, LINK, FOLDER = FileMode

MADE = [
    ("a file", FILE, b"one\n"),
    ("a program", PROGRAM, b"#!/bin/sh\n"),
    ("a link", LINK, b"../elsewhere"),
    ("a link to nothing", LINK, b"/nowhere/at all"),
    ("a directory", FOLDER, b""),
]


@pytest.mark.parametrize(("what", "mode", "content"), MADE, ids=[row[0] for row in MADE])
def test_each_kind_is_made_and_removed(
    workspace: Workspace, what: str, mode: FileMode, content: bytes
) -> None:
    (state,) = workspace.files.replace_all([write("new/it", content, None, mode)])
    assert state is not None
    assert (state.digest, state.file_mode) == (digest(content), mode)
    assert seen(workspace, "new/it") == (mode, content)
    workspace.files.replace_all([write("new/it", None, content, was=mode)])
    assert seen(workspace, "new/it") is None


@pytest.mark.parametrize(("before", "after"), [(FILE, PROGRAM), (PROGRAM, FILE)])
def test_a_mode_changes_without_the_content(
    workspace: Workspace, before: FileMode, after: FileMode
) -> None:
    workspace.files.replace_all([write("it", b"x", None, before)])
    workspace.files.replace_all([write("it", b"x", b"x", after, before)])
    assert seen(workspace, "it") == (after, b"x")


def test_content_changes_without_the_mode(workspace: Workspace) -> None:
    workspace.files.replace_all([write("it", b"x", None, PROGRAM)])
    workspace.files.replace_all([write("it", b"y", b"x")])
    assert seen(workspace, "it") == (PROGRAM, b"y")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((FILE, b"x"), (LINK, b"target")),
        ((LINK, b"target"), (FILE, b"x")),
        ((LINK, b"target"), (PROGRAM, b"x")),
        ((LINK, b"one"), (LINK, b"two")),
        ((FILE, b"same"), (LINK, b"same")),
        ((LINK, b"same"), (FILE, b"same")),
    ],
)
def test_files_and_links_take_each_others_place(
    workspace: Workspace, before: tuple[FileMode, bytes], after: tuple[FileMode, bytes]
) -> None:
    workspace.files.replace_all([write("it", before[1], None, before[0])])
    workspace.files.replace_all([write("it", after[1], before[1], after[0], before[0])])
    assert seen(workspace, "it") == after


STALE = [
    (
        "a link became a file with the same bytes",
        (FILE, b"t"),
        write("it", b"new", b"t", LINK, LINK),
    ),
    ("a file became a link with the same bytes", (LINK, b"t"), write("it", b"new", b"t", was=FILE)),
    ("somebody made it executable", (PROGRAM, b"t"), write("it", b"new", b"t", was=FILE)),
    ("the link leads elsewhere", (LINK, b"other"), write("it", None, b"t", was=LINK)),
    ("a link where nothing was", (LINK, b"t"), write("it", b"new", None, was=FILE)),
    ("a directory where nothing was", (FOLDER, b""), write("it", b"", None, FOLDER)),
    ("a file where a directory is made", (FILE, b""), write("it", b"", None, FOLDER)),
    ("a directory that became a file", (FILE, b""), write("it", None, b"", was=FOLDER)),
]


@pytest.mark.parametrize(("why", "there", "plan"), STALE, ids=[row[0] for row in STALE])
def test_what_changed_kind_is_refused_and_left_alone(
    workspace: Workspace, why: str, there: tuple[FileMode, bytes], plan: PlannedWrite
) -> None:
    workspace.files.replace_all([write("it", there[1], None, there[0])])
    with pytest.raises(StaleError) as caught:
        workspace.files.replace_all([plan])
    assert caught.value.code == "base-changed"
    assert seen(workspace, "it") == there


def test_a_file_is_not_written_through_or_over_a_link_unless_that_was_said(
    workspace: Workspace,
) -> None:
    workspace.edit("real", b"kept")
    workspace.files.replace_all([write("it", b"real", None, LINK)])
    with pytest.raises(InputError) as caught:
        workspace.files.replace(workspace.path("it"), b"new", expect=digest(b"real"))
    assert caught.value.code == "is-symlink"
    assert workspace.held("real") == b"kept"


NONSENSE = [
    ("a directory in a file's place", write("it", b"", b"x", FOLDER, FILE), "is-directory"),
    ("a file in a directory's place", write("it", b"x", b"", FILE, FOLDER), "is-directory"),
    ("a directory with content", write("it", b"x", None, FOLDER), "is-directory"),
    ("a link without a path", write("it", b"", None, LINK), "bad-link"),
    ("a link with a NUL", write("it", b"a\0b", None, LINK), "bad-link"),
]


@pytest.mark.parametrize(("why", "plan", "code"), NONSENSE, ids=[row[0] for row in NONSENSE])
def test_what_makes_no_sense_is_refused(
    workspace: Workspace, why: str, plan: PlannedWrite, code: str
) -> None:
    with pytest.raises(InputError) as caught:
        workspace.files.replace_all([plan])
    assert caught.value.code == code
    assert seen(workspace, "it") is None


def test_a_directory_alone_is_removed_only_when_it_is_empty(workspace: Workspace) -> None:
    workspace.edit("d/kept", b"x")
    with pytest.raises(StaleError) as caught:
        workspace.files.replace_all([write("d", None, b"", was=FOLDER)])
    assert caught.value.code == "not-empty"
    assert workspace.held("d/kept") == b"x"


def test_a_set_removes_a_tree_and_makes_another(workspace: Workspace) -> None:
    workspace.edit("old/a/1", b"1")
    workspace.files.replace_all([write("old/a/link", b"1", None, LINK)])
    workspace.files.replace_all(
        [
            write("old", None, b"", was=FOLDER),
            write("old/a", None, b"", was=FOLDER),
            write("old/a/1", None, b"1", was=FILE),
            write("old/a/link", None, b"1", was=LINK),
            write("new/b", b"", None, FOLDER),
            write("new/b/run", b"x", None, PROGRAM),
            write("new", b"", None, FOLDER),
            write("new/empty", b"", None, FOLDER),
        ]
    )
    assert seen(workspace, "old") is None
    assert seen(workspace, "new/empty") == (FOLDER, b"")
    assert seen(workspace, "new/b/run") == (PROGRAM, b"x")


def test_a_directory_of_a_set_that_somebody_uses_stays(workspace: Workspace) -> None:
    workspace.edit("d/ours", b"1")
    workspace.edit("d/theirs", b"2")
    workspace.files.replace_all(
        [write("d/ours", None, b"1", was=FILE), write("d", None, b"", was=FOLDER)]
    )
    assert (workspace.held("d/ours"), workspace.held("d/theirs")) == (None, b"2")


def test_one_stale_link_stops_the_whole_set(workspace: Workspace) -> None:
    workspace.edit("a", b"1")
    workspace.files.replace_all([write("link", b"moved", None, LINK)])
    with pytest.raises(StaleError):
        workspace.files.replace_all(
            [
                write("fresh", b"", None, FOLDER),
                write("a", b"2", b"1", PROGRAM, FILE),
                write("link", b"new", b"old", LINK, LINK),
            ]
        )
    assert seen(workspace, "a") == (FILE, b"1")
    assert seen(workspace, "link") == (LINK, b"moved")
    assert seen(workspace, "fresh") is None


def test_only_a_link_has_a_path(workspace: Workspace) -> None:
    workspace.edit("file", b"x")
    with pytest.raises(InputError) as caught:
        workspace.files.link(workspace.path("file"))
    assert caught.value.code == "not-a-link"


PERMISSIONS = [
    (0o644, PROGRAM, 0o755),
    (0o600, PROGRAM, 0o700),
    (0o664, PROGRAM, 0o775),
    (0o755, FILE, 0o644),
    (0o700, FILE, 0o600),
    (0o711, FILE, 0o600),
    (0o640, FILE, 0o640),
]


@pytest.mark.parametrize(("now", "mode", "then"), PERMISSIONS)
def test_only_the_executable_bit_changes_and_for_those_who_may_read(
    now: int, mode: FileMode, then: int, tmp_path: Path
) -> None:
    assert permissions(now, mode) == then
    assert of_permissions(then) is mode
    files = on_disk(tmp_path, "disk")
    files.edit("it", b"x")
    place = os.path.join(files.files.root, "it")
    os.chmod(place, now)
    was = of_permissions(now)
    files.files.replace_all([write("it", b"y", b"x", mode, was)])
    assert os.stat(place).st_mode & 0o777 == then


def test_the_empty_digest_is_a_directorys(workspace: Workspace) -> None:
    workspace.edit("d/x", b"")
    state = workspace.files.node(workspace.path("d"))
    assert state is not None
    assert (state.digest, state.kind) == (EMPTY, FileKind.DIRECTORY)
