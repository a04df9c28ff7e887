"""`penstock serve`: the real process answers as the hook does, keeps, records, and stops."""

from __future__ import annotations

import http.client
import json
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from tests.doors.http.running_server import started
from tests.project import Done, Project

LAUNCHER = str(Path(penstock.__file__).with_name("hook.py"))
BIG = "".join(f"line {n}\n" for n in range(1, 271))


@dataclass
class Resident:
    """A running `penstock serve`, and a client as Claude Code is one."""

    project: Project
    process: subprocess.Popen[str]
    port: int

    @property
    def token(self) -> str:
        return (self.project.home / "state/penstock/hook.token").read_text().strip()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def send(
        self,
        document: object,
        agent: str = "claude",
        *,
        client: http.client.HTTPConnection | None = None,
        attended: bool = False,
    ) -> tuple[int, Any]:
        told = {"Authorization": f"Bearer {self.token}"}
        if attended:
            told["X-Penstock-Entrypoint"] = "cli"
        talk = client or self.connect()
        talk.request("POST", f"/hook/{agent}", json.dumps(document), told)
        response = talk.getresponse()
        found = response.status, json.loads(response.read())
        if client is None:
            talk.close()
        return found

    def document(self, event: str, tool: str, given: object, call: str = "t1") -> dict[str, object]:
        return {
            "session_id": "s1",
            "cwd": str(self.project.root),
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": call,
        }

    def before(self, tool: str, given: object, call: str = "t1", **more: Any) -> dict[str, Any]:
        status, said = self.send(self.document("PreToolUse", tool, given, call), **more)
        assert status == 200, said
        found: dict[str, Any] = said.get("hookSpecificOutput", said)
        return found

    def write(self, path: str, content: str, call: str = "t1", **more: Any) -> dict[str, Any]:
        return self.before("Write", {"file_path": self.at(path), "content": content}, call, **more)

    def after(self, tool: str, given: object, call: str) -> None:
        assert self.send(self.document("PostToolUse", tool, given, call))[0] == 200

    def at(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.project.root}/{path}"

    def events(self) -> list[dict[str, Any]]:
        done = self.project.run("audit", "log", "--json")
        found: list[dict[str, Any]] = json.loads(done.out)["events"]
        return found

    def health(self) -> tuple[int, Any]:
        client = self.connect()
        client.request("GET", "/health")
        response = client.getresponse()
        found = response.status, json.loads(response.read())
        client.close()
        return found


@contextmanager
def serving(project: Project, *more: str) -> Iterator[Resident]:
    argv = [sys.executable, "-m", "penstock.cli", "serve", "--port", "0", *more]
    with started(argv, cwd=project.root, env=project.environ) as one:
        yield Resident(project, one.process, one.port)


@pytest.fixture
def resident(project: Project) -> Iterator[Resident]:
    with serving(project) as found:
        yield found


