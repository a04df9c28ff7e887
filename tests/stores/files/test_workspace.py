"""What only a disk can get wrong: links, attributes, odd files, parents, left-overs."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from penstock.core.digest import digest
from penstock.core.errors import InputError, PenstockError, StaleError, StoreError
from penstock.core.paths.relpath import RelPath
from penstock.ports import FileKind, PlannedWrite
from penstock.stores.files import batch, contents, resolve, syscalls
from penstock.stores.files.beneath import Beneath
from penstock.stores.files.rename import Renames, tidy
from penstock.stores.files.workspace import DiskFiles

LINUX = sys.platform.startswith("linux")
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
only_root = pytest.mark.skipif(not ROOT, reason="needs the rights of root")
only_linux = pytest.mark.skipif(not LINUX, reason="only Linux has this")

WAYS: dict[str, dict[str, bool]] = {
    "openat2 and exchange": {},
    "walking": {"use_openat2": False},
    "no exchange": {"use_exchange": False},
}


@pytest.fixture(params=WAYS)
def files(request: pytest.FixtureRequest, tmp_path: Path) -> DiskFiles:
    (tmp_path / "workspace").mkdir()
    way: dict[str, bool] = WAYS[request.param]
    return DiskFiles(
        str(tmp_path / "workspace"),
        journal_dir=str(tmp_path / "journal"),
        use_openat2=way.get("use_openat2"),
        use_exchange=way.get("use_exchange"),
    )


@pytest.fixture
def root(files: DiskFiles) -> Path:
    return Path(files.root)


def path(text: str) -> RelPath:
    return RelPath(text=text)


def left_overs(files: DiskFiles) -> list[str]:
    """Return the names that no write may leave behind, in the workspace and the journal."""
    journal = Path(files.root).parent / "journal"
    notes = [one.name for one in journal.iterdir()] if journal.exists() else []
    return notes + [p.name for p in Path(files.root).rglob("*") if "penstock" in p.name]


# -- what is refused --------------------------------------------------------------------


def make_fifo(at: Path) -> None:
    os.mkfifo(at)


def make_socket(at: Path) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as one:
        here = os.getcwd()
        os.chdir(at.parent)  # the name of a socket may be short only
        try:
            one.bind(at.name)
        finally:
            os.chdir(here)


def make_link(at: Path) -> None:
    (at.parent / "real").write_bytes(b"x")
    at.symlink_to("real")


def make_dangling(at: Path) -> None:
    at.symlink_to("nowhere")


def make_hard_link(at: Path) -> None:
    (at.parent / "real").write_bytes(b"x")
    os.link(at.parent / "real", at)


ODD: list[tuple[str, Callable[[Path], None], str]] = [
    ("a directory", Path.mkdir, "is-directory"),
    ("a pipe", make_fifo, "not-a-file"),
    ("a socket", make_socket, "not-a-file"),
    ("a link to a file inside", make_link, "is-symlink"),
    ("a link to nothing", make_dangling, "is-symlink"),
    ("a file with a second name", make_hard_link, "hard-linked"),
]


@pytest.mark.parametrize(("what", "make", "code"), ODD, ids=[odd[0] for odd in ODD])
def test_only_a_regular_file_with_one_name_is_written(
    files: DiskFiles, root: Path, what: str, make: Callable[[Path], None], code: str
) -> None:
    make(root / "odd")
    before = sorted((p.name, p.lstat().st_ino) for p in root.iterdir())
    with pytest.raises(InputError) as caught:
        files.replace(path("odd"), b"new", expect=digest(b"x"))
    assert caught.value.code == code
    with pytest.raises(InputError) as caught:
        files.remove(path("odd"), expect=digest(b"x"))
    assert caught.value.code == code
    assert sorted((p.name, p.lstat().st_ino) for p in root.iterdir()) == before
    assert left_overs(files) == []


@pytest.mark.parametrize(("what", "make", "code"), ODD[:5], ids=[odd[0] for odd in ODD[:5]])
def test_nothing_but_a_regular_file_is_read_and_nobody_waits_for_a_pipe(
    files: DiskFiles, root: Path, what: str, make: Callable[[Path], None], code: str
) -> None:
    make(root / "odd")
    asked: list[Callable[[], object]] = [
        lambda: files.read(path("odd")),
        lambda: files.state(path("odd")),
        lambda: files.source(path("odd")),
        lambda: files.replace(path("odd"), b"new", expect=None),
    ]
    for ask in asked:
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.code == code


def test_a_file_with_a_second_name_can_be_read(files: DiskFiles, root: Path) -> None:
    make_hard_link(root / "odd")
    assert files.read(path("odd")) == b"x"


@only_root
def test_a_device_is_refused_before_it_is_opened(files: DiskFiles, root: Path) -> None:
    os.mknod(root / "odd", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    for ask in (files.read, files.source, files.state):
        with pytest.raises(InputError, match="not-a-file"):
            ask(path("odd"))
    with pytest.raises(InputError, match="not-a-file"):
        files.replace(path("odd"), b"new", expect=digest(b""))
    assert files.kind(path("odd")) is FileKind.OTHER


def test_kinds_are_told_without_following_links(files: DiskFiles, root: Path) -> None:
    make_link(root / "link")
    make_fifo(root / "pipe")
    (root / "dir").mkdir()
    kinds = {one: files.kind(path(one)) for one in ("link", "pipe", "dir", "real", "none")}
    assert kinds == {
        "link": FileKind.SYMLINK,
        "pipe": FileKind.OTHER,
        "dir": FileKind.DIRECTORY,
        "real": FileKind.FILE,
        "none": None,
    }


LINKED_PARENTS = [
    ("an absolute link out of the workspace (S1-043)", "{outside}"),
    ("a relative link out of the workspace", "../outside"),
    ("a link to a directory inside", "real"),
    ("a link to itself", "link"),
]


@pytest.mark.parametrize(("why", "target"), LINKED_PARENTS)
def test_no_path_leads_through_a_link(files: DiskFiles, root: Path, why: str, target: str) -> None:
    outside = root.parent / "outside"
    for folder in (outside, root / "real"):
        folder.mkdir()
        (folder / "a").write_bytes(b"x")
    (root / "link").symlink_to(target.format(outside=outside))
    asked: list[Callable[[], object]] = [
        lambda: files.replace(path("link/a"), b"new", expect=digest(b"x")),
        lambda: files.replace(path("link/b"), b"new", expect=None),
        lambda: files.replace(path("link/deep/er/b"), b"new", expect=None),
        lambda: files.remove(path("link/a"), expect=digest(b"x")),
        lambda: files.read(path("link/a")),
        lambda: files.state(path("link/a")),
        lambda: files.kind(path("link/a")),
    ]
    for ask in asked:
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.code == "is-symlink"
    for folder in (outside, root / "real"):
        assert [(p.name, p.read_bytes()) for p in folder.iterdir()] == [("a", b"x")]


class Forged:
    """What no `parse` would make. The writer looks a second time."""

    def __init__(self, text: str, parts: tuple[str, ...]) -> None:
        self.text = text
        self.parts = parts


FORGED = [
    ("a\0b", ("a\0b",), "nul-in-path"),
    ("..", ("..",), "bad-path"),
    ("../x", ("..", "x"), "bad-path"),
    ("a/../../x", ("a", "..", "..", "x"), "bad-path"),
    ("/etc/passwd", ("", "etc", "passwd"), "bad-path"),
    ("a/b", ("a/b",), "bad-path"),
    ("", (), "bad-path"),
    ("\ud800", ("\ud800",), "bad-path"),
    ("n" * 300, ("n" * 300,), "name-too-long"),
]


@pytest.mark.parametrize(("text", "parts", "code"), FORGED)
def test_a_path_that_nobody_parsed_is_refused_by_the_writer_too(
    files: DiskFiles, root: Path, text: str, parts: tuple[str, ...], code: str
) -> None:
    forged: RelPath = Forged(text, parts)  # type: ignore[assignment]
    before = sorted(os.listdir(root.parent))
    with pytest.raises(InputError) as caught:
        files.replace(forged, b"x", expect=None)
    assert caught.value.code == code
    assert os.listdir(root) == []
    assert set(os.listdir(root.parent)) - set(before) <= {"journal"}
    assert left_overs(files) == []


@only_linux
def test_a_path_longer_than_the_kernel_takes_is_refused(tmp_path: Path) -> None:
    forged: RelPath = Forged("d/" * 3000 + "f", ("d",) * 3000 + ("f",))  # type: ignore[assignment]
    with pytest.raises(InputError, match="name-too-long"):
        DiskFiles(str(tmp_path), use_openat2=True).replace(forged, b"x", expect=None)
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_must_be_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for odd in ("file", "nothing"):
        with pytest.raises(InputError, match="no-workspace"):
            DiskFiles(str(tmp_path / odd))
    with pytest.raises(InputError, match="nul-in-path"):
        DiskFiles("a\0b")


def test_a_workspace_given_by_a_link_is_the_directory_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert DiskFiles(str(tmp_path / "link")).root == str(tmp_path / "real")


def test_a_root_that_became_a_link_is_not_followed(files: DiskFiles, root: Path) -> None:
    (root / "a").write_bytes(b"x")
    root.rename(root.parent / "moved")
    (root.parent / "elsewhere").mkdir()
    root.symlink_to("elsewhere")
    with pytest.raises(InputError, match="is-symlink"):
        files.replace(path("b"), b"new", expect=None)
    with pytest.raises(InputError, match="is-symlink"):
        files.read(path("a"))
    assert list((root.parent / "elsewhere").iterdir()) == []


# -- what is kept -----------------------------------------------------------------------

MODES = [
    (0o644, 0o644, "as usual"),
    (0o755, 0o755, "a script stays executable"),
    (0o600, 0o600, "a secret stays secret"),
    (0o444, 0o444, "read-only is a mode like any other"),
    (0o4755, 0o755, "setuid goes: new content has not earned it"),
    (0o2755, 0o755, "so does setgid"),
    (0o1644, 0o644, "and sticky"),
]


@pytest.mark.parametrize(("before", "after", "why"), MODES)
def test_the_mode_is_kept_without_its_dangerous_bits(
    files: DiskFiles, root: Path, before: int, after: int, why: str
) -> None:
    (root / "a").write_bytes(b"old")
    (root / "a").chmod(before)
    state = files.replace(path("a"), b"new", expect=digest(b"old"))
    assert state.mode == stat.S_IMODE((root / "a").stat().st_mode) == after


@pytest.mark.parametrize(("mask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700)])
def test_a_new_file_has_the_mode_that_the_umask_leaves_and_is_not_executable(
    files: DiskFiles, root: Path, mask: int, file: int, folder: int
) -> None:
    old = os.umask(mask)
    try:
        state = files.replace(path("dir/a"), b"new", expect=None)
    finally:
        os.umask(old)
    assert state.mode == file
    assert stat.S_IMODE((root / "dir").stat().st_mode) == folder


@only_root
def test_root_keeps_the_owner(files: DiskFiles, root: Path) -> None:
    (root / "a").write_bytes(b"old")
    os.chown(root / "a", 4321, 8765)
    state = files.replace(path("a"), b"new", expect=digest(b"old"))
    status = (root / "a").stat()
    assert (status.st_uid, status.st_gid, state.notes) == (4321, 8765, ())


def access_list(user: int) -> bytes:
    """Return an access list in the kernel's form: rw for the owner and one more user."""
    rows = [(0x01, 6, -1), (0x02, 6, user), (0x04, 4, -1), (0x10, 6, -1), (0x20, 0, -1)]
    tail = b"".join(struct.pack("<HHi", tag, bits, who) for tag, bits, who in rows)
    return struct.pack("<I", 2) + tail


