"""Which workspace a state belongs to, and where a server listens."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from penstock.stores.system.known_roots import (
    forget_serving,
    keep_root,
    keep_serving,
    known_roots,
    serving,
)
from penstock.stores.system.places import state_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/penstock"


def test_a_workspace_is_known_once_its_state_has_its_place(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    assert known_roots(str(home)) == ()
    keep_root(state_of(str(root)), str(root))
    assert known_roots(str(home)) == (str(root),)


def test_a_place_that_leads_to_another_state_is_not_believed(home: Path, tmp_path: Path) -> None:
    (home / "project-0123456789abcdef").mkdir(parents=True)
    (home / "project-0123456789abcdef/root").write_text(f"{tmp_path}\n")
    assert known_roots(str(home)) == ()


def test_a_workspace_that_is_gone_is_left_out(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    keep_root(state_of(str(root)), str(root))
    assert known_roots(str(home)) == ()


def test_a_server_is_found_while_it_lives(home: Path) -> None:
    assert serving(str(home)) is None
    keep_serving(str(home), 4711)
    found = serving(str(home))
    assert found is not None
    assert (found.port, found.pid) == (4711, os.getpid())
    forget_serving(str(home))
    assert serving(str(home)) is None


@pytest.mark.parametrize(
    "text",
    ["", "no", "[]", "{}", '{"port": "x", "pid": 1}', json.dumps({"port": 1, "pid": 2**40})],
)
def test_what_is_no_server_is_none(home: Path, text: str) -> None:
    home.mkdir(parents=True)
    (home / "serve.json").write_text(text)
    assert serving(str(home)) is None
