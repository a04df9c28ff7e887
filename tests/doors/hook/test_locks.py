"""Whoever holds a lock of the state, or listens in the daemon's place: the verdict stays right."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from penstock.doors.hook.daemon_client import launch
from tests.doors.hook.hooks import LAUNCHER, Hook, said
from tests.doors.hook.test_daemon import socket_of, within
from tests.doors.hook.test_faults import verdict
from tests.project import Done, Project

PROPOSE = 'preset = "guard"\n[gate]\nmode = "propose"\n'
BIG = "".join(f"line {n}\n" for n in range(1, 301))
CALLS = [
    ("Write", {"file_path": ".env", "content": "x"}, "deny"),
    ("Write", {"file_path": "penstock.toml", "content": "x"}, "deny"),
    ("Bash", {"command": "echo x > .env"}, "deny"),
    ("Bash", {"command": "echo x > penstock.toml"}, "deny"),
    ("Write", {"file_path": "a.txt", "content": "x"}, "allow"),
    ("Bash", {"command": "ls"}, "allow"),
]


@pytest.fixture
def hook(project: Project) -> Hook:
    found = Hook(project)
    found.write("notes.txt", "x")
    return found


@pytest.fixture
def warm(hook: Hook) -> Iterator[Hook]:
    """The same with a daemon that listens."""
    child = subprocess.Popen(
        launch("penstock.doors.hook.daemon"), env=hook.environ(), stderr=subprocess.DEVNULL
    )
    try:
        assert within(lambda: socket_of(hook) is not None)
        hook.resident = ""
        yield hook
    finally:
        child.kill()
        child.wait(timeout=30)


def state(hook: Hook) -> Path:
    (found,) = (hook.project.home / "state" / "penstock").glob("project-*/")
    return found


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file or directory as one line of anybody's Python can."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sent(hook: Hook, tool: str, given: Mapping[str, object]) -> Done:
    path = given.get("file_path")
    full = {**given, "file_path": hook.at(path)} if isinstance(path, str) else given
    return hook.before(tool, full)


@pytest.mark.parametrize("way", ["cold", "warm"])
def test_while_somebody_holds_the_log_the_rules_still_deny_and_an_allow_is_said(
    way: str, request: pytest.FixtureRequest
) -> None:
    hook: Hook = request.getfixturevalue("hook" if way == "cold" else "warm")
    count = len(hook.events())
    with locked(state(hook) / "audit.jsonl"):
        for tool, given, expected in CALLS:
            done = sent(hook, tool, given)
            assert verdict(done) == expected, (tool, given, done)
            assert "not in the audit log" in done.err, (tool, given)
            assert "not in the audit log" in json.loads(done.out)["systemMessage"]
    assert len(hook.events()) == count
    assert said(sent(hook, "Bash", {"command": "ls"})) == {}, "and it is over when it is over"


def test_while_somebody_holds_the_log_strict_rules_allow_nothing(hook: Hook) -> None:
    hook.project.write("penstock.toml", 'preset = "strict"\n[defaults]\ncreate = "allow"\n')
    with locked(state(hook) / "audit.jsonl"):
        done = sent(hook, "Write", {"file_path": "docs/a.txt", "content": "x"})
    assert verdict(done) == "deny"


def test_the_wait_for_the_log_fits_several_times_into_the_deadline() -> None:
    from penstock.doors.hook import engine, main
    from penstock.stores.audit import cold_append

    cold = cold_append.TRIES * cold_append.PAUSE
    assert cold + 3 * engine.PATIENCE < main.SECONDS


LOCKS = ["audit.jsonl", "penstock.db", "watch", "journal", "protected.json", "hook.policy", "."]


@pytest.mark.parametrize("name", LOCKS)
def test_no_other_lock_of_the_state_changes_a_verdict(hook: Hook, name: str) -> None:
    hook.project.write("penstock.toml", PROPOSE)
    hook.project.write("big.py", BIG)
    replace = {"file_path": hook.at("big.py"), "content": "short\n"}
    hook.before("Write", replace)  # makes the queue
    hook.hurried = True
    place = state(hook) / name
    if not place.exists():
        place.mkdir()
    with locked(place):
        assert verdict(hook.before("Write", replace)) == "deny"
        assert verdict(sent(hook, "Bash", {"command": "echo x > .env"})) == "deny"
        assert verdict(sent(hook, "Bash", {"command": "ls"})) == "allow"


def test_a_queue_that_somebody_else_writes_denies_what_should_wait(hook: Hook) -> None:
    hook.project.write("penstock.toml", PROPOSE)
    hook.project.write("big.py", BIG)
    replace = {"file_path": hook.at("big.py"), "content": "short\n"}
    hook.before("Write", replace)
    other = sqlite3.connect(state(hook) / "penstock.db", isolation_level=None)
    try:
        other.execute("BEGIN EXCLUSIVE")
        done = hook.before("Write", replace)
    finally:
        other.close()
    assert verdict(done) == "deny"
    assert "could not be saved for review" in done.out
    assert "could not be saved for review" in done.err


# --- somebody else listens ------------------------------------------------------------------------

ALLOW = b"0 0 0\n"
ANSWERS = {
    "never": None,
    "nothing": b"",
    "garbage": b"\xff\xfe\x00 garbage",
    "no text": b"0 2 0\n\xff\xfe",
    "a number that is none": b"0 99999999999999999999 0\n",
    "allow": ALLOW,
    "allow in words": b"0 0 4\nfine",
}


@contextmanager
def impostor(hook: Hook, answer: bytes | None) -> Iterator[None]:
    """Listen where the hook asks, as any program of the same user can."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from penstock.doors.hook.daemon_client import socket_name; print(socket_name())"
    )
    named = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(Path(LAUNCHER).parents[1])],
        env=hook.environ(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    folder = os.open(hook.project.home / "state" / "penstock", os.O_PATH)
    name = named.stdout.decode().strip()
    taken = hook.project.home / "state" / "penstock" / f"{name}.lock"
    taken.touch()
    with socket.socket(socket.AF_UNIX) as listening, locked(taken):
        listening.bind(f"/proc/self/fd/{folder}/{name}")
        listening.listen(8)
        threading.Thread(target=_speak, args=(listening, answer), daemon=True).start()
        yield
        listening.shutdown(socket.SHUT_RDWR)
    os.close(folder)


def _speak(listening: socket.socket, answer: bytes | None) -> None:
    with ExitStack() as kept, suppress(OSError):
        while True:
            line, _ = listening.accept()
            kept.enter_context(line)
            if answer is not None:
                with suppress(OSError):  # the hook has seen who this is, and left
                    line.sendall(answer)
                line.close()


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_program_in_the_daemons_place_changes_no_verdict(hook: Hook, answer: str) -> None:
    hook.resident = ""
    with impostor(hook, ANSWERS[answer]):
        denied = said(hook.before("Bash", {"command": "echo x > .env"}))
        assert denied["permissionDecision"] == "deny"
        assert said(hook.before("Bash", {"command": "ls"})) == {}


# --- many at once ---------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["cold", "warm"])
def test_a_burst_of_fifty_is_answered_rightly(way: str, request: pytest.FixtureRequest) -> None:
    hook: Hook = request.getfixturevalue("hook" if way == "cold" else "warm")
    hook.hurried = True
    commands = ["echo x > .env", "cp a penstock.toml", "ls"] * 17
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda one: hook.before("Bash", {"command": one}), commands[:50]))
    for command, done in zip(commands, answers, strict=False):
        assert verdict(done) == ("allow" if command == "ls" else "deny"), (command, done)
        assert done.out or command == "ls"
    unjudged = [done for done in answers if "unjudged" in done.err]
    assert all('"systemMessage"' in done.out for done in unjudged), "what was not judged says so"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_hook_that_somebody_ends_answers_by_names_first(hook: Hook, number: int) -> None:
    """A client takes a hook that died for one that agrees. Stdin stays open, so it waits."""
    code = (
        f"import sys; sys.path.append({str(Path(LAUNCHER).parents[1])!r})\n"
        "from penstock.doors.hook import main; import posix\n"
        "data = posix.read(0, 1 << 16)\n"
        f"def ended():\n    hook.data = data; posix.kill(posix.getpid(), {int(number)})\n"
        "real = main.HookRun\n"
        "class Run(real):\n"
        "    def __init__(self, *a, **k):\n"
        "        global hook; super().__init__(*a, **k); hook = self\n"
        "main.HookRun = Run; main._stdin = ended; main.main(['claude'])\n"
    )
    document = hook.document("PreToolUse", "Bash", {"command": "echo x > .env"}, "t1")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=json.dumps(document).encode(),
        env=hook.environ(),
        cwd=hook.project.root,
        capture_output=True,
        timeout=60,
        check=False,
    )
    answer = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert verdict(answer) == "deny", answer
    assert hook.events()[-1]["op"] == "hook_failed"
