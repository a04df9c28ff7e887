"""A layer that changes while it is read, and one that is deeper than any path can name."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from penstock.core.errors import StoreError
from penstock.core.run.entry import EntryKind
from penstock.stores.isolation.layer import RunLayer
from penstock.stores.isolation.project_copy import CopyLayer, copy_project
from penstock.stores.isolation.records import remove_tree

READINGS = 150
LEVELS = 10_000


@pytest.fixture(params=["overlay", "copy"])
def layer(request: pytest.FixtureRequest, tmp_path: Path) -> RunLayer:
    real = tmp_path / "real"
    real.mkdir()
    if request.param == "overlay":
        (tmp_path / "upper").mkdir()
        return RunLayer(upper=str(tmp_path / "upper"), real=str(real))
    folder = tmp_path / "copy"
    copy_project(str(real), str(folder), left_out=lambda _: False)
    return CopyLayer(upper=str(folder / "tree"), real=str(real), folder=str(folder))


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Have another process do something over and over while a block runs."""
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            while True:
                work()
        finally:
            os._exit(1)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_file_that_is_written_endlessly_is_read_within_its_size(layer: RunLayer) -> None:
    file = f"{layer.upper}/log"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def grow() -> None:
        os.write(descriptor, b"x" * 4096)
        if os.fstat(descriptor).st_size > 1 << 24:
            os.ftruncate(descriptor, 0)

    with meanwhile(grow):
        for _ in range(READINGS // 10):
            for one in layer.entries(lambda _: True):
                assert one.path == "log"
                with suppress(StoreError):
                    assert len(layer.content("log", one.node.digest)) <= layer.largest
    os.close(descriptor)


def test_a_directory_that_turns_into_a_link_while_it_is_read_is_never_left(
    layer: RunLayer, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    for name in ("folder", "other"):
        Path(layer.upper, name).mkdir()
    link = Path(layer.upper, "link")
    link.symlink_to(outside)
    folder, other = f"{layer.upper}/folder", f"{layer.upper}/other"

    def swap() -> None:
        os.rename(folder, f"{other}/away")
        os.rename(link, folder)
        os.rename(folder, link)
        os.rename(f"{other}/away", folder)

    with meanwhile(swap):
        for _ in range(READINGS):
            for one in layer.entries(lambda _: True):
                assert not one.path.endswith("/secret")
                assert one.node.kind is not EntryKind.FILE


def test_ten_thousand_levels_are_held_and_removed(layer: RunLayer) -> None:
    current = os.open(layer.upper, os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir("d", dir_fd=current)
        inner = os.open("d", os.O_RDONLY, dir_fd=current)
        os.close(current)
        current = inner
    os.close(current)
    held = [one.held for one in layer.entries(lambda _: True) if one.held]
    assert held == ["its path is too long"]
    layer.settle(lambda _: True)
    above = os.open(os.path.dirname(layer.upper), os.O_RDONLY)
    remove_tree(above, os.path.basename(layer.upper))
    os.close(above)
    assert not os.path.exists(layer.upper)


def test_attributes_of_overlays_in_a_copy_mean_nothing(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "d").mkdir(parents=True)
    (real / "d/kept").write_text("kept")
    folder = tmp_path / "copy"
    copy_project(str(real), str(folder), left_out=lambda _: False)
    made = CopyLayer(upper=str(folder / "tree"), real=str(real), folder=str(folder))
    try:
        os.setxattr(folder / "tree/d", "user.overlay.opaque", b"y")
        os.setxattr(folder / "tree/d/kept", "user.overlay.redirect", b"/etc/passwd")
    except OSError:
        pytest.skip("NOT TESTED: this file system has no attributes")
    assert list(made.entries(lambda _: True)) == []
