"""PenstockMiddleware beside patches, other middlewares, other agents and other processes."""

from __future__ import annotations

import asyncio
import gc
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ShellToolMiddleware
from langchain_anthropic.middleware import FilesystemClaudeTextEditorMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from penstock import open_gate
from penstock.doors.langgraph.middleware import PenstockMiddleware
from tests.doors.langgraph.guarded_agent import (
    APPROVE,
    LONG,
    REPLACED,
    SHORT,
    START,
    THREAD,
    Guarded,
    patch_of,
    patcher,
    question,
)
from tests.doors.langgraph.scripted_model import Call, Scripted, said, tools_of
from tests.project import Project


def test_a_patch_of_several_files_is_one_question_and_is_written_whole(own: Project) -> None:
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    ran: list[str] = []
    scene = Guarded(
        own, [("apply_patch", {"patch": patch_of("app.py", "lib.py")})], tools=[patcher(ran)]
    )
    (action,) = question(scene.start())["action_requests"]
    assert [one["path"] for one in action["files"]] == ["app.py", "lib.py"]
    assert action["proposal_id"].startswith("set-")
    with pytest.raises(ValueError, match="append"):
        scene.resume({**APPROVE, "strategy": "append"})
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "success"
    assert [(own.root / name).read_text() for name in ("app.py", "lib.py")] == ["new\n", "new\n"]
    assert ran == []


