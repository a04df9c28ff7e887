"""PenstockBackend under real deep agents; only the model is scripted."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from penstock import open_gate
from penstock.core.proposals.model import State
from penstock.core.proposals.short_id import short
from penstock.doors.langgraph.deepagents.backend import PenstockBackend
from penstock.doors.langgraph.middleware import PenstockMiddleware
from tests.doors.langgraph.guarded_agent import APPROVE, LONG, SHORT, START, THREAD, question
from tests.doors.langgraph.scripted_model import Call, Scripted, said
from tests.project import Project

REPLACED: Call = ("write_file", {"file_path": "/app.py", "content": SHORT})


def deep(project: Project, *turns: list[Call], **options: Any) -> Any:
    options.setdefault("backend", PenstockBackend(project.root))
    options.setdefault("checkpointer", InMemorySaver())
    return create_deep_agent(Scripted(turns=list(turns)), **options)


def resumed(agent: Any, *decisions: dict[str, Any]) -> Any:
    return agent.invoke(Command(resume={"decisions": list(decisions)}), THREAD)


# -- a file that changes while an approval is open -------------------------------------------------


def test_the_backend_of_deepagents_overwrites_what_was_saved_while_the_approval_was_open(
    own: Project,
) -> None:
    """Why there is another backend: this is what deepagents does by itself."""
    own.write("app.py", LONG)
    agent = deep(
        own,
        [REPLACED],
        backend=FilesystemBackend(root_dir=own.root, virtual_mode=True),
        interrupt_on={"write_file": True},
    )
    agent.invoke(START, THREAD)
    own.write("app.py", "saved by a person meanwhile\n")
    resumed(agent, APPROVE)
    assert (own.root / "app.py").read_text() == SHORT


@pytest.mark.parametrize("guard", ["backend", "both", "middleware"])
def test_ours_leaves_it_alone_and_says_that_it_changed(own: Project, guard: str) -> None:
    own.write("app.py", LONG)
    middleware = [PenstockMiddleware(own.root, virtual_paths=True)] if guard != "backend" else []
    theirs = FilesystemBackend(root_dir=own.root, virtual_mode=True)
    backend = theirs if guard == "middleware" else PenstockBackend(own.root)
    agent = deep(own, [REPLACED], backend=backend, middleware=middleware)
    asked = question(agent.invoke(START, THREAD))
    assert "270 of 270 lines removed" in asked["action_requests"][0]["description"]
    own.write("app.py", "saved by a person meanwhile\n")
    (answer,) = said(resumed(agent, APPROVE))
    assert answer.status == "error"
    assert "`app.py` has changed since this proposal was created" in answer.content
    assert str(answer.content).endswith("Read the file again and change its current content.")
    assert (own.root / "app.py").read_text() == "saved by a person meanwhile\n"


def test_under_the_approval_of_deepagents_what_the_agent_read_must_still_be_there(
    own: Project,
) -> None:
    own.write("notes.txt", "old\n")
    read: Call = ("read_file", {"file_path": "/notes.txt"})
    write: Call = ("write_file", {"file_path": "/notes.txt", "content": "new\n"})
    agent = deep(own, [read], [write], [read], [write], interrupt_on={"write_file": True})
    agent.invoke(START, THREAD)
    own.write("notes.txt", "saved by a person meanwhile\n")
    answers = said(resumed(agent, APPROVE))
    assert answers[1].status == "error"
    assert "`notes.txt` has changed since you read it" in answers[1].content
    assert said(resumed(agent, APPROVE))[-1].status == "success"
    assert (own.root / "notes.txt").read_text() == "new\n"


def test_an_edit_that_no_longer_fits_says_that_the_file_changed(own: Project) -> None:
    own.write("penstock.toml", 'version = 1\n[defaults]\nwrite = "ask"\n')
    own.write("notes.txt", "one\ntwo\n")
    edit = {"file_path": "/notes.txt", "old_string": "two", "new_string": "2"}
    agent = deep(own, [("edit_file", edit)])
    agent.invoke(START, THREAD)
    own.write("notes.txt", "saved by a person meanwhile\n")
    (answer,) = said(resumed(agent, APPROVE))
    assert answer.status == "error"
    assert "`notes.txt` has changed since this proposal was created" in answer.content
    assert (own.root / "notes.txt").read_text() == "saved by a person meanwhile\n"


def test_what_a_person_approved_is_no_foreign_change(own: Project) -> None:
    """The middleware wrote it for the same conversation, though the backend did not see it."""
    own.write("app.py", LONG)
    read: Call = ("read_file", {"file_path": "/app.py"})
    small: Call = ("write_file", {"file_path": "/app.py", "content": "x\n"})
    middleware = [PenstockMiddleware(own.root, virtual_paths=True)]
    agent = deep(own, [read], [REPLACED], [small], middleware=middleware)
    question(agent.invoke(START, THREAD))
    answers = said(resumed(agent, APPROVE))
    assert [one.status for one in answers] == ["success", "success", "success"]
    assert (own.root / "app.py").read_text() == "x\n"


# -- through the tools of a deep agent -------------------------------------------------------------


def test_an_approved_change_is_written_by_the_gate(own: Project) -> None:
    own.write("app.py", LONG)
    agent = deep(own, [REPLACED])
    agent.invoke(START, THREAD)
    assert (own.root / "app.py").read_text() == LONG
    (answer,) = said(resumed(agent, APPROVE))
    assert (answer.status, answer.content) == ("success", "Updated file /app.py")
    assert (own.root / "app.py").read_text() == SHORT
    (receipt,) = open_gate(str(own.root)).receipts()
    assert receipt.path == "app.py"


def test_small_changes_and_new_files_are_written_without_a_question(own: Project) -> None:
    own.write("app.py", LONG)
    edit = {"file_path": "/app.py", "old_string": "line 7\n", "new_string": "line seven\n"}
    agent = deep(
        own, [("edit_file", edit), ("write_file", {"file_path": "/a/b/new.py", "content": "x\n"})]
    )
    result = agent.invoke(START, THREAD)
    assert [one.status for one in said(result)] == ["success", "success"]
    assert "line seven" in (own.root / "app.py").read_text()
    assert (own.root / "a/b/new.py").read_text() == "x\n"
    assert len(open_gate(str(own.root)).receipts()) == 2


def test_a_rejected_or_answered_change_is_not_written(own: Project) -> None:
    own.write("app.py", LONG)
    for decision in (
        {"type": "reject", "message": "keep the parser"},
        {"type": "respond", "message": "keep the parser"},
    ):
        agent = deep(own, [REPLACED])
        agent.invoke(START, THREAD)
        (answer,) = said(resumed(agent, decision))
        assert answer.status == "error"
        assert "keep the parser" in answer.content
        assert (own.root / "app.py").read_text() == LONG


def test_an_edited_change_says_that_a_person_changed_it(own: Project) -> None:
    own.write("app.py", LONG)
    agent = deep(own, [REPLACED])
    agent.invoke(START, THREAD)
    mine = {"name": "write_file", "args": {"file_path": "/app.py", "content": "mine\n"}}
    (answer,) = said(resumed(agent, {"type": "edit", "edited_action": mine}))
    assert answer.content == (
        "Updated file /app.py (with the user's edits: read it before you continue)"
    )
    assert (own.root / "app.py").read_text() == "mine\n"


DENIED: list[Call] = [
    ("write_file", {"file_path": "/.env", "content": "x"}),
    ("write_file", {"file_path": ".env", "content": "x"}),
    ("write_file", {"file_path": "/link.txt", "content": "x"}),
    ("write_file", {"file_path": "/way/outside.txt", "content": "x"}),
    ("write_file", {"file_path": "/../outside.txt", "content": "x"}),
    ("write_file", {"file_path": "/.git/config", "content": "x"}),
    ("edit_file", {"file_path": "/.env", "old_string": "1", "new_string": "2"}),
    ("delete", {"file_path": "/.env"}),
    ("delete", {"file_path": "/conf"}),
    ("delete", {"file_path": "/link.txt"}),
    ("delete", {"file_path": "/"}),
    ("execute", {"command": "echo x > .env"}),
]


@pytest.mark.parametrize(
    "call", DENIED, ids=[f"{c[0]} {next(iter(c[1].values()))}" for c in DENIED]
)
def test_what_the_rules_deny_is_not_done_and_says_why(own: Project, call: Call) -> None:
    own.write(".env", "TOKEN=1\n")
    own.write("conf/.env", "TOKEN=2\n")
    (own.root / "link.txt").symlink_to(".env")
    (own.root / "way").symlink_to(own.root.parent, target_is_directory=True)
    (answer,) = said(deep(own, [call]).invoke(START, THREAD))
    assert answer.status == "error"
    assert len(str(answer.content)) > 20
    assert (own.root / ".env").read_text() == "TOKEN=1\n"
    assert (own.root / "conf/.env").read_text() == "TOKEN=2\n"
    assert (own.root / "link.txt").is_symlink()
    assert not (own.root.parent / "outside.txt").exists()


def test_a_subagent_writes_through_the_same_gate(own: Project) -> None:
    """The backend is all that subagents share: one line guards all of them."""
    own.write("app.py", LONG)
    inner = Scripted(turns=[[REPLACED, ("write_file", {"file_path": "/.env", "content": "x"})]])
    helper: Any = {
        "name": "helper",
        "description": "Writes.",
        "system_prompt": "Write.",
        "model": inner,
    }
    handed: Call = ("task", {"description": "write it", "subagent_type": "helper"})
    agent = deep(own, [handed], subagents=[helper])
    question(agent.invoke(START, THREAD))
    assert (own.root / "app.py").read_text() == LONG
    resumed(agent, APPROVE)
    assert (own.root / "app.py").read_text() == SHORT
    assert not (own.root / ".env").exists()
    (receipt,) = open_gate(str(own.root)).receipts()
    assert receipt.path == "app.py"


def test_an_answer_that_does_not_fit_can_be_given_again(own: Project) -> None:
    own.write("app.py", LONG)
    agent = deep(own, [REPLACED])
    agent.invoke(START, THREAD)
    for wrong in ([], [APPROVE, APPROVE], [{"type": "aprove"}]):
        with pytest.raises(ValueError, match=r"(?i)decisions"):
            resumed(agent, *wrong)
        assert (own.root / "app.py").read_text() == LONG
    assert said(resumed(agent, APPROVE))[0].status == "success"


def test_without_a_checkpointer_the_change_waits_in_the_queue(own: Project) -> None:
    own.write("app.py", LONG)
    agent = deep(own, [REPLACED], checkpointer=None)
    (answer,) = said(agent.invoke(START))
    (one,) = open_gate(str(own.root)).find()
    assert answer.status == "error"
    assert short(one.id) in answer.content
    assert one.state is State.WAITING
    assert (own.root / "app.py").read_text() == LONG


def test_an_agent_that_runs_asynchronously_is_guarded_the_same(own: Project) -> None:
    own.write("app.py", LONG)
    agent = deep(own, [REPLACED, ("write_file", {"file_path": "/.env", "content": "x"})])

    async def go() -> Any:
        question(await agent.ainvoke(START, THREAD))
        return await agent.ainvoke(Command(resume={"decisions": [APPROVE]}), THREAD)

    assert [one.status for one in said(asyncio.run(go()))] == ["success", "error"]
    assert (own.root / "app.py").read_text() == SHORT


def test_another_program_may_go_on_through_sqlite(own: Project, tmp_path: Path) -> None:
    own.write("app.py", LONG)
    path = tmp_path / "checkpoints.db"
    first = sqlite3.connect(path, check_same_thread=False)
    deep(own, [REPLACED], checkpointer=SqliteSaver(first)).invoke(START, THREAD)
    first.close()
    second = sqlite3.connect(path, check_same_thread=False)
    agent = deep(own, [REPLACED], checkpointer=SqliteSaver(second))
    (answer,) = said(resumed(agent, APPROVE))
    second.close()
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == SHORT
    assert len(open_gate(str(own.root)).find()) == 1


def test_several_changes_of_one_message_are_asked_about_together_by_the_middleware(
    own: Project,
) -> None:
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    calls = [
        ("write_file", {"file_path": "/new.py", "content": "x\n"}),
        REPLACED,
        ("write_file", {"file_path": "/lib.py", "content": SHORT}),
    ]
    middleware = [PenstockMiddleware(own.root, virtual_paths=True)]
    agent = deep(own, calls, middleware=middleware)
    asked = question(agent.invoke(START, THREAD))
    assert len(asked["action_requests"]) == 2
    assert not (own.root / "new.py").exists()
    answers = said(resumed(agent, APPROVE, {"type": "reject"}))
    assert [one.status for one in answers] == ["success", "success", "error"]
    assert (own.root / "app.py").read_text() == SHORT
    assert (own.root / "lib.py").read_text() == LONG


# -- the backend by itself -------------------------------------------------------------------------


@pytest.fixture
def backend(own: Project) -> PenstockBackend:
    own.write(".env", "TOKEN=needle\n")
    own.write("src/app.py", "one\nneedle\nthree\n")
    own.write("src/picture.png", b"\x89PNG\r\n\x1a\n\x00")
    own.write("src/data.bin", b"\xff\xfe\x00\x01")
    own.write("src/empty.txt", "")
    (own.root / "link.txt").symlink_to("src/app.py")
    (own.root / "hidden.txt").symlink_to(".env")
    (own.root / "way").symlink_to(own.root.parent, target_is_directory=True)
    return PenstockBackend(own.root)


def test_a_read_gives_the_lines_that_were_asked_for(backend: PenstockBackend) -> None:
    found = backend.read("/src/app.py", offset=1, limit=1)
    assert found.error is None
    assert found.file_data is not None
    assert found.file_data["content"] == "needle\n"
    assert (found.start_line, found.total_lines, found.next_offset) == (2, 3, 2)


def test_what_it_reads_is_what_the_backend_of_deepagents_reads(
    backend: PenstockBackend, own: Project
) -> None:
    theirs = FilesystemBackend(root_dir=own.root, virtual_mode=True)
    for path in ("/src/app.py", "/src/picture.png", "/src/empty.txt"):
        for window in ((0, 2000), (1, 1), (0, 0), (-1, 2), (0, -1), (99, 1)):
            assert backend.read(path, *window) == theirs.read(path, *window), (path, window)


@pytest.mark.parametrize(
    "path", ["/.env", "/hidden.txt", "/../x", "/way/home", "/src", "/nothing", "/src/data.bin"]
)
def test_what_may_not_or_cannot_be_read_is_an_error(backend: PenstockBackend, path: str) -> None:
    found = backend.read(path)
    assert found.file_data is None
    assert found.error
    (download,) = backend.download_files([path])
    assert download.content is None or path == "/src/data.bin"


def test_a_search_does_not_look_into_what_may_not_be_read(
    backend: PenstockBackend, own: Project
) -> None:
    found = [backend.grep("needle", path, max_count=2) for path in (None, "/.env", "/hidden.txt")]
    for one in found:
        assert {each["path"] for each in one.matches or ()} <= {"/src/app.py", "/link.txt"}
    assert found[0].matches
    own.write(".env", "TOKEN=other\n")
    again = [backend.grep("needle", path, max_count=2) for path in (None, "/.env", "/hidden.txt")]
    assert again == found, "nothing tells what a closed file holds"
    assert backend.grep("e", max_count=1).truncated


def test_directories_and_patterns_are_listed(backend: PenstockBackend) -> None:
    names = [one["path"] for one in backend.ls("/").entries or ()]
    assert "/src/" in names
    inside = [one["path"] for one in backend.ls("/src").entries or ()]
    assert inside == ["/src/app.py", "/src/data.bin", "/src/empty.txt", "/src/picture.png"]
    assert [one["path"] for one in backend.glob("*.py").matches or ()] == ["/src/app.py"]
    assert backend.ls("/nothing").error
    assert backend.ls("/way").error
    assert backend.ls("/src/app.py").error


def test_an_edit_keeps_the_line_ends_of_the_file(backend: PenstockBackend, own: Project) -> None:
    own.write("dos.txt", b"one\r\ntwo\r\nthree\r\n")
    assert backend.edit("/dos.txt", "two\nthree", "2\n3").error is None
    assert (own.root / "dos.txt").read_bytes() == b"one\r\n2\r\n3\r\n"


@pytest.mark.parametrize(
    ("old", "told"), [("absent", "not found"), ("e", "times"), ("", "old_string")]
)
def test_an_edit_that_does_not_fit_says_why(
    backend: PenstockBackend, own: Project, old: str, told: str
) -> None:
    found = backend.edit("/src/app.py", old, "x")
    assert told in str(found.error)
    assert (own.root / "src/app.py").read_text() == "one\nneedle\nthree\n"
    assert backend.edit("/src/none.py", "a", "b").error


def test_every_occurrence_is_replaced_when_that_is_asked(
    backend: PenstockBackend, own: Project
) -> None:
    found = backend.edit("/src/app.py", "e", "E", replace_all=True)
    assert (found.error, found.occurrences) == (None, 6)
    assert (own.root / "src/app.py").read_text() == "onE\nnEEdlE\nthrEE\n"


def test_files_of_any_bytes_come_and_go(backend: PenstockBackend, own: Project) -> None:
    data = b"\x00\xff\r\nend"
    good, bad = backend.upload_files([("/up.bin", data), ("/.env", b"x")])
    assert (good.error, bool(bad.error)) == (None, True)
    assert (own.root / "up.bin").read_bytes() == data
    assert backend.download_files(["/up.bin"])[0].content == data
    assert backend.delete("/up.bin").error is None
    assert not (own.root / "up.bin").exists()
    assert backend.delete("/up.bin").error
    assert backend.delete("/src").error


def test_the_same_write_outside_of_a_graph_is_made_each_time(
    backend: PenstockBackend, own: Project
) -> None:
    for _ in range(2):
        own.write("again.txt", "other\n")
        assert backend.read("/again.txt").error is None
        assert backend.write("/again.txt", "same\n").error is None
        assert (own.root / "again.txt").read_text() == "same\n"


@pytest.mark.parametrize(
    "path", ["", "/", "\x00", "/" + "x" * 5000, "~/x", "/a/../../b", "\udcff", "//", "/."]
)
def test_paths_of_any_kind_are_answered_with_an_error(
    backend: PenstockBackend, own: Project, path: str
) -> None:
    before = sorted(os.listdir(own.root.parent))
    for result in (
        backend.write(path, "x"),
        backend.edit(path, "a", "b"),
        backend.delete(path),
        backend.read(path),
        backend.download_files([path])[0],
    ):
        assert result.error, result
    assert sorted(os.listdir(own.root.parent)) == before


def test_a_write_of_what_is_there_already_is_a_success(
    backend: PenstockBackend, own: Project
) -> None:
    assert backend.write("/src/app.py", "one\nneedle\nthree\n").error is None
    assert (own.root / "src/app.py").read_text() == "one\nneedle\nthree\n"


def test_a_denied_write_is_on_the_record(backend: PenstockBackend, own: Project) -> None:
    assert backend.write("/.env", "x").error
    found = own.run("audit", "log", "--json", "--op", "tool_call").json["events"]
    assert [(one["path"], one["status"], one["agent"]) for one in found] == [
        (".env", "denied", "deepagents")
    ]


def test_outside_of_a_graph_what_needs_a_person_waits(
    backend: PenstockBackend, own: Project
) -> None:
    own.write("penstock.toml", 'version = 1\n[defaults]\nwrite = "ask"\n')
    found = backend.write("/src/app.py", "x\n")
    assert found.error
    (waiting,) = own.run("proposals", "--json").json["proposals"]
    assert found.error == (
        "Not written yet: no rule matches; writes need approval by default. "
        f"Saved as pending change {short(waiting['id'])}. Continue with other work and do not "
        "send it again; Penstock writes it once the user approves it."
    )
    assert (own.root / "src/app.py").read_text() == "one\nneedle\nthree\n"
