"""`guard` answers as a sensible developer would, name by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock.core.model import Decision, Verdict
from tests.accuracy.place import Place
from tests.presets.home import home_project, judged
from tests.presets.name_rows import rows

ROWS = rows()


@pytest.fixture(scope="module")
def project() -> Iterator[Place]:
    with home_project() as made:
        yield made


def word_of(said: Decision) -> str:
    """Return a decision in the words of the table."""
    if said.verdict is not Verdict.ALLOW:
        return str(said.verdict)
    return "note" if said.notes else "allow"


@pytest.mark.parametrize(("table", "expected", "call"), ROWS, ids=[row[2] for row in ROWS])
def test_guard_says_what_a_sensible_developer_wants(
    project: Place, table: str, expected: str, call: str
) -> None:
    said = judged(project, call)
    known = ("ask", "deny") if expected == "stop" else (expected,)
    assert word_of(said) in known, f"{table}: {said.because}"


def test_there_are_enough_rows_and_none_twice() -> None:
    calls = [call for _, _, call in ROWS]
    assert len(calls) >= 300
    assert len(set(calls)) == len(calls)
