"""Approving by a touch, over HTTP: what is good for exactly one change, and what is good for none.

The authenticator is one in software; `test_browser_passkeys` has a real browser's.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from penstock.core.audit.approval.standing_approval import fingerprint
from penstock.core.errors import RefusedError
from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.passkey import from_text
from penstock.stores.approver.keys import ApproverKeys
from tests.authenticator import ATTESTED, PRESENT, VERIFIED, Authenticator, text
from tests.doors.web.page_server import LOW, WORDS, Answer, Browser, Served, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


@pytest.fixture
def browser(served: Served) -> Browser:
    return served.browser()


def register(
    served: Served, browser: Browser, one: Authenticator, words: str = WORDS, **how: Any
) -> Answer:
    """Add a passkey on the page."""
    options = browser.post("/passkeys/options").json
    how = {"origin": served.origin, **how}
    made = json.dumps(one.create(from_text(options["challenge"]), **how))
    fields = {"credential": made, "passphrase": words, "label": "key ring"}
    return browser.post("/passkeys/add", fields)


@pytest.fixture
def passkey(served: Served, browser: Browser) -> Authenticator:
    one = Authenticator()
    assert register(served, browser, one).status == 303
    return one


def look(browser: Browser, id_: str) -> None:
    """Have a change shown, as a browser does."""
    assert browser.get(f"/proposals/{id_}").status == 200


def asked(browser: Browser, one: Proposal, **more: str) -> bytes:
    """Ask what a passkey has to sign for a change that was looked at."""
    look(browser, one.id)
    answer = browser.post(f"/proposals/{one.id}/challenge", {"digest": one.content, **more})
    assert answer.status == 200, answer.text
    return from_text(answer.json["challenge"])


def sent(browser: Browser, one: Proposal, touch: object, **more: str) -> Answer:
    fields = {"digest": one.content, "touch": json.dumps(touch), **more}
    return browser.post(f"/proposals/{one.id}/approve", fields)


def code(answer: Answer) -> str:
    """Return the code of a page that tells of a problem."""
    return answer.text.partition('<p class="small"><code>')[2].partition("</code>")[0]


def sound(served: Served) -> list[str]:
    """Return what verifying the audit log finds."""
    report = served.here.verify()
    return [problem.message for problem in (*report.problems, *report.warnings)]


# --- what works ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["es256", "eddsa", "rs256"])
def test_a_touch_approves_one_change(served: Served, browser: Browser, kind: str) -> None:
    passkey = Authenticator(kind=kind)
    register(served, browser, passkey)
    one = served.propose("a.txt", "x\n")
    challenge = asked(browser, one)
    done = sent(browser, one, passkey.answer(challenge, origin=served.origin))
    assert done.status == 303, done.text
    assert (served.root / "a.txt").read_text() == "x\n"
    (event,) = served.events("approved")
    assert event["proof"] == "passkey"
    assert event["key_id"] == served.here.keys.current().id
    assert sound(served) == []


def test_one_touch_approves_a_set_and_each_entry_shows_it(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    some = served.propose_set({f"{n}.txt": "x\n" for n in range(5)})
    id_ = some[0].set_id
    look(browser, id_)
    digest = " ".join(f"{one.id}={one.content}" for one in some)
    fields = [("digest", digest), ("boxes", "5"), *(("keep", one.id) for one in some)]
    challenge = from_text(browser.post(f"/proposals/{id_}/challenge", fields).json["challenge"])
    touch = json.dumps(passkey.answer(challenge, origin=served.origin))
    assert browser.post(f"/proposals/{id_}/approve", [*fields, ("touch", touch)]).status == 303
    assert len(list(served.root.glob("*.txt"))) == 5
    approved = served.events("approved")
    assert len({json.dumps(event["touch"]) for event in approved}) == 1
    assert {event["list"]["size"] for event in approved} == {5}  # type: ignore[index]
    assert sound(served) == []


def test_a_touch_takes_some_files_of_a_set(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    some = served.propose_set({"a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n"})
    id_ = some[0].set_id
    look(browser, id_)
    digest = " ".join(f"{one.id}={one.content}" for one in some)
    fields = [("digest", digest), ("boxes", "3"), ("keep", some[0].id), ("keep", some[2].id)]
    challenge = from_text(browser.post(f"/proposals/{id_}/challenge", fields).json["challenge"])
    assert [served.stored(one).state for one in some] == [State.WAITING] * 3, "asking does nothing"
    wrong = json.dumps(passkey.answer(bytes(32), origin=served.origin))
    assert code(browser.post(f"/proposals/{id_}/approve", [*fields, ("touch", wrong)])) == (
        "wrong-touch"
    )
    assert [served.stored(one).state for one in some] == [State.WAITING] * 3, "nor does a wrong one"
    touch = json.dumps(passkey.answer(challenge, origin=served.origin))
    assert browser.post(f"/proposals/{id_}/approve", [*fields, ("touch", touch)]).status == 303
    assert sorted(path.name for path in served.root.glob("*.txt")) == ["a.txt", "c.txt"]
    assert served.stored(some[1]).state is State.REJECTED
    assert sound(served) == []


def test_a_touch_undoes_a_write(served: Served, browser: Browser, passkey: Authenticator) -> None:
    one = served.propose("a.txt", "x\n")
    sent(browser, one, passkey.answer(asked(browser, one), origin=served.origin))
    (receipt,) = served.gate.receipts()
    page = browser.get(f"/history/{receipt.id}").text
    digest = page.partition('name="digest" value="')[2].partition('"')[0]
    fields = {"digest": digest}
    answer = browser.post(f"/history/{receipt.id}/challenge", fields)
    touch = passkey.answer(from_text(answer.json["challenge"]), origin=served.origin)
    done = browser.post(f"/history/{receipt.id}/undo", {**fields, "touch": json.dumps(touch)})
    assert done.status == 303, done.text
    assert not (served.root / "a.txt").exists()
    assert sound(served) == []


def test_the_passphrase_still_approves(served: Served, browser: Browser) -> None:
    one = served.propose("a.txt", "x\n")
    look(browser, one.id)
    fields = {"digest": one.content, "passphrase": WORDS}
    assert browser.post(f"/proposals/{one.id}/approve", fields).status == 303
    assert sound(served) == []


def test_adding_and_removing_are_logged_and_need_the_passphrase(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    (added,) = served.events("passkey_added")
    (known,) = served.here.keys.own_passkeys()
    assert added["passkey"]["id"] == known.id  # type: ignore[index]
    fields = {"id": known.id, "passphrase": "guess"}
    assert code(browser.post("/passkeys/remove", fields)) == "wrong-passphrase"
    assert served.here.keys.own_passkeys() == (known,)
    one = served.propose("a.txt", "x\n")
    challenge = asked(browser, one)
    assert browser.post("/passkeys/remove", {**fields, "passphrase": WORDS}).status == 303
    (removed,) = served.events("passkey_removed")
    assert removed["passkey"]["id"] == known.id  # type: ignore[index]
    late = sent(browser, one, passkey.answer(challenge, origin=served.origin))
    assert code(late) == "wrong-touch"
    assert served.stored(one).state is State.WAITING
    assert sound(served) == []


# --- what approves nothing -----------------------------------------------------------------------

FORGED: dict[str, dict[str, Any]] = {
    "another name": {"rp": "evil.example"},
    "another site": {"origin": "https://evil.example"},
    "another port of localhost": {"origin": "http://localhost:1"},
    "nobody was verified": {"flags": PRESENT},
    "nobody was there": {"flags": VERIFIED},
    "made to register": {"kind": "webauthn.create"},
    "inside another page": {"crossOrigin": True},
}


@pytest.mark.parametrize("how", FORGED.values(), ids=FORGED.keys())
def test_a_touch_that_is_wrong_in_one_thing_approves_nothing(
    served: Served, browser: Browser, passkey: Authenticator, how: dict[str, Any]
) -> None:
    one = served.propose("a.txt", "x\n")
    touch = passkey.answer(asked(browser, one), **{"origin": served.origin, **how})
    _refused(served, sent(browser, one, touch), one)


def _refused(served: Served, answer: Answer, one: Proposal) -> None:
    assert code(answer) == "wrong-touch", answer.text
    assert served.stored(one).state is State.WAITING
    assert not (served.root / one.path).exists()
    (tried,) = served.events("approval_refused")
    assert tried["code"] == "wrong-touch"
    assert tried["proposal"] == one.id


def test_a_touch_by_a_passkey_that_nobody_registered_approves_nothing(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    one = served.propose("a.txt", "x\n")
    stranger = Authenticator(credential=b"theirs")
    _refused(
        served, sent(browser, one, stranger.answer(asked(browser, one), origin=served.origin)), one
    )


def test_a_touch_under_the_name_of_another_passkey_approves_nothing(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    one = served.propose("a.txt", "x\n")
    stranger = Authenticator(credential=passkey.credential)
    _refused(
        served, sent(browser, one, stranger.answer(asked(browser, one), origin=served.origin)), one
    )


@pytest.mark.parametrize("part", ["client", "authenticator", "signature"])
def test_a_touch_that_was_changed_on_its_way_approves_nothing(
    served: Served, browser: Browser, passkey: Authenticator, part: str
) -> None:
    one = served.propose("a.txt", "x\n")
    touch = passkey.answer(asked(browser, one), origin=served.origin)
    data = bytearray(from_text(touch[part]))
    data[-2] ^= 1
    _refused(served, sent(browser, one, {**touch, part: text(bytes(data))}), one)


def test_a_touch_for_one_change_approves_no_other(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    one, other = served.propose("a.txt", "x\n"), served.propose("b.txt", "x\n")
    touch = passkey.answer(asked(browser, one), origin=served.origin)
    look(browser, other.id)
    _refused(served, sent(browser, other, touch), other)
    assert code(sent(browser, one, touch)) == "wrong-touch", "and is used up by the attempt"


def test_a_touch_for_one_version_does_not_approve_the_next(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    one = served.propose("a.txt", "x\n")
    touch = passkey.answer(asked(browser, one), origin=served.origin)
    newer = served.gate.revise(one.id, b"y\n")
    look(browser, newer.id)
    _refused(served, sent(browser, newer, touch), newer)


def test_a_touch_for_a_part_does_not_approve_the_whole(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    some = served.propose_set({"a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n"})
    id_ = some[0].set_id
    look(browser, id_)
    digest = " ".join(f"{one.id}={one.content}" for one in some)
    head = [("digest", digest), ("boxes", "3")]
    part = [*head, *(("keep", one.id) for one in some[:2])]
    challenge = from_text(browser.post(f"/proposals/{id_}/challenge", part).json["challenge"])
    touch = ("touch", json.dumps(passkey.answer(challenge, origin=served.origin)))
    whole = [*head, *(("keep", one.id) for one in some), touch]
    assert code(browser.post(f"/proposals/{id_}/approve", whole)) == "wrong-touch"
    assert [served.stored(one).state for one in some] == [State.WAITING] * 3
    assert list(served.root.glob("*.txt")) == []


def test_a_touch_is_used_once_and_in_its_own_session(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    one = served.propose("a.txt", "x\n")
    touch = passkey.answer(asked(browser, one), origin=served.origin)
    thief = served.browser()
    look(thief, one.id)
    assert code(sent(thief, one, touch)) == "wrong-touch", "another session did not ask for it"
    assert sent(browser, one, touch).status == 303
    assert code(sent(browser, one, touch)) in ("wrong-touch", "already-applied")
    again = served.propose("b.txt", "x\n")
    look(browser, again.id)
    assert code(sent(browser, again, touch)) == "wrong-touch"


def test_a_stolen_session_approves_nothing(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    """A cookie and all that the page shows with it: no touch, no passphrase, no approval."""
    one = served.propose("a.txt", "x\n")
    thief = Browser(served.port, cookie=browser.cookie)
    thief.csrf = thief.get("/").text.partition('name="csrf" value="')[2].partition('"')[0]
    assert thief.csrf == browser.csrf
    challenge = asked(thief, one)
    mine = Authenticator(credential=passkey.credential)
    for touch in ({}, {"id": "x"}, mine.answer(challenge, origin=served.origin), None, "x"):
        assert sent(thief, one, touch).status in (400, 403)
    for fields in ({}, {"unlocked": "x" * 43}, {"unlock": "x" * 43}, {"touch": "", "unlocked": ""}):
        done = thief.post(f"/proposals/{one.id}/approve", {"digest": one.content, **fields})
        assert done.status == 403, done.text
    assert code(register(served, thief, Authenticator(), words="guess")) == "wrong-passphrase"
    assert code(register(served, thief, Authenticator(), words="")) == "no-passphrase"
    assert len(served.here.keys.own_passkeys()) == 1
    assert served.stored(one).state is State.WAITING


def test_a_counter_that_goes_back_is_refused_and_a_counter_of_zero_is_not(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    first, second = served.propose("a.txt", "x\n"), served.propose("b.txt", "x\n")
    passkey.count = 10
    sent(browser, first, passkey.answer(asked(browser, first), origin=served.origin))
    copy = passkey.answer(asked(browser, second), origin=served.origin, steps=-3)
    assert code(sent(browser, second, copy)) == "passkey-copied"
    (tried,) = served.events("approval_refused")
    assert tried["code"] == "passkey-copied"
    assert served.stored(second).state is State.WAITING
    still = Authenticator(credential=b"still")
    register(served, browser, still)
    for name in ("c.txt", "d.txt"):
        one = served.propose(name, "x\n")
        touch = still.answer(asked(browser, one), origin=served.origin, steps=0)
        assert sent(browser, one, touch).status == 303


# --- registering ---------------------------------------------------------------------------------

UNFIT: dict[str, dict[str, Any]] = {
    "nobody was verified": {"flags": PRESENT | ATTESTED},
    "nobody was there": {"flags": VERIFIED | ATTESTED},
    "another name": {"rp": "evil.example"},
    "another address": {"origin": "http://localhost:1"},
    "the number in place of the name": {"origin": "http://127.0.0.1:1"},
    "made to sign": {"kind": "webauthn.get"},
}


@pytest.mark.parametrize("how", UNFIT.values(), ids=UNFIT.keys())
def test_a_passkey_that_does_not_fit_is_not_registered(
    served: Served, browser: Browser, how: dict[str, Any]
) -> None:
    assert code(register(served, browser, Authenticator(), **how)) == "bad-passkey"
    assert served.here.keys.passkeys.added() == ()
    assert served.events("passkey_added") == []


def test_a_registration_is_asked_for_and_used_once(served: Served, browser: Browser) -> None:
    one = Authenticator()
    options = browser.post("/passkeys/options").json
    assert options["authenticatorSelection"]["userVerification"] == "required"
    made = one.create(from_text(options["challenge"]), origin=served.origin)
    fields = {"credential": json.dumps(made), "passphrase": WORDS, "label": ""}
    assert code(served.browser().post("/passkeys/add", fields)) == "bad-passkey", "another session"
    assert browser.post("/passkeys/add", fields).status == 303
    assert code(browser.post("/passkeys/add", fields)) == "bad-passkey"
    assert code(register(served, browser, one)) == "passkey-exists"
    assert len(served.here.keys.own_passkeys()) == 1


@pytest.mark.parametrize("made", ["", "x", "{}", "[]", "null", "9" * 70_000])
def test_what_is_no_passkey_is_told(served: Served, browser: Browser, made: str) -> None:
    browser.post("/passkeys/options")
    fields = {"credential": made, "passphrase": WORDS, "label": "x"}
    assert code(browser.post("/passkeys/add", fields)) == "bad-passkey"


@pytest.mark.parametrize("label", ["x" * 61, "a\u202eb", "ghp_" + "a1B2" * 9])
def test_a_label_is_short_and_plain(served: Served, browser: Browser, label: str) -> None:
    options = browser.post("/passkeys/options").json
    made = Authenticator().create(from_text(options["challenge"]), origin=served.origin)
    fields = {"credential": json.dumps(made), "passphrase": WORDS, "label": label}
    assert code(browser.post("/passkeys/add", fields)) == "bad-label"


def test_wrong_passphrases_lock_out_here_as_well(served: Served, browser: Browser) -> None:
    answers = [code(register(served, browser, Authenticator(), words="guess")) for _ in range(6)]
    assert answers[-1] == "too-many-attempts"


def test_without_a_key_no_passkey_is_registered(tmp_path: Path) -> None:
    with serving(tmp_path, key=False) as served:
        browser = served.browser()
        assert "penstock approver init" in browser.get("/passkeys").text
        assert code(browser.post("/passkeys/options")) == "key-needed"
        fields = {"credential": "{}", "passphrase": WORDS, "label": ""}
        assert code(browser.post("/passkeys/add", fields)) == "key-needed"


# --- what is on the disk -------------------------------------------------------------------------


def _swap(served: Served, **other: object) -> None:
    """Change a line of the list of passkeys, as whoever runs as the same user can."""
    path = Path(served.here.keys.passkeys.path)
    held = json.loads(path.read_text())
    path.write_text(json.dumps({**held, **other}) + "\n")


SWAPS = ("public", "origin", "signature", "key_id", "all")


@pytest.mark.parametrize("what", SWAPS)
def test_a_registration_that_is_swapped_on_the_disk_approves_nothing(
    served: Served, browser: Browser, passkey: Authenticator, what: str, tmp_path: Path
) -> None:
    theirs = Authenticator(credential=passkey.credential)
    swaps: dict[str, dict[str, object]] = {
        "public": {"public": theirs.public.hex()},
        "origin": {"origin": "http://localhost:1"},
        "signature": {"signature": "A" * 86 + "=="},
        "key_id": {"key_id": "0" * 16},
    }
    if what == "all":  # signed for by a key of their own
        keys = ApproverKeys(str(tmp_path / "theirs"), cost=LOW)
        keys.init("their own words")
        signer = keys.unseal("their own words")
        (mine,) = served.here.keys.own_passkeys()
        made = replace(mine, public=theirs.public, key_id=signer.id)
        signature = signer.sign(made.statement())
        swaps["all"] = {"public": made.public.hex(), "key_id": signer.id, "signature": signature}
    one = served.propose("a.txt", "x\n")
    challenge = asked(browser, one)
    _swap(served, **swaps[what])
    origin = "http://localhost:1" if what == "origin" else served.origin
    for who in (passkey, theirs):
        done = sent(browser, one, who.answer(challenge, origin=origin))
        assert code(done) == "wrong-touch", done.text
    assert code(browser.post(f"/proposals/{one.id}/challenge", {"digest": one.content})) == (
        "no-passkey"
    )
    assert "approves nothing" in browser.get("/passkeys").text
    assert served.stored(one).state is State.WAITING


def test_a_list_that_is_damaged_is_told_and_the_passphrase_still_approves(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    Path(served.here.keys.passkeys.path).write_text("not a line\n")
    assert code(browser.get("/passkeys")) == "passkeys-broken"
    one = served.propose("a.txt", "x\n")
    look(browser, one.id)
    fields = {"digest": one.content, "passphrase": WORDS}
    assert browser.post(f"/proposals/{one.id}/approve", fields).status == 303


def test_a_passkey_of_an_earlier_key_approves_nothing_and_its_old_approvals_hold(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    one, other = served.propose("a.txt", "x\n"), served.propose("b.txt", "x\n")
    assert (
        sent(browser, one, passkey.answer(asked(browser, one), origin=served.origin)).status == 303
    )
    served.here.keys.succeed(WORDS)
    look(browser, other.id)
    asking = browser.post(f"/proposals/{other.id}/challenge", {"digest": other.content})
    assert code(asking) == "no-passkey"
    assert sound(served) == []


def test_where_the_rules_want_a_code_a_touch_is_not_enough(tmp_path: Path) -> None:
    rules = '[defaults]\ncreate = "ask"\nwrite = "ask"\n'
    with serving(tmp_path, rules=rules) as served:
        browser, one = served.browser(), Authenticator()
        register(served, browser, one)
        proposal = served.propose("a.txt", "x\n")
        challenge = asked(browser, proposal)
        (served.root / "penstock.toml").write_text(f"{rules}[approval]\ntotp = true\n")
        assert "data-touch" not in browser.get(f"/proposals/{proposal.id}").text
        done = sent(browser, proposal, one.answer(challenge, origin=served.origin))
        assert code(done) == "code-needed"
        assert served.stored(proposal).state is State.WAITING


# --- the gate and the log ------------------------------------------------------------------------


def test_a_forged_approval_in_the_queue_and_the_log_writes_nothing(
    served: Served, browser: Browser, passkey: Authenticator
) -> None:
    """The gate looks at the entry again before it writes: another change's touch is refused."""
    one, other = served.propose_set({"a.txt": "x\n", "b.txt": "y\n"})
    sent(browser, one, passkey.answer(asked(browser, one), origin=served.origin))
    (event,) = served.events("approved")
    added = ("ts", "seq", "prev_hash", "event_hash")
    forged = {name: value for name, value in event.items() if name not in added}
    about = {
        "proposal": other.id,
        "path": other.path,
        "content_hash": other.content,
        "proposal_hash": fingerprint(other),
    }
    served.here.record.log.append({**forged, **about}, durable=True)
    with sqlite3.connect(Path(served.here.state) / "penstock.db") as db:
        ((answer,),) = db.execute("SELECT answer FROM proposals WHERE id = ?", (one.id,)).fetchall()
        row = ("approved", answer, other.id)
        db.execute("UPDATE proposals SET state = ?, answer = ? WHERE id = ?", row)
    with pytest.raises(RefusedError) as no:
        served.gate.apply(other.id)
    assert no.value.code == "bad-signature"
    assert not (served.root / "b.txt").exists()
    assert [said.partition(": ")[2] for said in sound(served)] == ["it was made for something else"]