def hook(project: Project, document: object, env: dict[str, str] | None = None) -> Done:
    """Ask the command hook, which has nothing to do with the server."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", LAUNCHER, "claude"],
        cwd=project.root,
        env={**project.environ, "PENSTOCK_RESIDENT": "off", **(env or {})},
        input=json.dumps(document),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


CALLS: list[tuple[str, str, dict[str, object], str]] = [
    ("a new file", "Write", {"file_path": "new.txt", "content": "x"}, ""),
    ("a secret", "Write", {"file_path": ".env", "content": "x"}, "deny"),
    ("another way to it", "Write", {"file_path": "a/../.env", "content": "x"}, "deny"),
    ("through a link", "Write", {"file_path": "link/config", "content": "x"}, "deny"),
    ("told about", "Write", {"file_path": "Dockerfile", "content": "x"}, "note"),
    ("an edit", "Edit", {"file_path": "big", "old_string": "line 7\n", "new_string": ""}, ""),
    ("a rewrite", "Write", {"file_path": "big", "content": "stub"}, "deny"),
    ("a command", "Bash", {"command": "echo x > .env"}, "deny"),
    ("an ordinary command", "Bash", {"command": "make test"}, ""),
    ("the rules", "Write", {"file_path": "penstock.toml", "content": ""}, "deny"),
    ("our state", "Write", {"file_path": "/STATE/hook.token", "content": ""}, "deny"),
    ("no path", "Write", {"content": "x"}, "any"),
]


def test_the_answer_is_the_command_hooks_answer_short_way_and_long(resident: Resident) -> None:
    resident.project.write("big", BIG)
    (resident.project.root / "link").symlink_to(".git")
    state = str(resident.project.home / "state/penstock")
    for turn in range(2):  # the first time nothing lies ready
        for why, tool, given, expected in CALLS:
            path = str(given.get("file_path", "")).replace("/STATE", state)
            full = {**given, "file_path": resident.at(path)} if path else given
            document = resident.document("PreToolUse", tool, full)
            status, said = resident.send(document)
            assert status == 200
            if turn:
                command = hook(resident.project, document)
                assert said == json.loads(command.out or "{}"), why
            spoken = said.get("hookSpecificOutput", {})
            note = "note" if spoken.get("additionalContext") else ""
            assert expected in ("any", spoken.get("permissionDecision", note)), (turn, why)


def test_a_person_is_asked_where_the_client_says_that_one_is_there(resident: Resident) -> None:
    resident.project.write("big", BIG)
    assert resident.write("big", "stub")["permissionDecision"] == "deny"
    assert resident.write("big", "stub", attended=True)["permissionDecision"] == "ask"


def test_other_agents_get_their_own_words(resident: Resident) -> None:
    call = resident.document("PreToolUse", "Write", {"file_path": resident.at(".env")})
    assert resident.send(call, "codex")[0] == 200
    # Windsurf's hook says no by its exit code; over HTTP that is JSON.
    event = {"agent_action_name": "pre_write_code", "tool_info": {"file_path": resident.at(".env")}}
    status, said = resident.send(event, "windsurf")
    assert (status, said.get("decision")) == (200, "block")
    assert said["reason"]


def test_rules_that_change_are_in_force_at_the_next_call(resident: Resident) -> None:
    client = resident.connect()
    for turn in range(20):
        assert resident.write("made/a.txt", "x", client=client) == {}
        rule = f'[[deny]]\nid = "r{turn}"\npaths = ["made/**"]\n'
        resident.project.write("penstock.toml", rule)
        assert resident.write("made/a.txt", "x", client=client)["permissionDecision"] == "deny"
        resident.project.write("penstock.toml", "")
    client.close()


def test_what_the_agent_wrote_can_be_undone(resident: Resident) -> None:
    resident.project.write("kept.txt", "old\n")
    given = {"file_path": resident.at("kept.txt"), "content": "new\n"}
    for call, before, after in (("c1", "old\n", "new\n"), ("c2", "new\n", "newer\n")):
        assert resident.project.write("kept.txt", before).read_text() == before
        assert resident.before("Write", {**given, "content": after}, call) == {}
        resident.project.write("kept.txt", after)
        resident.after("Write", {**given, "content": after}, call)
    done = resident.project.run("undo", "--last", "2", "--yes")
    assert done.code == 0, done.err
    assert (resident.project.root / "kept.txt").read_text() == "old\n"


def test_many_clients_at_once_each_get_their_answer_and_all_is_on_the_record(
    resident: Resident,
) -> None:
    resident.write("first.txt", "x")

    def talk(who: int) -> list[str]:
        client = resident.connect()
        said = []
        for n in range(10):
            path = ".env" if n % 2 else f"w{who}/{n}.txt"
            answer = resident.write(path, "x", f"c{who}-{n}", client=client)
            said.append(str(answer.get("permissionDecision", "")))
        client.close()
        return said

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(talk, range(16))) == [["", "deny"] * 5] * 16
    verified = resident.project.run("audit", "verify", "--json")
    assert verified.json["ok"], verified.out
    calls = [event["tool_call_id"] for event in resident.events() if event["op"] == "tool_call"]
    assert len(set(calls)) == 161


def test_the_whole_engine_serves_several_clients_at_once(resident: Resident) -> None:
    resident.project.write("big", BIG)
    calls: list[tuple[str, dict[str, str], str]] = [
        ("Bash", {"command": "echo x > .env"}, "deny"),
        ("Bash", {"command": "make test"}, ""),
        ("Write", {"file_path": resident.at("big"), "content": "stub"}, "deny"),
        ("MultiEdit", {"file_path": resident.at("big"), "edits": "?"}, "any"),
    ]

    def talk(who: int) -> None:
        client = resident.connect()
        for n in range(8):
            tool, given, expected = calls[(who + n) % len(calls)]
            said = resident.before(tool, given, f"c{who}-{n}", client=client)
            assert expected in ("any", said.get("permissionDecision", ""))
        client.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(talk, range(8)))
    assert resident.project.run("audit", "verify", "--json").json["ok"]


def test_hooks_that_start_cold_find_it_too(resident: Resident) -> None:
    """The same process holds the socket in the state directory."""
    asks = (
        "import sys; from penstock.doors.hook.daemon_client import ask\n"
        "found = ask('claude', sys.stdin.buffer.read())\n"
        "sys.stdout.write(found.stdout if found else 'nobody')\n"
    )
    document = resident.document("PreToolUse", "Bash", {"command": "echo x > .env"})
    done = subprocess.run(
        [sys.executable, "-c", asks],
        env={**resident.project.environ, "PENSTOCK_RESIDENT": ""},
        input=json.dumps(document),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert '"deny"' in done.stdout, done.stderr


def test_the_health_tells_no_secrets_and_needs_none(resident: Resident) -> None:
    status, said = resident.health()
    assert status == 200
    assert set(said) == {"status", "version", "policy"}
    assert (said["status"], said["policy"]) == ("ok", "ok")


def test_the_health_tells_broken_rules(project: Project) -> None:
    project.write("penstock.toml", "[[deny]\n")
    with serving(project) as resident:
        resident.write("a.txt", "x")
        assert resident.health() == (200, {**resident.health()[1], "policy": "broken"})


def test_the_token_is_the_owners_alone_and_good_for_judging_only(resident: Resident) -> None:
    path = resident.project.home / "state/penstock/hook.token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    client = resident.connect()
    for other in ("/approve", "/proposals", "/api/v1/proposals", "/api/v1/proposals/x/approve"):
        client.request("POST", other, "{}", {"Authorization": f"Bearer {resident.token}"})
        response = client.getresponse()
        response.read()
        assert response.status in (401, 403)
        client.close()


def test_it_stops_at_a_signal_and_what_was_kept_is_on_the_disk(project: Project) -> None:
    project.write("kept.txt", "old\n")
    with serving(project) as resident:
        resident.write("first.txt", "x")
        resident.write("kept.txt", "new\n", "c9")
        resident.process.send_signal(signal.SIGTERM)
        assert resident.process.wait(20) == 0
        images = (project.home / "state/penstock").glob("*/watch/*")
        assert any(b"old\n" in image.read_bytes() for image in images)


def test_a_second_one_says_that_the_port_is_taken(resident: Resident) -> None:
    done = resident.project.run("serve", "--port", str(resident.port))
    assert done.code == 1
    assert "error[port-taken]" in done.err


# --- how it is started ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["systemd", "systemd-socket", "launchd"])
def test_a_unit_is_printed_and_nothing_is_installed(project: Project, kind: str) -> None:
    before = sorted(project.home.rglob("*"))
    done = project.run("serve", "--print-service", kind, "--port", "7000")
    assert done.code == 0
    assert "7000" in done.out
    assert sorted(project.home.rglob("*")) == before


def test_the_systemd_unit_starts_this_interpreter_with_these_places(project: Project) -> None:
    done = project.run("serve", "--print-service", "systemd")
    argv = f'"{sys.executable}" "-m" "penstock.cli" "serve" "--port" "7717" "--no-link"'
    assert f"\nExecStart={argv}\n" in done.out
    assert f'\nEnvironment="XDG_STATE_HOME={project.home}/state"\n' in done.out


def test_the_launch_agent_is_a_property_list(project: Project) -> None:
    import plistlib

    done = project.run("serve", "--print-service", "launchd")
    unit = plistlib.loads(done.out.encode())
    assert unit["ProgramArguments"][1:4] == ["-m", "penstock.cli", "serve"]
    assert unit["EnvironmentVariables"]["XDG_STATE_HOME"] == str(project.home / "state")


@pytest.mark.parametrize(
    ("word", "shown"),
    [('a"b', '"a\\"b"'), ("a\\b", '"a\\\\b"'), ("50%", '"50%%"'), ("$HOME", '"$$HOME"')],
)
def test_a_word_of_a_unit_is_read_back_as_it_is(word: str, shown: str) -> None:
    from penstock.cli.integrations.units import systemd

    assert f"ExecStart={shown}\n" in systemd([word], 1, {})


def test_a_path_that_could_become_a_line_of_its_own_is_refused() -> None:
    from penstock.cli.integrations.units import UNITS
    from penstock.core.errors import InputError

    for kind in ("systemd", "launchd"):
        with pytest.raises(InputError, match="can't be used in a service definition"):
            UNITS[kind](["a\nExecStartPre=evil"], 1, {})


def test_a_socket_that_the_service_manager_opened_is_taken_over(project: Project) -> None:
    """As systemd does it: the socket is descriptor 3, and two variables say so."""
    starter = (
        "import os, socket, sys\n"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(5)\n"
        "print(s.getsockname()[1], flush=True)\n"
        "os.dup2(s.fileno(), 3); os.set_inheritable(3, True)\n"
        "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'penstock.cli', 'serve'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", starter],
        cwd=project.root,
        env=project.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    resident = Resident(project, process, int(process.stdout.readline()))
    try:
        assert resident.health()[0] == 200  # the first request waits until it has started
        process.terminate()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait(20)
        process.stdout.close()
        process.stderr.close()


def test_a_registration_tells_where_the_settings_are_if_the_client_knows(project: Project) -> None:
    from penstock.doors.hook.agents.claude import http_registration

    hook = http_registration("cmd", "url", "t", str(project.root))[0]["add"]["hooks"][0]
    assert set(hook["allowedEnvVars"]) == {"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CONFIG_DIR"}
    (name,) = [one for one, value in hook["headers"].items() if value == "$CLAUDE_CONFIG_DIR"]
    moved = {name: f"{project.root}/conf"}
    with serving(project) as resident:
        given = {"file_path": f"{project.root}/conf/settings.json", "content": "x"}
        for more, denied in (({}, False), (moved, True), ({}, False), ({name: ""}, False)):
            headers = {**more, "Authorization": f"Bearer {resident.token}"}
            client = resident.connect()
            document = json.dumps(resident.document("PreToolUse", "Write", given))
            client.request("POST", "/hook/claude", document, headers)
            assert (b'"deny"' in client.getresponse().read()) is denied, headers
            client.close()


@pytest.mark.parametrize("name", ["plain", "grüße", "100% $HOME", "with space"])
def test_a_registration_names_its_project_so_that_it_is_understood(
    project: Project, name: str
) -> None:
    from penstock.doors.hook.agents.claude import http_registration

    inner = project.root / name
    (inner / ".git").mkdir(parents=True)
    (inner / "penstock.toml").write_text('[[deny]]\nid = "d"\npaths = ["x"]\n')
    entry = http_registration("cmd", "url", "t", str(inner))[0]["add"]["hooks"][0]
    with serving(project) as resident:
        headers = {**entry["headers"], "Authorization": f"Bearer {resident.token}"}
        client = resident.connect()
        document = resident.document("PreToolUse", "Write", {"file_path": f"{inner}/x"})
        client.request("POST", "/hook/claude", json.dumps(document), headers)
        assert b'"deny"' in client.getresponse().read()
        client.close()
