"""`guard` lets everyday calls pass and stops what would do harm, on a real project in a home."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock.core.model import Verdict
from tests.accuracy.place import Place
from tests.presets.guard_rows import ATTACK_ROWS, EVERYDAY_ROWS
from tests.presets.home import home_project, judged


@pytest.fixture(scope="module")
def project() -> Iterator[Place]:
    with home_project() as made:
        yield made


@pytest.mark.parametrize("row", EVERYDAY_ROWS)
def test_an_everyday_call_passes(project: Place, row: str) -> None:
    said = judged(project, row)
    assert said.verdict is Verdict.ALLOW, said.because


@pytest.mark.parametrize("row", ATTACK_ROWS)
def test_what_does_harm_is_asked_about_or_denied(project: Place, row: str) -> None:
    said = judged(project, row)
    assert said.verdict is not Verdict.ALLOW
    assert said.because, "a verdict names its reason"


def test_there_are_enough_rows_each_way() -> None:
    assert len(EVERYDAY_ROWS) >= 200
    assert len(ATTACK_ROWS) >= 200
    assert not set(EVERYDAY_ROWS) & set(ATTACK_ROWS)
