"""Choosing among events, and moments as people and the record write them."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.query import EVERYTHING, Query, parse_line
from penstock.core.errors import InputError
from penstock.core.timestamps import LAST, parse_when, seconds_of, stamp
from tests.core.audit.records import body, linked

NOW = datetime(2025, 1, 13, 12, 0, 0, tzinfo=UTC).timestamp()
EVENT: dict[str, object] = {
    "ts": "2025-01-13T12:00:00Z",
    "seq": 4,
    "op": "write_file_propose",
    "path": "src/app/main.py",
    "status": "denied",
    "agent": "claude",
    "rule": "secrets",
    "rules": ["secrets", "big"],
}

FITTING = [
    Query(),
    Query(since="2025-01-13T12:00:00Z"),
    Query(until="2025-01-13T12:00:01Z"),
    Query(path="src/**"),
    Query(path="**/main.py"),
    Query(agent="claude"),
    Query(outcome="denied"),
    Query(outcome="deny"),
    Query(rule="secrets"),
    Query(rule="big"),
    Query(op="write_file_propose"),
    Query(since="2025-01-13", outcome="deny", agent="claude", path="src/**", rule="big"),
]
NOT_FITTING = [
    Query(since="2025-01-13T12:00:01Z"),
    Query(until="2025-01-13T12:00:00Z"),
    Query(path="src/*"),
    Query(agent="codex"),
    Query(outcome="allowed"),
    Query(outcome="error"),
    Query(rule="other"),
    Query(op="read_file"),
    Query(outcome="deny", agent="codex"),
]


def line_of(event: dict[str, object]) -> bytes:
    return linked([json.dumps(event, separators=(",", ":"))[1:-1]])[0]


@pytest.mark.parametrize("query", FITTING)
def test_an_event_that_fits_is_chosen(query: Query) -> None:
    assert query.accepts(EVENT)
    assert query.fits(line_of(EVENT))
    assert query.needle() in line_of(EVENT)


@pytest.mark.parametrize("query", NOT_FITTING)
def test_an_event_that_does_not_fit_is_left_out(query: Query) -> None:
    assert not query.accepts(EVENT)
    assert not query.fits(line_of(EVENT))


@pytest.mark.parametrize(
    ("word", "written"),
    [("deny", "deny"), ("denied", "deny"), ("ask", "hitl_required"), ("waiting", "ask")],
)
def test_an_outcome_is_found_under_each_of_its_words(word: str, written: str) -> None:
    for field in ("status", "verdict", "decision"):
        assert Query(outcome=word).accepts({field: written})


def test_four_outcomes_that_are_not_done_stay_four() -> None:
    # SX-04
    words = ["expired", "rejected", "denied", "error"]
    for word in words:
        chosen = [other for other in words if Query(outcome=word).accepts({"status": other})]
        assert chosen == [word]


def test_the_text_of_a_nested_or_quoted_value_is_not_taken_for_a_field() -> None:
    nested = {**EVENT, "status": "allowed", "inner": {"status": "denied"}}
    quoted = {**EVENT, "status": "allowed", "reason": 'said "status":"denied" once'}
    for event in (nested, quoted):
        assert not Query(outcome="denied").fits(line_of(event))


def test_a_line_that_cannot_be_read_is_left_out() -> None:
    for line in (b"", b"garbage", b"[1]", b"\xff", b"{}x", b'{"a":' * 2000):
        assert parse_line(line) is None
        assert not Query(outcome="denied").fits(line)


events = st.fixed_dictionaries(
    {
        "ts": st.sampled_from(["2025-01-13T12:00:00Z", "2025-01-14T00:00:00Z"]),
        "op": st.sampled_from(["read_file", "applied", 'odd"op']),
        "path": st.sampled_from(["a.py", "src/b.py", "caf\u00e9"]),
        "status": st.sampled_from(["denied", "deny", "allowed", "ask", ""]),
        "agent": st.sampled_from(["claude", "", 'x"y']),
        "rule": st.sampled_from(["r", "", None]),
        "more": st.sampled_from([1, {"status": "denied"}, ["denied"], "x\\y"]),
    }
)
queries = st.builds(
    Query,
    since=st.sampled_from(["", "2025-01-13T12:00:01Z"]),
    until=st.sampled_from(["", "2025-01-13T12:00:01Z"]),
    path=st.sampled_from(["", "src/**", "*", "**/b.py", "/src/?.py", "caf\u00e9", "c*f?"]),
    agent=st.sampled_from(["", "claude", 'x"y']),
    outcome=st.sampled_from(["", "denied", "ask", "other"]),
    rule=st.sampled_from(["", "r"]),
    op=st.sampled_from(["", "applied", 'odd"op']),
)


@settings(deadline=None, max_examples=300)
@given(events, queries)
def test_a_line_fits_exactly_if_its_event_does_and_is_found_by_the_needle(
    event: dict[str, object], query: Query
) -> None:
    line = line_of({"ts": event["ts"], "seq": 1, **event})
    assert query.fits(line) is query.accepts(event)
    if query.accepts(event):
        assert query.needle() in line


def test_everything_fits_an_empty_query() -> None:
    assert EVERYTHING.accepts({})
    assert EVERYTHING.needle() == b""
    assert EVERYTHING.fits(linked([body(0)])[0])


# --- moments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1h", "2025-01-13T11:00:00Z"),
        ("24h", "2025-01-12T12:00:00Z"),
        ("7d", "2025-01-06T12:00:00Z"),
        ("30m", "2025-01-13T11:30:00Z"),
        ("90s", "2025-01-13T11:58:30Z"),
        ("2w", "2024-12-30T12:00:00Z"),
        ("2025-01-10", "2025-01-10T00:00:00Z"),
        ("2025-01-10T08:30:00Z", "2025-01-10T08:30:00Z"),
        ("2025-01-10T08:30:00+02:00", "2025-01-10T06:30:00Z"),
        ("2025-01-10 08:30", "2025-01-10T08:30:00Z"),
        (" 1h ", "2025-01-13T11:00:00Z"),
        ("99999999w", "1970-01-01T00:00:00Z"),
    ],
)
def test_a_moment_is_written_as_people_write_it(text: str, moment: str) -> None:
    assert parse_when(text, now=NOW) == moment


@pytest.mark.parametrize(
    "text", ["", "h", "yesterday", "1y", "-1h", "1.5h", "2025-13-01", "\u0661h"]
)
def test_what_is_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_when(text, now=NOW)
    assert caught.value.code == "bad-time"
    assert "24h" in caught.value.hint


@given(st.integers(0, LAST))
def test_a_stamp_reads_back_as_its_second(second: int) -> None:
    assert seconds_of(stamp(second)) == second
    assert len(stamp(second)) == 20


@pytest.mark.parametrize("text", ["", "2025-01-13", "2025-01-13T12:00:00", "x" * 20])
def test_another_text_has_no_seconds(text: str) -> None:
    assert seconds_of(text) == -1


def test_a_clock_gone_mad_still_gives_a_stamp() -> None:
    assert stamp(-5) == "1970-01-01T00:00:00Z"
    assert stamp(1e15) == "9999-12-31T23:59:59Z"


@given(st.integers(0, LAST), st.integers(0, LAST))
def test_stamps_compare_as_their_times_do(one: int, other: int) -> None:
    assert (stamp(one) < stamp(other)) is (one < other)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        assert seconds_of(parse_when(text, now=NOW)) >= 0
