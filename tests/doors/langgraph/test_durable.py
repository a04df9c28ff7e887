"""Asked in one process, killed, answered in another: nothing is lost, nothing written twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.app import open_workspace
from tests.doors.langgraph import postgres
from tests.doors.langgraph.crash_points import STRICT, every_kill_is_survived
from tests.doors.langgraph.scene import REPLACEMENT, STATE, Scene

YES = {"type": "approve"}


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A real PostgreSQL."""
    found = postgres.installed()
    if found is None:
        pytest.skip("no PostgreSQL: neither its programs nor apt-get are here")
    with postgres.server(found) as where:
        yield where


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """What keeps the checkpoints."""
    if request.param == "sqlite":
        return "sqlite", str(tmp_path / "checkpoints.db")
    where = request.getfixturevalue("database")
    import psycopg

    name = f"of_{abs(hash(str(tmp_path)))}"
    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return "postgres", where.replace("dbname=postgres", f"dbname={name}")


def process(scene: Scene, kept: tuple[str, str], what: str, given: object) -> Any:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.doors.langgraph.durable_graph",
            *kept,
            what,
            json.dumps(given),
        ],
        cwd=scene.root,
        env={**os.environ, **STRICT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    expected = -signal.SIGKILL if what == "start" else 0
    assert done.returncode == expected, done.stdout + done.stderr
    assert "msgpack" not in done.stderr.lower()
    return json.loads(done.stdout.splitlines()[-1])


def events(scene: Scene) -> Counter[tuple[object, object]]:
    found = open_workspace(str(scene.root)).record.events()
    return Counter((one["op"], one["path"]) for one in found)


def test_a_question_survives_the_process_that_asked_it(scene: Scene, kept: tuple[str, str]) -> None:
    """With LANGGRAPH_STRICT_MSGPACK on: state holds plain values only."""
    for name in ("one.py", "two.py", "three.py"):
        scene.write(name, STATE)
    writes = [
        {"target_path": name, "new_content": REPLACEMENT}
        for name in ("one.py", "two.py", "three.py", "new.py")
    ]
    question = process(scene, kept, "start", writes)
    assert len(question["action_requests"]) == 3
    assert not (scene.root / "new.py").exists()
    decisions = [YES, {**YES, "strategy": "append"}, {"type": "reject", "message": "no"}]
    done = process(scene, kept, "resume", decisions)
    assert scene.read("one.py") == scene.read("new.py") == REPLACEMENT
    assert scene.read("two.py") == f"{STATE}\n{REPLACEMENT}"
    assert scene.read("three.py") == STATE
    assert len(done["approved_writes"]) == 3
    assert done["rejected_writes"][0]["reason"] == "no"
    told = events(scene)
    assert told["proposed", "one.py"] == told["applied", "one.py"] == 1
    assert told["proposed", "two.py"] == 2  # as generated, and as appended
    assert told["applied", "two.py"] == 1
    # Whoever comes later finds it done, and does nothing.
    assert process(scene, kept, "resume", decisions) == done
    assert events(scene) == told
    report = open_workspace(str(scene.root)).verify()
    assert report.problems == ()


@pytest.mark.slow
def test_a_kill_at_any_step_of_the_answer_loses_nothing_and_writes_nothing_twice(
    scene: Scene,
) -> None:
    every_kill_is_survived("tests.doors.langgraph.graph_crashes")
