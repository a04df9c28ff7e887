"""What a hostile model tries through an agent's tools: nothing of it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from penstock import open_gate
from penstock.app import open_workspace
from penstock.doors.langgraph.tools.messages import ASKED
from tests.doors.langgraph.guarded_agent import (
    APPROVE,
    LONG,
    REPLACED,
    SHORT,
    THREAD,
    Guarded,
    question,
)
from tests.doors.langgraph.scripted_model import Call, said
from tests.project import Project

SECRET = "TOKEN=1\n"
FROZEN = 'version = 1\n[[deny]]\nid = "frozen"\npaths = ["app.py"]\nreason = "{path} is frozen"\n'


@pytest.fixture
def guarded(own: Project) -> Project:
    own.write(".env", SECRET)
    own.write("notes.txt", "notes\n")
    own.write("app.py", LONG)
    (own.root / "link.txt").symlink_to(".env")
    (own.root / "way").symlink_to(own.root.parent, target_is_directory=True)
    return own


def write(path: Any, content: Any = "x\n") -> Call:
    return "write_file", {"file_path": path, "content": content}


def events(project: Project, op: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project.run("audit", "log", "--json", "--op", op).json["events"]
    return found


DENIED: list[Call] = [
    write(".env"),
    write("./.env"),
    write("notes/../.env"),
    write("sub/.env.local"),
    write(".git/hooks/pre-commit"),
    write(".git/config"),
    write("penstock.toml"),
    write(".claude/settings.json"),
    write("link.txt"),
    write("../outside.txt"),
    write("a/../../outside.txt"),
    write("way/outside.txt"),
    write("/nowhere/outside.txt"),
    write("~/.ssh/authorized_keys"),
    write("no\x00tes.txt"),
    write("x" * 5000),
    ("edit_file", {"file_path": ".env", "old_string": "1", "new_string": "2"}),
    ("read_file", {"file_path": ".env"}),
    ("read_file", {"file_path": "link.txt"}),
    ("mcp__files__write_file", {"path": ".env", "content": "x"}),
    ("mcp__files__write_file", {"path": "../outside.txt", "content": "x"}),
    ("save_document", {"filename": ".env", "text": "x"}),
    ("save_document", {"filename": "link.txt", "text": "x"}),
    ("shell", {"command": "echo x > .env"}),
    ("shell", {"command": "echo x >> ./.env"}),
    ("shell", {"command": "cd . && printf x | tee .env"}),
    ("shell", {"command": "cp notes.txt .env"}),
    ("shell", {"command": "mv notes.txt .git/config"}),
    ("shell", {"command": "rm -rf .git"}),
    ("shell", {"command": "sh -c 'echo x > .env'"}),
    ("shell", {"command": "python3 -c \"open('.env','w').write('x')\""}),
    ("shell", {"command": "ln -sf notes.txt .env"}),
]


@pytest.mark.parametrize("call", DENIED, ids=[json.dumps(call[1])[:60] for call in DENIED])
def test_a_call_that_the_rules_deny_does_not_run_and_says_why(guarded: Project, call: Call) -> None:
    scene = Guarded(guarded, [call])
    (answer,) = said(scene.start())
    assert answer.status == "error"
    assert len(str(answer.content)) > 20
    assert scene.ran == []
    assert (guarded.root / ".env").read_text() == SECRET
    assert not (guarded.root.parent / "outside.txt").exists()


UNCLEAR: list[Call] = [
    ("shell", {"command": 'eval "$(cat notes.txt)"'}),
    ("shell", {"command": "echo x > app.py"}),
    ("shell", {"command": "cat notes.txt > app.py; rm app.py"}),
    ("shell", {"command": "rm -r app.py"}),
]


@pytest.mark.parametrize("call", UNCLEAR, ids=[call[1]["command"] for call in UNCLEAR])
def test_a_command_that_nobody_can_read_or_that_loses_a_file_waits_for_a_person(
    guarded: Project, call: Call
) -> None:
    scene = Guarded(guarded, [call])
    first = scene.start()
    assert question(first)["action_requests"][0]["args"] == call[1]
    assert scene.ran == []
    (answer,) = said(scene.resume({"type": "reject", "message": "no"}))
    assert answer.status == "error"
    assert scene.ran == []
    assert (guarded.root / "app.py").read_text() == LONG


def test_a_rule_or_an_option_may_let_writes_leave_the_project(guarded: Project) -> None:
    outside = str(guarded.root.parent / "outside.txt")
    scene = Guarded(guarded, [write(outside)], confined=False)
    assert said(scene.start())[0].status == "success"
    guarded.write(
        "penstock.toml", 'version = 1\n[[allow]]\nid = "out"\npaths = ["**/outside.txt"]\n'
    )
    scene = Guarded(guarded, [write(outside, "y\n")])
    assert said(scene.start())[0].status == "success"
    assert Path(outside).read_text() == "y\n"


def test_an_approved_command_runs_once_and_is_on_the_record(guarded: Project) -> None:
    scene = Guarded(guarded, [("shell", {"command": "rm app.py"})])
    scene.start()
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "success"
    assert scene.ran == ["shell rm app.py"]
    assert not (guarded.root / "app.py").exists()
    asked, run = events(guarded, "tool_call")
    assert (asked["status"], run["status"], run["proof"]) == ("hitl_required", "allowed", "graph")
    assert run["command"] == "rm app.py"


def test_a_command_that_nobody_can_be_asked_about_is_denied(guarded: Project) -> None:
    scene = Guarded(guarded, [("shell", {"command": "rm app.py"})], saver=None)
    (answer,) = said(scene.start())
    assert answer.status == "error"
    assert (
        "; its writes are only known when it runs, and this session is non-interactive. "
        in answer.content
    )
    assert scene.ran == []


def test_an_approved_command_does_not_run_once_the_rules_deny_it(guarded: Project) -> None:
    scene = Guarded(guarded, [("shell", {"command": "rm app.py"})])
    scene.start()
    guarded.write("penstock.toml", FROZEN)
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "app.py is frozen" in answer.content
    assert scene.ran == []


def test_an_approved_command_does_not_run_over_a_file_that_changed_meanwhile(
    guarded: Project,
) -> None:
    scene = Guarded(guarded, [("shell", {"command": "sort notes.txt > app.py"})])
    scene.start()
    guarded.write("app.py", "saved meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert answer.content == (
        "Nothing was written: `app.py` changed while this was being approved. "
        "Read the file again and change its current content."
    )
    assert scene.ran == []


HOSTILE: list[Call] = [
    write(["app.py"]),
    write({"a": 1}),
    write(None),
    write(7),
    write("app.py", None),
    write("app.py", ["x"]),
    write(""),
    write("\udcff"),
    ("shell", {"command": ["echo", "x"]}),
    ("shell", {"command": "\x00"}),
    ("shell", {}),
    ("no_such_tool", {"file_path": ".env", "content": "x"}),
]


@pytest.mark.parametrize("call", HOSTILE, ids=[repr(call)[:60] for call in HOSTILE])
def test_arguments_of_any_kind_never_reach_a_file(guarded: Project, call: Call) -> None:
    scene = Guarded(guarded, [call])
    result = scene.start()
    if "__interrupt__" not in result:
        assert said(result)[0].status == "error"
    assert (guarded.root / "app.py").read_text() == LONG
    assert (guarded.root / ".env").read_text() == SECRET


def test_arguments_of_any_depth_are_denied(guarded: Project) -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    scene = Guarded(guarded, [("shell", {"command": "echo x > .env", "more": deep})], saver=None)
    (answer,) = said(scene.start())
    assert answer.status == "error"
    assert scene.ran == []


def test_a_huge_content_is_measured_and_shown_in_part(guarded: Project) -> None:
    huge = ("all of it is new" * 8 + "\n") * 40_000
    scene = Guarded(guarded, [write("app.py", huge)])
    action = question(scene.start())["action_requests"][0]
    assert len(action["description"]) < 100_000
    assert "penstock show" in action["description"]
    assert said(scene.resume(APPROVE))[0].status == "success"
    assert (guarded.root / "app.py").stat().st_size == len(huge)


def test_what_would_hide_in_a_terminal_is_written_out_in_the_question(guarded: Project) -> None:
    scene = Guarded(guarded, [write("app.py", "a = 1 \u202e# nothing here\x1b[2J\n")])
    description = question(scene.start())["action_requests"][0]["description"]
    assert "\u202e" not in description
    assert "\x1b" not in description
    assert "U+202E" in description


def test_an_entry_in_the_state_is_good_for_exactly_its_call(guarded: Project) -> None:
    """Whoever changes a call after it was approved has another call judged."""
    scene = Guarded(guarded, [REPLACED])
    scene.start()
    history = list(scene.agent.get_state_history(THREAD))
    message = history[0].values["messages"][-1]
    assert isinstance(message, AIMessage)
    changed = message.model_copy(deep=True)
    changed.tool_calls[0]["args"] = {"file_path": ".env", "content": "stolen"}
    scene.resume(APPROVE)
    approved = next(
        one.values[ASKED] for one in scene.agent.get_state_history(THREAD) if one.values.get(ASKED)
    )
    config = scene.agent.update_state(
        THREAD, {"messages": [changed], ASKED: approved}, as_node="PenstockMiddleware.after_model"
    )
    scene.agent.invoke(None, config)
    assert (guarded.root / ".env").read_text() == SECRET
    assert scene.ran == []


def test_a_link_that_turns_round_while_a_person_is_asked_leads_nowhere_new(
    guarded: Project,
) -> None:
    guarded.write("real/app.py", LONG)
    guarded.write("other/app.py", LONG)
    (guarded.root / "here").symlink_to("real", target_is_directory=True)
    scene = Guarded(guarded, [write("here/app.py", SHORT)])
    scene.start()
    (guarded.root / "here").unlink()
    (guarded.root / "here").symlink_to("other", target_is_directory=True)
    scene.resume(APPROVE)
    assert (guarded.root / "other/app.py").read_text() == LONG


def test_rules_that_changed_since_the_question_hold(guarded: Project) -> None:
    scene = Guarded(guarded, [REPLACED])
    scene.start()
    guarded.write("penstock.toml", FROZEN)
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "frozen" in answer.content
    assert (guarded.root / "app.py").read_text() == LONG


def test_a_record_that_takes_no_line_lets_no_tool_run(
    guarded: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("no directory")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    guarded.write("penstock.toml", 'version = 1\n[audit]\nlevel = "all"\n')
    scene = Guarded(guarded, [write("new.py")])
    (answer,) = said(scene.start())
    assert answer.status == "error"
    assert "could not judge" in answer.content
    assert scene.ran == []


def test_what_a_tool_wrote_by_itself_can_be_undone(guarded: Project) -> None:
    scene = Guarded(guarded, [write("notes.txt", "other notes\n")])
    assert said(scene.start())[0].content == "written"
    gate = open_gate(str(guarded.root))
    (receipt,) = gate.undoable(last=1)
    assert receipt.path == "notes.txt"
    assert gate.preview_undo([receipt])[0][0].content == b"notes\n"
    report = open_workspace(str(guarded.root)).verify()
    assert report.ok
    assert events(guarded, "observed")[0]["path"] == "notes.txt"


def test_a_directory_is_deleted_only_if_all_of_it_may_be(guarded: Project) -> None:
    guarded.write("conf/.env", SECRET)
    ran: list[str] = []

    @tool
    def delete(file_path: str) -> str:
        """Delete a file or a directory."""
        ran.append(file_path)
        return "deleted"

    scene = Guarded(guarded, [("delete", {"file_path": "conf"})], tools=[delete])
    (answer,) = said(scene.start())
    assert answer.status == "error"
    assert ran == []


def test_what_a_failing_tool_wrote_is_on_the_record_all_the_same(guarded: Project) -> None:
    @tool
    def append_file(file_path: str, text: str) -> str:
        """Append to a file, and fail."""
        with (guarded.root / file_path).open("a") as file:
            file.write(text)
        raise OSError("disk on fire")

    call = ("append_file", {"file_path": "notes.txt", "text": "more\n"})
    scene = Guarded(guarded, [call], tools=[append_file])
    with pytest.raises(OSError, match="disk on fire"):
        scene.start()
    assert events(guarded, "observed")[0]["path"] == "notes.txt"


def test_a_tool_that_calls_for_a_subagent_runs(guarded: Project) -> None:
    @tool
    def task(description: str) -> str:
        """Hand something to a subagent."""
        return description

    scene = Guarded(guarded, [("task", {"description": "echo x > .env"})], tools=[task])
    assert said(scene.start())[0].content == "echo x > .env"
