"""An unlocked session: for ten minutes, for what is not dangerous, in one browser, and logged."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.unlock import LONGEST
from tests.authenticator import Authenticator
from tests.doors.web.page_server import LINES, WORDS, Answer, Browser, Served, serving
from tests.doors.web.test_passkeys import asked, code, look, register, sent, sound

SECRET = "s" * 43


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


@pytest.fixture
def browser(served: Served) -> Browser:
    """A browser whose session was unlocked by a passphrase, with the approval of `first.txt`."""
    made = served.browser()
    assert unlock(served, made).status == 303
    return made


def unlock(served: Served, browser: Browser, name: str = "first.txt", **more: str) -> Answer:
    one = served.propose(name, "x\n")
    look(browser, one.id)
    fields = {"digest": one.content, "passphrase": WORDS, "unlock": SECRET, **more}
    return browser.post(f"/proposals/{one.id}/approve", fields)


def approve(browser: Browser, one: Proposal, secret: str = SECRET) -> Answer:
    look(browser, one.id)
    fields = {"digest": one.content, "unlocked": secret}
    return browser.post(f"/proposals/{one.id}/approve", fields)


def test_an_unlocked_session_approves_and_every_entry_proves_it(
    served: Served, browser: Browser
) -> None:
    for name in ("a.txt", "b.txt"):
        assert approve(browser, served.propose(name, "x\n")).status == 303
    (opened,) = served.events("unlocked")
    held = opened["unlock"]
    assert isinstance(held, dict)
    assert held["until"] - held["since"] == LONGEST
    assert [event["proof"] for event in served.events("approved")] == ["key", "unlock", "unlock"]
    assert sound(served) == []


def test_the_page_says_for_how_long_and_asks_for_no_passphrase(
    served: Served, browser: Browser
) -> None:
    one = served.propose("a.txt", "x\n")
    page = browser.get(f"/proposals/{one.id}").text
    assert 'id="lock"' in page
    assert "data-unlocked=" in page
    assert SECRET not in page
    assert 'id="lock"' not in served.browser().get("/").text, "another session is not"


def test_a_touch_unlocks_as_well(served: Served) -> None:
    browser, passkey = served.browser(), Authenticator()
    register(served, browser, passkey)
    one = served.propose("a.txt", "x\n")
    touch = passkey.answer(asked(browser, one, unlock=SECRET), origin=served.origin)
    assert sent(browser, one, touch, unlock=SECRET).status == 303
    assert approve(browser, served.propose("b.txt", "x\n")).status == 303
    (opened,) = served.events("unlocked")
    assert opened["proof"] == "passkey"
    assert sound(served) == []


def test_a_touch_that_was_not_asked_to_unlock_does_not(served: Served) -> None:
    browser, passkey = served.browser(), Authenticator()
    register(served, browser, passkey)
    one = served.propose("a.txt", "x\n")
    touch = passkey.answer(asked(browser, one), origin=served.origin)
    assert sent(browser, one, touch, unlock=SECRET).status == 303
    assert code(approve(browser, served.propose("b.txt", "x\n"))) == "locked"
    assert served.events("unlocked") == []


# --- what stays locked ---------------------------------------------------------------------------


def test_a_stolen_cookie_of_an_unlocked_session_approves_nothing(
    served: Served, browser: Browser
) -> None:
    one = served.propose("a.txt", "x\n")
    thief = Browser(served.port, cookie=browser.cookie, csrf=browser.csrf)
    for secret in ("", "x", "t" * 43, SECRET[:-1], SECRET + "s"):
        assert approve(thief, one, secret).status == 403
    everything = thief.get("/").text + thief.get(f"/proposals/{one.id}").text
    assert SECRET not in everything
    assert served.stored(one).state is State.WAITING
    tried = [event["code"] for event in served.events("approval_refused")]
    assert tried == ["locked"] * 4, "what is empty was no attempt"


def test_the_secret_opens_no_other_session(served: Served, browser: Browser) -> None:
    one = served.propose("a.txt", "x\n")
    assert code(approve(served.browser(), one)) == "locked"
    assert served.stored(one).state is State.WAITING


def test_lock_and_sign_out_end_it_and_are_logged(served: Served, browser: Browser) -> None:
    assert browser.post("/lock").status == 303
    assert code(approve(browser, served.propose("a.txt", "x\n"))) == "locked"
    (locked,) = served.events("locked")
    (opened,) = served.events("unlocked")
    assert locked["unlock"]["id"] == opened["unlock"]["id"]  # type: ignore[index]
    assert browser.post("/lock").status == 303, "once more does nothing"
    unlock(served, browser, "b.txt")
    browser.post("/close")
    assert len(served.events("locked")) == 2
    assert sound(served) == []


def test_it_ends_by_itself(served: Served) -> None:
    browser = served.browser()
    served.world.prover.now = lambda: time.time() - LONGEST - 1
    unlock(served, browser)
    one = served.propose("a.txt", "x\n")
    look(browser, one.id)
    late = approve(browser, one)
    assert code(late) == "locked"
    served.world.prover.now = time.time
    assert code(approve(browser, one)) == "locked"
    assert served.stored(one).state is State.WAITING
    assert 'id="lock"' not in browser.get("/").text


def test_an_unlocked_approval_does_not_unlock_for_longer(served: Served, browser: Browser) -> None:
    one = served.propose("a.txt", "x\n")
    look(browser, one.id)
    fields = {"digest": one.content, "unlocked": SECRET, "unlock": "n" * 43}
    assert browser.post(f"/proposals/{one.id}/approve", fields).status == 303
    assert len(served.events("unlocked")) == 1
    assert code(approve(browser, served.propose("b.txt", "x\n"), "n" * 43)) == "locked"


@pytest.mark.parametrize("secret", ["x", "ä" * 43, "x" * 101])
def test_a_secret_that_is_none_unlocks_nothing(served: Served, secret: str) -> None:
    browser = served.browser()
    assert code(unlock(served, browser, unlock=secret)) == "bad-secret"
    assert served.events("unlocked") == []


def test_a_wrong_passphrase_unlocks_nothing(served: Served) -> None:
    browser = served.browser()
    assert code(unlock(served, browser, passphrase="guess")) == "wrong-passphrase"
    assert code(approve(browser, served.propose("a.txt", "x\n"))) == "locked"


# --- what is dangerous ---------------------------------------------------------------------------

DANGEROUS = {
    "hidden characters": ("a.py", "x = 'a\u202eb'\n"),
    "most of a file goes": ("big.txt", "one\n"),
}


@pytest.mark.parametrize(("name", "text"), DANGEROUS.values(), ids=DANGEROUS.keys())
def test_what_is_dangerous_needs_a_fresh_proof(
    served: Served, browser: Browser, name: str, text: str
) -> None:
    served.write("big.txt", LINES)
    one = served.propose(name, text)
    assert served.gate.dangers(one), "or this row says nothing"
    assert "Needs a fresh proof" in browser.get(f"/proposals/{one.id}").text
    assert code(approve(browser, one)) == "fresh-proof-needed"
    assert served.stored(one).state is State.WAITING
    fields = {"digest": one.content, "passphrase": WORDS}
    assert browser.post(f"/proposals/{one.id}/approve", fields).status == 303
    assert sound(served) == []


def test_deleting_needs_a_fresh_proof_and_undoing_does_not(
    served: Served, browser: Browser
) -> None:
    served.write("b.txt", "x\n")
    one = served.propose("b.txt", None)
    look(browser, one.id)
    fields = {"digest": "absent", "unlocked": SECRET}
    done = browser.post(f"/proposals/{one.id}/approve", fields)
    assert code(done) == "fresh-proof-needed"
    (receipt,) = served.gate.receipts()
    page = browser.get(f"/history/{receipt.id}").text
    digest = page.partition('name="digest" value="')[2].partition('"')[0]
    done = browser.post(f"/history/{receipt.id}/undo", {"digest": digest, "unlocked": SECRET})
    assert done.status == 303, done.text
    assert not (served.root / "first.txt").exists()
    assert sound(served) == []


def test_one_dangerous_file_of_a_set_is_enough(served: Served, browser: Browser) -> None:
    some = served.propose_set({"a.txt": "x\n", "b.py": "x = 'a\u202eb'\n"})
    id_ = some[0].set_id
    look(browser, id_)
    digest = " ".join(f"{one.id}={one.content}" for one in some)
    fields = [("digest", digest), ("boxes", "2"), *(("keep", one.id) for one in some)]
    done = browser.post(f"/proposals/{id_}/approve", [*fields, ("unlocked", SECRET)])
    assert code(done) == "fresh-proof-needed"
    assert [served.stored(one).state for one in some] == [State.WAITING] * 2


def test_the_bytes_say_what_is_dangerous_whatever_the_queue_says(
    served: Served, browser: Browser
) -> None:
    one = served.propose("a.py", "x = 'a\u202eb'\n")
    with sqlite3.connect(Path(served.here.state) / "penstock.db") as db:
        ((text,),) = db.execute("SELECT body FROM proposals WHERE id = ?", (one.id,)).fetchall()
        held = json.loads(text)
        held["warnings"], held["change"]["notes"] = [], []
        db.execute("DROP TRIGGER proposals_keep")
        db.execute("UPDATE proposals SET body = ? WHERE id = ?", (json.dumps(held), one.id))
    assert served.stored(one).warnings == ()
    assert code(approve(browser, one)) == "fresh-proof-needed"


def test_rules_that_would_allow_more_need_a_fresh_proof(served: Served, browser: Browser) -> None:
    one = served.propose("penstock.toml", '[defaults]\nwrite = "allow"\ncreate = "allow"\n')
    assert "allow more" in served.gate.dangers(one)[0]
    assert one.state is State.DENIED, "and an agent may not even propose it"


def test_where_the_rules_want_a_code_nothing_is_unlocked(served: Served, browser: Browser) -> None:
    rules = served.root / "penstock.toml"
    one = served.propose("a.txt", "x\n")
    look(browser, one.id)
    rules.write_text(rules.read_text() + "[approval]\ntotp = true\n")
    assert code(approve(browser, one)) == "code-needed"
    assert "keep-unlocked" not in browser.get(f"/proposals/{one.id}").text


def test_a_passkey_that_is_removed_takes_its_unlock_along(served: Served) -> None:
    browser, passkey = served.browser(), Authenticator()
    register(served, browser, passkey)
    one = served.propose("a.txt", "x\n")
    touch = passkey.answer(asked(browser, one, unlock=SECRET), origin=served.origin)
    sent(browser, one, touch, unlock=SECRET)
    (known,) = served.here.keys.own_passkeys()
    assert browser.post("/passkeys/remove", {"id": known.id, "passphrase": WORDS}).status == 303
    other = served.propose("b.txt", "x\n")
    assert code(approve(browser, other)) == "locked"
    assert served.stored(other).state is State.WAITING
