"""Programs that we start are found outside of projects only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.stores.system.programs import program_outside


def planted(folder: Path, name: str = "tool") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    return root


def test_an_entry_of_the_project_is_passed_over(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(project / "bin")
    good = planted(tmp_path / "usr")
    (tmp_path / "link").symlink_to(project / "bin")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "tool").symlink_to(project / "bin" / "tool")
    entries = ["bin", "", str(project / "bin"), str(tmp_path / "link"), str(tmp_path / "links")]
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", os.pathsep.join([*entries, str(good.parent)]))
    assert program_outside("tool", str(project / "src")) == str(good)
    assert program_outside("tool", str(tmp_path / "usr")) == str(project / "bin" / "tool")


def test_where_there_is_none_nothing_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(project / "bin")
    monkeypatch.setenv("PATH", str(project / "bin"))
    assert program_outside("tool", str(project)) == ""
