"""PenstockMiddleware around the tools of real LangChain agents; only the model is scripted."""

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
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from penstock import open_gate
from penstock.core.proposal import State
from penstock.doors.langgraph.middleware import PenstockMiddleware
from tests.langgraph.scripted import Call, Scripted, said, tools_of
from tests.project import Project

LONG = "".join(f"line {number}\n" for number in range(270))
SHORT = "".join(f"new {number}\n" for number in range(56))
THREAD: Any = {"configurable": {"thread_id": "t-1"}}
START: Any = {"messages": [("user", "go on")]}
REPLACED: Call = ("write_file", {"file_path": "app.py", "content": SHORT})


class Scene:
    """One agent with its project; `ran` names every tool that really ran."""

    def __init__(self, project: Project, *turns: list[Call], **options: Any) -> None:
        self.project = project
        self.ran: list[str] = []
        self.saver: Any = options.pop("saver", InMemorySaver())
        self.more: list[BaseTool] = options.pop("tools", [])
        self.model = Scripted(turns=list(turns))
        self.options = options
        self.agent = self.build()

    def build(self) -> Any:
        """Make the agent, as a program that starts anew does."""
        return create_agent(
            self.model,
            [*tools_of(self.project.root, self.ran), *self.more],
            middleware=[PenstockMiddleware(self.project.root, **self.options)],
            checkpointer=self.saver,
        )

    def start(self) -> Any:
        return self.agent.invoke(START, THREAD)

    def resume(self, *decisions: dict[str, Any]) -> Any:
        return self.agent.invoke(Command(resume={"decisions": list(decisions)}), THREAD)


def question(result: Any) -> dict[str, Any]:
    """Return the one question that an agent stopped with."""
    (asked,) = result["__interrupt__"]
    value: dict[str, Any] = asked.value
    return value


APPROVE = {"type": "approve"}
ASKS = 'version = 1\n[defaults]\nwrite = "ask"\n[approval]\nttl_seconds = 60\n'


def with_key(project: Project, *command: str) -> None:
    """Run a command that is given the passphrase of the approver's key."""
    given = {"PENSTOCK_PASSPHRASE_FD": "0"}
    done = project.run(*command, env=given, stdin="correct horse battery staple\n")
    assert done.code == 0, done.err


def by_key(project: Project, proposal: str) -> None:
    """Approve at the queue, by a key that is set up for it."""
    with_key(project, "approver", "init")
    with_key(project, "approve", proposal, "--yes")


def test_what_the_rules_allow_runs_as_if_nobody_watched(own: Project) -> None:
    scene = Scene(own, [("write_file", {"file_path": "new.py", "content": "x = 1\n"})])
    (answer,) = said(scene.start())
    assert (answer.status, answer.content) == ("success", "written")
    assert (own.root / "new.py").read_text() == "x = 1\n"


def test_a_tool_that_touches_no_file_runs(own: Project) -> None:
    scene = Scene(own, [("weather", {"city": "Delft"})])
    assert said(scene.start())[0].content == "fair"


def test_a_replaced_file_is_asked_about_and_the_question_shows_what_would_be_lost(
    own: Project,
) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    asked = question(scene.start())
    (action,), (config,) = asked["action_requests"], asked["review_configs"]
    assert action["name"] == config["action_name"] == "write_file"
    assert config["allowed_decisions"] == ["approve", "edit", "reject", "respond"]
    assert action["description"].startswith("REPLACE app.py: 270 of 270 lines would be lost")
    assert "-line 269" in action["description"]
    assert "+new 55" in action["description"]
    assert json.loads(json.dumps(asked)) == asked, "the question is plain JSON"
    assert scene.ran == []
    assert (own.root / "app.py").read_text() == LONG


