"""The control socket of a run, and hooks of agents inside: asked by real programs in a real run."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.doors.hook.run_client import is_outside
from penstock.doors.run import control
from penstock.doors.run.control import ControlSocket, parse_question
from tests.doors.run.live import LiveRun, live_run
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
isolated = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

TRIES = 50
PYTHON = os.path.realpath(sys.executable)
BIG = "".join(f"line {at}\n" for at in range(270))
ASK = """
import json, socket, sys
line = socket.socket(socket.AF_UNIX)
line.settimeout(30)
line.connect("/run/penstock/run.sock")
line.sendall(sys.stdin.buffer.read() + b"\\n")
print(line.makefile().readline(), end="")
"""


@pytest.fixture
def here(project: Project) -> Project:
    """A project with a copy of the package: inside, only it and the machine can be seen."""
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    project.write(".gitignore", ".env\n")
    project.write(".env", "SECRET=1\n")
    project.write("src/big.py", BIG)
    project.write("dist/ask.py", ASK)
    left_out = shutil.ignore_patterns("__pycache__", "*.js", "*.css", "*.woff2")
    shutil.copytree(Path(penstock.__file__).parent, project.root / "dist/penstock", ignore=left_out)
    return project


def asked(run: LiveRun, question: object) -> dict[str, Any]:
    text = question if isinstance(question, str) else json.dumps(question)
    (run.here.root / "dist/question").write_text(text)
    found: dict[str, Any] = json.loads(run(f"{PYTHON} dist/ask.py < dist/question"))
    return found


def hooked(run: LiveRun, event: str, tool: str = "", **given: str) -> dict[str, Any]:
    """Have the hook of Claude Code called inside the run, and return its answer."""
    call = {
        "session_id": "s", "hook_event_name": event, "tool_name": tool, "tool_use_id": "t",
        "tool_input": given, "cwd": str(run.here.root), "permission_mode": "default",
    }  # fmt: skip
    (run.here.root / "dist/call").write_text(json.dumps(call))
    said = run(f"{PYTHON} -I -S dist/penstock/hook.py claude < dist/call 2>&1; echo")
    found: dict[str, Any] = json.loads(said.strip() or "{}").get("hookSpecificOutput", {})
    return found


def heard(run: LiveRun, given: dict[str, str], *words: str) -> str:
    """Call the hook after a tool until it has said some words; return everything it said.

    On a slow machine a hook answers by itself.
    """
    said = ""
    for _ in range(TRIES):
        said += str(hooked(run, "PostToolUse", "Write", **given).get("additionalContext", ""))
        if all(word in said for word in words):
            return said
        time.sleep(0.2)
    raise AssertionError(said)


@isolated
def test_a_sync_is_asked_for_and_answered(here: Project) -> None:
    with live_run(here) as run:
        run("echo 1 > new.txt; echo S=2 > .env; seq 5 > src/big.py")
        said = asked(run, {"op": "sync"})
        assert said["applied"] == 1, "before the answer"
        assert run.real("new.txt") == "1\n"
        assert len(said["pending"]) == 1
        assert said["blocked"] == [".env"]
        assert asked(run, {"op": "status"}) == said
        assert run("echo $PENSTOCK_RUN").strip() == said["run"]
        run.end()


@isolated
def test_nothing_that_is_asked_inside_approves_or_ends_the_run(here: Project) -> None:
    hostile: list[object] = [
        {"op": "approve", "id": "x"}, {"op": "apply"}, {"op": ["sync"]}, {}, [], "no json",
        "[" * 9999,
        {"op": "judge", "agent": 1, "call": "", "environ": {}},
        {"op": "judge", "agent": "nobody", "call": "{}", "environ": {}},
        {"op": "judge", "agent": "claude", "call": "\ud800", "environ": {}},
        {"op": "judge", "agent": "\ud800", "call": "{}", "environ": {"\ud800": "\ud800"}},
    ]  # fmt: skip
    with live_run(here) as run:
        for question in hostile:
            assert "error" in asked(run, question), question
        assert asked(run, {"op": "judge", "agent": "claude", "call": "{", "environ": {"A": 1}})
        assert asked(run, {"op": "status"})["applied"] == 0
        run.end()
    assert "finished (exit 0)" in run.err


@isolated
def test_a_hook_inside_turns_a_question_into_a_note_and_keeps_a_denial(here: Project) -> None:
    with live_run(here) as run:
        root = str(here.root)
        denied = hooked(run, "PreToolUse", "Write", file_path=f"{root}/.env", content="S=2\n")
        assert denied["permissionDecision"] == "deny"
        big = {"file_path": f"{root}/src/big.py", "content": "x\n"}
        for _ in range(TRIES):
            allowed = hooked(run, "PreToolUse", "Write", **big)
            if allowed["permissionDecision"] == "allow":
                break
        assert "pending approval" in json.dumps(allowed)
        run("echo x > src/big.py; echo S=2 > .env; echo 1 > new.txt")
        denial, waiting = (
            ".env was not written to the project",
            "src/big.py −270 is not written yet",
        )
        after = heard(run, big, denial, waiting)
        assert run.real("new.txt") == "1\n", "the hook asked for a sync"
        after += hooked(run, "PostToolUse", "Write", **big).get("additionalContext", "")
        assert (after.count(denial), after.count(waiting)) == (1, 1), "it is heard once"
        (one,) = here.run("proposals", "--json").json["proposals"]
        assert here.run("reject", one["id"], "--reason", "too much").code == 0
        run("echo 2 > new.txt")
        heard(run, big, "too much")
        run.end()
    name = run.err.split("run ")[1].split()[0]
    decided = here.run("audit", "log", "--json").out
    assert decided.count(f'"run": "{name}"') > 2, "what the hook was told is in the audit log"
    assert here.run("audit", "verify").code == 0


@isolated
def test_the_end_of_a_turn_syncs_and_what_is_new_is_heard_in_the_next(here: Project) -> None:
    """At the end nobody listens any more, so nothing is said there and nothing is lost."""
    with live_run(here) as run:
        run("echo 1 > new.txt; echo S=2 > .env")
        for _ in range(TRIES):
            assert hooked(run, "Stop") == {}
            if run.real("new.txt") == "1\n":
                break
            time.sleep(0.2)  # on a slow machine the hook answers by itself
        assert run.real("new.txt") == "1\n"
        heard(run, {"file_path": "x", "content": "x"}, ".env was not written to the project")
        run.end()


def test_who_listens_inside_our_own_namespace_is_not_the_supervisor() -> None:
    def peer(pid: int, uid: int) -> bytes:
        return pid.to_bytes(4, sys.byteorder) + uid.to_bytes(4, sys.byteorder) + bytes(4)

    mine = os.geteuid()
    assert is_outside(peer(0, mine))
    assert not is_outside(peer(os.getpid(), mine))
    assert not is_outside(peer(0, mine + 1))


@pytest.fixture
def listening(tmp_path: Path) -> Any:
    deep = tmp_path / ("d" * 60) / ("d" * 60)
    deep.mkdir(parents=True)
    made = ControlSocket(str(deep))
    yield made
    made.close()
    assert not os.path.exists(made.path)


def connect(to: ControlSocket) -> socket.socket:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = os.open(os.path.dirname(to.path), os.O_PATH)
    line.connect(f"/proc/self/fd/{folder}/{control.NAME}")
    os.close(folder)
    return line


def test_a_line_is_answered_however_it_arrives(listening: ControlSocket) -> None:
    with connect(listening) as line:
        listening.attend(listening.descriptors(), dict)
        for piece in (b'{"op"', b': "st', b'atus"}\n{"op": "more"}'):
            line.sendall(piece)
            listening.attend(listening.descriptors(), lambda asked: {"said": asked["op"]})
        assert json.loads(line.recv(1000)) == {"said": "status"}
        assert line.recv(1) == b"", "one question a connection"


def test_a_few_connections_and_not_for_long(
    listening: ControlSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [connect(listening) for _ in range(control.MOST_CLIENTS + 1)]
    for _ in lines:
        listening.attend(listening.descriptors(), dict)
    assert len(listening.descriptors()) == control.MOST_CLIENTS, "nobody else is let in"
    later = time.monotonic() + control.CLIENT_SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    listening.attend((), dict)
    assert len(listening.descriptors()) == 1, "whoever never asks is dropped"
    for line in lines:
        line.close()


def test_what_is_too_long_is_dropped_unread(
    listening: ControlSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "LARGEST_LINE", 10)
    with connect(listening) as line:
        listening.attend(listening.descriptors(), dict)
        line.sendall(b"x" * 20)
        listening.attend(listening.descriptors(), dict)
        assert line.recv(1) == b""


def test_an_answer_is_bounded_and_a_client_that_left_is_no_matter(listening: ControlSocket) -> None:
    with connect(listening) as line:
        listening.attend(listening.descriptors(), dict)
        line.sendall(b"{}\n")
        huge = {"x": "y" * control.LARGEST_ANSWER}
        listening.attend(listening.descriptors(), lambda _: huge)
        assert json.loads(line.recv(1000)) == {"error": "too-long"}
    gone = connect(listening)
    listening.attend(listening.descriptors(), dict)
    gone.sendall(b"{}\n")
    gone.close()
    lost: list[bool] = []
    listening.attend(listening.descriptors(), dict, lambda: lost.append(True))
    assert lost == [True]


@pytest.mark.parametrize("line", [b"", b"[]", b"1", b"\xff", b'{"a":', b"[" * 100_000])
def test_what_is_no_question_is_an_empty_one(line: bytes) -> None:
    assert parse_question(line) == {}
