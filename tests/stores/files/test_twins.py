"""Hard links: every name of a file is found, cheaply, or it is said that it was not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.core.errors import InputError
from penstock.stores.files.twins import HardLinks


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home/.ssh").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = tmp_path / "project"
    (found / "a/b").mkdir(parents=True)
    (found / ".env").write_text("K=1\n")
    return found


def test_a_file_with_one_name_has_no_twins(root: Path) -> None:
    assert HardLinks(str(root)).of(str(root / ".env")) == []
    assert HardLinks(str(root)).of(str(root / "missing")) == []
    assert HardLinks(str(root)).of(str(root / "a")) == []
    assert HardLinks(str(root)).of("\0") == []


@pytest.mark.parametrize("name", ["x", "a/x", "a/b/.x", "../outside"])
def test_the_other_name_is_found_wherever_it_is(root: Path, name: str) -> None:
    os.link(root / ".env", root / name)
    place = os.path.normpath(root / name)
    assert HardLinks(str(root)).of(place) == [str(root / ".env")]


def test_a_key_in_the_home_is_found(root: Path) -> None:
    key = root.parent / "home/.ssh/id_rsa"
    key.write_text("key\n")
    os.link(key, root / "x")
    assert HardLinks(str(root)).of(str(root / "x")) == [str(key)]


def test_a_link_that_is_made_after_a_walk_is_found(root: Path) -> None:
    links = HardLinks(str(root))
    os.link(root / ".env", root / "x")
    assert links.of(str(root / "x")) == [str(root / ".env")]
    os.link(root / ".env", root / "y")
    assert sorted(links.of(str(root / "y"))) == [str(root / ".env"), str(root / "x")]
    (root / "x").unlink()
    assert links.of(str(root / "y")) == [str(root / ".env")]


def test_a_directory_that_moved_is_walked_again(root: Path) -> None:
    (root / "a/k").write_text("k\n")
    os.link(root / "a/k", root / "x")
    old = os.stat(root / "x").st_ctime_ns
    links = HardLinks(str(root))
    assert links.of(str(root / "x")) == [str(root / "a/k")]
    links._walked_at = old + 10**12  # as if the walk were long ago, and the file older
    os.rename(root / "a", root / "secrets")
    assert links.of(str(root / "x")) == [str(root / "secrets/k")]


def test_installed_packages_are_linked_from_a_store_and_left_alone(root: Path) -> None:
    store = root.parent / "store"
    store.write_text("x")
    for folder in ("node_modules/p", ".venv/lib"):
        (root / folder).mkdir(parents=True)
        os.link(store, root / folder / "index")
        assert HardLinks(str(root), most=0).of(str(root / folder / "index")) == []


def test_where_not_all_names_are_looked_at_the_file_is_refused(root: Path) -> None:
    os.link(root / ".env", root / "x")
    with pytest.raises(InputError) as refused:
        HardLinks(str(root), most=1).of(str(root / "x"))
    assert refused.value.code == "hard-linked"
    assert "copy it over itself" in refused.value.hint
