"""What needs a person whatever the rules say, row by row."""

from __future__ import annotations

import pytest

from penstock.core.run.reasons import (
    ASK_ALL,
    CHANGED_MEANWHILE,
    INCOMPLETE,
    may_be_incomplete,
    reason_to_ask,
)

STARTS = [
    ("the same start of the machine", "one", False, "one", False),
    ("another start", "one", False, "two", True),
    ("another start, but all was on the disk", "one", True, "two", False),
    ("a run of an older version, which kept no id", "", False, "two", True),
    ("a machine that does not say its id any more", "one", False, "", True),
    ("a machine that never said it", "", False, "", False),
]


@pytest.mark.parametrize(
    ("boot", "flushed", "now", "expected"),
    [row[1:] for row in STARTS],
    ids=[row[0] for row in STARTS],
)
def test_a_layer_may_be_incomplete_after(
    boot: str, flushed: bool, now: str, expected: bool
) -> None:
    assert may_be_incomplete(boot=boot, flushed=flushed, now=now) is expected


BOTH = f"{INCOMPLETE}; {CHANGED_MEANWHILE}"
ROWS = [
    (False, False, False, ""),
    (True, False, False, ASK_ALL),
    (False, True, False, CHANGED_MEANWHILE),
    (True, True, False, CHANGED_MEANWHILE),
    (False, False, True, INCOMPLETE),
    (True, False, True, INCOMPLETE),
    (False, True, True, BOTH),
    (True, True, True, BOTH),
]


@pytest.mark.parametrize(("ask", "overtaken", "incomplete", "expected"), ROWS)
def test_the_reason_names_what_a_person_has_to_know(
    ask: bool, overtaken: bool, incomplete: bool, expected: str
) -> None:
    assert reason_to_ask(ask=ask, overtaken=overtaken, incomplete=incomplete) == expected
