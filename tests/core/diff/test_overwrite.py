"""A write whose content nobody knows is told as what it may do at worst."""

from __future__ import annotations

import pytest

from penstock.core.diff.overwrite import UNKNOWN, overwritten, replaces
from penstock.core.model import ChangeKind


@pytest.mark.parametrize("by", [">", ">|", "&>", "tee", "cp", "truncate", "python3", "sed"])
def test_what_puts_other_content_in_a_files_place_is_known(by: str) -> None:
    assert replaces(by)


@pytest.mark.parametrize("by", [">>", "&>>", "touch", "chmod", "git", ""])
def test_what_adds_to_a_file_or_edits_it_in_place_is_not_that(by: str) -> None:
    assert not replaces(by)


def test_everything_may_be_lost_or_nothing() -> None:
    change = overwritten(b"line\n" * 270)
    assert change.kind is ChangeKind.REPLACE
    assert (change.least_deleted, change.lines_deleted, change.exact) == (0, 270, False)
    assert change.notes == (UNKNOWN,)


def test_an_empty_file_has_nothing_to_lose() -> None:
    assert overwritten(b"").kind is ChangeKind.MODIFY
