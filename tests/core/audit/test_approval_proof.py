"""Approvals by touch and by unlock in an audit log: each entry is checked alone, and in order."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.approval.approval_list import challenge_of
from penstock.core.audit.approval.approval_proof import passkey_facts, touch_facts, unlock_facts
from penstock.core.audit.approval.approvals import Approvals
from penstock.core.audit.event import compose
from penstock.core.audit.readable_secrets import readable_secrets
from penstock.core.proposals.passkey import Passkey, PasskeyTouch, removal
from penstock.core.proposals.signature import key_id, public_of, sign, statement
from penstock.core.proposals.unlock import LONGEST, Unlock
from tests.authenticator import Authenticator
from tests.core.proposals.test_passkey import registered

SECRET, SESSION = bytes(range(32)), bytes(range(40, 72))
PUBLIC = public_of(SECRET)
ONE = Authenticator(kind="es256")
MINE = registered(ONE)
Event = dict[str, Any]


def said(name: str, at: float = 1000.5) -> bytes:
    return statement(name, None, "sha256:1", "rev", at, path="a.txt")


def approved(name: str, at: float = 1000.5, **facts: Any) -> Event:
    event = {"op": "approved", "proposal": name, "content_hash": "sha256:1", "revision": "rev"}
    return {**event, "path": "a.txt", "signed_at": at, **facts}


def by_touch(
    *names: str, at: float = 1000.5, mine: Passkey = MINE, one: Authenticator = ONE, **how: Any
) -> list[Event]:
    """Return the entries of proposals that one touch approves."""
    challenge, places = challenge_of([said(name, at) for name in names])
    touch = PasskeyTouch(**one.touch(challenge, **how))
    return [
        approved(name, at, proof="passkey", **touch_facts(mine, touch, places[said(name, at)]))
        for name in names
    ]


def unlocked(*, until: float = 1600.0, touch: bool = False) -> tuple[Unlock, Event]:
    """Return an unlock from 1000 on, and what vouches for it."""
    unlock = Unlock(public=public_of(SESSION), since=1000.0, until=until)
    if not touch:
        signature = sign(SECRET, unlock.statement())
        return unlock, {
            "key_id": key_id(PUBLIC),
            "unlock": unlock_facts(unlock, signature=signature),
        }
    challenge, places = challenge_of([unlock.statement(), said("p0")])
    made = PasskeyTouch(**ONE.touch(challenge))
    facts = touch_facts(MINE, made, places[unlock.statement()])
    return unlock, {**facts, "unlock": unlock_facts(unlock)}


def by_session(name: str, vouched: Mapping[str, Any], *, at: float = 1000.5, **other: Any) -> Event:
    signature = sign(SESSION, said(name, at))
    return {**approved(name, at, proof="unlock", signature=signature, **vouched), **other}


def problems(*events: Mapping[str, object], known: bytes = PUBLIC) -> list[str]:
    found = Approvals()
    found.know(known)
    # As they stand on a line: composed, and read back.
    lines = [json.loads(b"{" + compose(event) + b"}") for event in events]
    found.feed(enumerate(lines, 1))
    return [f"{problem.line}: {problem.message}" for problem in found.problems]


def changed(event: Event, where: str, value: object) -> Event:
    """Return an entry with one thing in it replaced, `a.b` for what lies deeper."""
    made = copy.deepcopy(event)
    *above, last = where.split(".")
    at: Any = made
    for name in above:
        at = at[name]
    at[last] = value
    return made


# --- touches -------------------------------------------------------------------------------------


def test_a_touch_approves_one_or_a_list_and_each_entry_stands_alone() -> None:
    assert problems(*by_touch("p1")) == []
    several = by_touch("p1", "p2", "p3")
    assert problems(*several) == []
    for one in several:
        assert problems(one) == [], "without the others"
    assert problems(*several, known=public_of(SESSION)) != [], "another approver's log"


@pytest.mark.parametrize("kind", ["eddsa", "rs256"])
def test_every_kind_of_passkey_fits_an_entry(kind: str) -> None:
    one = Authenticator(kind=kind, credential=bytes(range(256)))
    assert problems(*by_touch(*map(str, range(40)), mine=registered(one), one=one)) == []


def test_nothing_of_a_touch_is_taken_for_a_secret() -> None:
    lines = [b"{" + compose(event) + b"}" for _ in range(40) for event in by_touch("p1", "p2")]
    assert list(readable_secrets(lines)) == []


OTHER = Authenticator()
CHANGED: dict[str, tuple[str, object]] = {
    "another path": ("path", "b.txt"),
    "another proposal": ("proposal", "p1"),
    "another content": ("content_hash", "sha256:2"),
    "another base": ("base_hash", "sha256:0"),
    "another policy": ("revision", "other"),
    "another time": ("signed_at", 1000.6),
    "a time that is none": ("signed_at", "now"),
    "another passkey's key": ("passkey.public", OTHER.public.hex()),
    "another address": ("passkey.origin", "http://localhost:3000"),
    "another handle": ("passkey.handle", "00"),
    "another label": ("passkey.label", "mine"),
    "another beginning": ("passkey.since", 1.0),
    "no signature for the passkey": ("passkey.signature", ""),
    "no passkey": ("passkey", None),
    "another approver": ("key_id", key_id(public_of(SESSION))),
    "no touch": ("touch", {}),
    "a touch in capitals": ("touch.signature", "AB"),
    "no list": ("list", None),
    "another place": ("list.index", 0),
    "another size": ("list.size", 4),
    "another root": ("list.root", "00" * 32),
    "no way to the root": ("list.path", []),
    "a list that is none": ("list", "x"),
    "called a key's": ("proof", "key"),
    "called a terminal's": ("proof", "terminal"),
    "called an unlock's": ("proof", "unlock"),
}


@pytest.mark.parametrize(("where", "value"), CHANGED.values(), ids=CHANGED.keys())
def test_an_entry_that_was_changed_is_told(where: str, value: object) -> None:
    event = by_touch("p1", "p2", "p3")[1]
    # After a key was made, so that an approval without any proof is late.
    made = {"op": "key_made", "path": "", "approver": "x"}
    found = problems(made, changed(event, where, value))
    assert [line for line in found if line.startswith("2: ")], where


def test_an_item_that_is_added_to_a_list_is_told() -> None:
    several = by_touch("p1", "p2")
    added = {**several[0], "proposal": "p3"}
    assert [line[:2] for line in problems(*several, added)] == ["3:"]


def test_a_touch_that_is_used_again_is_told() -> None:
    (one,) = by_touch("p1")
    assert "used before, at line 1" in problems(one, one)[0]


def test_a_counter_that_goes_back_is_told_and_one_that_stays_zero_is_not() -> None:
    clone = Authenticator()
    mine = registered(clone)
    first, later = (
        by_touch(name, at=float(at), mine=mine, one=clone)[0] for at, name in ((1, "p1"), (2, "p2"))
    )
    assert problems(first, later) == []
    assert "counted back" in problems(later, first)[0]
    still = Authenticator()
    mine = registered(still)
    none = [by_touch(f"p{at}", at=float(at), mine=mine, one=still, steps=0)[0] for at in (1, 2)]
    assert problems(*none) == []


def test_after_its_removal_a_passkey_approves_nothing() -> None:
    (one,) = by_touch("p1")
    gone: Event = {
        "op": "passkey_removed",
        "path": "",
        "status": "done",
        "passkey": {"id": MINE.id, "public": MINE.public.hex()},
        "key_id": key_id(PUBLIC),
        "signed_at": 1001.0,
        "signature": sign(SECRET, removal(MINE.public, 1001.0)),
    }
    assert problems(one, gone) == []
    assert "had been removed" in problems(gone, one)[0]
    forged = {**gone, "signature": sign(SESSION, removal(MINE.public, 1001.0))}
    assert ["not signed" in line for line in problems(forged, one)] == [True]
    found = Approvals()
    found.know(PUBLIC)
    found.passkeys.removed[MINE.id] = "2025-01-13T12:00:00Z"
    found.feed(
        [(1, {**one, "ts": "2025-01-13T11:59:59Z"}), (2, {**one, "ts": "2025-01-13T12:00:01Z"})]
    )
    assert [problem.line for problem in found.problems] == [2]


def test_a_passkey_that_the_approver_did_not_sign_for_is_told() -> None:
    added = {"op": "passkey_added", "path": "", "status": "done", "key_id": MINE.key_id}
    assert problems({**added, "passkey": passkey_facts(MINE)}) == []
    theirs = passkey_facts(MINE) | {"public": OTHER.public.hex()}
    for held in (theirs, None, {}):
        assert "is not the approver's" in problems({**added, "passkey": held})[0]


# --- unlocks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("touch", [False, True])
def test_an_unlock_approves_until_its_end(touch: bool) -> None:
    _, vouched = unlocked(touch=touch)
    opened = {"op": "unlocked", "path": "", "status": "done", **vouched}
    within = [by_session("p1", vouched), by_session("p2", vouched, at=1600.0)]
    assert problems(opened, *within) == []
    for at in (999.9, 1600.1):
        assert "outside of its unlock" in problems(by_session("p1", vouched, at=at))[0]
    locked = {"op": "locked", "path": "", "status": "done", "unlock": vouched["unlock"]}
    assert "had been locked" in problems(opened, within[0], locked, within[1])[0]


def test_an_unlock_that_is_too_long_covers_nothing() -> None:
    _, vouched = unlocked(until=1000.1 + LONGEST)
    assert "outside of its unlock" in problems(by_session("p1", vouched))[0]


def test_a_touch_between_an_unlock_by_touch_and_its_approvals_counts_on() -> None:
    _, vouched = unlocked(touch=True)
    opened = {"op": "unlocked", "path": "", "status": "done", **vouched}
    (between,) = by_touch("p2", at=1000.7)
    assert problems(opened, between, by_session("p1", vouched, at=1001.0)) == []


SESSIONS: dict[str, tuple[str, object]] = {
    "another session's key": ("unlock.public", public_of(SECRET).hex()),
    "a later end": ("unlock.until", 1601.0),
    "an earlier beginning": ("unlock.since", 999.0),
    "no signature for it": ("unlock.signature", ""),
    "no unlock": ("unlock", None),
    "another approver": ("key_id", "0" * 16),
    "another signature": ("signature", sign(SECRET, said("p1"))),
    "another path": ("path", "b.txt"),
    "another time within it": ("signed_at", 1001.0),
    "called a touch": ("proof", "passkey"),
    "called a key's": ("proof", "key"),
}


@pytest.mark.parametrize(("where", "value"), SESSIONS.values(), ids=SESSIONS.keys())
def test_an_unlocked_entry_that_was_changed_is_told(where: str, value: object) -> None:
    _, vouched = unlocked()
    assert problems(changed(by_session("p1", vouched), where, value)) != []


def test_an_unlock_that_nobody_gave_is_told() -> None:
    unlock, _ = unlocked()
    forged = {
        "key_id": key_id(PUBLIC),
        "unlock": unlock_facts(unlock, signature=sign(SESSION, b"")),
    }
    opened = {"op": "unlocked", "path": "", "status": "done", **forged}
    assert [line[:2] for line in problems(opened, by_session("p1", forged))] == ["1:", "2:"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2)
    ),
    max_leaves=4,
)
NAMES = ("passkey", "touch", "list", "unlock", "signature", "key_id", "signed_at")


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1))
def test_nothing_in_an_entry_stops_the_check(other: dict[str, object]) -> None:
    found = Approvals()
    found.know(PUBLIC)
    for event in (by_touch("p1", "p2")[0], by_session("p1", unlocked()[1])):
        for op in ("approved", "passkey_added", "passkey_removed", "unlocked", "locked"):
            found.feed([(1, {**event, **other, "op": op})])
