"""A look at a real project: what bash would make of a pattern, and no more than may be seen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from penstock.gate import look as module
from penstock.gate.look import DiskLook, DiskMemory
from penstock.stores.files.workspace import DiskFiles

FILES = [
    "README.md",
    ".env",
    ".env.local",
    ".hidden/x.py",
    "a.py",
    "b.py",
    "c.txt",
    "[x].py",
    "'q'.py",
    "src/app.py",
    "src/Z.py",
    "src/deep/more/end.py",
    "src/.secret",
    "docs/a.md",
    "docs/b.md",
    "x-1.log",
    "x-2.log",
    "x-a.log",
]
PATTERNS = (
    "*.py",
    "*",
    ".*",
    ".e*",
    ".env*",
    "src/*.py",
    "*/*.py",
    "*/",
    "s*/deep",
    "s*/nothing",
    "./*.md",
    "[ab].py",
    "[!a].py",
    "[^a].py",
    "[a-b].py",
    "[[:alpha:]].py",
    "x-[[:digit:]].log",
    "[[]x].py",
    "??.py",
    "*.nothing",
    "src/[A-Z].py",
    "link/*.py",
    "*/../*.md",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in FILES:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"text of {name}\n")
    (root / "link").symlink_to("src")
    return root


def look_at(root: Path) -> DiskLook:
    return DiskLook(DiskFiles(str(root)), home=str(root.parent / "home"))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_what_bash_makes_of_it(project: Path, pattern: str) -> None:
    script = f"shopt -s nullglob globskipdots 2>/dev/null; printf '%s\\n' {pattern}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=project,
        env={"LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    said = [line for line in done.stdout.splitlines() if line not in ("", ".", "..")]
    assert sorted(look_at(project).names(pattern, str(project)) or ()) == sorted(said)


def test_two_stars_go_through_directories(project: Path) -> None:
    found = look_at(project).names("**/*.py", str(project))
    assert found is not None
    assert {"a.py", "src/app.py", "src/deep/more/end.py"} <= set(found)
    assert ".hidden/x.py" not in found


def test_everything_below_a_directory_is_seen(project: Path) -> None:
    found = look_at(project).below("src", str(project))
    assert found is not None
    assert {"app.py", ".secret", "deep/", "deep/more/", "deep/more/end.py"} <= set(found)
    assert ".env" in (look_at(project).below(".", str(project)) or ())


def test_a_look_from_a_directory_is_relative_to_it(project: Path) -> None:
    look = look_at(project)
    assert look.names("*.py", str(project / "src")) == ["Z.py", "app.py"]
    assert look.text("app.py", "src") == "text of src/app.py\n"
    assert look.kind("../src", str(project / "docs")) == "directory"
    assert [look.kind(name, "") for name in ("a.py", "link", "none")] == ["file", "link", ""]


def test_what_lies_elsewhere_is_not_looked_at(project: Path) -> None:
    (project / "away").symlink_to("/etc")
    look = look_at(project)
    assert look.names("/etc/host*", "/") is None
    assert look.names("away/host*", str(project)) is None
    assert look.below("/etc", "/") is None
    assert look.text("/etc/hostname", "/") is None
    assert look.text("away/hostname", str(project)) is None
    assert look.kind("/etc/hostname", "/") is None


def test_a_home_and_temporary_files_are_seen(project: Path) -> None:
    script = project.parent / "home" / "run.sh"
    script.parent.mkdir()
    script.write_text("true\n")
    assert look_at(project).text("~/run.sh", str(project)) == "true\n"
    assert look_at(project).names("~/*.sh", str(project)) == ["~/run.sh"]
    assert look_at(project).names(f"{script.parent}/*.sh", "/") == [str(script)]


def test_a_project_that_is_in_no_home_is_a_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.gate.look.TEMPORARY", ())
    look = DiskLook(DiskFiles(str(project)), home="")
    for place in (".", "src/..", str(project), "src"):
        assert look.kind(place, str(project)) == "directory", place
    for place in ("..", "/", "../other"):
        assert look.kind(place, str(project)) is None, f"{place} is not looked at"


def test_what_is_too_much_is_not_known(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "large.sh").write_text("x" * (module.MOST_BYTES + 1))
    assert look_at(project).text("large.sh", "") is None
    assert look_at(project).text("src", "") is None
    monkeypatch.setattr(module, "MOST_NAMES", 2)
    assert look_at(project).names("*", "") is None
    monkeypatch.setattr(module, "MOST_SEEN", 5)
    assert look_at(project).below(".", "") is None
    monkeypatch.setattr(module, "MOST_TEXTS", 1)
    look = look_at(project)
    assert look.text("a.py", "")
    assert look.text("b.py", "") is None


def test_a_pattern_of_many_stars_is_no_work(project: Path) -> None:
    (project / ("a" * 250)).write_text("")
    assert look_at(project).names("*a" * 60 + "*b", "") == []


def test_looks_that_share_a_memory_see_one_moment_and_others_what_is_there(project: Path) -> None:
    files, here = DiskFiles(str(project)), str(project)
    memory = DiskMemory()
    first = DiskLook(files, home="", memory=memory)
    assert first.names("*.txt", here) == ["c.txt"]
    assert sorted(first.below("docs", here) or ()) == ["a.md", "b.md"]
    (project / "d.txt").write_text("new\n")
    (project / "docs" / "c.md").write_text("new\n")
    again = DiskLook(files, home="", memory=memory)
    assert again.names("*.txt", here) == ["c.txt"]
    assert sorted(again.below("docs", here) or ()) == ["a.md", "b.md"]
    assert look_at(project).names("*.txt", here) == ["c.txt", "d.txt"]
    assert sorted(look_at(project).below("docs", here) or ()) == ["a.md", "b.md", "c.md"]


def test_a_memory_does_not_grow_with_the_patterns(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_PATTERNS", 3)
    memory = DiskMemory()
    look = DiskLook(DiskFiles(str(project)), home="", memory=memory)
    for number in range(10):
        assert look.names(f"{number}*", str(project)) == []
        assert len(memory.names) <= 3
