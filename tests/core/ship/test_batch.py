"""What is sent at once, what an answer means, and the forms that entries take."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.audit.export.outcomes import Sender
from penstock.core.ship.answer import ShipStep, SinkAnswer, seconds_asked, wait_after
from penstock.core.ship.batch import ShipCursor, UnsentEntry, batches, halves
from penstock.core.ship.frames import framed
from penstock.core.ship.otlp import otlp_body, otlp_rejected

SOURCE = Sender(version="1", host="h", log="/l")


def entry(number: int, size: int = 10) -> UnsentEntry:
    return UnsentEntry(line=b"x" * size, after=ShipCursor(seq=number))


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 60), st.integers(1, 9))
def test_batches_keep_every_entry_in_order_and_their_size(
    sizes: list[int], largest: int, most: int
) -> None:
    entries = [entry(number, size) for number, size in enumerate(sizes)]
    made = list(batches(entries, largest=largest, most=most))
    assert [one for group in made for one in group] == entries
    for group in made:
        assert 0 < len(group) <= most
        assert len(group) == 1 or sum(len(one.line) for one in group) <= largest


@pytest.mark.parametrize("count", [2, 3, 7])
def test_halves_are_both_there_until_one_is_left(count: int) -> None:
    first, second = halves([entry(number) for number in range(count)])
    assert first
    assert second
    assert len(first) + len(second) == count


ANSWERS = [
    (SinkAnswer(status=200), ShipStep.SENT),
    (SinkAnswer(status=204), ShipStep.SENT),
    (SinkAnswer(status=200, problem="cut off"), ShipStep.WAIT),
    (SinkAnswer(problem="connection refused"), ShipStep.WAIT),
    *[(SinkAnswer(status=code), ShipStep.SPLIT) for code in (400, 413, 422)],
    *[
        (SinkAnswer(status=code), ShipStep.WAIT)
        for code in (301, 401, 403, 404, 408, 429, 500, 503)
    ],
]


@pytest.mark.parametrize(("answer", "step"), ANSWERS)
def test_only_a_batch_that_was_taken_counts_as_sent(answer: SinkAnswer, step: ShipStep) -> None:
    assert answer.step is step
    assert answer.said


def test_waiting_grows_and_has_an_end() -> None:
    waits = [wait_after(failures) for failures in range(1, 40)]
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (1.0, 300.0)
    assert wait_after(1, 42.0) == 42.0
    assert wait_after(1, 10**9) == 3600.0
    assert [seconds_asked(text, 0) for text in ("7", " 7 ", "-1", "soon", "٣", "9" * 99)] == [
        *(7.0, 7.0, 0.0, 0.0, 0.0, 3600.0)
    ]
    noon = 1_445_412_480.0
    dates = ("Wed, 21 Oct 2015 07:28:30 GMT", "Wed, 21 Oct 2015 07:00:00 GMT", "Wed, 99 Oct 1")
    assert [seconds_asked(text, noon) for text in dates] == [30.0, 0.0, 0.0]


def test_a_collector_that_takes_a_part_has_not_taken_it() -> None:
    said = b'{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"no"}}'
    assert otlp_rejected(said) == 3
    assert SinkAnswer(status=200, rejected=3).step is ShipStep.SPLIT
    assert SinkAnswer(status=200, rejected=1).said == "the sink rejected 1 entry"
    for other in (b"", b"OK", b"{}", b"[]", b'{"partialSuccess":{}}', b'{"partialSuccess":null}'):
        assert otlp_rejected(other) == 0
    for zero in (b"0", b'"0"', b"-1", b'"x"', b"1e999", b"null"):
        assert otlp_rejected(b'{"partialSuccess":{"rejectedLogRecords":%s}}' % zero) == 0


def test_a_frame_counts_bytes_not_characters() -> None:
    assert framed(["a\nb", "ü"]) == b"3 a\nb2 \xc3\xbc"


def test_otlp_has_the_line_and_every_field() -> None:
    event = {
        "ts": "2026-01-02T03:04:05Z",
        "seq": 7,
        "op": "proposed",
        "status": "denied",
        "flag": True,
        "ratio": 0.5,
        "list": ["a"],
        "half": "\ud800",
        "large": 2**70,
    }
    line = json.dumps(event).encode()
    body = json.loads(otlp_body([line, b"no json"], SOURCE))
    (resource,) = body["resourceLogs"]
    (scope,) = resource["scopeLogs"]
    first, second = scope["logRecords"]
    found = {one["key"]: one["value"] for one in first["attributes"]}
    assert first["body"] == {"stringValue": line.decode()}
    assert first["timeUnixNano"] == "1767323045000000000"
    assert (first["severityText"], first["eventName"]) == ("WARN", "penstock.proposed")
    assert found["seq"] == {"intValue": "7"}
    assert found["flag"] == {"boolValue": True}
    assert found["ratio"] == {"doubleValue": 0.5}
    assert found["list"] == {"stringValue": '["a"]'}
    assert found["half"] == {"stringValue": "?"}
    assert found["large"] == {"stringValue": str(2**70)}
    assert second["body"] == {"stringValue": "no json"}
    assert second["eventName"] == "penstock.unreadable_line"
