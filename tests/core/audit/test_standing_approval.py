"""Each write in a log has its approval above it, of the same bytes, used once."""

from __future__ import annotations

import pytest

from penstock.core.audit.approval.standing_approval import WriteApprovals

Event = dict[str, object]


def entry(op: str, **facts: object) -> Event:
    about = {"proposal": "p1", "path": "a.txt", "base_hash": "b", "content_hash": "c"}
    return {"op": op, **about, "event_hash": f"h-{op}", **facts}


ASKED = entry("proposed", status="waiting")
BY_RULES = entry("proposed", status="approved", proof="policy", event_hash="h-rules")
YES = entry("approved", status="approved", proof="terminal")
DONE = entry("applied", approval="h-approved")
DONE_BY_RULES = entry("applied", approval="h-rules")
OLD_DONE = entry("applied")


def told(*events: Event) -> tuple[list[int], list[int]]:
    found = WriteApprovals()
    found.feed(enumerate(events, 1))
    return [one.line for one in found.problems], [one.line for one in found.warnings]


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([ASKED, YES, DONE], "a person approved"),
        ([BY_RULES, DONE_BY_RULES], "the rules allow it"),
        ([ASKED, YES, entry("failed"), DONE], "a second try needs no second approval"),
        ([ASKED, YES, entry("applying"), entry("abandoned"), DONE], "after a crash"),
        ([ASKED, YES, entry("rejected", proposal="p2"), DONE], "another was rejected"),
        ([ASKED, YES, OLD_DONE], "an older version named no approval"),
        ([BY_RULES, OLD_DONE], "nor did it where the rules allowed"),
    ],
)
def test_a_write_that_was_approved_is_good(events: list[Event], why: str) -> None:
    assert told(*events) == ([], []), why


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([ASKED, DONE], "nobody approved"),
        ([DONE], "nobody even asked"),
        ([ASKED, entry("approved", proposal="p2"), DONE], "another was approved"),
        ([ASKED, YES, entry("rejected"), DONE], "and then rejected"),
        ([ASKED, YES, entry("expired"), DONE], "its time was over"),
        ([ASKED, YES, entry("outdated"), DONE], "the file had changed"),
        ([ASKED, YES, entry("superseded"), DONE], "a newer version replaced it"),
        ([ASKED, YES, entry("applied", approval="h-approved", content_hash="x")], "other bytes"),
        ([ASKED, YES, entry("applied", approval="h-approved", base_hash="x")], "another base"),
        ([ASKED, YES, entry("applied", approval="h-approved", path="b.txt")], "another file"),
        ([ASKED, YES, entry("applied", approval="h-else")], "it names another approval"),
        ([DONE, ASKED, YES], "the approval came after"),
    ],
)
def test_a_write_without_its_approval_is_a_problem(events: list[Event], why: str) -> None:
    problems, _ = told(*events)
    assert len(problems) == 1, why


def test_an_approval_is_used_once() -> None:
    assert told(ASKED, YES, DONE, DONE) == ([4], [])


def test_a_write_of_an_older_version_gives_a_warning() -> None:
    assert told(ASKED, OLD_DONE) == ([], [2])
    assert told(ASKED, YES, OLD_DONE, OLD_DONE) == ([], [4])


def test_after_an_entry_of_this_version_an_older_one_is_a_problem() -> None:
    assert told(ASKED, YES, DONE, entry("proposed", proposal="p2"), OLD_DONE) == ([5], [])