def test_of_several_files_none_is_written_when_one_has_changed(own: Project) -> None:
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    scene = Guarded(
        own, [("apply_patch", {"patch": patch_of("app.py", "lib.py")})], tools=[patcher([])]
    )
    scene.start()
    own.write("lib.py", "saved meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert (own.root / "app.py").read_text() == LONG


def edited_by_another(project: Project, path: str, content: str) -> tuple[Guarded, Any]:
    """Let a person turn a write into another one, at a middleware that comes before ours."""
    theirs = HumanInTheLoopMiddleware(interrupt_on={"write_file": True})
    note: Call = ("write_file", {"file_path": "notes.txt", "content": "x\n"})
    scene = Guarded(project, [note], before=[theirs])
    scene.start()
    edited = {"name": "write_file", "args": {"file_path": path, "content": content}}
    return scene, scene.resume({"type": "edit", "edited_action": edited})


def test_a_call_that_another_middleware_let_a_person_edit_is_judged_as_it_runs(
    own: Project,
) -> None:
    scene, result = edited_by_another(own, ".env", "x\n")
    (answer,) = said(result)
    assert answer.status == "error"
    assert ".env" in answer.content
    assert scene.ran == []


def test_an_edit_of_another_middleware_that_needs_a_person_is_asked_about(own: Project) -> None:
    own.write("app.py", LONG)
    scene, result = edited_by_another(own, "app.py", SHORT)
    assert "270 of 270" in question(result)["action_requests"][0]["description"]
    with pytest.raises(ValueError, match=r"(?i)decisions"):
        scene.resume()
    scene.resume(APPROVE)
    assert (own.root / "app.py").read_text() == SHORT
    assert scene.ran == []


def test_a_late_question_is_about_the_file_as_it_was(own: Project) -> None:
    """What was saved meanwhile is so small that today nobody would be asked about replacing it."""
    own.write("app.py", LONG)
    scene, result = edited_by_another(own, "app.py", SHORT)
    question(result)
    own.write("app.py", "saved meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "`app.py` has changed since this proposal was created" in answer.content
    assert (own.root / "app.py").read_text() == "saved meanwhile\n"
    assert scene.ran == []


def test_an_agent_in_a_tool_of_another_is_guarded_and_asks_through_it(own: Project) -> None:
    own.write("app.py", LONG)
    ran: list[str] = []
    inner: Any = create_agent(
        Scripted(turns=[[REPLACED, ("write_file", {"file_path": ".env", "content": "x"})]]),
        tools_of(own.root, ran),
        middleware=[PenstockMiddleware(own.root)],
    )

    @tool
    def helper(description: str) -> str:
        """Hand something to another agent."""
        heard = said(inner.invoke({"messages": [("user", description)]}))
        return " ".join(str(one.status) for one in heard)

    scene = Guarded(own, [("helper", {"description": "write"})], tools=[helper])
    question(scene.start())
    assert (own.root / "app.py").read_text() == LONG
    (answer,) = said(scene.resume(APPROVE))
    assert answer.content == "success error"
    assert (own.root / "app.py").read_text() == SHORT
    assert len(open_gate(str(own.root)).find()) == 1
    assert ran == []


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_the_shell_of_langchain_is_guarded(own: Project) -> None:
    """It leaves the pipes of its shell open, so they are collected before the test ends."""
    commands = ["echo x > .env", "cd .git; pwd", "echo x > config; pwd"]
    agent: Any = create_agent(
        Scripted(turns=[[("shell", {"command": command})] for command in commands]),
        [],
        middleware=[ShellToolMiddleware(workspace_root=own.root), PenstockMiddleware(own.root)],
        checkpointer=InMemorySaver(),
    )
    denied, inside, back = said(agent.invoke(START, THREAD))
    assert denied.status == "error"
    assert not (own.root / ".env").exists()
    assert str(inside.content).strip().endswith("/.git")
    assert str(back.content).strip() == str(own.root)
    assert not (own.root / ".git/config").exists()
    assert (own.root / "config").exists()
    del agent
    gc.collect()


def test_the_file_editor_of_langchain_is_guarded(own: Project) -> None:
    """Its `/` is the project's root, as in deep agents."""
    own.write("app.py", LONG)
    own.write("notes.txt", "notes\n")
    calls: list[dict[str, Any]] = [
        {"command": "create", "path": "/app.py", "file_text": SHORT},
        {"command": "create", "path": "/.env", "file_text": "x"},
        {"command": "rename", "path": "/notes.txt", "new_path": "/.env"},
        {"command": "create", "path": "/new.py", "file_text": "x\n"},
    ]
    agent: Any = create_agent(
        Scripted(turns=[[("str_replace_based_edit_tool", given) for given in calls]]),
        [],
        middleware=[
            FilesystemClaudeTextEditorMiddleware(root_path=str(own.root)),
            PenstockMiddleware(own.root, virtual_paths=True),
        ],
        checkpointer=InMemorySaver(),
    )
    (action,) = question(agent.invoke(START, THREAD))["action_requests"]
    assert action["files"][0]["path"] == "app.py"
    answers = said(agent.invoke(Command(resume={"decisions": [APPROVE]}), THREAD))
    assert [one.status for one in answers] == ["success", "error", "error", "success"]
    assert (own.root / "app.py").read_text() == SHORT
    assert (own.root / "new.py").read_text().strip() == "x"
    assert not (own.root / ".env").exists()


def test_what_the_rules_warn_of_is_told_beside_the_tools_answer(own: Project) -> None:
    own.write(
        "penstock.toml",
        'version = 1\n[[warn]]\nid = "docs"\npaths = ["docs/**"]\nreason = "{path} is public"\n',
    )
    own.write("docs/a.md", "a\n")
    scene = Guarded(own, [("write_file", {"file_path": "docs/a.md", "content": "b\n"})])
    (answer,) = said(scene.start())
    assert answer.content == "written\n\nNote: docs/a.md is public"


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_it_does_not_matter_when_checkpoints_are_written(own: Project, durability: str) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [REPLACED])
    scene.agent.invoke(START, THREAD, durability=durability)
    own.write("other.txt", "x\n")
    resume: Any = Command(resume={"decisions": [APPROVE]})
    (answer,) = said(scene.agent.invoke(resume, THREAD, durability=durability))
    assert answer.status == "success"
    assert len(open_gate(str(own.root)).find()) == 1


# -- another process, another checkpointer ---------------------------------------------------------


def test_an_answer_may_come_to_another_program_through_sqlite(own: Project, tmp_path: Path) -> None:
    own.write("app.py", LONG)
    path = tmp_path / "checkpoints.db"
    first = sqlite3.connect(path, check_same_thread=False)
    scene = Guarded(own, [REPLACED], saver=SqliteSaver(first))
    scene.start()
    first.close()
    second = sqlite3.connect(path, check_same_thread=False)
    other = Guarded(own, [REPLACED], saver=SqliteSaver(second))
    (answer,) = said(other.resume(APPROVE))
    second.close()
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == SHORT


def test_what_is_kept_in_the_state_is_plain_json(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [REPLACED], [("weather", {"city": "Delft"})])
    scene.start()
    scene.resume(APPROVE)
    seen = [
        snapshot.values["penstock_asked"]
        for snapshot in scene.agent.get_state_history(THREAD)
        if snapshot.values.get("penstock_asked")
    ]
    assert seen
    for value in seen:
        assert json.loads(json.dumps(value)) == value


def test_an_agent_that_runs_asynchronously_is_guarded_the_same(own: Project) -> None:
    own.write("app.py", LONG)
    calls = [
        REPLACED,
        ("write_file", {"file_path": "new.py", "content": "x\n"}),
        ("write_file", {"file_path": ".env", "content": "x\n"}),
    ]
    scene = Guarded(own, calls)

    async def go() -> Any:
        first = await scene.agent.ainvoke(START, THREAD)
        assert question(first)["action_requests"]
        assert scene.ran == []
        return await scene.agent.ainvoke(Command(resume={"decisions": [APPROVE]}), THREAD)

    answers = said(asyncio.run(go()))
    assert [one.status for one in answers] == ["success", "success", "error"]
    assert scene.ran == ["write_file new.py"]
    assert (own.root / "app.py").read_text() == SHORT
    assert not (own.root / ".env").exists()
