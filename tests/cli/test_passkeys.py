"""`penstock approver` and passkeys: a link to the page, the list, and removing one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from penstock.app.proof import add_passkey
from penstock.app.workspace import open_workspace
from penstock.core.proposals.passkey import Passkey
from penstock.stores.agents.ancestry import seen_here
from tests.authenticator import ORIGIN, Authenticator
from tests.cli.pending import events, surroundings_of
from tests.cli.test_who_approves import WORDS, error, handed
from tests.project import Project

pytestmark = pytest.mark.skipif(bool(seen_here()), reason="these tests run inside an agent")


@pytest.fixture
def keyed(project: Project) -> Project:
    """A project with a key and a passkey."""
    assert handed(project, "approver", "init").code == 0
    one = Authenticator()
    made = Passkey(
        credential=one.credential,
        public=one.public,
        origin=ORIGIN,
        label="key ring",
        since=time.time(),
    )
    with surroundings_of(project):
        add_passkey(open_workspace(str(project.root)), made, WORDS)
    return project


def test_they_are_listed_without_a_passphrase(keyed: Project) -> None:
    (one,) = keyed.run("approver", "passkeys", "--json").json["passkeys"]
    assert (one["label"], one["origin"], one["approves"]) == ("key ring", ORIGIN, True)
    shown = keyed.run("approver", "passkeys")
    assert one["id"] in shown.out
    assert "approves nothing" not in shown.out


def test_one_is_removed_by_the_passphrase_and_that_is_logged(keyed: Project) -> None:
    (one,) = keyed.run("approver", "passkeys", "--json").json["passkeys"]
    wrong = handed(keyed, "approver", "remove-passkey", one["id"][:6], words="guess")
    assert (wrong.code, "wrong-passphrase" in wrong.err) == (2, True)
    unknown = handed(keyed, "approver", "remove-passkey", "nope")
    assert "not-found" in unknown.err
    done = handed(keyed, "approver", "remove-passkey", one["id"][:6])
    assert done.code == 0, done.err
    assert keyed.run("approver", "passkeys", "--json").json["passkeys"] == []
    assert [event["passkey"]["id"] for event in events(keyed, "passkey_removed")] == [one["id"]]  # type: ignore[index]
    found = keyed.run("audit", "verify", "--json").json
    assert found["ok"], found
    assert found["warnings"] == []


def test_after_the_key_was_replaced_they_approve_nothing(keyed: Project) -> None:
    assert handed(keyed, "approver", "replace").code == 0
    (one,) = keyed.run("approver", "passkeys", "--json").json["passkeys"]
    assert one["approves"] is False
    assert "approves nothing" in keyed.run("approver", "passkeys").out


def test_registering_needs_a_key_and_a_server(project: Project) -> None:
    assert error(project.run("approver", "passkey", "--json")) == "no-key"
    handed(project, "approver", "init")
    assert error(project.run("approver", "passkey", "--json")) == "not-serving"


def test_their_list_is_for_their_owner_alone(keyed: Project) -> None:
    (path,) = keyed.home.rglob("approver/passkeys")
    assert os.stat(path).st_mode & 0o077 == 0
    assert isinstance(path, Path)
