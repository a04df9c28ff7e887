"""The daemon says what the hook itself would say, and is missed by nobody."""

from __future__ import annotations

import json
import os
import signal
import socket as sockets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.core.proposals.short_id import short
from penstock.doors.hook.daemon import _packed
from penstock.doors.hook.daemon_client import _reply, launch
from penstock.doors.hook.messages import Reply
from tests.doors.hook.hooks import LAUNCHER, Hook, said
from tests.project import Done, Project

CALLS = [
    ("Bash", {"command": "echo x > .env"}),
    ("Bash", {"command": "ls"}),
    ("Write", {"file_path": ".env", "content": "x"}),
    ("mcp__notes__write_note", {"path": ".env", "content": "x"}),
]


@pytest.fixture
def hook(project: Project) -> Hook:
    """A hook whose first call has left the policy ready."""
    found = Hook(project)
    found.write("notes.txt", "x")
    return found


@pytest.fixture
def resident(hook: Hook) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon for this project's home, listening."""
    child = subprocess.Popen(
        launch("penstock.doors.hook.daemon"), env=hook.environ(), stderr=subprocess.DEVNULL
    )
    try:
        assert within(lambda: socket_of(hook) is not None)
        yield child
    finally:
        child.kill()
        child.wait(timeout=30)


def socket_of(hook: Hook) -> Path | None:
    folder = hook.project.home / "state" / "penstock"
    return next((path for path in folder.glob("engine-*") if path.is_socket()), None)


def within(holds: object, tries: int = 600) -> bool:
    for _ in range(tries):
        if holds():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


@pytest.mark.usefixtures("resident")
def test_what_the_resident_cannot_read_is_answered_and_recorded_by_the_project(hook: Hook) -> None:
    hook.resident = ""
    hook.project.write("penstock.toml", 'preset = "strict"\n')
    refused = said(hook.send(b"{"))
    assert refused["permissionDecision"] == "deny", "strict lets nothing pass unjudged"
    assert hook.events()[-1]["op"] == "hook_failed"


@pytest.mark.usefixtures("resident")
def test_the_resident_says_what_the_hook_itself_says(hook: Hook) -> None:
    alone = [hook.before(tool, given) for tool, given in CALLS]
    hook.resident = ""
    asked = [hook.before(tool, given) for tool, given in CALLS]
    assert [(done.code, done.out) for done in asked] == [(done.code, done.out) for done in alone]
    assert "hook.engine" not in loaded_by(hook), "the daemon was asked, not the engine in the hook"


@pytest.mark.usefixtures("resident")
def test_the_resident_goes_by_the_variables_of_the_hook(hook: Hook) -> None:
    hook.resident = ""
    moved = hook.project.home / "moved"
    given = {"command": f"echo x > {moved}/settings.json"}
    data = json.dumps(hook.document("PreToolUse", "Bash", given, "t1")).encode()
    for environ, denied in (({}, False), ({"CLAUDE_CONFIG_DIR": str(moved)}, True), ({}, False)):
        told = str(said(hook.send(data, env=environ)).get("permissionDecisionReason", ""))
        assert ("configures Penstock" in told) is denied, environ
    config = {"OPENCODE_CONFIG_DIR": str(moved), "CODEX_HOME": "~/moved", "QWEN_HOME": "~"}
    for name, path in (("QWEN_HOME", "~/settings.json"), ("CODEX_HOME", "~/moved/hooks.json")):
        given = {"command": f"echo x > {path}"}
        data = json.dumps(hook.document("PreToolUse", "Bash", given, "t1")).encode()
        assert "configures Penstock" not in str(said(hook.send(data)))
        assert "configures Penstock" in str(said(hook.send(data, env=config))), name


