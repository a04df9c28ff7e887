"""What a command left in its layer is read safely, whatever it is; only what is applied goes."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from penstock.core.errors import StoreError
from penstock.core.run.entry import EntryKind, LayerEntry
from penstock.stores.isolation.layer import RunLayer
from penstock.stores.isolation.records import RunFolders, remove_tree
from tests.stores.isolation.ground import Ground, ground, impossible

CANNOT = impossible()
isolated = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")


@pytest.fixture
def layer(tmp_path: Path) -> RunLayer:
    for name in ("upper", "real"):
        (tmp_path / name).mkdir()
    return RunLayer(upper=str(tmp_path / "upper"), real=str(tmp_path / "real"), largest=1 << 20)


def read(layer: RunLayer) -> dict[str, LayerEntry]:
    found = list(layer.entries(lambda _: True))
    by_path = {one.path: one for one in found}
    assert len(by_path) == len(found), "one entry for each name"
    return by_path


def changed(layer: RunLayer) -> dict[str, str]:
    """Return the kind of everything that is not as the real directory has it."""
    return {
        path: one.node.kind
        for path, one in read(layer).items()
        if one.real is None or not one.node.same(one.real)
    }


# What a shell does in a run, and what is found in the layer: kinds by path.
LEFT: list[tuple[str, dict[str, str]]] = [
    ("true", {}),
    ("cat a.txt", {}),
    ("echo new > a.txt", {"a.txt": "file"}),
    ("echo new > b.txt", {"b.txt": "file"}),
    ("touch a.txt", {}),
    ("chmod 600 a.txt", {}),
    ("chmod +x a.txt", {"a.txt": "file"}),
    ("rm a.txt", {"a.txt": "deleted"}),
    ("mv a.txt b.txt", {"a.txt": "deleted", "b.txt": "file"}),
    ("rm a.txt; echo same > x; mv x a.txt", {"a.txt": "file"}),
    ("ln -s a.txt l", {"l": "link"}),
    ("rm -r d", {"d/e/f": "deleted", "d/e": "deleted", "d/g": "deleted", "d": "deleted"}),
    ("rm -r d; mkdir d; echo n > d/n", {
        "d/e/f": "deleted", "d/e": "deleted", "d/g": "deleted", "d/n": "file"}),
    ("mkdir -p p/q", {"p/q": "directory"}),
    ("mkdir -p p/q; echo x > p/q/r", {"p/q/r": "file"}),
    ("rm a.txt; mkdir a.txt; echo x > a.txt/b", {"a.txt": "deleted", "a.txt/b": "file"}),
    ("rm -r d; echo x > d", {
        "d/e/f": "deleted", "d/e": "deleted", "d/g": "deleted", "d": "file"}),
    ("mkfifo pipe", {"pipe": "special"}),
    ("rm d/g; ln -s /etc/passwd d/g", {"d/g": "link"}),
    ("mkdir secret; echo x > secret/y; chmod 0 secret/y", {"secret/y": "file"}),
]  # fmt: skip


@isolated
@pytest.mark.parametrize(("script", "expected"), LEFT, ids=[row[0] for row in LEFT])
def test_what_a_command_did_is_found_in_its_layer(script: str, expected: dict[str, str]) -> None:
    with ground() as here:
        _furnish(here)

        def work() -> dict[str, str]:
            assert here.isolated(["sh", "-c", script]) == 0
            return changed(RunLayer(upper=str(here.upper), real=str(here.project)))

        assert here.as_user(work) == expected


def _furnish(here: Ground) -> None:
    here.target.unlink()
    (here.project / "src").rmdir()
    (here.project / "a.txt").write_text("old\n")
    (here.project / "d/e").mkdir(parents=True)
    (here.project / "d/e/f").write_text("f")
    (here.project / "d/g").write_text("g")
    here.give()


@isolated
def test_a_command_cannot_forge_a_deletion() -> None:
    script = (
        "import os\n"
        "for a in ('user.overlay.opaque', 'trusted.overlay.opaque', 'user.overlay.whiteout'):\n"
        "    for p in ('.', 'd', 'a.txt'):\n"
        "        try: os.setxattr(p, a, b'y')\n"
        "        except OSError: pass\n"
        "try: os.mknod('a.txt.n', 0o20000, 0); os.rename('a.txt.n', 'a.txt')\n"
        "except OSError: pass\n"
    )
    with ground() as here:
        _furnish(here)
        from tests.stores.isolation.ground import python

        def work() -> dict[str, str]:
            here.isolated([python(), "-c", script])
            return changed(RunLayer(upper=str(here.upper), real=str(here.project)))

        assert here.as_user(work) == {}


@isolated
def test_a_file_that_its_user_saved_after_the_command_copied_it_is_out_of_date() -> None:
    with ground() as here:
        _furnish(here)

        def work() -> list[bool]:
            here.isolated(["sh", "-c", "echo run >> a.txt; echo run >> d/g"])
            (here.project / "a.txt").write_text("saved since\n")
            found = read(RunLayer(upper=str(here.upper), real=str(here.project)))
            return [found["a.txt"].out_of_date, found["d/g"].out_of_date]

        assert here.as_user(work) == [True, False]


# -- layers that a command made to harm whoever reads them -----------------------------------------


def test_pipes_sockets_and_devices_are_named_and_never_opened(layer: RunLayer) -> None:
    os.mkfifo(f"{layer.upper}/pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"{layer.upper}/s")
    found = read(layer)
    assert {one.node.kind for one in found.values()} == {EntryKind.SPECIAL}
    with pytest.raises(StoreError):
        layer.content("pipe", "sha256:0")


def test_a_file_of_a_terabyte_is_held_unread(layer: RunLayer) -> None:
    with open(f"{layer.upper}/sparse", "wb") as file:
        file.truncate(1 << 40)
    assert "larger" in read(layer)["sparse"].held


def test_thousands_of_levels_are_held_and_removed(layer: RunLayer, tmp_path: Path) -> None:
    current = os.open(layer.upper, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=current)
        inner = os.open("deep", os.O_RDONLY, dir_fd=current)
        os.close(current)
        current = inner
    os.close(current)
    held = [one for one in read(layer).values() if one.held]
    assert [one.held for one in held] == ["its path is too long"]
    layer.settle(lambda _: True)
    above = os.open(tmp_path, os.O_RDONLY)
    remove_tree(above, "upper")
    os.close(above)
    assert not os.path.exists(layer.upper)


def test_names_that_are_no_text_are_kept_as_bytes(layer: RunLayer) -> None:
    Path(os.fsdecode(os.fsencode(layer.upper) + b"/\xff\n")).write_text("x")
    assert [os.fsencode(path) for path in read(layer)] == [b"\xff\n"]


def test_a_link_is_never_followed(layer: RunLayer, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    os.symlink(outside, f"{layer.upper}/folder")
    os.symlink("/etc/passwd", f"{layer.upper}/file")
    found = read(layer)
    assert {path: one.node.kind for path, one in found.items()} == {
        "folder": EntryKind.LINK,
        "file": EntryKind.LINK,
    }
    with pytest.raises(OSError, match=r"."):
        layer.content("folder/secret", "sha256:0")


def test_a_file_that_is_exchanged_for_a_link_is_not_read(layer: RunLayer) -> None:
    Path(layer.upper, "a").write_text("x")
    known = read(layer)["a"].node.digest
    assert layer.content("a", known) == b"x"
    os.unlink(f"{layer.upper}/a")
    os.symlink("/etc/passwd", f"{layer.upper}/a")
    with pytest.raises(OSError, match=r"."):
        layer.content("a", known)
    os.unlink(f"{layer.upper}/a")
    Path(layer.upper, "a").write_text("other")
    with pytest.raises(StoreError):
        layer.content("a", known)


@isolated
def test_a_directory_that_cannot_be_read_is_held(tmp_path: Path) -> None:
    with ground() as here:

        def work() -> list[str]:
            here.isolated(["sh", "-c", "mkdir shut; echo x > shut/y; chmod 0 shut; echo z > z"])
            found = read(RunLayer(upper=str(here.upper), real=str(here.project)))
            return sorted(f"{path}: {one.held}" for path, one in found.items())

        assert here.as_user(work) == ["shut: it cannot be read: permission denied", "z: "]


# -- what is dropped -------------------------------------------------------------------------------


def test_only_what_the_real_directory_holds_is_dropped(layer: RunLayer) -> None:
    upper, real = Path(layer.upper), Path(layer.real)
    for top in (upper, real):
        (top / "d").mkdir()
        (top / "d/same").write_text("same")
    (upper / "d/other").write_text("mine")
    (real / "d/other").write_text("yours")
    (upper / "new").write_text("new")
    (upper / "empty").mkdir()
    layer.settle(lambda _: True)
    left = sorted(str(one.relative_to(upper)) for one in upper.rglob("*"))
    assert left == ["d", "d/other", "empty", "new"]
    (real / "d/other").write_text("mine")
    layer.settle(lambda path: path != "new")
    assert sorted(os.listdir(upper)) == ["empty", "new"]


def test_a_run_that_somebody_holds_is_left_alone(tmp_path: Path) -> None:
    runs = RunFolders(state=str(tmp_path))
    made = runs.make("/p", ["true"], 1.0)
    with runs.held(made.id):
        assert runs.is_live(made.id)
        with pytest.raises(Exception, match="in use"), runs.held(made.id):
            pass
        with runs.home(made.id) as first, runs.home(made.id) as second:
            assert first == runs.home_layer
            assert second != first
    assert not runs.is_live(made.id)
    assert runs.get(made.id[:4]) == made
    runs.drop(made.id)
    assert runs.all() == ()
