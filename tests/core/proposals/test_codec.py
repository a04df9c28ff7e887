"""Proposals and receipts as plain values: equal after a round trip, or refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import StoreError
from penstock.core.model import (
    Action,
    Actor,
    Change,
    ChangeKind,
    Decision,
    Reason,
    Verdict,
)
from penstock.core.proposals.codec import VERSION, from_json, from_plain, to_json, to_plain
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import Answer, Moment, Proposal, Receipt, State

# Any text at all: lone surrogates come from file names that are not UTF-8.
TEXT = st.text(st.characters(), max_size=12)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
COUNT = st.integers(0, 2**63 - 1)
TIME = st.floats(allow_nan=False, allow_infinity=False)

CHANGES = st.builds(
    Change,
    kind=st.sampled_from(ChangeKind),
    existing_lines=COUNT,
    change_ratio=st.floats(0, 1),
    exact=st.booleans(),
    unit=st.sampled_from(["lines", "bytes"]),
    notes=TEXTS,
    white_space=COUNT,
)
FLAGS = st.builds(
    RiskFlag,
    level=st.sampled_from(RiskLevel),
    code=TEXT,
    text=TEXT,
    lines=st.lists(COUNT, max_size=2).map(tuple),
    removed=st.booleans(),
)
REASONS = st.builds(
    Reason, rule=TEXT, verdict=st.none() | st.sampled_from(Verdict), text=TEXT, where=TEXT
)
DECISIONS: st.SearchStrategy[Decision] = st.recursive(
    st.builds(Decision, verdict=st.sampled_from(Verdict)),
    lambda inner: st.builds(
        Decision,
        verdict=st.sampled_from(Verdict),
        reasons=st.lists(REASONS, max_size=2).map(tuple),
        notes=TEXTS,
        granted=st.booleans(),
        parts=st.lists(inner, max_size=2).map(tuple),
        action=st.none() | st.sampled_from(Action),
    ),
    max_leaves=4,
)
COMMENTS = st.lists(
    st.builds(LineComment, path=TEXT, start=COUNT, end=COUNT, text=TEXT, hunk=COUNT), max_size=2
).map(tuple)
ANSWERS = st.builds(
    Answer,
    approved=st.booleans(),
    by=TEXT,
    proof=TEXT,
    at=TIME,
    reason=TEXT,
    signature=TEXT,
    comments=COMMENTS,
)
PROPOSALS = st.builds(
    Proposal,
    id=TEXT,
    path=TEXT,
    base=st.none() | TEXT,
    content=st.none() | TEXT,
    change=CHANGES,
    decision=DECISIONS,
    state=st.sampled_from(State),
    created=st.builds(Moment, wall=TIME, boot=TIME, boot_id=TEXT),
    ttl=TIME,
    set_id=TEXT,
    actor=st.builds(Actor, agent=TEXT, tool_call_id=TEXT),
    answer=st.none() | ANSWERS,
    warnings=TEXTS,
    extra=st.dictionaries(TEXT, TEXT, max_size=2),
    flags=st.lists(FLAGS, max_size=2).map(tuple),
    why=TEXT,
    regions=COMMENTS,
)
RECEIPTS = st.builds(
    Receipt,
    id=TEXT,
    proposal=TEXT,
    path=TEXT,
    before=st.none() | TEXT,
    after=st.none() | TEXT,
    event_hash=TEXT,
    at=TIME,
    note=TEXT,
)


@given(PROPOSALS | RECEIPTS | CHANGES | DECISIONS | ANSWERS)
@settings(max_examples=150, deadline=None)
def test_every_record_reads_back_equal(record: object) -> None:
    text = to_json(record)
    assert text.isascii()
    assert "\n" not in text
    assert from_json(type(record), text) == record
    assert from_plain(type(record), to_plain(record)) == record


ACTOR = Actor(agent="claude", session="s")
RECEIPT = Receipt(
    id="r1", proposal="p1", path="a.py", before=None, after="sha256:0", event_hash="h", at=1.0
)


def without(plain: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in plain.items() if key != name}


REFUSED: list[tuple[str, type, object]] = [
    ("not an object", Actor, ["claude"]),
    ("nothing", Actor, None),
    ("no version", Actor, {"agent": "claude"}),
    ("a version that is text", Actor, {"v": "1"}),
    ("true is no version", Actor, {"v": True}),
    ("version 0 never existed", Actor, {"v": 0}),
    ("an unknown field", Actor, {"v": 1, "agnet": "claude"}),
    ("a name that is no text", Actor, {"v": 1, 7: "claude", "x": ""}),
    ("a number where text belongs", Actor, {"v": 1, "agent": 7}),
    ("null where text belongs", Actor, {"v": 1, "agent": None}),
    ("a missing field", Receipt, without(to_plain(RECEIPT), "before")),
    ("true is no time", Receipt, {**to_plain(RECEIPT), "at": True}),
    ("no number at all", Receipt, {**to_plain(RECEIPT), "at": math.nan}),
    ("endless", Receipt, {**to_plain(RECEIPT), "at": math.inf}),
    ("a number beyond every float", Receipt, {**to_plain(RECEIPT), "at": 10**400}),
    ("a kind that does not exist", Change, {"v": 1, "kind": "vanish"}),
    ("a kind that is a list", Change, {"v": 1, "kind": ["new"]}),
    ("true is no count", Change, {"v": 1, "kind": "new", "new_lines": True}),
    ("half a line", Change, {"v": 1, "kind": "new", "new_lines": 0.5}),
    ("text where a list belongs", Change, {"v": 1, "kind": "new", "notes": "abc"}),
    ("a list with a hole", Change, {"v": 1, "kind": "new", "notes": [None]}),
    ("a part that does not fit", Decision, {"v": 1, "verdict": "ask", "parts": [{}]}),
    ("a version inside", Decision, {"v": 1, "verdict": "ask", "parts": [{"v": 1}]}),
]


@pytest.mark.parametrize(("why", "kind", "plain"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_does_not_fit_is_refused(why: str, kind: type, plain: object) -> None:
    with pytest.raises(StoreError) as caught:
        from_plain(kind, plain)
    assert caught.value.code == "record-broken"
    assert caught.value.because


BROKEN_TEXTS = [
    ("nothing", ""),
    ("not JSON", "{"),
    ("a name that stands twice", '{"v":1,"agent":"a","agent":"b"}'),
    ("a number that is none", '{"v":1,"agent":NaN}'),
    ("more digits than anyone needs", '{"v":' + "9" * 5000 + "}"),
    ("nested without end", "[" * 100_000),
]


@pytest.mark.parametrize(("why", "text"), BROKEN_TEXTS, ids=[row[0] for row in BROKEN_TEXTS])
def test_broken_text_is_refused(why: str, text: str) -> None:
    with pytest.raises(StoreError) as caught:
        from_json(Actor, text)
    assert caught.value.code == "record-broken"


def test_a_record_of_a_newer_penstock_is_not_guessed_at() -> None:
    with pytest.raises(StoreError) as caught:
        from_plain(Actor, {"v": VERSION + 1, "colour": "blue"})
    assert caught.value.code == "record-newer"


def test_a_field_that_an_older_penstock_did_not_know_takes_its_default() -> None:
    plain = without(to_plain(ACTOR), "context_id")
    assert from_plain(Actor, plain) == ACTOR


def test_extra_is_text_to_text() -> None:
    decision = Decision(verdict=Verdict.ASK)
    change = Change(kind=ChangeKind.NEW)
    plain = to_plain(
        Proposal(
            id="p",
            path="a",
            base=None,
            content=None,
            change=change,
            decision=decision,
            state=State.WAITING,
            created=Moment(wall=0),
            ttl=1,
        )
    )
    for extra in ({"a": 1}, {"a": None}, [["a", "b"]], "ab"):
        with pytest.raises(StoreError):
            from_plain(Proposal, {**plain, "extra": extra})


@pytest.mark.parametrize("at", [math.nan, math.inf, "now"])
def test_what_could_not_be_read_back_is_not_written(at: Any) -> None:
    with pytest.raises(StoreError):
        to_json(Answer(approved=True, by="me", proof="terminal", at=at))


def test_a_decision_deeper_than_the_stack_is_refused() -> None:
    deep = Decision(verdict=Verdict.ASK)
    for _ in range(5000):
        deep = Decision(verdict=Verdict.ASK, parts=(deep,))
    with pytest.raises(StoreError):
        to_plain(deep)
    plain: dict[str, Any] = {"verdict": "ask"}
    for _ in range(5000):
        plain = {"verdict": "ask", "parts": [plain]}
    with pytest.raises(StoreError):
        from_plain(Decision, {"v": 1, **plain})


def test_the_plain_form_is_json_with_names_a_person_knows() -> None:
    plain = json.loads(to_json(RECEIPT))
    assert plain["v"] == VERSION
    assert plain["before"] is None
    assert plain["path"] == "a.py"


class Spelled(str):
    """A path that knows more than its text."""

    __slots__ = ("extra",)


def test_text_of_a_richer_type_is_kept_as_text() -> None:
    read = from_json(Actor, to_json(Actor(agent=Spelled("claude"))))
    assert type(read.agent) is str
    assert read.agent == "claude"