def loaded_by(hook: Hook) -> str:
    """Return the names of Penstock's modules that a hook loads to judge a command."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(LAUNCHER), "claude"],
        input=b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},'
        b'"cwd":"' + os.fsencode(hook.project.root) + b'"}',
        env=hook.environ(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    return done.stderr.decode()


def test_a_resident_that_is_killed_is_missed_by_nobody(
    hook: Hook, resident: subprocess.Popen[bytes]
) -> None:
    resident.send_signal(signal.SIGKILL)
    resident.wait(timeout=30)
    assert socket_of(hook) is not None, "what it leaves behind is a socket nobody listens on"
    hook.resident = ""
    try:
        done = said(hook.before("Bash", {"command": "echo x > .env"}))
        assert done["permissionDecision"] == "deny"
    finally:
        end_residents(hook)


def test_the_first_call_that_needs_the_engine_leaves_a_resident_behind(hook: Hook) -> None:
    hook.resident = ""
    try:
        hook.before("Bash", {"command": "ls"})
        assert within(lambda: socket_of(hook) is not None)
        assert said(hook.before("Bash", {"command": "echo x > .env"}))
    finally:
        end_residents(hook)


def test_the_start_of_a_session_leaves_a_resident_behind_for_its_first_command(hook: Hook) -> None:
    hook.resident = ""
    try:
        hook.call("SessionStart", "", {})
        assert within(lambda: socket_of(hook) is not None)
        assert "hook.engine" not in loaded_by(hook), "the first command finds it"
    finally:
        end_residents(hook)


def test_none_is_left_behind_where_none_is_wanted(hook: Hook) -> None:
    assert hook.resident == "off"
    hook.call("SessionStart", "", {})
    hook.before("Bash", {"command": "ls"})
    assert not [*(hook.project.home / "state" / "penstock").glob("engine-*")], "not even a lock"


def test_an_engine_that_was_warmed_has_nothing_left_to_import(hook: Hook) -> None:
    hook.project.write("penstock.toml", 'preset = "guard"\n')
    code = (
        "import os, sys; from penstock.doors.hook.engine import Engine; engine = Engine()\n"
        f"engine.warm({str(hook.project.root)!r}); before = set(sys.modules)\n"
        "engine.reply('claude', sys.stdin.buffer.read(), os.environ)\n"
        "print(*sorted(name for name in set(sys.modules) - before if '.core.' in name))\n"
    )
    document = hook.document("PreToolUse", "Bash", {"command": "ls"}, "t1")
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(document).encode(),
        env=hook.environ(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert "shell" not in done.stdout.decode()
    assert "rules" not in done.stdout.decode()


def end_residents(hook: Hook) -> None:
    """End what a test left running: every process that has this project's home."""
    wanted = f"HOME={hook.project.home}".encode()
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            environ = Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
            command = Path(f"/proc/{number}/cmdline").read_bytes()
        except OSError:
            continue
        if wanted in environ and b"hook.daemon" in command:
            os.kill(int(number), signal.SIGKILL)


