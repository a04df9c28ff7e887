"""Where a path arrives: the kernel's answer and the one found name by name are the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.stores.files.resolve import resolve
from penstock.stores.system import places
from penstock.stores.system.places import arrival


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "dir" / "deep").mkdir(parents=True)
    (tmp_path / "dir" / "file").write_text("x")
    (tmp_path / "to-file").symlink_to("dir/file")
    (tmp_path / "to-dir").symlink_to(tmp_path / "dir")
    (tmp_path / "to-link").symlink_to("to-dir/deep")
    (tmp_path / "to-nothing").symlink_to("missing")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


TOLD = (
    *("dir/file", "to-file", "to-dir/file", "to-link", "to-link/..", "to-dir/../dir/file", ""),
    *("new", "new/deeper/still", "to-dir/new", "to-dir/./new//deeper", "dir/", "dir/new/"),
)


@pytest.mark.parametrize("name", TOLD)
def test_the_kernel_arrives_where_following_each_name_does(place: Path, name: str) -> None:
    path = f"{place}/{name}"
    assert arrival(path) == resolve("/", path)


NOT_TOLD = (
    ("to-nothing", "it leads to what is not there yet"),
    ("to-nothing/x", "the same, in the middle"),
    ("loop", "the kernel gives up"),
    ("dir/file/x", "no directory"),
    ("new/../dir", "the kernel fails, a program that tidies paths does not"),
    ("a\0b", "no path at all"),
)


@pytest.mark.parametrize(("name", "why"), NOT_TOLD)
def test_what_the_kernel_does_not_tell_is_left_open(place: Path, name: str, why: str) -> None:
    assert arrival(f"{place}/{name}") is None, why


def test_the_top_arrives_at_itself() -> None:
    assert [arrival(path) for path in ("/", "//", "/..")] == ["/", "/", "/"]


def test_what_has_no_name_is_left_open(place: Path) -> None:
    held = os.open(place / "dir" / "file", os.O_RDONLY)
    try:
        os.unlink(place / "dir" / "file")
        assert arrival(f"/proc/self/fd/{held}") is None
    finally:
        os.close(held)


def test_a_relative_place_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    assert places.state_home() == "/home/me/.local/state/penstock"
    monkeypatch.setenv("HOME", "me")
    assert places.home().startswith("/")


def test_the_state_of_a_project_with_a_long_name_has_a_name_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    long = "ü" * 120
    first, second = places.state_of(f"/a/{long}"), places.state_of(f"/b/{long}")
    assert first != second
    assert len(first.rpartition("/")[2].encode()) < 200
    assert places.state_of("/a/shop").startswith("/state/penstock/shop-")
