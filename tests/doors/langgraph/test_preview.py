"""Diffs of contents that are not held: `patch` accepts them, and they say what they hide."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import unified
from penstock.core.model import Bytes
from penstock.doors.langgraph import preview
from penstock.doors.langgraph.preview import Ascii, diff

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "long line"]), max_size=30)


def text_of(lines: list[str], ends: bool) -> bytes:
    return ("\n".join(lines) + ("\n" if ends and lines else "")).encode()


@given(
    old=LINES, new=LINES, ends=st.tuples(st.booleans(), st.booleans()), context=st.integers(0, 4)
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_patch_makes_the_new_content_of_the_old_one(
    tmp_path: Path, old: list[str], new: list[str], ends: tuple[bool, bool], context: int
) -> None:
    before, after = text_of(old, ends[0]), text_of(new, ends[1])
    made = diff(Bytes(before), Bytes(after), path="file", context=context, large=0)
    if before == after:
        assert made == ""
        return
    (tmp_path / "file").write_bytes(before)
    subprocess.run(
        ["patch", "-s", "-p1", "--posix"],
        input=made.encode(),
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    found = tmp_path / "file"
    assert (found.read_bytes() if found.exists() else b"") == after


def test_a_new_file_has_nothing_on_its_old_side() -> None:
    made = diff(None, Bytes(b"a\nb\n"), path="new.py", context=3, large=0)
    assert made == "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    assert made == unified(None, b"a\nb\n", path="new.py").decode()


def test_line_ends_alone_are_no_difference() -> None:
    assert diff(Bytes(b"a\r\nb\r\n"), Bytes(b"a\nb\n"), path="x", context=3, large=0) == ""
    some = diff(Bytes(b"a\r\nb\r\nc\r\n"), Bytes(b"a\nX\nc\n"), path="x", context=0, large=0)
    assert some.splitlines()[2:] == ["@@ -2 +2 @@", "-b", "+X"]


def test_a_long_diff_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "MOST_SHOWN", 100)
    old = "".join(f"old {at}\n" for at in range(500))
    new = "".join(f"new {at}\n" for at in range(500))
    made = diff(Bytes(old.encode()), Ascii(new), path="x", context=3, large=0)
    shown = made.splitlines()
    assert len(made) < 200
    hidden = 500 - (len(shown) - 4) - 1  # one more was read and not shown
    assert shown[-1] == f"... {hidden} more lines of the file and 500 of the new content hidden"


def test_a_very_long_group_is_parted_and_patch_still_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "MOST_TOGETHER", 3)
    old = "".join(f"line {at}\n" for at in range(60))
    new = "".join(f"{'LINE' if at % 3 else 'line'} {at}\n" for at in range(60))
    made = diff(Bytes(old.encode()), Ascii(new), path="file", context=3, large=0)
    assert made.count("@@ -") > 3
    (tmp_path / "file").write_text(old)
    subprocess.run(["patch", "-s", "-p1"], input=made.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "file").read_text() == new


def test_a_very_long_line_is_shown_by_its_beginning() -> None:
    long = b"x" * 1_000_000
    made = diff(Bytes(long + b"\na\n"), Bytes(b"y" * 1_000_000), path="x", context=0, large=0)
    assert made.count("... (the line goes on)") == 2
    assert len(made) < 30_000


def test_how_far_it_is_gets_told() -> None:
    told: list[tuple[int, int]] = []
    diff(
        Bytes(b"a\n"),
        Bytes(b"b\nc\n"),
        path="x",
        context=3,
        large=0,
        told=lambda *at: told.append(at),
    )
    assert told == [(2, 6), (6, 6)]


def test_ascii_text_reads_as_its_bytes() -> None:
    source = Ascii("hello\n")
    assert (source.size, source.read(1, 3), source.read(4, 10)) == (6, b"ell", b"o\n")