@pytest.mark.usefixtures("resident")
def test_only_one_resident_listens(hook: Hook) -> None:
    second = subprocess.run(
        launch("penstock.doors.hook.daemon"),
        env=hook.environ(),
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert second.returncode == 0, "it leaves at once, the place is taken"


@pytest.mark.usefixtures("resident")
def test_the_socket_is_the_users_alone(hook: Hook) -> None:
    socket = socket_of(hook)
    assert socket is not None
    assert socket.stat().st_mode & 0o777 == 0o600
    assert socket.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("resident")
def test_strange_questions_end_the_line_and_nothing_else(hook: Hook) -> None:

    place = socket_of(hook)
    assert place is not None
    for data in (b"", b"\n", b"penstock-hook 9 claude 0 0\n", b"penstock-hook 1 claude 5\n"):
        line = sockets.socket(sockets.AF_UNIX)
        folder = os.open(place.parent, os.O_PATH)
        line.connect(f"/proc/self/fd/{folder}/{place.name}")
        line.sendall(data)
        line.shutdown(sockets.SHUT_WR)
        assert line.recv(100) == b""
        line.close()
        os.close(folder)
    hook.resident = ""
    assert said(hook.before("Bash", {"command": "echo x > .env"}))


# --- tickets over the socket ---------------------------------------------------------------------

REASON = "was rejected: keep the table"


def rejected(hook: Hook) -> str:
    """Have a rewrite stored by the daemon and rejected by a person; return its id."""
    hook.project.write("big.py", "".join(f"line {n}\n" for n in range(270)))
    got = said(hook.write("big.py", "short\n", "toolu_1"))
    (waiting,) = hook.project.run("proposals", "--json").json["proposals"]
    assert f"pending change {short(waiting['id'])};" in got["permissionDecisionReason"]
    assert hook.project.run("reject", waiting["id"], "--reason", "keep the table").code == 0
    return short(str(waiting["id"]))


def told(done: Done) -> str:
    return str(said(done).get("additionalContext", ""))


@pytest.mark.usefixtures("resident")
def test_a_ticket_is_made_and_its_rejection_heard_once_through_the_resident(hook: Hook) -> None:
    hook.resident = ""
    known = rejected(hook)
    first, second = (told(hook.before("Bash", {"command": "true"})) for _ in range(2))
    assert f"{known}: your change to big.py {REASON}" in first
    assert known not in second
    assert "hook.engine" not in loaded_by(hook), "the daemon was asked, not the engine in the hook"


@pytest.mark.usefixtures("resident")
def test_what_the_resident_said_and_nobody_printed_is_said_again(hook: Hook) -> None:
    hook.resident = ""
    rejected(hook)
    document = hook.document("PreToolUse", "Bash", {"command": "true"}, "toolu_2")
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -I -S {LAUNCHER} claude >/dev/full"],
        cwd=hook.project.root,
        env=hook.environ(),
        input=json.dumps(document).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, "an answer that cannot be printed blocks"
    assert REASON in told(hook.before("Bash", {"command": "true"}))
    assert REASON not in told(hook.before("Bash", {"command": "true"}))


@pytest.mark.usefixtures("resident")
def test_the_answer_names_the_files_to_remove_once_it_was_printed(hook: Hook) -> None:
    hook.resident = ""
    rejected(hook)
    document = hook.document("PreToolUse", "Bash", {"command": "true"}, "toolu_2")
    variables = b"\n".join(f"{k}={v}".encode() for k, v in hook.environ().items())
    data = json.dumps(document).encode()
    head = f"penstock-hook 2 claude {len(variables)} {len(data)}\n".encode()
    answer = asked(hook, head + variables + data)
    first, _, rest = answer.partition(b"\n")
    code, out, err, after = map(int, first.split(b" "))
    assert (code, len(rest)) == (0, out + err + after)
    assert REASON in rest[:out].decode()
    taken = rest[out + err :].decode().split("\0")
    assert [Path(one).is_file() for one in taken] == [True], "whoever prints removes it"


def asked(hook: Hook, question: bytes) -> bytes:
    """Return all that the daemon answers on one line."""
    place = socket_of(hook)
    assert place is not None
    folder = os.open(place.parent, os.O_PATH)
    with sockets.socket(sockets.AF_UNIX) as line:
        line.connect(f"/proc/self/fd/{folder}/{place.name}")
        line.sendall(question)
        os.close(folder)
        found = b""
        while piece := line.recv(1 << 16):
            found += piece
    return found


REPLIES = [
    Reply("", "", 0),
    Reply('{"a": "größe"}\n', "warned\n", 2, ("/state/one", "/state/tw\udcffo", "/a\nb")),
    Reply("x", "", 0, ("/one",)),
    Reply("\ud800", "", 1),
]


@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_goes_through_the_wire_as_it_is(reply: Reply) -> None:
    near, far = sockets.socketpair()
    with near, far:
        far.sendall(_packed(reply))
        far.shutdown(sockets.SHUT_WR)
        found = _reply(near)
    assert found is not None
    assert (found.code, found.claims, found.stderr) == (reply.code, reply.claims, reply.stderr)
    assert found.stdout == reply.stdout.encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize(
    "data",
    [b"", b"0 0 0\n", b"0 1 0 0\n", b"0 1 0 0\nxy", b"0 0 0 4\n/on", b"-1 0 0 0\n"],
)
def test_a_reply_that_is_not_whole_is_none(data: bytes) -> None:
    near, far = sockets.socketpair()
    with near, far:
        far.sendall(data)
        far.shutdown(sockets.SHUT_WR)
        assert _reply(near) is None
