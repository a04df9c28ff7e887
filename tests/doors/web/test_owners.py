"""The page and the API say how many owners have approved, and a touch of an owner counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.app.bundle.make import approver_block
from penstock.app.bundle.refresh import fetch_bundle
from penstock.core.proposals.model import State
from penstock.doors.web.diff.file import SHELF
from penstock.gate import Proof
from tests.authenticator import Authenticator
from tests.doors.web.page_server import WORDS, Browser, Served, serving
from tests.doors.web.test_passkeys import asked, look, register, sent
from tests.organisation import ALICE, Organisation, owner
from tests.project import Project


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for name, value in Project(tmp_path / "project", tmp_path).environ.items():
        monkeypatch.setenv(name, value)
    with serving(tmp_path) as one:
        yield one
    SHELF.colours.close()  # its process has this test's variables


@pytest.fixture
def browser(served: Served) -> Browser:
    return served.browser()


def publish(served: Served) -> None:
    """Two of the owners have to approve, and this machine's user is one of them."""
    acme, home = Organisation(), served.root.parent
    keys = served.here.keys
    me = json.loads(json.dumps(approver_block(keys, keys.current(), "me", ("pay",))))
    rules = [owner("pay/**", groups=["pay"], approvals=2, not_author=False)]
    people = [me, ALICE.approver("pay")]
    (home / "bundle.json").write_bytes(acme.bundle(approvers=people, owners=rules))
    acme.pin(Project(served.root, home), f"file:{home}/bundle.json")
    fetch_bundle()


def test_one_of_two_is_shown_on_the_page_and_in_the_api(served: Served, browser: Browser) -> None:
    publish(served)
    one = served.propose("pay/a.txt", "x\n")
    assert "0 of 2 approvals" in browser.get(f"/proposals/{one.id}").text
    fields = {"digest": one.content, "passphrase": WORDS}
    done = browser.post(f"/proposals/{one.id}/approve", fields)
    assert done.status == 303, done.text
    assert served.stored(one).state is State.WAITING
    assert "1 of 2 approvals" in browser.get(f"/proposals/{one.id}").text
    (found,) = served.call("GET", f"/proposals/{one.id}").json["proposals"]
    assert found["approvals"]["needs"][0]["have"] == 1
    served.gate.answer(one.id, approve=True, proof=Proof(by="alice", sign=ALICE.sign))
    served.gate.apply(one.id)
    assert (served.root / "pay/a.txt").read_text() == "x\n"


def test_a_touch_of_a_passkey_in_the_bundle_counts(served: Served, browser: Browser) -> None:
    passkey = Authenticator()
    assert register(served, browser, passkey).status == 303
    publish(served)
    one = served.propose("pay/a.txt", "x\n")
    look(browser, one.id)
    touch = passkey.answer(asked(browser, one), origin=served.origin)
    assert sent(browser, one, touch).status == 303
    assert served.events("endorsed")[0]["proof"] == "passkey"
    served.gate.answer(one.id, approve=True, proof=Proof(by="alice", sign=ALICE.sign))
    served.gate.apply(one.id)
    assert served.here.verify().ok


def test_a_passkey_that_the_bundle_lacks_counts_for_nothing(
    served: Served, browser: Browser
) -> None:
    publish(served)
    passkey = Authenticator()
    assert register(served, browser, passkey).status == 303
    one = served.propose("pay/a.txt", "x\n")
    touch = passkey.answer(asked(browser, one), origin=served.origin)
    sent(browser, one, touch)
    tally = served.gate.approvals(one)
    assert tally is not None
    assert tally.have == (0,)
    assert served.stored(one).state is State.WAITING


def test_a_set_says_it_for_each_file(served: Served, browser: Browser) -> None:
    publish(served)
    found = served.propose_set({"pay/a": "x", "free": "y"})
    assert browser.get(f"/proposals/{found[0].set_id}").text.count("0 of 2 approvals") == 1
