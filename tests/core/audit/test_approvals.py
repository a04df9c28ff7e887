"""Approvals on the record: signed for exactly what they say, or told."""

from __future__ import annotations

import base64
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.approval.approvals import Approvals
from penstock.core.proposals.signature import key_id, public_of, sign, statement, succession

SECRET = bytes(range(32))
PUBLIC = public_of(SECRET)
MADE: dict[str, object] = {"op": "key_made", "approver": base64.b64encode(PUBLIC).decode()}


def approved(**other: object) -> dict[str, object]:
    said = statement("p1", None, "sha256:1", "rev", 1000.5, path="a.txt")
    event: dict[str, object] = {
        "op": "approved",
        "proposal": "p1",
        "content_hash": "sha256:1",
        "revision": "rev",
        "path": "a.txt",
        "signed_at": 1000.5,
        "signature": sign(SECRET, said),
        "key_id": key_id(PUBLIC),
    }
    return {**event, **other}


def problems(*events: dict[str, object], found: Approvals | None = None) -> list[tuple[str, int]]:
    """Return what a record from elsewhere shows, of which nothing is known beforehand."""
    found = found or Approvals(elsewhere=True)
    found.feed(enumerate(events, 1))
    return [(problem.kind, problem.line) for problem in (*found.problems, *found.warnings)]


def ours(*secrets: bytes, since: str = "") -> Approvals:
    """Return the check of the approver's own record, who has made these keys."""
    found = Approvals()
    for secret in secrets:
        found.know(public_of(secret), since)
    return found


def key_made(secret: bytes, *, signed_by: bytes = b"", **other: object) -> dict[str, object]:
    public = public_of(secret)
    event: dict[str, object] = {"op": "key_made", "approver": base64.b64encode(public).decode()}
    if signed_by:
        old = public_of(signed_by)
        event["replaces"] = key_id(old)
        event["signature"] = sign(signed_by, succession(old, public))
    return {**event, **other}


def test_a_signature_over_exactly_this_is_good() -> None:
    assert problems(MADE, approved(), {"op": "proposed"}) == []


WRONG = [
    ({"path": "b.txt"}, "another path"),
    ({"proposal": "p2"}, "another proposal"),
    ({"base_hash": "sha256:0"}, "another base"),
    ({"content_hash": None}, "no content"),
    ({"revision": "other"}, "another policy"),
    ({"signed_at": 1000.6}, "another time"),
    ({"signed_at": math.inf}, "a time that is none"),
    ({"signed_at": 10**400}, "a number beyond all times"),
    ({"signed_at": "1000.5"}, "a text for a time"),
    ({"signature": "x"}, "no signature"),
    ({"signature": 7}, "a number for a signature"),
    ({"signature": ""}, "no signature at all, after a key was made"),
    ({"key_id": "other"}, "a key that nobody knows"),
]


@pytest.mark.parametrize(("other", "why"), WRONG, ids=[row[1] for row in WRONG])
def test_whatever_was_changed_is_told_with_its_line(other: dict[str, object], why: str) -> None:
    assert problems(MADE, approved(**other)) == [("bad-approval", 2)]


def test_before_there_was_a_key_nothing_had_to_be_signed() -> None:
    assert problems(approved(signature=""), MADE) == []


def test_an_approval_that_is_used_again_is_told_with_its_first_line() -> None:
    again = approved()
    assert problems(MADE, again, {"op": "applied"}, again) == [("bad-approval", 4)]


def test_a_key_that_the_approver_remembers_counts_without_the_record() -> None:
    assert problems(approved(), found=ours(SECRET)) == []
    assert problems(approved()) == [("bad-approval", 1)]


def test_a_key_that_cannot_be_read_is_no_key() -> None:
    bad = {**MADE, "approver": "*"}
    assert problems(bad, approved()) == [("bad-approval", 1), ("bad-approval", 2)]


# Whoever can write the log can add a line that names a key.

OTHER, THIRD = bytes(range(1, 33)), bytes(range(2, 34))
STOLEN = approved(
    signature=sign(OTHER, statement("p1", None, "sha256:1", "rev", 1001.0, path="a.txt")),
    signed_at=1001.0,
    key_id=key_id(public_of(OTHER)),
)
ADDED = [
    ([key_made(OTHER), STOLEN], [1, 2], "where no key was ever made"),
    ([MADE, approved(), key_made(OTHER), STOLEN], [3, 4], "after the approver's"),
    ([key_made(OTHER), STOLEN, MADE], [1, 2], "before the approver's"),
    ([MADE, key_made(OTHER, signed_by=THIRD), STOLEN], [2, 3], "signed by a stranger"),
    ([MADE, key_made(OTHER, signed_by=OTHER), STOLEN], [2, 3], "signed by itself"),
    (
        [MADE, key_made(OTHER, replaces=key_id(PUBLIC), signature="x"), STOLEN],
        [2, 3],
        "badly signed",
    ),
]


@pytest.mark.parametrize(("events", "lines", "why"), ADDED, ids=[row[2] for row in ADDED])
def test_a_key_that_the_approver_never_made_approves_nothing(
    events: list[dict[str, object]], lines: list[int], why: str
) -> None:
    known = ours() if "no key" in why else ours(SECRET)
    assert problems(*events, found=known) == [("bad-approval", line) for line in lines]


def test_a_key_that_the_old_one_signed_takes_its_place() -> None:
    events = [MADE, approved(), key_made(OTHER, signed_by=SECRET), STOLEN]
    assert problems(*events) == [], "also where nothing is known but the record"
    assert problems(*events, found=ours(SECRET)) == []


def test_a_key_made_without_the_old_one_is_told_and_what_it_signed_holds() -> None:
    events = [MADE, key_made(OTHER), STOLEN]
    assert problems(*events, found=ours(SECRET, OTHER)) == [("key-replaced", 2)]
    assert problems(*events) == [("bad-approval", 2), ("bad-approval", 3)], "from elsewhere"


def test_a_key_made_for_another_workspace_is_needed_here_too() -> None:
    early, late = "2025-01-13T12:00:00Z", "2025-01-13T12:00:01Z"
    found = ours(SECRET, since=early)
    found.know(public_of(OTHER), late)
    assert problems(approved(signature="", ts=early), found=found) == []
    assert problems(approved(signature="", ts=late), found=found) == [("bad-approval", 1)]


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(approved())), VALUES))
def test_nothing_on_a_line_stops_the_check(other: dict[str, object]) -> None:
    problems(MADE, approved(**{**other, "op": "approved"}))
