"""Some of the random histories; all thousand with `python -m tests.doors.reviewer.histories`."""

from __future__ import annotations

import os

import pytest

from tests.doors.reviewer.histories import one_history
from tests.faults.tracer import why_not

COUNT = int(os.environ.get("PENSTOCK_HISTORIES", "40"))
CHUNK = 5


@pytest.mark.parametrize("first", range(0, COUNT, CHUNK))
def test_edits_rollbacks_and_crashes_lose_nothing(first: int) -> None:
    crashes = sum(one_history(number).crashes for number in range(first, first + CHUNK))
    assert crashes or why_not() or first, "the first histories have crashes in them"
