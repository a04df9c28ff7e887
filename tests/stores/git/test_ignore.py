"""Which files git ignores and tracks, where repositories lie in each other and links in the way."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from penstock.stores.git import ignore
from penstock.stores.git.ignore import ignored, submodules, tracked
from penstock.stores.git.run import GitError, run

WHO = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", folder, *WHO, *words], check=True, capture_output=True)


def made(folder: Path, ignores: str, *files: str) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / ".gitignore").write_text(ignores)
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a submodule that has one itself."""
    inner = made(tmp_path / "inner", "deep/\n", "i.txt")
    lib = made(tmp_path / "lib", "cache/\n", "l.txt", "dist/kept.js")
    git(lib, "submodule", "add", "-q", str(inner), "inner")
    git(lib, "commit", "-qm", "inner")
    found = made(tmp_path / "project", "build/\n*.log\n", "a.txt", "build/kept.txt")
    git(found, "submodule", "add", "-q", str(lib), "sub")
    git(found, "submodule", "update", "-q", "--init", "--recursive")
    git(found, "commit", "-qm", "sub")
    return found


PATHS = [
    ("a.txt", False), ("new.txt", False), ("build/o", True), ("build/kept.txt", False),
    ("x.log", True), ("sub/new.txt", False), ("sub/cache/c", True), ("sub/x.log", False),
    ("sub/l.txt", False), ("sub/inner/deep/d", True), ("sub/inner/new", False),
]  # fmt: skip


@pytest.mark.parametrize("left_out", ["", "sub/"])
def test_a_submodule_is_asked_about_its_own_files(root: Path, left_out: str) -> None:
    rows = [row for row in PATHS if not left_out or not row[0].startswith(left_out)]
    assert ignored(str(root), [path for path, _ in rows]) == {p for p, ignores in rows if ignores}


def test_one_path_that_git_has_no_answer_to_takes_no_other_with_it(root: Path) -> None:
    (root / "link").symlink_to("build")
    assert ignored(str(root), ["link/x", "x.log", "a.txt", "sub/cache/c"]) == {
        "x.log",
        "sub/cache/c",
    }


def test_a_submodule_that_is_not_checked_out_says_nothing(root: Path) -> None:
    git(root, "submodule", "deinit", "-q", "-f", "sub")
    assert ignored(str(root), ["sub/cache/c", "x.log"]) == {"x.log"}
    assert submodules(str(root)) == ()


def test_a_repository_in_the_index_that_no_file_tells_of(root: Path) -> None:
    git(root, "rm", "-q", "-f", "--cached", ".gitmodules")
    (root / ".gitmodules").unlink()
    names = [f"sub/cache/{at}" for at in range(300)]
    assert ignored(str(root), [*names, "x.log"]) == {*names, "x.log"}


def test_whatever_git_refuses_it_is_asked_a_bounded_number_of_times(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def refuses(folder: str, paths: list[str]) -> list[str]:
        asked.append(len(paths))
        raise GitError("git", "no")

    monkeypatch.setattr(ignore, "_asked", refuses)
    assert ignored(str(root), [f"f{at}" for at in range(5_000)]) == set()
    assert len(asked) <= 2 * ignore.MOST_REFUSALS


def test_files_of_submodules_are_tracked(root: Path) -> None:
    assert submodules(str(root)) == ("sub", "sub/inner")
    found = tracked(str(root))
    assert {"a.txt", "build/kept.txt", "sub/l.txt", "sub/dist/kept.js", "sub/inner/i.txt"} <= found


def test_outside_of_a_repository_nothing_is_ignored_or_tracked(tmp_path: Path) -> None:
    assert ignored(str(tmp_path), ["a"]) == set()
    assert tracked(str(tmp_path)) == set()


def test_without_a_repository_git_is_asked_twice_however_many_paths_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counted(folder: str, *words: str, **more: Any) -> tuple[int, bytes]:
        asked.append(words[0])
        return run(folder, *words, **more)

    monkeypatch.setattr(ignore, "run", counted)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert ignored(str(tmp_path), [f"{at}.txt" for at in range(50)]) == frozenset()
    assert len(asked) == 2
