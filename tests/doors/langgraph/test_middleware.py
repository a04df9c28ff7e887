"""PenstockMiddleware around the tools of real LangChain agents: asked, and done as decided."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from penstock import open_gate
from penstock.core.proposals.intent import said_with
from penstock.core.proposals.model import State
from penstock.doors.langgraph.tools.messages import pending
from tests.doors.langgraph.guarded_agent import (
    APPROVE,
    LONG,
    REPLACED,
    SHORT,
    THREAD,
    Guarded,
    question,
    replacing,
)
from tests.doors.langgraph.scripted_model import Call, said
from tests.project import Project


def test_what_the_rules_allow_runs_as_if_nobody_watched(own: Project) -> None:
    scene = Guarded(own, [("write_file", {"file_path": "new.py", "content": "x = 1\n"})])
    (answer,) = said(scene.start())
    assert (answer.status, answer.content) == ("success", "written")
    assert (own.root / "new.py").read_text() == "x = 1\n"


def test_a_tool_that_touches_no_file_runs(own: Project) -> None:
    scene = Guarded(own, [("weather", {"city": "Delft"})])
    assert said(scene.start())[0].content == "fair"


def test_a_replaced_file_is_asked_about_and_the_question_shows_what_would_be_lost(
    own: Project,
) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [REPLACED])
    asked = question(scene.start())
    (action,), (config,) = asked["action_requests"], asked["review_configs"]
    assert action["name"] == config["action_name"] == "write_file"
    assert config["allowed_decisions"] == ["approve", "edit", "reject", "respond"]
    assert action["description"].startswith("REPLACE app.py: 270 of 270 lines removed")
    assert "-line 269" in action["description"]
    assert "+new 55" in action["description"]
    assert json.loads(json.dumps(asked)) == asked, "the question is plain JSON"
    assert scene.ran == []
    assert (own.root / "app.py").read_text() == LONG


def test_an_approved_change_is_written_by_the_gate_and_the_tool_does_not_run(own: Project) -> None:
    scene = replacing(own)
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "success"
    assert "written: changed app.py" in answer.content
    assert (own.root / "app.py").read_text() == SHORT
    assert scene.ran == []
    (receipt,) = open_gate(str(own.root)).receipts()
    assert answer.artifact["penstock"]["files"][0]["digest"] == receipt.after


def test_a_file_that_changed_while_a_person_was_asked_is_not_overwritten(own: Project) -> None:
    scene = replacing(own)
    own.write("app.py", "saved by a person meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    told = (
        "Nothing was written: `app.py` has changed since this proposal was created: it was sha256:"
    )
    content = str(answer.content)
    assert content.startswith(told)
    assert content.endswith(" now. Read the file again and change its current content.")
    assert (own.root / "app.py").read_text() == "saved by a person meanwhile\n"
    assert scene.ran == []


def test_a_rejected_change_is_told_with_its_reason(own: Project) -> None:
    scene = replacing(own)
    (answer,) = said(scene.resume({"type": "reject", "message": "keep the old parser"}))
    assert answer.status == "error"
    assert "keep the old parser" in answer.content
    assert (own.root / "app.py").read_text() == LONG
    assert scene.ran == []
    (one,) = open_gate(str(own.root)).find()
    assert one.state is State.REJECTED


def test_a_person_can_answer_in_the_tools_place(own: Project) -> None:
    scene = replacing(own)
    (answer,) = said(scene.resume({"type": "respond", "message": "I did it by hand"}))
    assert (answer.status, answer.content) == ("success", "I did it by hand")
    assert (own.root / "app.py").read_text() == LONG
    assert scene.ran == []


def test_an_edited_change_is_what_gets_written(own: Project) -> None:
    scene = replacing(own)
    mine = {"name": "write_file", "args": {"file_path": "app.py", "content": "mine\n"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.status == "success"
    assert answer.content == (
        "Approved by the user and written: changed app.py (+1 -270 lines). "
        "The user edited it first: read the file before you continue."
    )
    assert (own.root / "app.py").read_text() == "mine\n"
    assert scene.ran == []
    old, new = open_gate(str(own.root)).find()
    assert (old.state, new.state, new.parent) == (State.SUPERSEDED, State.APPLIED, old.id)


def test_an_edited_command_runs_as_edited(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [("shell", {"command": "rm app.py"})])
    scene.start()
    mine = {"name": "shell", "args": {"command": "echo instead"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.content == "instead\n"
    assert scene.ran == ["shell echo instead"]
    assert (own.root / "app.py").exists()


def test_an_edited_command_is_judged_again(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [("shell", {"command": "rm app.py"})])
    scene.start()
    mine = {"name": "shell", "args": {"command": "echo x > .env"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.status == "error"
    assert scene.ran == []


def test_an_edit_may_choose_another_file(own: Project) -> None:
    scene = replacing(own)
    mine = {"name": "write_file", "args": {"file_path": "other.py", "content": "mine\n"}}
    (answer,) = said(scene.resume({"type": "edit", "edited_action": mine}))
    assert answer.status == "success"
    assert (own.root / "other.py").read_text() == "mine\n"
    assert (own.root / "app.py").read_text() == LONG
    assert scene.ran == []


def test_an_edit_is_judged_again(own: Project) -> None:
    scene = replacing(own)
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
    scene = replacing(own)
    (answer,) = said(scene.resume({**APPROVE, **decision}))
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == left


# -- several calls in one message ------------------------------------------------------------------


def test_one_question_comes_before_any_call_of_the_message_runs(own: Project) -> None:
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    scene = Guarded(
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
    scene = Guarded(own, edits)
    first, *others = said(scene.start())
    assert first.status == "success"
    for one in others:
        assert one.status == "error"
        assert "another call of the same message" in one.content
    assert scene.ran == ["edit_file app.py"]


def test_running_the_step_again_proposes_and_runs_nothing_twice(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [REPLACED, ("weather", {"city": "Delft"})])
    scene.start()
    for _ in range(3):  # the same question again, as a program that crashed asks it
        assert "__interrupt__" in scene.build().invoke(None, THREAD)
    gate = open_gate(str(own.root))
    assert len(gate.find()) == 1
    scene.resume(APPROVE)
    assert scene.ran == ["weather Delft"]
    assert len(gate.receipts()) == 1


def test_the_same_call_id_in_a_later_message_is_another_question(own: Project) -> None:
    """Some models count their calls anew in each message."""
    own.write("app.py", LONG)
    scene = Guarded(own, [REPLACED], [REPLACED])
    scene.model.numbered = False
    scene.start()
    again = scene.resume({"type": "reject", "message": "no"})
    assert question(again)["action_requests"][0]["tool_call_id"] == "call-0"
    assert [one.status for one in said(scene.resume(APPROVE))] == ["error", "success"]
    first, second = open_gate(str(own.root)).find()
    assert (first.state, second.state) == (State.REJECTED, State.APPLIED)


def test_two_calls_under_one_id_are_two_questions(own: Project) -> None:
    """What is shown of one call must not approve the other."""
    own.write("app.py", LONG)
    own.write("lib.py", LONG)
    other: Call = ("write_file", {"file_path": "lib.py", "content": SHORT})
    scene = Guarded(own, [REPLACED, other])
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


def test_what_the_agent_says_of_its_call_is_kept_for_the_reviewer(own: Project) -> None:
    own.write("app.py", LONG)
    words = {"why": "the table is unused", "regions": ["app.py:1: here", "other.py:1: not here"]}
    scene = Guarded(own, [("write_file", {**REPLACED[1], **words})])
    scene.start()
    (one,) = open_gate(str(own.root)).find(states=(State.WAITING,))
    assert one.why == "the table is unused"
    assert [region.words for region in one.regions] == ["line 1: here"]
    assert scene.ran == []


def test_comments_on_lines_reach_the_agent_as_text_and_as_data(own: Project) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [REPLACED])
    scene.start()
    no = {"type": "reject", "message": "too short", "comments": ["1: keep it", "app.py:-2: this"]}
    (answer,) = said(scene.resume(no))
    assert "too short; app.py line 1: keep it; app.py removed line 2: this" in str(answer.content)
    first, second = answer.artifact["penstock"]["comments"]
    assert (first["path"], first["start"], first["text"]) == ("app.py", 1, "keep it")
    assert (second["removed"], second["text"]) == (True, "this")
    (one,) = open_gate(str(own.root)).find()
    assert one.answer is not None
    assert one.answer.reason == "too short"
    assert [comment.lines for comment in one.answer.comments] == ["1", "-2"]


def test_what_the_model_writes_beside_its_call_is_why() -> None:
    message = AIMessage(
        content=[{"type": "text", "text": "The table is unused."}, {"type": "image"}],
        tool_calls=[{"name": "write_file", "args": {"file_path": "b.py"}, "id": "1"}],
    )
    (wanted,) = pending({"messages": [message]})
    assert wanted.said == "The table is unused."
    assert said_with(wanted.args, besides=wanted.said).why == "The table is unused."