def test_an_approved_change_is_written_by_the_gate_and_the_tool_does_not_run(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "success"
    assert "written: changed app.py" in answer.content
    assert (own.root / "app.py").read_text() == SHORT
    assert scene.ran == []
    (receipt,) = open_gate(str(own.root)).parts.proposals.receipts()
    assert answer.artifact["penstock"]["files"][0]["digest"] == receipt.after


def test_a_file_that_changed_while_a_person_was_asked_is_not_overwritten(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    own.write("app.py", "saved by a person meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "`app.py` changed after this" in answer.content
    assert "read the file again" in answer.content
    assert (own.root / "app.py").read_text() == "saved by a person meanwhile\n"
    assert scene.ran == []


def test_a_rejected_change_is_told_with_its_reason(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    (answer,) = said(scene.resume({"type": "reject", "message": "keep the old parser"}))
    assert answer.status == "error"
    assert "keep the old parser" in answer.content
    assert (own.root / "app.py").read_text() == LONG
    assert scene.ran == []
    (one,) = open_gate(str(own.root)).parts.proposals.find()
    assert one.state is State.REJECTED


def test_a_person_can_answer_in_the_tools_place(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    (answer,) = said(scene.resume({"type": "respond", "message": "I did it by hand"}))
    assert (answer.status, answer.content) == ("success", "I did it by hand")
    assert (own.root / "app.py").read_text() == LONG
    assert scene.ran == []


def test_an_edited_change_is_what_gets_written(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    mine = {"name": "write_file", "args": {"file_path": "app.py", "content": "mine\n"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.status == "success"
    assert "The person changed it first" in answer.content
    assert (own.root / "app.py").read_text() == "mine\n"
    assert scene.ran == []
    old, new = open_gate(str(own.root)).parts.proposals.find()
    assert (old.state, new.state, new.parent) == (State.SUPERSEDED, State.APPLIED, old.id)


def test_an_edited_command_runs_as_edited(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [("shell", {"command": "rm app.py"})])
    scene.start()
    mine = {"name": "shell", "args": {"command": "echo instead"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.content == "instead\n"
    assert scene.ran == ["shell echo instead"]
    assert (own.root / "app.py").exists()


def test_an_edited_command_is_judged_again(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [("shell", {"command": "rm app.py"})])
    scene.start()
    mine = {"name": "shell", "args": {"command": "echo x > .env"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.status == "error"
    assert scene.ran == []


def test_an_edit_may_choose_another_file(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    mine = {"name": "write_file", "args": {"file_path": "other.py", "content": "mine\n"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.status == "success"
    assert (own.root / "other.py").read_text() == "mine\n"
    assert (own.root / "app.py").read_text() == LONG
    assert scene.ran == []


def test_an_edit_is_judged_again(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    mine = {"name": "write_file", "args": {"file_path": ".env", "content": "mine\n"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.status == "error"
    assert ".env" in answer.content
    assert not (own.root / ".env").exists()
    assert (own.root / "app.py").read_text() == LONG


@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ({"strategy": "append"}, LONG + "\n" + SHORT),
        ({"strategy": "insert", "insertion_point": 0}, SHORT + LONG),
        ({"strategy": "replace"}, SHORT),
    ],
)
def test_an_approval_may_choose_how_the_content_joins_the_file(
    own: Project, decision: dict[str, Any], left: str
) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    (answer,) = said(scene.resume({**APPROVE, **decision}))
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == left


# -- several calls in one message ------------------------------------------------------------------


def test_one_question_comes_before_any_call_of_the_message_runs(own: Project) -> None:
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    scene = Scene(
        own,
        [
            ("write_file", {"file_path": "new.py", "content": "x\n"}),
            REPLACED,
            ("write_file", {"file_path": "lib.py", "content": SHORT}),
            ("write_file", {"file_path": ".env", "content": "x\n"}),
        ],
    )
    asked = question(scene.start())
    assert [one["args"]["file_path"] for one in asked["action_requests"]] == ["app.py", "lib.py"]
    assert scene.ran == []
    assert not (own.root / "new.py").exists()
    answers = said(scene.resume(APPROVE, {"type": "reject", "message": "no"}))
    assert [one.status for one in answers] == ["success", "success", "error", "error"]
    assert scene.ran == ["write_file new.py"]
    assert (own.root / "lib.py").read_text() == LONG


def test_two_calls_of_one_message_do_not_change_the_same_file(own: Project) -> None:
    """Side by side they would overwrite each other, and cut a file in slices nobody measures."""
    own.write("app.py", LONG)
    edits = [
        ("edit_file", {"file_path": "app.py", "old_string": old, "new_string": "x"})
        for old in ("line 1\n", "line 2\n", "line 3\n")
    ]
    scene = Scene(own, edits)
    first, *others = said(scene.start())
    assert first.status == "success"
    for one in others:
        assert one.status == "error"
        assert "another call of the same message" in one.content
    assert scene.ran == ["edit_file app.py"]


def test_running_the_step_again_proposes_and_runs_nothing_twice(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED, ("weather", {"city": "Delft"})])
    scene.start()
    for _ in range(3):  # the same question again, as a program that crashed asks it
        assert "__interrupt__" in scene.build().invoke(None, THREAD)
    gate = open_gate(str(own.root))
    assert len(gate.parts.proposals.find()) == 1
    scene.resume(APPROVE)
    assert scene.ran == ["weather Delft"]
    assert len(gate.parts.proposals.receipts()) == 1


def test_the_same_call_id_in_a_later_message_is_another_question(own: Project) -> None:
    """Some models count their calls anew in each message."""
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED], [REPLACED])
    scene.model.numbered = False
    scene.start()
    again = scene.resume({"type": "reject", "message": "no"})
    assert question(again)["action_requests"][0]["tool_call_id"] == "call-0"
    assert [one.status for one in said(scene.resume(APPROVE))] == ["error", "success"]
    first, second = open_gate(str(own.root)).parts.proposals.find()
    assert (first.state, second.state) == (State.REJECTED, State.APPLIED)


def test_two_calls_under_one_id_are_two_questions(own: Project) -> None:
    """What is shown of one call must not approve the other."""
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    other: Call = ("write_file", {"file_path": "lib.py", "content": SHORT})
    scene = Scene(own, [REPLACED, other])
    scene.model.same_id = True
    (action,) = question(scene.start())["action_requests"]
    assert action["files"][0]["path"] == action["args"]["file_path"] == "lib.py"
    again = scene.resume({"type": "reject", "message": "no"})
    (action,) = question(again)["action_requests"]
    assert action["files"][0]["path"] == action["args"]["file_path"] == "app.py"
    scene.resume(APPROVE)
    assert (own.root / "app.py").read_text() == SHORT
    assert (own.root / "lib.py").read_text() == LONG
    assert scene.ran == []


# -- who can be asked ------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"saver": None}, {"attended": False}])
def test_where_nobody_can_be_asked_the_change_waits_and_the_agent_is_told(
    own: Project, options: dict[str, Any]
) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED], **options)
    (answer,) = said(scene.start())
    (one,) = open_gate(str(own.root)).parts.proposals.find()
    assert answer.status == "error"
    assert one.id in answer.content
    assert one.state is State.WAITING
    assert scene.ran == []
    assert (own.root / "app.py").read_text() == LONG
    by_key(own, one.id)
    assert (own.root / "app.py").read_text() == SHORT


def test_what_was_approved_in_the_queue_meanwhile_is_only_told(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    (one,) = open_gate(str(own.root)).parts.proposals.find()
    by_key(own, one.id)
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "success"
    assert "written: changed app.py" in answer.content
    assert len(open_gate(str(own.root)).parts.proposals.receipts()) == 1


def test_with_a_key_an_unsigned_approval_decides_nothing_and_the_question_stays(
    own: Project,
) -> None:
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Scene(own, [REPLACED, ("weather", {"city": "Delft"})])
    known = question(scene.start())["action_requests"][0]["proposal_id"]
    again = question(scene.resume(APPROVE))["action_requests"][0]
    assert f"`penstock approve {known}`" in again["description"]
    assert (own.root / "app.py").read_text() == LONG
    assert scene.ran == []
    with_key(own, "approve", known, "--yes")
    answer, _ = said(scene.resume(APPROVE))
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == SHORT
    assert own.run("audit", "verify").code == 0


def test_of_two_answers_to_one_question_the_last_counts(own: Project) -> None:
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Scene(own, [REPLACED])
    known = question(scene.start())["action_requests"][0]["proposal_id"]
    question(scene.resume(APPROVE))  # without a signature, so it is asked again
    with_key(own, "approve", known, "--yes", "--no-apply")
    (answer,) = said(scene.resume({"type": "reject", "message": "I thought better of it"}))
    assert answer.status == "error"
    assert "I thought better of it" in answer.content
    assert (own.root / "app.py").read_text() == LONG
    (one,) = open_gate(str(own.root)).parts.proposals.find()
    assert one.state is State.REJECTED


def test_with_a_key_no_command_runs_because_somebody_resumed(own: Project) -> None:
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Scene(own, [("shell", {"command": "rm app.py"})])
    scene.start()
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "needs an approver's key" in answer.content
    assert (own.root / "app.py").exists()


def test_with_a_key_a_change_can_be_rejected_without_it(own: Project) -> None:
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Scene(own, [REPLACED])
    scene.start()
    (answer,) = said(scene.resume({"type": "reject", "message": "no"}))
    assert answer.status == "error"
    assert (own.root / "app.py").read_text() == LONG


def test_a_program_that_an_agent_runs_approves_nothing(
    own: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.write("app.py", LONG)
    calls = [REPLACED, ("shell", {"command": "rm app.py"})]
    scene = Scene(own, [calls[0]], [calls[1]])
    monkeypatch.setenv("CLAUDECODE", "1")
    scene.start()
    scene.resume(APPROVE)
    answers = said(scene.resume(APPROVE))
    assert [one.status for one in answers] == ["error", "error"]
    assert "a graph that an agent runs cannot approve its own writes" in answers[0].content
    assert scene.ran == []
    assert (own.root / "app.py").read_text() == LONG
    (one,) = open_gate(str(own.root)).parts.proposals.find()
    assert one.state is State.WAITING


def an_hour_later(scene: Scene) -> None:
    """Let the time of every proposal be over; the clock of the queue never goes back."""
    proposals = open_gate(str(scene.project.root)).parts.proposals
    proposals.last_wall(max(one.created.wall for one in proposals.find()) + 3600)
    scene.agent = scene.build()


@pytest.mark.parametrize("decision", [{}, {"strategy": "append"}])
def test_an_answer_counts_however_long_it_took(own: Project, decision: dict[str, Any]) -> None:
    own.write("penstock.toml", ASKS)
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    an_hour_later(scene)
    (answer,) = said(scene.resume({**APPROVE, **decision}))
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == (LONG + "\n" + SHORT if decision else SHORT)


def test_a_late_no_is_told_with_its_reason(own: Project) -> None:
    own.write("penstock.toml", ASKS)
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    an_hour_later(scene)
    (answer,) = said(scene.resume({"type": "reject", "message": "keep it"}))
    assert "keep it" in answer.content
    assert (own.root / "app.py").read_text() == LONG


def test_a_late_answer_does_not_overwrite_what_was_saved_meanwhile(own: Project) -> None:
    own.write("penstock.toml", ASKS)
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    an_hour_later(scene)
    own.write("app.py", "saved meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "`app.py` changed" in answer.content
    assert (own.root / "app.py").read_text() == "saved meanwhile\n"


def test_with_a_key_a_late_question_names_a_proposal_that_can_be_approved(own: Project) -> None:
    own.write("penstock.toml", ASKS)
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Scene(own, [REPLACED])
    scene.start()
    an_hour_later(scene)
    description = question(scene.resume(APPROVE))["action_requests"][0]["description"]
    known = description.partition("`penstock approve ")[2].partition("`")[0]
    with_key(own, "approve", known, "--yes")
    assert said(scene.resume(APPROVE))[0].status == "success"
    assert (own.root / "app.py").read_text() == SHORT


def test_a_late_answer_to_several_files_is_written_whole(own: Project) -> None:
    own.write("penstock.toml", ASKS)
    own.write("app.py", LONG)
    own.write("lib.py", LONG)

    @tool
    def apply_patch(patch: str) -> str:
        """Apply a patch."""
        return patch

    call: Call = ("apply_patch", {"patch": patch_of("app.py", "lib.py")})
    scene = Scene(own, [call], tools=[apply_patch])
    scene.start()
    an_hour_later(scene)
    assert said(scene.resume(APPROVE))[0].status == "success"
    assert [(own.root / name).read_text() for name in ("app.py", "lib.py")] == ["new\n", "new\n"]


def test_what_was_rejected_in_the_queue_meanwhile_stays_rejected(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    (one,) = open_gate(str(own.root)).parts.proposals.find()
    assert own.run("reject", one.id, "--reason", "not today").code == 0
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "not today" in answer.content
    assert (own.root / "app.py").read_text() == LONG


def test_an_answer_that_does_not_fit_decides_nothing_and_can_be_given_again(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.start()
    for wrong in ([], [APPROVE, APPROVE], [{"type": "aprove"}], [{**APPROVE, "strategy": "x"}]):
        with pytest.raises(ValueError, match=r"(?i)decisions"):
            scene.resume(*wrong)
        assert (own.root / "app.py").read_text() == LONG
        assert scene.ran == []
    assert said(scene.resume(APPROVE))[0].status == "success"


# -- together with others --------------------------------------------------------------------------


def patch_of(*names: str) -> str:
    """Return a patch that leaves one line of each file."""
    gone = "".join(f"-{line}" for line in LONG.splitlines(keepends=True))
    head = "--- a/{0}\n+++ b/{0}\n@@ -1,270 +1 @@\n"
    return "".join(f"{head.format(name)}{gone}+new\n" for name in names)


def test_a_patch_of_several_files_is_one_question_and_is_written_whole(own: Project) -> None:
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    ran: list[str] = []

    @tool
    def apply_patch(patch: str) -> str:
        """Apply a patch."""
        ran.append(patch)
        return "patched"

    scene = Scene(
        own, [("apply_patch", {"patch": patch_of("app.py", "lib.py")})], tools=[apply_patch]
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

    @tool
    def apply_patch(patch: str) -> str:
        """Apply a patch."""
        return patch

    scene = Scene(
        own, [("apply_patch", {"patch": patch_of("app.py", "lib.py")})], tools=[apply_patch]
    )
    scene.start()
    own.write("lib.py", "saved meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert (own.root / "app.py").read_text() == LONG


def test_a_call_that_another_middleware_let_a_person_edit_is_judged_as_it_runs(
    own: Project,
) -> None:
    ran: list[str] = []
    theirs = HumanInTheLoopMiddleware(interrupt_on={"write_file": True})
    agent: Any = create_agent(
        Scripted(turns=[[("write_file", {"file_path": "notes.txt", "content": "x\n"})]]),
        tools_of(own.root, ran),
        middleware=[theirs, PenstockMiddleware(own.root)],
        checkpointer=InMemorySaver(),
    )
    agent.invoke(START, THREAD)
    edited = {"name": "write_file", "args": {"file_path": ".env", "content": "x\n"}}
    decision = {"type": "edit", "edited_action": edited}
    (answer,) = said(agent.invoke(Command(resume={"decisions": [decision]}), THREAD))
    assert answer.status == "error"
    assert ".env" in answer.content
    assert ran == []


def test_an_edit_of_another_middleware_that_needs_a_person_is_asked_about(own: Project) -> None:
    own.write("app.py", LONG)
    ran: list[str] = []
    theirs = HumanInTheLoopMiddleware(interrupt_on={"write_file": True})
    agent: Any = create_agent(
        Scripted(turns=[[("write_file", {"file_path": "notes.txt", "content": "x\n"})]]),
        tools_of(own.root, ran),
        middleware=[theirs, PenstockMiddleware(own.root)],
        checkpointer=InMemorySaver(),
    )
    agent.invoke(START, THREAD)
    edited = {"name": "write_file", "args": {"file_path": "app.py", "content": SHORT}}
    decision = {"type": "edit", "edited_action": edited}
    again = agent.invoke(Command(resume={"decisions": [decision]}), THREAD)
    assert "270 of 270" in question(again)["action_requests"][0]["description"]
    with pytest.raises(ValueError, match=r"(?i)decisions"):
        agent.invoke(Command(resume={"decisions": []}), THREAD)
    agent.invoke(Command(resume={"decisions": [APPROVE]}), THREAD)
    assert (own.root / "app.py").read_text() == SHORT
    assert ran == []


def test_a_late_question_is_about_the_file_as_it_was(own: Project) -> None:
    """What was saved meanwhile is so small that today nobody would be asked about replacing it."""
    own.write("app.py", LONG)
    ran: list[str] = []
    theirs = HumanInTheLoopMiddleware(interrupt_on={"write_file": True})
    agent: Any = create_agent(
        Scripted(turns=[[("write_file", {"file_path": "notes.txt", "content": "x\n"})]]),
        tools_of(own.root, ran),
        middleware=[theirs, PenstockMiddleware(own.root)],
        checkpointer=InMemorySaver(),
    )
    agent.invoke(START, THREAD)
    edited = {"name": "write_file", "args": {"file_path": "app.py", "content": SHORT}}
    decision = {"type": "edit", "edited_action": edited}
    question(agent.invoke(Command(resume={"decisions": [decision]}), THREAD))
    own.write("app.py", "saved meanwhile\n")
    (answer,) = said(agent.invoke(Command(resume={"decisions": [APPROVE]}), THREAD))
    assert answer.status == "error"
    assert "`app.py` changed" in answer.content
    assert (own.root / "app.py").read_text() == "saved meanwhile\n"
    assert ran == []


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

    scene = Scene(own, [("helper", {"description": "write"})], tools=[helper])
    question(scene.start())
    assert (own.root / "app.py").read_text() == LONG
    (answer,) = said(scene.resume(APPROVE))
    assert answer.content == "success error"
    assert (own.root / "app.py").read_text() == SHORT
    assert len(open_gate(str(own.root)).parts.proposals.find()) == 1
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
    scene = Scene(own, [("write_file", {"file_path": "docs/a.md", "content": "b\n"})])
    (answer,) = said(scene.start())
    assert answer.content == "written\n\nNote: docs/a.md is public"


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_it_does_not_matter_when_checkpoints_are_written(own: Project, durability: str) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED])
    scene.agent.invoke(START, THREAD, durability=durability)
    own.write("other.txt", "x\n")
    resume: Any = Command(resume={"decisions": [APPROVE]})
    (answer,) = said(scene.agent.invoke(resume, THREAD, durability=durability))
    assert answer.status == "success"
    assert len(open_gate(str(own.root)).parts.proposals.find()) == 1


# -- another process, another checkpointer ---------------------------------------------------------


def test_an_answer_may_come_to_another_program_through_sqlite(own: Project, tmp_path: Path) -> None:
    own.write("app.py", LONG)
    path = tmp_path / "checkpoints.db"
    first = sqlite3.connect(path, check_same_thread=False)
    scene = Scene(own, [REPLACED], saver=SqliteSaver(first))
    scene.start()
    first.close()
    second = sqlite3.connect(path, check_same_thread=False)
    other = Scene(own, [REPLACED], saver=SqliteSaver(second))
    (answer,) = said(other.resume(APPROVE))
    second.close()
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == SHORT


def test_what_is_kept_in_the_state_is_plain_json(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Scene(own, [REPLACED], [("weather", {"city": "Delft"})])
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
    scene = Scene(own, calls)

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
