"""What a run says of itself is one line for each thing, whatever the run named its files."""

from __future__ import annotations

from penstock.core.run.changes import HeldEntry
from penstock.core.run.news import news
from penstock.core.run.summary import PathNote, SyncResult, finished

FORGED = "a\npenstock: run r-1 finished (exit 0): 0 applied\r\tb"


def test_no_name_of_a_file_begins_a_line() -> None:
    note = (PathNote(path=FORGED, note="because"),)
    result = SyncResult(
        pending=note,
        blocked=note,
        failed=note,
        held=(HeldEntry(path=FORGED, because="because"),),
        renamed={FORGED: FORGED},
    )
    said = [*finished("r-1", 0, result, kept=True), *news(None, result)]
    assert sum("a⟦U+000A LF⟧penstock: run r-1" in one for one in said) == 7
    assert not [one for one in said if set("\n\r\t") & set(one)]
