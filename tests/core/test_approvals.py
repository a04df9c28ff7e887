"""Approvals on the record: signed for exactly what they say, or told."""

from __future__ import annotations

import base64
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.approval import key_id, public_of, sign, statement
from penstock.core.approvals import Approvals

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


def problems(*events: dict[str, object]) -> list[tuple[str, int]]:
    found = Approvals()
    found.feed(events)
    return [(problem.kind, problem.line) for problem in found.problems]


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
    assert problems(MADE, approved(**other)) == [("bad-signature", 2)]


def test_before_there_was_a_key_nothing_had_to_be_signed() -> None:
    assert problems(approved(signature=""), MADE) == []


def test_a_key_that_the_approver_names_counts_without_the_record() -> None:
    found = Approvals()
    found.know(PUBLIC)
    found.feed([approved()])
    assert found.problems == []
    assert problems(approved()) == [("bad-signature", 1)]


def test_a_key_that_cannot_be_read_is_no_key() -> None:
    assert problems({**MADE, "approver": "*"}, approved()) == [("bad-signature", 2)]


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(approved())), VALUES))
def test_nothing_on_a_line_stops_the_check(other: dict[str, object]) -> None:
    problems(MADE, approved(**{**other, "op": "approved"}))
