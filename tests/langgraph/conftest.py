"""A project of its own for every test, with state and configuration apart."""

from __future__ import annotations

import pytest

from tests.project import Project


@pytest.fixture
def own(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, and this process looking at the same state as the command does."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, project.environ[name])
    monkeypatch.chdir(project.root)
    return project
