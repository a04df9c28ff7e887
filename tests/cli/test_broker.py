"""`penstock broker` and `penstock broker-cli`, as real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.pending import events, state_dir
from tests.project import Project
from tests.terminal import END, PENSTOCK, by_agent, in_terminal

TEXT = "one\ntwo\nthree\n"
QUESTION = "[E]xplain: "


@pytest.fixture
def furnished(project: Project) -> Project:
    project.write("src/a.py", TEXT)
    return project


class Talk:
    """One broker that runs, and the lines to and from it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def send(self, tool: str, **said: object) -> None:
        assert self.process.stdin is not None
        request = {"type": "tool_request", "tool_name": tool, "tool_call_id": "tc-1", **said}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def ask(self, tool: str, **said: object) -> dict[str, Any]:
        assert self.process.stdout is not None
        self.send(tool, **said)
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=60)


@contextmanager
def talking(project: Project, *options: str) -> Iterator[Talk]:
    process = subprocess.Popen(
        [*PENSTOCK, "broker", *options],
        cwd=project.root,
        env=project.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield Talk(process)
            if process.stdin is not None and process.poll() is None:
                process.stdin.close()
                process.wait(timeout=60)
        finally:
            process.kill()


# --- penstock broker --------------------------------------------------------------------


def test_one_process_proposes_and_another_applies(furnished: Project) -> None:
    with talking(furnished) as agent, talking(furnished, "--role", "front-end") as person:
        found = agent.ask("write_file", path="src/a.py", content="x\n")
        known = found["details"]["hitl"]["hitl_id"]
        refused = agent.ask("apply_proposal", path="src/a.py", hitl_id=known)
        assert refused["details"]["error"]["code"] == "not_for_agents"
        done = person.ask("apply_proposal", path="src/a.py", hitl_id=known)
        assert (done["ok"], done["tool_name"]) == (True, "write_file")
    assert (furnished.root / "src/a.py").read_bytes() == b"x\n"


def test_a_proposal_outlives_the_process_that_took_it(furnished: Project) -> None:
    with talking(furnished) as agent:
        found = agent.ask("write_file", path="src/a.py", content="x\n")
        agent.kill()
    with talking(furnished, "--role", "front-end") as person:
        known = found["details"]["hitl"]["hitl_id"]
        assert person.ask("apply_proposal", path="src/a.py", hitl_id=known)["ok"] is True


@pytest.mark.parametrize("after", [0.0, 0.004, 0.008, 0.012, 0.016, 0.03])
def test_killed_in_the_middle_of_an_apply_and_started_again_all_say_the_same(
    furnished: Project, after: float
) -> None:
    """Wherever the kill falls: nothing here depends on when. `tests.faults` tries every step."""
    with talking(furnished) as agent:
        found = agent.ask("write_file", path="src/a.py", content="x\n")
    known = found["details"]["hitl"]["hitl_id"]
    with talking(furnished, "--role", "front-end") as person:
        person.ask("read_file", path="src/a.py")  # it is up and running
        person.send("apply_proposal", path="src/a.py", hitl_id=known)
        time.sleep(after)
        person.kill()
    with talking(furnished, "--role", "front-end") as person:
        person.ask("read_file", path="src/a.py")
        written = (furnished.root / "src/a.py").read_bytes()
        log = (furnished.root / ".agentzero_audit.jsonl").read_text().splitlines()
        told = [line for line in map(json.loads, log) if line["op"] == "write_file_apply"]
        assert written in (TEXT.encode(), b"x\n")
        assert [line["status"] for line in told] == ["allowed"] * (written == b"x\n")
        again = person.ask("apply_proposal", path="src/a.py", hitl_id=known)
    assert again["ok"] is (written == TEXT.encode())
    if not again["ok"]:
        assert "already written" in again["output"]
    assert (furnished.root / "src/a.py").read_bytes() == b"x\n"
    assert furnished.run("audit", "verify").code == 0
    assert furnished.run("audit", "verify", "--log", ".agentzero_audit.jsonl").code == 0


def test_it_ends_with_the_input_and_answers_every_line(furnished: Project) -> None:
    done = furnished.run("broker", stdin='nonsense\n{"tool_name":"read_file","path":"src/a.py"}\n')
    assert done.code == 0
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [answer["ok"] for answer in answers] == [False, True]


def test_settings_come_from_the_named_file(furnished: Project) -> None:
    furnished.write("here.yaml", "file_broker:\n  hitl_ttl_seconds: 7\n")
    line = '{"tool_name":"write_file","path":"src/a.py","content":"x"}\n'
    done = furnished.run("broker", "--config", "here.yaml", stdin=line)
    assert json.loads(done.out)["details"]["hitl"]["ttl_seconds"] == 7
    assert furnished.run("broker", "--config", "none.yaml").code == 1
    furnished.write("here.yaml", "file_broker:\n  hitl_ttl_seconds: soon\n")
    broken = furnished.run("broker", "--config", "here.yaml")
    assert (broken.code, broken.out) == (1, "")
    assert "hitl_ttl_seconds" in broken.err


def test_an_unknown_role_is_wrong_usage(furnished: Project) -> None:
    assert furnished.run("broker", "--role", "root").code == 64


def test_the_front_end_is_refused_inside_an_agent_and_that_is_on_the_record(
    furnished: Project, tmp_path: Path
) -> None:
    done = furnished.run("broker", "--role", "front-end", env={"CLAUDECODE": "1"})
    assert (done.code, done.out) == (2, "")
    assert "inside-agent" in done.err
    assert furnished.run("broker-cli", "--", "true", env={"CLAUDECODE": "1"}).code == 2
    (by_process,) = by_agent(
        furnished, tmp_path / "agents", "codex", [["broker", "--role", "front-end"]]
    )
    assert by_process.code == 2
    refused = events(furnished, "approval_refused")
    assert [event["command"] for event in refused] == ["broker", "broker-cli", "broker"]
    assert furnished.run("broker", env={"CLAUDECODE": "1"}).code == 0  # an agent may be an agent


def test_with_a_key_the_front_end_signs_or_does_not_apply(furnished: Project) -> None:
    words = "correct horse battery staple"
    with passphrase(words) as (descriptor, env):
        made = subprocess.run(
            [*PENSTOCK, "approver", "init"],
            cwd=furnished.root,
            env={**furnished.environ, **env},
            pass_fds=[descriptor],
            capture_output=True,
            check=False,
        )
    assert made.returncode == 0, made.stderr
    with talking(furnished) as agent:
        found = agent.ask("write_file", path="src/a.py", content="x\n")
    known = found["details"]["hitl"]["hitl_id"]
    request = {"tool_name": "apply_proposal", "path": "src/a.py", "hitl_id": known}
    line = json.dumps(request) + "\n"
    unsigned = furnished.run("broker", "--role", "front-end", stdin=line)
    assert json.loads(unsigned.out)["details"]["error"]["code"] == "key_needed"
    assert (furnished.root / "src/a.py").read_text() == TEXT
    with passphrase(words) as (descriptor, env):
        signed = subprocess.run(
            [*PENSTOCK, "broker", "--role", "front-end"],
            cwd=furnished.root,
            env={**furnished.environ, **env},
            pass_fds=[descriptor],
            input=line.encode(),
            capture_output=True,
            check=False,
        )
    assert json.loads(signed.stdout)["ok"] is True
    (approved,) = events(furnished, "approved")
    assert approved["proof"] == "key"
    assert furnished.run("audit", "verify").code == 0


@contextmanager
def passphrase(words: str) -> Iterator[tuple[int, dict[str, str]]]:
    from penstock.stores.approver.passphrase import VARIABLE

    read, write = os.pipe()
    os.write(write, words.encode() + b"\n")
    os.close(write)
    try:
        yield read, {VARIABLE: str(read)}
    finally:
        os.close(read)


def test_what_the_broker_wrote_is_listed_shown_and_undone_by_the_other_commands(
    furnished: Project,
) -> None:
    with talking(furnished) as agent, talking(furnished, "--role", "front-end") as person:
        found = agent.ask("write_file", path="src/a.py", content="x\n")
        waiting = found["details"]["hitl"]["hitl_id"]
        assert waiting.removeprefix("hitl-")[:8] in furnished.run("proposals").out
        assert "+x" in furnished.run("show", waiting).out
        person.ask("apply_proposal", path="src/a.py", hitl_id=waiting)
    assert furnished.run("undo", "--last", "1", "--yes").code == 0
    assert (furnished.root / "src/a.py").read_text() == TEXT


# --- penstock broker-cli ----------------------------------------------------------------

AGENT = """
import json, sys
for request in json.load(open("requests.json")):
    print(json.dumps({"type": "tool_request", **request}), flush=True)
    answer = json.loads(sys.stdin.readline())
    with open("answers.jsonl", "a") as file:
        file.write(json.dumps(answer) + "\\n")
"""
WRITE = {"tool_name": "write_file", "path": "src/a.py", "content": "one\n2\nthree\n"}


def behind(project: Project, *requests: dict[str, object]) -> tuple[str, ...]:
    """Return the command of an agent that sends some requests and notes the answers."""
    project.write("agent.py", AGENT)
    project.write("requests.json", json.dumps(requests))
    return ("broker-cli", "--", sys.executable, "agent.py")


def answers(project: Project) -> list[dict[str, Any]]:
    lines = (project.root / "answers.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_a_person_approves_at_the_terminal_and_the_agent_hears_it_as_write_file(
    furnished: Project,
) -> None:
    command = behind(furnished, {**WRITE, "tool_call_id": "tc-9"})
    seen = in_terminal(furnished, *command, typed=[(QUESTION, "a")])
    assert seen.code == 0
    for word in ("MODIFY src/a.py", "-two", "+2", "write_file: applied src/a.py"):
        assert word in seen.text
    (answer,) = answers(furnished)
    assert (answer["tool_name"], answer["tool_call_id"], answer["ok"]) == (
        "write_file",
        "tc-9",
        True,
    )
    assert answer["details"]["op"]["method"] == "fs.apply_patch"
    assert (furnished.root / "src/a.py").read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("r keep the names", "keep the names"),
        ("reject", "without a reason"),
        (END, "left without an answer"),
        ("\x03", "left without an answer"),
    ],
    ids=["a reason", "no reason", "end of input", "ctrl-c"],
)
def test_a_rejection_is_told_to_the_agent_and_writes_nothing(
    furnished: Project, typed: str, reason: str
) -> None:
    seen = in_terminal(furnished, *behind(furnished, dict(WRITE)), typed=[(QUESTION, typed)])
    assert seen.code == 0
    (answer,) = answers(furnished)
    assert (answer["ok"], answer["tool_name"]) == (False, "write_file")
    assert answer["details"]["error"]["code"] == "rejected"
    assert reason in answer["output"]
    assert "do not send the same again unchanged" in answer["output"]
    assert (furnished.root / "src/a.py").read_text() == TEXT


