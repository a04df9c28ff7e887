"""Hunks and unified diffs: as few lines as git's, and accepted by git and patch as they are."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks, preview, unified
from penstock.core.diff.measure import measure
from penstock.core.model import Hunk

PIECES = [b"a\n", b"b\n", b"\n", b"return None\n", b"x\r\n", b"\r\n", b"-- a\n", b"++ b\n", b"@@\n"]
CONTENT = st.tuples(
    st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join), st.sampled_from([b"", b"end"])
).map(b"".join)

PROGRAMS = (("git", "apply", "-p1", "change.diff"), ("patch", "-p1", "-s", "-i", "change.diff"))


def apply(
    program: tuple[str, ...], where: Path, path: str, before: bytes | None, diff: bytes
) -> bytes | None:
    """Apply a diff with a real program and return what it leaves, or None for no file."""
    target = Path(os.path.join(where, path))
    target.parent.mkdir(parents=True, exist_ok=True)
    if before is not None:
        target.write_bytes(before)
    (where / "change.diff").write_bytes(diff)
    env = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CEILING_DIRECTORIES": str(where.parent),
    }
    done = subprocess.run(program, cwd=where, env=env, capture_output=True, check=False)
    assert done.returncode == 0, (diff, done.stdout, done.stderr)
    return target.read_bytes() if target.exists() else None


def random_contents(count: int, seed: int) -> Iterator[tuple[bytes, bytes]]:
    rng = random.Random(seed)
    for _ in range(count):
        before = [rng.choice(PIECES) for _ in range(rng.randrange(40))]
        after = [rng.choice(PIECES) if rng.random() < 0.2 else line for line in before]
        after = [line for line in after if rng.random() > 0.1]
        cut = [rng.choice([b"", b"", b"tail"]) for _ in "ab"]
        yield b"".join(before) + cut[0], b"".join(after) + cut[1]


# ---------------------------------------------------------------- hunks


def rebuilt(before: bytes, after: bytes, found: tuple[Hunk, ...]) -> bytes:
    """Put the new lines of all hunks into the old content."""
    old, new = before.split(b"\n"), after.split(b"\n")
    old = [line + b"\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    new = [line + b"\n" for line in new[:-1]] + ([new[-1]] if new[-1] else [])
    made, at = [], 0
    for hunk in found:
        made += old[at : hunk.before_start] + new[hunk.after_start : hunk.after_end]
        at = hunk.before_end
    return b"".join(made + old[at:])


@given(CONTENT, CONTENT)
@settings(max_examples=150, deadline=None)
def test_all_hunks_together_give_the_new_content(before: bytes, after: bytes) -> None:
    assert rebuilt(before, after, hunks(before, after)) == after


@given(CONTENT, CONTENT)
@settings(max_examples=150, deadline=None)
def test_hunks_have_as_many_lines_as_were_measured(before: bytes, after: bytes) -> None:
    found = hunks(before, after, line_ends=False)
    counted = measure(before, after)
    assert sum(h.before_end - h.before_start for h in found) == counted.lines_deleted
    assert sum(h.after_end - h.after_start for h in found) == counted.lines_added


@given(CONTENT, CONTENT)
@settings(max_examples=100, deadline=None)
def test_hunks_are_in_order_and_never_touch(before: bytes, after: bytes) -> None:
    found = hunks(before, after)
    for one, two in pairwise(found):
        assert one.before_end < two.before_start
        assert one.after_end < two.after_start
    assert all(h.before_end > h.before_start or h.after_end > h.after_start for h in found)


def test_hunks_of_a_large_file_are_the_few_lines_that_changed() -> None:
    lines = [b"    value_%d = %d\n" % (n, n) if n % 3 else b"\n" for n in range(60_000)]
    changed = list(lines)
    for n in (10, 20_000, 59_999):
        changed[n] = b"changed\n"
    found = hunks(b"".join(lines), b"".join(changed))
    assert [(h.before_start, h.before_end) for h in found] == [
        (10, 11), (20_000, 20_001), (59_999, 60_000)
    ]  # fmt: skip


def test_line_ends_count_unless_they_are_left_out() -> None:
    assert hunks(b"a\r\nb\n", b"a\nb\n") == (
        Hunk(before_start=0, before_end=1, after_start=0, after_end=1),
    )
    assert hunks(b"a\r\nb\n", b"a\nb\n", line_ends=False) == ()


# ---------------------------------------------------------------- unified diffs

EXACT = [
    ("B16 a new file", None, b"a\nb\n", b"--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
    ("B16 one line", b"a\n", b"b\n", b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"),
    ("B16 a file that goes", b"a\nb\n", None, b"--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"),
    ("nothing changes", b"a\n", b"a\n", b""),
    ("nothing at all", None, None, b""),
    (
        "B16 no newline before",
        b"a",
        b"a\n",
        b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
    ),
    (
        "no newline in context",
        b"a\nb",
        b"x\nb",
        b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n",
    ),
    ("NUL is binary", b"a\0", b"b\0", b"Binary files a/f and b/f differ\n"),
    ("a new binary file", None, b"\0", b"Binary files /dev/null and b/f differ\n"),
    (
        "an empty file can only be made with git's lines",
        None,
        b"",
        b"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de29\n"
        b"--- /dev/null\n+++ b/f\n",
    ),
]


@pytest.mark.parametrize(("why", "before", "after", "expected"), EXACT)
def test_a_unified_diff_has_the_form_that_tools_expect(
    why: str, before: bytes | None, after: bytes | None, expected: bytes
) -> None:
    assert unified(before, after, path="f") == expected, why


def test_hunks_near_each_other_share_their_context() -> None:
    before = b"".join(b"%d\n" % n for n in range(30))
    after = before.replace(b"\n5\n", b"\nfive\n").replace(b"\n12\n", b"\ntwelve\n")
    assert unified(before, after, path="f").count(b"\n@@ ") == 1
    assert unified(before, after, path="f", context=2).count(b"\n@@ ") == 2
    assert b"\n@@ -6 +6 @@\n-5\n+five\n@@ -13 +13 @@\n" in unified(
        before, after, path="f", context=0
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=["git", "patch"])
def test_a_diff_applied_gives_the_new_content_on_random_changes(
    program: tuple[str, ...], tmp_path: Path
) -> None:
    for before, after in random_contents(120, seed=5):
        diff = unified(before, after, path="f.txt")
        if diff:
            assert diff.startswith(b"--- a/f.txt\n+++ b/f.txt\n@@ ")
            assert apply(program, tmp_path, "f.txt", before, diff) == after


SIDES = [
    ("from empty", b"", b"a\nb\n"),
    ("from empty, no newline", b"", b"a"),
    ("to empty", b"a\nb\n", b""),
    ("created", None, b"a\nb\n"),
    ("created without newline", None, b"a"),
    ("created empty", None, b""),
    ("deleted", b"a\nb\n", None),
    ("deleted without newline", b"a", None),
    ("deleted empty", b"", None),
    ("CRLF stays", b"a\r\nb\r\nc\r\n", b"a\r\nx\r\nc\r\n"),
    ("CRLF to LF", b"a\r\nb\r\n", b"a\nb\n"),
    ("LF to CRLF", b"a\nb\n", b"a\r\nb\r\n"),
    ("bytes that are no text", b"caf\xe9\nb\n", b"caf\xe8\nb\n"),
    ("lines that look like headings", b"-- a\n++ b\n", b"++ b\n-- a\n@@ -1 +1 @@\n"),
    ("a form feed and U+2028", b"a\x0cb\nc\n", "a\u2028b\nc\n".encode()),
    ("newline comes at the end", b"a\nb", b"a\nb\n"),
    ("newline goes at the end", b"a\nb\n", b"a\nb"),
    ("no newline on both sides", b"a\nb", b"x\nb"),
]


@pytest.mark.parametrize("git_header", [False, True])
@pytest.mark.parametrize("program", PROGRAMS, ids=["git", "patch"])
@pytest.mark.parametrize(("why", "before", "after"), SIDES)
def test_every_kind_of_change_is_accepted(
    program: tuple[str, ...],
    why: str,
    before: bytes | None,
    after: bytes | None,
    git_header: bool,
    tmp_path: Path,
) -> None:
    diff = unified(before, after, path="dir/f.txt", git_header=git_header)
    if program[0] == "patch":
        program = (*program, "--binary")
    assert apply(program, tmp_path, "dir/f.txt", before, diff) == after, why


NAMES = [
    "with space.txt",
    'quo"te',
    "back\\slash",
    "tab\there",
    "new\nline",
    "non-é.txt",
    "日本.md",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("program", PROGRAMS, ids=["git", "patch"])
@pytest.mark.parametrize(
    ("before", "after"),
    [(b"a\n", b"b\n"), (None, b"b\n"), (b"a\n", None)],
    ids=["edit", "new", "del"],
)
def test_odd_names_are_quoted_as_git_does(
    program: tuple[str, ...], name: str, before: bytes | None, after: bytes | None, tmp_path: Path
) -> None:
    diff = unified(before, after, path=name)
    assert apply(program, tmp_path, name, before, diff) == after


@pytest.mark.parametrize("name", NAMES)
def test_headings_are_the_same_as_those_of_git(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"a\n")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    for step in (("init", "-q"), ("add", "."), ("update-index", "--refresh")):
        subprocess.run(("git", *step), cwd=tmp_path, env=env, check=False, capture_output=True)
    (tmp_path / name).write_bytes(b"b\n")
    said = subprocess.run(("git", "diff"), cwd=tmp_path, env=env, check=True, capture_output=True)
    headings = said.stdout.split(b"\n")[2:4]
    assert unified(b"a\n", b"b\n", path=name).split(b"\n")[:2] == headings


def test_names_that_are_no_text_still_have_a_heading() -> None:
    assert b'"b/\\377"' in unified(b"a\n", b"b\n", path="\udcff")
    assert b'"b/\\355\\240\\200"' in unified(b"a\n", b"b\n", path="\ud800")


@pytest.mark.parametrize(("before", "after"), [(b"a\nb\n", b"a\nc\n"), (b"a\n", b"a\n")])
def test_a_file_that_moves_is_told_to_git(before: bytes, after: bytes, tmp_path: Path) -> None:
    diff = unified(before, after, path="new name", old_path="old")
    (tmp_path / "old").write_bytes(before)
    assert apply(PROGRAMS[0], tmp_path, "new name", None, diff) == after
    assert not (tmp_path / "old").exists()


def test_for_people_line_ends_can_be_left_out() -> None:  # S0-071
    before, after = b"a\r\nb\r\nc\r\n", b"a\nx\nc\n"
    assert unified(before, before.replace(b"\r\n", b"\n"), path="f", line_ends=False) == b""
    shown = unified(before, after, path="f", line_ends=False)
    assert shown.split(b"\n")[3:6] == [b" a\r", b"-b\r", b"+x"]


# ---------------------------------------------------------------- preview


def long_diff(lines: int = 400) -> bytes:
    old = [b"line %d\n" % n for n in range(lines)]
    new = [line if n % 20 else b"new\n" for n, line in enumerate(old)]
    return unified(b"".join(old), b"".join(new), path="f")


def test_a_short_diff_is_shown_whole() -> None:
    diff = unified(b"a\n", b"b\n", path="f")
    assert preview(diff) == diff.decode()
    assert preview(diff, limit=len(diff)) == diff.decode()
    assert preview(b"") == ""


@pytest.mark.parametrize("limit", [0, 1, 50, 500, 1500])
def test_a_cut_is_between_lines_and_says_what_is_hidden(limit: int) -> None:  # B15
    diff = long_diff()
    text = preview(diff, limit=limit)
    *shown, marker = text.splitlines(keepends=True)
    assert "".join(shown) == diff.decode()[: len("".join(shown))]
    assert len("".join(shown)) <= limit
    rest = diff.decode()[len("".join(shown)) :].splitlines()
    headings = sum(line.startswith("@@ ") for line in rest)
    assert marker == f"... {len(rest)} more lines and {headings} more hunks hidden\n"


def test_the_preview_is_8000_characters_when_nothing_is_said() -> None:
    text = preview(long_diff(4000))
    assert 7900 < len(text.rpartition("... ")[0]) <= 8000


def test_characters_are_counted_not_bytes() -> None:
    diff = unified(None, "é€😀\n".encode() * 100, path="f")
    assert preview(diff, limit=len(diff.decode())) == diff.decode()
    assert preview(diff, limit=len(diff.decode()) - 1).endswith(
        "... 1 more line and 0 more hunks hidden\n"
    )


def test_a_giant_line_is_hidden_whole() -> None:
    diff = unified(b"a\n", b"x" * 1_000_000 + b"\n", path="f")
    assert preview(diff).splitlines() == [
        "--- a/f", "+++ b/f", "@@ -1 +1 @@", "-a", "... 1 more line and 0 more hunks hidden"
    ]  # fmt: skip


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    assert "+caf\\xe9\n" in preview(unified(None, b"caf\xe9\n", path="f"))


def test_a_text_without_a_last_newline_is_counted_too() -> None:
    assert preview(b"@@ -1 +1 @@\nabc", limit=3) == "... 2 more lines and 1 more hunk hidden\n"


MODES = [
    ("chmod +x", b"a\n", b"a\n", ("100644", "100755"), "x -> 100755 a"),
    ("a new program", None, b"a\n", (None, "100755"), "x -> 100755 a"),
    ("a new link", None, b"to", (None, "120000"), "x -> 120000 to"),
    ("content and mode", b"a\n", b"b\n", ("100644", "100755"), "x -> 100755 b"),
    ("a program goes", b"a\n", None, ("100755", None), ""),
]


@pytest.mark.parametrize(("what", "before", "after", "modes", "then"), MODES)
def test_git_takes_the_modes_from_a_diff(
    what: str,
    before: bytes | None,
    after: bytes | None,
    modes: tuple[str | None, str | None],
    then: str,
    tmp_path: Path,
) -> None:
    def git(*words: str, text: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *words], cwd=tmp_path, input=text, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    git("init", "-q")
    if before is not None:
        (tmp_path / "x").write_bytes(before)
        (tmp_path / "x").chmod(0o755 if modes[0] == "100755" else 0o644)
        git("add", "x")
    made = unified(before, after, path="x", modes=modes)
    git("apply", "--index", text=made)
    listed = git("ls-files", "-s").split()
    held = git("show", ":x").strip() if listed else ""
    assert (f"x -> {listed[0]} {held}" if listed else "") == then