@only_linux
def test_extended_attributes_and_the_access_list_are_kept(files: DiskFiles, root: Path) -> None:
    (root / "a").write_bytes(b"old")
    given = {"user.origin": b"here", "system.posix_acl_access": access_list(4321)}
    try:
        for name, value in given.items():
            os.setxattr(root / "a", name, value)
    except OSError:
        pytest.skip("this file system has no extended attributes")
    mode = stat.S_IMODE((root / "a").stat().st_mode)
    state = files.replace(path("a"), b"new", expect=digest(b"old"))
    assert {name: os.getxattr(root / "a", name) for name in given} == given
    assert (state.mode, state.notes) == (mode, ())


@only_root
@only_linux
def test_capabilities_belong_to_the_old_program_and_are_not_kept(
    files: DiskFiles, root: Path
) -> None:
    (root / "a").write_bytes(b"old")
    net_raw = struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0)
    os.setxattr(root / "a", "security.capability", net_raw)
    files.replace(path("a"), b"new", expect=digest(b"old"))
    assert "security.capability" not in os.listxattr(root / "a")


@contextlib.contextmanager
def nobody() -> Iterator[None]:
    """Go on without any privilege."""
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


@pytest.fixture
def open_house() -> Iterator[Path]:
    """A directory that everybody may write to, and nothing in its way that is private."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        yield Path(folder)


@only_root
def test_an_owner_that_cannot_be_kept_is_told(open_house: Path) -> None:
    (open_house / "a").write_bytes(b"old")
    os.chown(open_house / "a", 4321, 8765)
    with nobody():
        state = DiskFiles(str(open_house)).replace(path("a"), b"new", expect=digest(b"old"))
    assert (open_house / "a").read_bytes() == b"new"
    assert any("owner 4321:8765" in note for note in state.notes)


@only_root
def test_a_directory_that_may_not_be_written_is_the_operators_business(open_house: Path) -> None:
    (open_house / "a").write_bytes(b"old")
    os.chmod(open_house, 0o755)
    with nobody(), pytest.raises(StoreError) as caught:
        DiskFiles(str(open_house)).replace(path("a"), b"new", expect=digest(b"old"))
    assert caught.value.code == "write-failed"
    assert "permission" in caught.value.because
    assert (open_house / "a").read_bytes() == b"old"


@only_root
def test_a_file_that_may_not_be_read_is_the_operators_business(open_house: Path) -> None:
    (open_house / "a").write_bytes(b"old")
    os.chmod(open_house / "a", 0o600)
    files = DiskFiles(str(open_house))
    with nobody():
        for ask in (files.read, files.state, files.source):
            with pytest.raises(StoreError, match="read-failed"):
                ask(path("a"))
        with pytest.raises(StoreError, match="write-failed"):
            files.replace(path("a"), b"new", expect=digest(b"old"))
    assert os.listdir(open_house) == ["a"]


# -- parents ----------------------------------------------------------------------------


def test_parents_that_were_made_for_a_failed_write_go_again(files: DiskFiles, root: Path) -> None:
    (root / "kept").mkdir()
    (root / "old").write_bytes(b"moved")
    with pytest.raises(StaleError):
        files.replace_all(
            [
                PlannedWrite(path=path("kept/x/y/new"), new=b"n", expect=None),
                PlannedWrite(path=path("old"), new=b"n", expect=digest(b"old")),
            ]
        )
    assert sorted(os.listdir(root)) == ["kept", "old"]
    assert os.listdir(root / "kept") == []


def test_a_set_that_fails_names_the_file_that_it_failed_at(files: DiskFiles, root: Path) -> None:
    (root / "a").write_bytes(b"old")
    (root / "file").write_bytes(b"no directory")
    with pytest.raises(PenstockError) as told:
        files.replace_all(
            [
                PlannedWrite(path=path("a"), new=b"n", expect=digest(b"old")),
                PlannedWrite(path=path("file/below"), new=b"n", expect=None),
                PlannedWrite(path=path("z"), new=b"n", expect=None),
            ]
        )
    assert told.value.message.startswith("`file/below` ")
    assert (root / "a").read_bytes() == b"old"


def test_a_parent_that_somebody_else_uses_by_now_stays(files: DiskFiles, root: Path) -> None:
    beneath = files._writer.beneath
    folder = beneath.folder(("a", "b"), make=True)
    (root / "a" / "theirs").write_bytes(b"x")
    folder.close()
    beneath.unmake(folder.made)
    assert sorted(p.name for p in root.rglob("*")) == ["a", "theirs"]


def test_nothing_is_made_while_reading(files: DiskFiles, root: Path) -> None:
    assert files.state(path("a/b/c")) is None
    assert files.kind(path("a/b/c")) is None
    assert list(root.iterdir()) == []


# -- somebody is writing ----------------------------------------------------------------


@only_linux
def test_a_file_that_is_open_for_writing_is_not_taken_away(
    files: DiskFiles, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "WAITS", 2)
    (root / "a").write_bytes(b"old")
    with (root / "a").open("r+b"):
        with pytest.raises(StaleError) as caught:
            files.replace(path("a"), b"new", expect=digest(b"old"))
        assert caught.value.code == "file-busy"
        with pytest.raises(StaleError, match="file-busy"):
            files.remove(path("a"), expect=digest(b"old"))
    assert (root / "a").read_bytes() == b"old"
    files.replace(path("a"), b"new", expect=digest(b"old"))
    assert left_overs(files) == []


@only_linux
def test_a_reader_does_not_hinder_a_write(files: DiskFiles, root: Path) -> None:
    (root / "a").write_bytes(b"old")
    with (root / "a").open("rb") as file:
        files.replace(path("a"), b"new", expect=digest(b"old"))
        assert file.read() == b"old", "the reader keeps what it opened"


@only_linux
def test_someone_who_wants_to_write_is_noticed_and_does_not_end_the_process(
    root: Path, files: DiskFiles
) -> None:
    (root / "a").write_bytes(b"old")
    folder = os.open(root, os.O_RDONLY)
    try:
        with contents.LeasedFile(folder, "a") as file:
            assert file.holds(digest(b"old"))
            assert fcntl.fcntl(file.descriptor, fcntl.F_GETSIG) == signal.SIGURG
            with pytest.raises(BlockingIOError):
                os.open(root / "a", os.O_WRONLY | os.O_NONBLOCK)
            assert not file.holds(digest(b"old"))
        os.close(os.open(root / "a", os.O_WRONLY | os.O_NONBLOCK))
    finally:
        os.close(folder)


def test_a_lock_that_nobody_gives_back_stops_only_who_needs_it(
    files: DiskFiles, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "LOCK_TRIES", 2)
    (root / "a").write_bytes(b"old")
    holder = os.open(root, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    try:
        if files._writer.renames.atomic:
            files.replace(path("a"), b"new", expect=digest(b"old"))
        else:
            with pytest.raises(StoreError, match="lock-busy"):
                files.replace(path("a"), b"new", expect=digest(b"old"))
    finally:
        os.close(holder)
    assert left_overs(files) == []


# -- where a path leads -----------------------------------------------------------------


def test_resolve_follows_links_like_the_kernel(files: DiskFiles, root: Path) -> None:
    (root / "dir" / "sub").mkdir(parents=True)
    (root / "out").symlink_to("/etc")
    (root / "in").symlink_to("dir/sub")
    (root / "chain").symlink_to("in")
    (root / "up").symlink_to("..")
    table = {
        "out/passwd": "/etc/passwd",
        "in/x": f"{root}/dir/sub/x",
        "chain/../x": f"{root}/dir/x",
        "up/workspace/dir": f"{root}/dir",
        "dir/../in": f"{root}/dir/sub",
        "missing/../in": f"{root}/dir/sub",
    }
    assert {asked: files.resolve(asked) for asked in table} == table


def test_resolve_agrees_with_the_library_where_everything_exists(
    files: DiskFiles, root: Path
) -> None:
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "l").symlink_to("b/../b")
    (root / "abs").symlink_to(root / "a")
    for asked in ("a/l", "abs/l", "abs/../a/b", "a/l/.."):
        assert files.resolve(asked) == os.path.realpath(root / asked)


def test_a_loop_of_links_gets_an_answer(files: DiskFiles, root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "self").symlink_to("self/self/self")
    for asked in ("one/x", "two", "self/x"):
        assert files.resolve(asked).startswith(f"{root}/")


def test_a_thousand_links_and_a_bomb_of_links_are_cut_short(files: DiskFiles, root: Path) -> None:
    (root / "l0").symlink_to("end")
    (root / "b0").symlink_to("end")
    for at in range(1, 1200):
        (root / f"l{at}").symlink_to(f"l{at - 1}")
        (root / f"b{at}").symlink_to("/".join([f"b{at - 1}"] * 8))
    assert files.resolve("l1199").startswith(f"{root}/l")
    assert files.resolve("b1199").startswith(f"{root}/")
    assert files.resolve("l30") == f"{root}/end"


def test_this_file_system_is_asked_whether_it_folds_case(tmp_path: Path) -> None:
    folder = tmp_path / "Mixed"
    folder.mkdir()
    assert resolve.folds_case(str(folder)) == (tmp_path / "mIXED").exists()
    (folder / "Name").write_bytes(b"")
    assert resolve.folds_case(str(folder)) == (folder / "nAME").exists()
    assert os.listdir(folder) == ["Name"]
    assert not resolve.folds_case(str(tmp_path / "missing"))


def test_two_names_that_differ_in_case_only_prove_that_nothing_folds(tmp_path: Path) -> None:
    (tmp_path / "Name").write_bytes(b"")
    (tmp_path / "nAME").write_bytes(b"")
    if len(os.listdir(tmp_path)) == 2:
        assert not resolve.folds_case(str(tmp_path))


# -- what the machine offers ------------------------------------------------------------


@only_linux
def test_probing_leaves_nothing_behind(tmp_path: Path) -> None:
    files = DiskFiles(str(tmp_path))
    assert files._writer.beneath.by_openat2 == syscalls.openat2_offered()
    assert files._writer.renames.atomic == syscalls.renames_offered()
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_system_does_not_offer_is_done_by_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel that knows the call on a file system that does not: found out at the use."""

    def refuse(*_: object) -> None:
        raise syscalls.UnsupportedCall("rename with a condition")

    monkeypatch.setattr(syscalls, "exchange", refuse)
    monkeypatch.setattr(syscalls, "move", refuse)
    files = DiskFiles(str(tmp_path), use_exchange=True)
    files.replace(path("a"), b"one", expect=None)
    files.replace(path("a"), b"two", expect=digest(b"one"))
    assert files.read(path("a")) == b"two"
    files.remove(path("a"), expect=digest(b"two"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_hard_links_is_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    files = DiskFiles(str(tmp_path), use_exchange=False)
    files.replace(path("a"), b"one", expect=None)
    with pytest.raises(StaleError):
        files.replace(path("a"), b"again", expect=None)
    files.replace(path("a"), b"two", expect=digest(b"one"))
    assert files.read(path("a")) == b"two"
    assert os.listdir(tmp_path) == ["a"]


STEPS: list[tuple[str, dict[str, str], dict[str, str]]] = [
    (
        "before: the link is one too many",
        {"t": "new", "t.old": "=n", "n": "old"},
        {"t": "new", "n": "old"},
    ),
    ("between: what came out is the spare", {"t.old": "old", "n": "new"}, {"t": "old", "n": "new"}),
    ("a move that only linked", {"t": "new", "n": "=t"}, {"n": "new"}),
    ("nothing to tidy", {"t": "new", "n": "old"}, {"t": "new", "n": "old"}),
]


@pytest.mark.parametrize(("why", "before", "after"), STEPS, ids=[one[0] for one in STEPS])
def test_steps_that_a_crash_interrupted_are_ended(
    tmp_path: Path, why: str, before: dict[str, str], after: dict[str, str]
) -> None:
    for name, held in sorted(before.items(), key=lambda one: one[1].startswith("=")):
        if held.startswith("="):
            os.link(tmp_path / held[1:], tmp_path / name)
        else:
            (tmp_path / name).write_text(held)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        tidy(folder, "t", "n")
    finally:
        os.close(folder)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == after


def test_a_move_never_replaces(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        for atomic in (True, False):
            with pytest.raises(FileExistsError):
                Renames(atomic=atomic).move(folder, "a", "b", recheck=lambda: None)
    finally:
        os.close(folder)
    assert (tmp_path / "b").read_bytes() == b"b"


def test_a_source_reads_a_large_file_in_pieces_and_closes(files: DiskFiles, root: Path) -> None:
    data = os.urandom(contents.PIECE + 12_345)
    (root / "large").write_bytes(data)
    with files.source(path("large")) as source:
        assert source.size == len(data)
        assert source.read(0, len(data)) == data
        assert source.read(contents.PIECE - 5, 10) == data[contents.PIECE - 5 : contents.PIECE + 5]
        assert source.read(len(data) - 3, 100) == data[-3:]
    with pytest.raises(StoreError, match="read-failed"):
        source.read(0, 1)
    source.close()


def test_a_file_that_grows_while_it_is_read_has_another_digest(
    root: Path, files: DiskFiles
) -> None:
    (root / "a").write_bytes(b"0123")
    descriptor = os.open(root / "a", os.O_RDONLY)
    try:
        reading = contents._with_one_more(descriptor, 4)
        first = next(reading)
        with (root / "a").open("ab") as file:
            file.write(b"45")
        assert first + b"".join(reading) == b"01234"
    finally:
        os.close(descriptor)


def test_a_walk_and_openat2_open_the_same_directories(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("a")
    seen: list[dict[tuple[str, ...], object]] = []
    for by_openat2 in (True, False) if syscalls.openat2_offered() else (False,):
        beneath = Beneath(root=str(tmp_path), by_openat2=by_openat2)
        table: dict[tuple[str, ...], object] = {}
        for parts in [
            (),
            ("a",),
            ("a", "b"),
            ("x",),
            ("file",),
            ("file", "x"),
            ("link", "b"),
            ("link",),
        ]:
            try:
                folder = beneath.folder(parts)
            except OSError as problem:
                table[parts] = problem.errno
            else:
                table[parts] = folder.ident
                folder.close()
        seen.append(table)
    assert seen[0] == seen[-1]
    assert beneath.missing(("a", "x", "y")) == [("a", "x"), ("a", "x", "y")]
    assert beneath.missing(("a", "b")) == []
