"""Who can be asked, who may answer, and answers that come late."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import open_gate
from penstock.core.proposals.model import State
from penstock.core.proposals.short_id import short
from tests.doors.langgraph.guarded_agent import (
    APPROVE,
    ASKS,
    LONG,
    REPLACED,
    SHORT,
    Guarded,
    by_key,
    patch_of,
    patcher,
    question,
    replacing,
    with_key,
)
from tests.doors.langgraph.scripted_model import Call, said
from tests.project import Project


@pytest.mark.parametrize("options", [{"saver": None}, {"attended": False}])
def test_where_nobody_can_be_asked_the_change_waits_and_the_agent_is_told(
    own: Project, options: dict[str, Any]
) -> None:
    own.write("app.py", LONG)
    scene = Guarded(own, [REPLACED], **options)
    (answer,) = said(scene.start())
    (one,) = open_gate(str(own.root)).find()
    assert answer.status == "error"
    assert short(one.id) in answer.content
    assert one.state is State.WAITING
    assert scene.ran == []
    assert (own.root / "app.py").read_text() == LONG
    by_key(own, one.id)
    assert (own.root / "app.py").read_text() == SHORT


def test_what_was_approved_in_the_queue_meanwhile_is_only_told(own: Project) -> None:
    scene = replacing(own)
    (one,) = open_gate(str(own.root)).find()
    by_key(own, one.id)
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "success"
    assert "written: changed app.py" in answer.content
    assert len(open_gate(str(own.root)).receipts()) == 1


def test_with_a_key_an_unsigned_approval_decides_nothing_and_the_question_stays(
    own: Project,
) -> None:
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Guarded(own, [REPLACED, ("weather", {"city": "Delft"})])
    known = question(scene.start())["action_requests"][0]["proposal_id"]
    again = question(scene.resume(APPROVE))["action_requests"][0]
    assert f"`penstock approve {short(known)} --no-apply`" in again["description"]
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
    scene = Guarded(own, [REPLACED])
    known = question(scene.start())["action_requests"][0]["proposal_id"]
    question(scene.resume(APPROVE))  # without a signature, so it is asked again
    with_key(own, "approve", known, "--yes", "--no-apply")
    (answer,) = said(scene.resume({"type": "reject", "message": "I thought better of it"}))
    assert answer.status == "error"
    assert "I thought better of it" in answer.content
    assert (own.root / "app.py").read_text() == LONG
    (one,) = open_gate(str(own.root)).find()
    assert one.state is State.REJECTED


def test_with_a_key_no_command_runs_because_somebody_resumed(own: Project) -> None:
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Guarded(own, [("shell", {"command": "rm app.py"})])
    scene.start()
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert answer.content == (
        "Nothing was written: this call needs an approver key, which can't sign content that is "
        "not known yet. Use a tool that sends the file's whole content."
    )
    assert (own.root / "app.py").exists()


def test_with_a_key_a_change_can_be_rejected_without_it(own: Project) -> None:
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Guarded(own, [REPLACED])
    scene.start()
    (answer,) = said(scene.resume({"type": "reject", "message": "no"}))
    assert answer.status == "error"
    assert (own.root / "app.py").read_text() == LONG


def test_a_program_that_an_agent_runs_approves_nothing(
    own: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.write("app.py", LONG)
    calls = [REPLACED, ("shell", {"command": "rm app.py"})]
    scene = Guarded(own, [calls[0]], [calls[1]])
    monkeypatch.setenv("CLAUDECODE", "1")
    scene.start()
    scene.resume(APPROVE)
    answers = said(scene.resume(APPROVE))
    assert [one.status for one in answers] == ["error", "error"]
    assert "a graph run by an agent can't approve its own writes" in answers[0].content
    assert scene.ran == []
    assert (own.root / "app.py").read_text() == LONG
    (one,) = open_gate(str(own.root)).find()
    assert one.state is State.WAITING


def an_hour_later(scene: Guarded) -> None:
    """Let the time of every proposal be over; the clock of the queue never goes back."""
    gate = open_gate(str(scene.project.root))
    gate._parts.proposals.last_wall(max(one.created.wall for one in gate.find()) + 3600)
    scene.agent = scene.build()


def replaced_late(project: Project) -> Guarded:
    project.write("penstock.toml", ASKS)
    scene = replacing(project)
    an_hour_later(scene)
    return scene


@pytest.mark.parametrize("decision", [{}, {"strategy": "append"}])
def test_an_answer_counts_however_long_it_took(own: Project, decision: dict[str, Any]) -> None:
    scene = replaced_late(own)
    (answer,) = said(scene.resume({**APPROVE, **decision}))
    assert answer.status == "success"
    assert (own.root / "app.py").read_text() == (LONG + "\n" + SHORT if decision else SHORT)


def test_a_late_no_is_told_with_its_reason(own: Project) -> None:
    scene = replaced_late(own)
    (answer,) = said(scene.resume({"type": "reject", "message": "keep it"}))
    assert "keep it" in answer.content
    assert (own.root / "app.py").read_text() == LONG


def test_a_late_answer_does_not_overwrite_what_was_saved_meanwhile(own: Project) -> None:
    scene = replaced_late(own)
    own.write("app.py", "saved meanwhile\n")
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "`app.py` changed" in answer.content
    assert (own.root / "app.py").read_text() == "saved meanwhile\n"


def test_with_a_key_a_late_question_names_a_proposal_that_can_be_approved(own: Project) -> None:
    own.write("penstock.toml", ASKS)
    own.write("app.py", LONG)
    with_key(own, "approver", "init")
    scene = Guarded(own, [REPLACED])
    scene.start()
    an_hour_later(scene)
    description = question(scene.resume(APPROVE))["action_requests"][0]["description"]
    known = description.partition("`penstock approve ")[2].partition(" ")[0]
    with_key(own, "approve", known, "--yes")
    assert said(scene.resume(APPROVE))[0].status == "success"
    assert (own.root / "app.py").read_text() == SHORT


def test_a_late_answer_to_several_files_is_written_whole(own: Project) -> None:
    own.write("penstock.toml", ASKS)
    own.write("app.py", LONG)
    own.write("lib.py", LONG)

    call: Call = ("apply_patch", {"patch": patch_of("app.py", "lib.py")})
    scene = Guarded(own, [call], tools=[patcher([])])
    scene.start()
    an_hour_later(scene)
    assert said(scene.resume(APPROVE))[0].status == "success"
    assert [(own.root / name).read_text() for name in ("app.py", "lib.py")] == ["new\n", "new\n"]


def test_what_was_rejected_in_the_queue_meanwhile_stays_rejected(own: Project) -> None:
    scene = replacing(own)
    (one,) = open_gate(str(own.root)).find()
    assert own.run("reject", one.id, "--reason", "not today").code == 0
    (answer,) = said(scene.resume(APPROVE))
    assert answer.status == "error"
    assert "not today" in answer.content
    assert (own.root / "app.py").read_text() == LONG


def test_an_answer_that_does_not_fit_decides_nothing_and_can_be_given_again(own: Project) -> None:
    scene = replacing(own)
    for wrong in ([], [APPROVE, APPROVE], [{"type": "aprove"}], [{**APPROVE, "strategy": "x"}]):
        with pytest.raises(ValueError, match=r"(?i)decisions"):
            scene.resume(*wrong)
        assert (own.root / "app.py").read_text() == LONG
        assert scene.ran == []
    assert said(scene.resume(APPROVE))[0].status == "success"
