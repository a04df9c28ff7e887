"""Numbers as people read them: one table for each function."""

from __future__ import annotations

import pytest

from penstock.core.model import Change, ChangeKind
from penstock.core.text.quantities import ago, change_counts, counted, duration, listing, size


@pytest.mark.parametrize(
    ("count", "words", "text"),
    [
        (0, ("file",), "0 files"),
        (1, ("file",), "1 file"),
        (2, ("file",), "2 files"),
        (1204, ("entry", "entries"), "1,204 entries"),
        (1, ("entry", "entries"), "1 entry"),
    ],
)
def test_a_count_has_a_real_plural(count: int, words: tuple[str, ...], text: str) -> None:
    assert counted(count, *words) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0 s"),
        (0.9, "0 s"),
        (90, "90 s"),
        (120, "2 min"),
        (3540, "59 min"),
        (3600, "60 min"),
        (7199, "119 min"),
        (7200, "2 h"),
        (86400, "24 h"),
        (2 * 86400, "2 days"),
        (30 * 86400, "30 days"),
    ],
)
def test_a_duration_is_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_what_has_just_happened_has_no_number() -> None:
    assert (ago(0.4), ago(240)) == ("just now", "4 min ago")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (512 << 20, "512 MiB"),
        (3 << 40, "3 TiB"),
        (1 << 60, "1048576 TiB"),
    ],
)
def test_a_size_is_in_binary_units(count: int, text: str) -> None:
    assert size(count) == text.replace("1023", "1,023")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ],
)
def test_a_listing_is_a_sentence(names: list[str], text: str) -> None:
    assert listing(names, most=3) == text


def _changed(gone: int, new: int, had: int, *, exact: bool = True, white_space: int = 0) -> Change:
    return Change(
        kind=ChangeKind.MODIFY,
        lines_deleted=gone,
        lines_added=new,
        existing_lines=had,
        exact=exact,
        white_space=white_space,
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_changed(1, 1, 491), "1 line changed (−1 +1 of 491)"),
        (_changed(2, 5, 491), "5 lines changed (−2 +5 of 491)"),
        (_changed(0, 5, 491), "5 lines added"),
        (_changed(3, 0, 491), "3 of 491 lines removed"),
        (_changed(1, 0, 1), "1 of 1 line removed"),
        (_changed(0, 0, 4), "no line changed"),
        (_changed(9, 9, 10, exact=False), "up to 9 lines changed (−9 +9 of 10)"),
        (
            Change(kind=ChangeKind.REPLACE, lines_deleted=255, lines_added=41, existing_lines=270),
            "255 of 270 lines removed, 41 added",
        ),
        (_changed(9, 9, 10, white_space=9), "9 lines changed only in white space (of 10)"),
        (_changed(1, 1, 1, white_space=1), "1 line changed only in white space (of 1)"),
        (
            _changed(9, 8, 10, white_space=7),
            "2 lines changed (−2 +1 of 10); 7 more only in white space",
        ),
        (Change(kind=ChangeKind.NEW, lines_added=12), "new file, 12 lines"),
        (Change(kind=ChangeKind.NEW), "new file, 0 lines"),
        (Change(kind=ChangeKind.DELETE, lines_deleted=1), "file deleted, 1 line"),
        (
            Change(kind=ChangeKind.MODIFY, unit="bytes", before_size=1024, after_size=1536),
            "binary file changed, 1 KiB to 1.5 KiB",
        ),
        (Change(kind=ChangeKind.NEW, unit="bytes", after_size=512), "new file, 512 bytes"),
        (Change(kind=ChangeKind.DELETE, unit="bytes", before_size=1), "file deleted, 1 byte"),
    ],
)
def test_a_change_is_counted_in_its_own_unit(change: Change, text: str) -> None:
    assert change_counts(change) == text
