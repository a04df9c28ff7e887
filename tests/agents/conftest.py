"""Only a client that is there can be run; a missing one is told, never passed over."""

from __future__ import annotations

import os

import pytest

from tests.agents import install


def _need(name: str) -> None:
    try:
        install.command(name)
    except install.NotHereError as missing:
        text = f"REAL AGENTS NOT RUN: {name}, because {missing}"
        if os.environ.get("PENSTOCK_AGENTS") == "required":
            pytest.fail(text)
        pytest.skip(text)


@pytest.fixture(scope="session")
def claude() -> None:
    _need("claude")


@pytest.fixture(scope="session")
def codex() -> None:
    _need("codex")


@pytest.fixture(scope="session")
def gemini() -> None:
    _need("gemini")
