"""Where nobody can answer, a change waits as a proposal, and its agent hears what became of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from penstock.core.proposals.short_id import short
from penstock.doors.hook.agents import HEARS, NAMES
from tests.doors.hook.hooks import PATIENT, Hook, said
from tests.doors.http.test_serve import serving
from tests.project import Done, Project
from tests.terminal import in_terminal

BIG = "".join(f"line {n}\n" for n in range(270))
ASKS = 'preset = "guard"\n[[ask]]\nid = "deploy"\npaths = ["deploy/**"]\n'


@pytest.fixture
def hook(project: Project) -> Hook:
    project.write("big.py", BIG)
    return Hook(project)


def pending(hook: Hook) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = hook.project.run("proposals", "--json").json["proposals"]
    return found


def ticket(hook: Hook, content: str = "short\n", call: str = "toolu_1") -> str:
    """Have a rewrite stored, and return its id as the agent reads it."""
    got = said(hook.write("big.py", content, call))
    assert got["permissionDecision"] == "deny"
    known = short(str(pending(hook)[-1]["id"]))
    assert f"pending change {known};" in got["permissionDecisionReason"]
    return known


def approve(hook: Hook, *words: str) -> None:
    seen = in_terminal(hook.project, "approve", *words, typed=[("[y/N]", "y")])
    assert seen.code == 0, seen.text


def heard(done: Done) -> str:
    return str(said(done).get("additionalContext", ""))


def edit(hook: Hook, session: str = "session-1", path: str = "a.txt") -> Done:
    """One call that the fast path answers when there is nothing to tell."""
    given = {"file_path": hook.at(path), "content": "x\n"}
    document = hook.document("PreToolUse", "Write", given, "toolu_free")
    return hook.send(json.dumps({**document, "session_id": session}).encode())


def marks(hook: Hook) -> list[str]:
    found = [*(hook.project.home / "state" / "penstock").glob("*/tickets/**/*")]
    return sorted(path.name for path in found if path.is_file())


# --- a ticket instead of a dead end --------------------------------------------------------------


def test_a_rewrite_that_nobody_can_be_asked_about_waits_with_a_ticket(hook: Hook) -> None:
    got = said(hook.write("big.py", "short\n"))
    (one,) = pending(hook)
    assert (got["permissionDecision"], one["state"]) == ("deny", "waiting")
    known = short(one["id"])
    assert len(known) == 8
    assert got["permissionDecisionReason"] == (
        "Denied: this removes 270 of 270 lines of big.py (100 %). Edit only the lines that change. "
        f"The change was saved as pending change {known}; the user can approve it with "
        f"`penstock review` or `penstock approve {known}`. "
        "Continue with other work and do not retry: you will be notified of the result."
    )
    assert (hook.project.root / "big.py").read_text() == BIG
    approve(hook, known)
    assert (hook.project.root / "big.py").read_text() == "short\n"


def test_where_somebody_can_be_asked_they_are(hook: Hook) -> None:
    hook.attended = True
    assert (
        json.loads(hook.write("big.py", "short\n").out)["hookSpecificOutput"]["permissionDecision"]
        == "ask"
    )
    assert pending(hook) == []


def test_the_same_change_twice_is_one_ticket_and_another_one_is_not(hook: Hook) -> None:
    first = ticket(hook, call="toolu_1")
    again = said(hook.write("big.py", "short\n", "toolu_2"))["permissionDecisionReason"]
    assert f"already saved as pending change {first}" in again
    assert len(pending(hook)) == 1
    said(hook.write("big.py", "shorter\n", "toolu_3"))
    assert len(pending(hook)) == 2
    assert hook.project.run("reject", first, "--reason", "no").code == 0
    said(hook.write("big.py", "short\n", "toolu_4"))
    assert len(pending(hook)) == 2, "what was rejected may be proposed anew"


def test_two_hooks_of_one_call_at_once_make_one_ticket(hook: Hook) -> None:
    given = {"file_path": hook.at("big.py"), "content": "short\n"}
    data = json.dumps(hook.document("PreToolUse", "Write", given, "toolu_1")).encode()
    said(hook.write("warm.txt", "x\n"))
    argv = [sys.executable, "-I", "-S", PATIENT, hook.launcher, "claude"]
    both = [
        subprocess.Popen(
            argv,
            cwd=hook.project.root,
            env=hook.environ(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for one in both:
        assert one.stdin is not None
        one.stdin.write(data)
        one.stdin.close()
        one.stdin = None
    outs = [one.communicate(timeout=60)[0].decode() for one in both]
    assert ["deny" in out for out in outs] == [True, True], outs
    assert len(pending(hook)) == 1


UNSTORABLE: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "a command whose result is unknown": ("Bash", {"command": "make > big.py"}),
    "a command with a known result": ("Bash", {"command": "rm deploy/a.sh"}),
    "a tool of a server": ("mcp__files__put", {"path": "deploy/a.sh", "content": "x"}),
}


@pytest.mark.parametrize("name", UNSTORABLE)
def test_what_cannot_be_stored_is_denied_with_the_reason(hook: Hook, name: str) -> None:
    hook.project.write("penstock.toml", ASKS)
    hook.project.write("deploy/a.sh", "echo\n")
    tool, given = UNSTORABLE[name]
    got = said(hook.before(tool, given))
    assert got["permissionDecision"] == "deny"
    assert "can't be saved for review" in got["permissionDecisionReason"]
    assert pending(hook) == []
    assert hook.events()[-1]["status"] == "denied"


# --- what became of it ---------------------------------------------------------------------------


def test_a_rejection_is_heard_once_with_its_reason(hook: Hook) -> None:
    known = ticket(hook)
    assert heard(edit(hook)) == ""
    assert hook.project.run("reject", known, "--reason", "keep the table").code == 0
    told = heard(edit(hook))
    assert told == (
        f"Penstock: pending change {known}: your change to big.py was rejected: keep the table. "
        "It was not written: try another way, or ask the user"
    )
    assert heard(edit(hook)) == ""
    assert marks(hook) == []


def test_a_comment_on_a_line_is_heard_with_the_rejection(hook: Hook) -> None:
    given = {"file_path": hook.at("big.py"), "content": "short\n", "why": "it was long"}
    said(hook.before("Write", given, "toolu_1"))
    (one,) = pending(hook)
    assert one["why"] == "it was long"
    words = ("--reason", "no", "--comment", "big.py:-14: keep the check", "--comment", "1: longer")
    assert hook.project.run("reject", one["id"], *words).code == 0
    assert "rejected: no; removed line 14: keep the check; line 1: longer." in heard(edit(hook))


def test_an_approved_change_is_heard_as_applied(hook: Hook) -> None:
    known = ticket(hook)
    approve(hook, known)
    assert "written as you proposed it" in heard(hook.after("Bash", {"command": "true"}))


def test_hunks_that_were_not_taken_are_named(hook: Hook) -> None:
    hook.project.write("penstock.toml", ASKS)
    text = "".join(f"{n}\n" for n in range(30))
    hook.project.write("deploy/a.sh", text)
    changed = text.replace("\n2\n", "\ntwo\n").replace("\n25\n", "\ntwenty-five\n")
    said(hook.write("deploy/a.sh", changed))
    known = pending(hook)[0]["id"]
    approve(hook, known, "--hunks", "1")
    told = heard(edit(hook))
    for words in ("was written in part", "hunk 2 (line", "-twenty-five", "+25"):
        assert words in told


def test_an_edit_by_a_person_is_told_with_its_lines(hook: Hook) -> None:
    ticket(hook)
    _revise(hook, str(pending(hook)[0]["id"]), "short\nedited\u200b\n")
    told = heard(edit(hook))
    assert "with edits by the user" in told
    assert "+edited" in told
    assert "\u200b" not in told, "hidden characters are written out"


def _revise(hook: Hook, known: str, content: str) -> None:
    """Put other content in its place as the page does, and approve that."""
    code = (
        "import sys\n"
        "from penstock.app import open_workspace\n"
        "gate = open_workspace(sys.argv[1]).gate\n"
        "print(gate.revise(sys.argv[2], sys.argv[3].encode()).id)\n"
    )
    argv = [sys.executable, "-c", code, str(hook.project.root), known, content]
    done = subprocess.run(
        argv, env=hook.project.environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    approve(hook, done.stdout.strip())


def test_what_expired_is_told(hook: Hook) -> None:
    hook.project.write("penstock.toml", 'preset = "guard"\n[approval]\nttl_seconds = 1\n')
    said(hook.write("big.py", "short\n"))
    time.sleep(1.1)
    assert "expired: there was no answer" in heard(edit(hook)), (
        "though nothing was written to the queue"
    )


def test_a_file_that_changed_since_is_told_as_out_of_date(hook: Hook) -> None:
    known = ticket(hook)
    hook.project.write("big.py", BIG + "more\n")
    in_terminal(hook.project, "approve", known, typed=[("[y/N]", "y")])
    assert "out of date" in heard(edit(hook))


# --- to whom, and how often ----------------------------------------------------------------------


def test_another_session_hears_it_only_when_the_first_one_has_ended(hook: Hook) -> None:
    known = ticket(hook)
    whole = str(pending(hook)[0]["id"])
    assert hook.project.run("reject", known, "--reason", "no").code == 0
    (folder,) = (hook.project.home / "state" / "penstock").glob("*/tickets/claude")
    (folder / whole).write_text(f"session-0\n{_mark(1)}\n")
    assert "was rejected" not in heard(start(hook, "session-2"))
    (folder / whole).write_text("session-0\n999999999:1\n")
    assert "was rejected: no" in heard(start(hook, "session-2"))
    assert "was rejected" not in heard(start(hook, "session-3"))


def start(hook: Hook, session: str) -> Done:
    document = hook.document("SessionStart", "", {}, "")
    return hook.send(json.dumps({**document, "session_id": session}).encode())


def _mark(pid: int) -> str:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return f"{pid}:{fields[19]}"


def test_an_answer_that_was_never_printed_is_told_again(hook: Hook) -> None:
    known = ticket(hook)
    assert hook.project.run("reject", known, "--reason", "no").code == 0
    given = {"file_path": hook.at("a.txt"), "content": "x\n"}
    data = json.dumps(hook.document("PreToolUse", "Write", given, "toolu_free")).encode()
    closed = f"exec {sys.executable} -I -S {PATIENT} {hook.launcher} claude >/dev/full"
    done = subprocess.run(
        ["/bin/sh", "-c", closed],
        cwd=hook.project.root,
        env=hook.environ(),
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, "an answer that cannot be printed blocks"
    assert "was rejected: no" in heard(edit(hook))
    assert heard(edit(hook)) == ""


def test_the_fast_path_does_not_open_the_queue_while_nothing_is_new(hook: Hook) -> None:
    """A queue that cannot be read shows that nobody has looked."""
    ticket(hook)
    assert heard(edit(hook)) == ""
    (queue,) = (hook.project.home / "state" / "penstock").glob("*/penstock.db")
    before = queue.stat()
    kept = queue.read_bytes()
    inode = before.st_ino
    with queue.open("r+b") as file:
        file.write(b"no queue at all")
    os.utime(queue, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert queue.stat().st_ino == inode
    assert heard(edit(hook)) == ""
    with queue.open("r+b") as file:
        file.write(kept)


def test_over_http_a_change_waits_and_its_rejection_is_heard_once(hook: Hook) -> None:
    with serving(hook.project) as resident:

        def call(path: str, number: int) -> str:
            given = {"file_path": hook.at(path), "content": "short\n"}
            document = hook.document("PreToolUse", "Write", given, f"toolu_{number}")
            status, answer = resident.send(document)
            assert status == 200, answer
            return json.dumps(answer)

        refused = call("big.py", 1)
        known = short(str(pending(hook)[0]["id"]))
        assert f"penstock approve {known}`" in refused
        assert hook.project.run("reject", known, "--reason", "no").code == 0
        heard_by = [call("a.txt", number) for number in (2, 3)]
    assert ["was rejected: no" in one for one in heard_by] == [True, False]


# --- each agent's own way -------------------------------------------------------------------------


def test_every_agent_has_a_way_to_hear() -> None:
    assert set(HEARS) == set(NAMES)


def test_gemini_hears_after_a_call_or_with_a_denial(project: Project) -> None:
    project.write("big.py", BIG)
    hook = Hook(project, agent="gemini")
    given = {"file_path": hook.at("big.py"), "content": "short\n"}

    def call(event: str, tool: str, given: object) -> dict[str, Any]:
        done = hook.call(event, tool, given)
        assert done.code == 0, done
        return dict(json.loads(done.out)) if done.out else {}

    said = call("BeforeTool", "write_file", given)
    known = short(str(pending(hook)[0]["id"]))
    assert (said["decision"], f"change {known};" in said["reason"]) == ("deny", True)
    assert hook.project.run("reject", known, "--reason", "no").code == 0
    assert call("BeforeTool", "run_shell_command", {"command": "true"}) == {}
    after = call("AfterTool", "run_shell_command", {"command": "true"})
    assert "was rejected: no" in after["hookSpecificOutput"]["additionalContext"]
    assert call("AfterTool", "run_shell_command", {"command": "true"}) == {}


def test_an_agent_that_reads_refusals_only_hears_with_the_next_one(project: Project) -> None:
    project.write("big.py", BIG)
    hook = Hook(project, agent="amp")

    def call(tool: str, given: object) -> Done:
        document = {"event": "before", "tool": tool, "input": given, "cwd": str(project.root)}
        return hook.send(json.dumps({**document, "session": "s", "call": "c"}).encode())

    write = {"path": hook.at("big.py"), "content": "short\n"}
    assert call("create_file", write).code == 2
    known = str(pending(hook)[0]["id"])
    assert hook.project.run("reject", known, "--reason", "no").code == 0
    assert call("create_file", {"path": hook.at("a.txt"), "content": "x"}).out == ""
    refused = call("create_file", {"path": hook.at(".env"), "content": "x"})
    assert "was rejected: no" in refused.err
