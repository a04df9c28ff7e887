"""What git has in no commit as it is, asked of a real repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from penstock.stores.git.find import GitRepositories


def git(folder: Path, *words: str) -> None:
    options = ("-c", "user.name=Dev", "-c", "user.email=dev@example.com")
    subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "sub").mkdir()
    for name in ("same", "changed", "staged", "removed", "renamed", "sub/changed", "saved again"):
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / ".gitignore").write_text("ignored\n")
    git(tmp_path, "add", "-A")
    return tmp_path


def unsaved(folder: Path) -> set[str]:
    found = GitRepositories().at(str(folder))
    assert found is not None
    return set(found.unsaved())


def test_every_file_is_unsaved_that_no_commit_has_as_it_is(top: Path) -> None:
    git(top, "commit", "-qm", "one")
    for name in ("changed", "staged", "sub/changed", "new", "sub/new", "ignored", "größe \n"):
        (top / name).write_text("other\n")
    os.utime(top / "saved again", (1, 1))
    git(top, "add", "staged")
    git(top, "mv", "renamed", "moved")
    (top / "removed").unlink()
    index = (top / ".git" / "index").read_bytes()
    changed = {"changed", "staged", "removed", "renamed", "moved", "sub/changed"}
    assert unsaved(top) == {*changed, "new", "sub/new", "größe \n"}
    assert unsaved(top / "sub") == {"sub/changed", "sub/new"}
    assert (top / ".git" / "index").read_bytes() == index


def test_before_the_first_commit_everything_is_unsaved(top: Path) -> None:
    (top / "new").write_text("x\n")
    names = {"same", "changed", "staged", "removed", "renamed", "sub/changed", "saved again"}
    assert unsaved(top) == {*names, ".gitignore", "new"}