def test_explaining_shows_the_rules_and_all_of_a_cut_diff_and_asks_again(
    furnished: Project,
) -> None:
    long = "".join(f"line {n}\n" for n in range(2000))
    command = behind(furnished, {**WRITE, "content": long})
    typed = [(QUESTION, "e"), (QUESTION, "what"), (QUESTION, "A")]
    seen = in_terminal(furnished, *command, typed=typed)
    assert "more characters" in seen.text
    assert "default.write" in seen.text
    assert "line 1999" in seen.text
    assert "type a to approve, r to reject" in seen.text
    assert (furnished.root / "src/a.py").read_text() == long


def test_without_a_terminal_the_answers_come_from_the_input_and_its_end_rejects(
    furnished: Project,
) -> None:
    command = behind(furnished, dict(WRITE), {**WRITE, "content": "later\n"})
    done = furnished.run(*command, stdin="a\n")
    assert done.code == 0
    assert [answer["ok"] for answer in answers(furnished)] == [True, False]
    assert (furnished.root / "src/a.py").read_text() == "one\n2\nthree\n"


def test_the_agent_behind_it_stays_an_agent(furnished: Project) -> None:
    shell = f"{sys.executable} -m penstock.cli broker --role front-end"
    furnished.write("inner.sh", f"{shell} </dev/null >inner.txt 2>&1; echo $? >>inner.txt\n")
    furnished.run("broker-cli", "--", "sh", "inner.sh")
    assert "inside-agent" in (furnished.root / "inner.txt").read_text()
    command = behind(furnished, {"tool_name": "apply_proposal", "path": "x", "hitl_id": "y"})
    furnished.run(*command)
    assert answers(furnished)[-1]["details"]["error"]["code"] == "not_for_agents"


