"""A project of its own for each test, and what people type."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from penstock.stores.agents.ancestry import seen_here
from tests.doors.langgraph.scene import Scene
from tests.project import AGENT_WORDS, Project

Typing = Callable[..., list[str]]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A project that is the working directory, with a home and state of its own."""
    found = Scene(tmp_path)
    found.root.mkdir()
    _work_in(found.root, found.places, monkeypatch)
    return found


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Put answers in the place of a person; returns the questions, as they come."""

    def put(*answers: str | BaseException) -> list[str]:
        questions: list[str] = []
        left = iter(answers)

        def answer(question: str = "") -> str:
            questions.append(question)
            said = next(left, None)
            if said is None:
                raise AssertionError(f"nobody expected to be asked: {question}")
            if isinstance(said, BaseException):
                raise said
            return said

        monkeypatch.setattr(builtins, "input", answer)
        return questions

    return put


@pytest.fixture
def own(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose command sees the same state as this process, outside of every agent."""
    places = {name: project.environ[name] for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    _work_in(project.root, places, monkeypatch)
    return project


def _work_in(root: Path, places: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a project, outside of every agent: one could not approve anything."""
    for name in [name for name in os.environ if name.startswith(AGENT_WORDS)]:
        monkeypatch.delenv(name)
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")
    for name, value in places.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(root)
