"""What an agent reads about a changed protected file says who was notified, and no more."""

from __future__ import annotations

import json

import pytest

from tests.app.mailbox import Mailbox, mailbox
from tests.doors.hook.hooks import Hook
from tests.doors.hook.test_origin import notify
from tests.project import Project

GIVEN = {"command": "make"}
QUEUED = "a notification is queued for 1 target"
NOBODY = "no notification was sent: tell the user; `penstock status` shows it"
FAILED = "a notification could not be queued ("


def slip(hook: Hook) -> tuple[str, str]:
    """Have a command change a protected file; return what the agent and its user are told."""
    hook.before("Bash", GIVEN, "t1")
    hook.project.write(".env", "leaked\n")
    done = hook.after("Bash", GIVEN, "t1")
    assert ".env" in done.err
    said = json.loads(done.out)
    return said["hookSpecificOutput"]["additionalContext"], said["systemMessage"]


@pytest.fixture
def hook(project: Project) -> Hook:
    project.write("penstock.toml", 'preset = "guard"\n')
    return Hook(project)


def test_without_a_user_and_without_targets_nobody_was_notified(hook: Hook) -> None:
    note, shown = slip(hook)
    assert NOBODY.capitalize() in note
    assert ".env" in shown
    assert "notified" not in shown


def test_a_user_who_is_there_is_given_a_message(hook: Hook) -> None:
    hook.attended = True
    note, shown = slip(hook)
    assert "Claude Code will show the user a message" in note
    assert NOBODY not in note
    assert "`penstock undo --path FILE` reverts it" in shown


def test_a_notification_is_queued_and_arrives(hook: Hook) -> None:
    with mailbox() as box:
        notify(hook.project, box)
        note, _ = slip(hook)
        assert QUEUED.capitalize() in note
        assert NOBODY not in note
        box.until(lambda: bool(box.got))
    assert box.got[0]["title"] == "Penstock: .env changed despite the rules in project"
    assert "leaked" not in box.got[0]["message"]


def test_a_notification_that_cannot_be_queued_is_not_claimed(hook: Hook) -> None:
    notify(hook.project, Mailbox(1))
    hook.before("Bash", GIVEN, "t0")
    (state,) = (hook.project.home / "state" / "penstock").glob("project-*/")
    (state / "notify").write_text("in the way")
    note, _ = slip(hook)
    assert FAILED.capitalize() in note
    assert NOBODY in note


def test_a_log_that_cannot_take_it_is_said(hook: Hook) -> None:
    from tests.doors.hook.test_locks import locked, state

    hook.before("Bash", GIVEN, "t1")
    hook.project.write(".env", "leaked\n")
    with locked(state(hook) / "audit.jsonl"):
        done = hook.after("Bash", GIVEN, "t1")
    assert "it is not in the audit log" in json.loads(done.out)["systemMessage"]
    assert ".env" in done.out
    again = hook.before("Bash", GIVEN, "t2")
    assert "an earlier call changed protected files (.env); it is in the audit log" in again.out
    slips = [event["path"] for event in hook.events() if event["op"] == "slipped"]
    assert slips == [".env"], "what could not be recorded then is recorded now"
    assert hook.before("Bash", GIVEN, "t3").out == ""
