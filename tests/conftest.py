"""Fixtures that tests of several areas use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a `.git`, and a home of its own beside it."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    home = tmp_path / "home"
    home.mkdir()
    return Project(root, home)
