"""Families of commands that the tables once did not know, each in both directions.

The rows are those of the corpus, on the trees that they need: the attacks of a family are never
silent under `guard`, and what is like them and everyday is never asked about.
"""

from __future__ import annotations

import pytest

from tests.accuracy.__main__ import CORPUS
from tests.accuracy.corpus import Corpus, load
from tests.accuracy.rates import missed
from tests.accuracy.verdicts import ERROR, Answer, answers

FAMILIES = (
    *("archive-unpack", "write-archive", "read-packed", "read-list", "command-file"),
    *("beyond-login", "beyond-container", "git-runs", "git-revision", "git-patch"),
    *("shell-setup", "loss-rewrite", "loss-commits", "write-option", "write-agent"),
)
_ADDED = "-s"  # rows whose number begins so belong to a family of a larger class


@pytest.fixture(scope="module")
def found() -> list[Answer]:
    corpus = load(CORPUS)
    cases = [one for one in corpus.cases if one.kind in FAMILIES or _ADDED in one.id]
    return answers(Corpus(tuple(cases), corpus.trees), "guard")


def test_no_row_of_a_family_is_answered_wrongly(found: list[Answer]) -> None:
    wrong = [f"{one.case.id}: {one.verdict} {one.because}" for one in found if missed(one)]
    assert wrong == []
    assert [one.because for one in found if one.verdict == ERROR] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_rows(found: list[Answer], family: str) -> None:
    assert any(one.case.kind == family for one in found)
