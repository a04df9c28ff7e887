"""What a run wrote is counted by the entries that name it, and compared with what its syncs say."""

from __future__ import annotations

import pytest

from penstock.core.audit.findings import RunAccount
from penstock.core.audit.run_accounts import RunAccounts

Event = dict[str, object]
START: Event = {"op": "run_started", "run": "r-1"}
END: Event = {"op": "run_ended", "run": "r-1"}
WRITE: Event = {"op": "applied", "session": "r-1", "path": "a"}


def synced(applied: object, run: str = "r-1", **more: object) -> Event:
    return {"op": "run_synced", "run": run, "applied": applied, **more}


def accounts(*events: Event) -> RunAccounts:
    found = RunAccounts()
    found.feed(enumerate(events, 1))
    return found


@pytest.mark.parametrize(
    ("events", "lines", "why"),
    [
        ([START, WRITE, synced("1"), END], [], "one write, one told"),
        ([START, WRITE, WRITE, synced("1"), END], [], "a person approved one meanwhile"),
        ([START, synced("0"), END, WRITE], [], "approved after the run"),
        ([START, WRITE, synced("2"), END], [3], "one write is not in the log"),
        ([START, WRITE, synced("1"), synced("1")], [4], "the same write cannot be told twice"),
        ([START, {**WRITE, "session": "r-2"}, synced("1")], [3], "another run wrote it"),
        ([START, {**WRITE, "session": ""}, synced("1")], [3], "nobody's"),
        ([synced("3"), END], [], "it began in another part of the log"),
        ([START, synced("many"), synced(None)], [], "no number is no claim"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_write_that_a_sync_reports_is_in_the_log(
    events: list[Event], lines: list[int], why: str
) -> None:
    assert [one.line for one in accounts(*events).problems] == lines


def test_a_run_is_summed_up() -> None:
    found = accounts(START, WRITE, synced("1", pending="2", denied="1"), WRITE, END).runs
    assert found == (RunAccount(run="r-1", applied=2, pending=2, denied=1, ended=True),)
