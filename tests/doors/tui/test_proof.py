"""Who approves on the full screen: by passphrase and one-time code, and never from an agent."""

from __future__ import annotations

import base64
import time
from urllib.parse import parse_qs, urlparse

import pytest

from penstock.app import open_workspace
from penstock.core.errors import RefusedError
from penstock.core.proposals.signature import code_at, step_of
from penstock.doors.tui.proof import FORGET_AFTER, AtTerminal
from penstock.stores.approver.keys import ApproverKeys
from tests.cli.pending import RULES, events, one_proposed, state_of, surroundings_of
from tests.doors.tui.stage import Stage
from tests.doors.tui.test_journeys import played
from tests.project import Project
from tests.terminal import by_agent, in_terminal

WORDS = "correct horse battery"


@pytest.fixture
def keyed(project: Project) -> Project:
    project.write("penstock.toml", RULES)
    with surroundings_of(project):
        open_workspace(str(project.root)).keys.init(WORDS)
    return project


def test_the_passphrase_is_asked_for_once_never_shown_and_signs(keyed: Project) -> None:
    first = one_proposed(keyed, "a.txt", b"a\n")
    second = one_proposed(keyed, "b.txt", b"b\n")

    async def play(stage: Stage) -> None:
        await stage.press("a")
        assert "the approver's passphrase" in stage.text
        await stage.pilot.press(*(("space" if sign == " " else sign) for sign in WORDS))
        await stage.settled()
        assert "correct" not in stage.text
        await stage.press("enter", "a")
        assert "the approver's passphrase" not in stage.text

    played(keyed, play)
    assert {state_of(keyed, one) for one in (first, second)} == {"applied"}
    approved = events(keyed, "approved")
    assert [event["proof"] for event in approved] == ["key", "key"]
    assert all(event["signature"] for event in approved)
    assert keyed.run("audit", "verify", "--json").json["ok"]


def test_a_wrong_passphrase_is_refused_and_on_the_record(keyed: Project) -> None:
    one = one_proposed(keyed, "a.txt", b"a\n")

    async def play(stage: Stage) -> None:
        await stage.press("a")
        await stage.type("wrong")
        assert "error[wrong-passphrase]" in stage.text
        await stage.press("enter", "a")
        assert "the approver's passphrase" in stage.text, "it is asked for again"
        await stage.press("escape")
        assert "not approved" in stage.text

    played(keyed, play)
    assert state_of(keyed, one) == "waiting"
    assert events(keyed, "approval_refused")[-1]["code"] == "wrong-passphrase"


def test_a_one_time_code_is_asked_for_beside_it(keyed: Project) -> None:
    one = one_proposed(keyed, "a.txt", b"a\n")
    with surroundings_of(keyed):
        keys: ApproverKeys = open_workspace(str(keyed.root)).keys
        text = parse_qs(urlparse(keys.add_totp(WORDS)).query)["secret"][0]
    secret = base64.b32decode(text + "=" * (-len(text) % 8))

    async def play(stage: Stage) -> None:
        await stage.press("a")
        assert "one-time code" in stage.text
        await stage.type(WORDS)
        await stage.type("000000" if code_at(secret, step_of(time.time())) != "000000" else "1")
        assert "error[wrong-code]" in stage.text
        await stage.press("enter", "a")
        await stage.type(WORDS)
        await stage.type(code_at(secret, step_of(time.time())))

    played(keyed, play)
    assert state_of(keyed, one) == "applied"


def test_a_proof_that_was_not_used_for_a_while_is_forgotten(keyed: Project) -> None:
    now = 0.0
    with surroundings_of(keyed):
        keys = AtTerminal(open_workspace(str(keyed.root)), clock=lambda: now)
        assert keys.locked()
        with pytest.raises(RefusedError):
            keys.proof()
        keys.unlock(WORDS, None)
        now = FORGET_AFTER
        assert keys.proof().kind == "key"
        now = 2 * FORGET_AFTER + 1
        assert keys.locked()


def test_rules_that_ask_for_a_key_are_obeyed_where_there_is_none(project: Project) -> None:
    project.write("penstock.toml", f"{RULES}\n[approval]\nrequire_key = true\n")
    one = one_proposed(project, "a.txt", b"a\n")

    async def play(stage: Stage) -> None:
        await stage.press("a")
        assert "error[key-needed]" in stage.text

    played(project, play)
    assert state_of(project, one) == "waiting"


def test_inside_an_agent_there_is_no_screen(project: Project) -> None:
    one = one_proposed(project, "a.txt", b"a\n")
    seen = in_terminal(project, "review", env={"CLAUDECODE": "1"})
    assert seen.code == 2
    assert seen.text.startswith("error[inside-agent]")
    (by_name,) = by_agent(project, project.home / "bin", "claude", [["review"]])
    assert by_name.code == 2
    assert "error[inside-agent]" in by_name.text
    assert state_of(project, one) == "waiting"


def test_rejecting_needs_no_passphrase(keyed: Project) -> None:
    one = one_proposed(keyed, "a.txt", b"a\n")

    async def play(stage: Stage) -> None:
        await stage.press("r")
        await stage.type("no")

    played(keyed, play)
    assert state_of(keyed, one) == "rejected"