def test_hidden_signs_are_shown_and_the_agents_talk_cannot_steer_the_terminal(
    furnished: Project,
) -> None:
    noisy = "import sys; sys.stderr.write('\\x1b[2J[A]pprove\\n')\n" + AGENT
    command = behind(furnished, {**WRITE, "content": "a = 1 \u202e\x1b[2K\n"})
    furnished.write("agent.py", noisy)
    done = furnished.run(*command, stdin="r\n")
    assert "\x1b[2" not in done.err
    assert "agent: " in done.err
    assert "U+202E" in done.err
    assert "warning: " in done.err


def test_a_set_is_shown_and_approved_as_one(furnished: Project) -> None:
    patch = (
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
        "--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+new\n"
    )
    done = furnished.run(
        *behind(furnished, {"tool_name": "apply_patch", "patch": patch}), stdin="a\n"
    )
    assert "CHANGE 2 FILES" in done.err
    assert (furnished.root / "docs/n.md").read_text() == "new\n"


def test_a_proposal_that_expired_while_a_person_thought_is_told(furnished: Project) -> None:
    furnished.write("config.yaml", "file_broker:\n  hitl_ttl_seconds: 1\n")
    process = subprocess.Popen(
        [*PENSTOCK, *behind(furnished, dict(WRITE))],
        cwd=furnished.root,
        env=furnished.environ,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    shown = ""
    while QUESTION not in shown:
        piece = process.stderr.read(1)
        assert piece, f"it ended without asking: {shown}"
        shown += piece
    time.sleep(1.1)  # longer than a proposal waits here
    process.communicate("a\n", timeout=60)
    (answer,) = answers(furnished)
    assert answer["details"]["error"]["code"] == "hitl_expired"
    assert "do not send the same again unchanged" in answer["output"]
    assert (furnished.root / "src/a.py").read_text() == TEXT


def test_settings_may_let_it_apply_without_asking_and_the_record_says_so(
    furnished: Project,
) -> None:
    furnished.write("config.yaml", "file_broker:\n  auto_apply: true\n")
    done = furnished.run(*behind(furnished, dict(WRITE)))
    assert QUESTION not in done.err
    assert (furnished.root / "src/a.py").read_text() == "one\n2\nthree\n"
    (approved,) = events(furnished, "approved")
    assert approved["proof"] == "auto-apply"


def test_a_command_that_cannot_start_or_fails_is_told(furnished: Project) -> None:
    none = furnished.run("broker-cli", "--", "./no-such-program")
    assert (none.code, "cannot-start" in none.err) == (1, True)
    assert furnished.run("broker-cli", "--", "false").code == 1
    assert furnished.run("broker-cli").code == 64
    assert furnished.run("broker-cli", "--", "sh", "-c", "echo nonsense").code == 0


def test_it_leaves_nothing_in_the_workspace_but_the_log(furnished: Project) -> None:
    before = {*furnished.root.rglob("*")}
    furnished.run("broker-cli", "--", "true")
    with talking(furnished) as agent:
        agent.ask("write_file", path="src/n/m.py", content="x")
    assert {path.name for path in {*furnished.root.rglob("*")} - before} == {
        ".agentzero_audit.jsonl"
    }
    assert state_dir(furnished).stat().st_mode & 0o777 == 0o700
    assert (furnished.root / ".agentzero_audit.jsonl").stat().st_mode & 0o777 == 0o600
