"""Measuring a change: counts equal to git's, kinds and ratios as the gate spec has them."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from penstock.core.diff import align
from penstock.core.diff import measure as change
from penstock.core.diff.measure import LineLoss, lost, lost_lines, measure
from penstock.core.diff.remarks import NotePrefix
from penstock.core.errors import InputError
from penstock.core.model import Bytes, Change, ChangeKind

NEW, MODIFY, REPLACE, DELETE = ChangeKind


def numbered(count: int) -> list[bytes]:
    return [b"line %d\n" % n for n in range(count)]


def with_changed(lines: list[bytes], count: int) -> bytes:
    return b"".join(b"new " + line if n < count else line for n, line in enumerate(lines))


def counts(found: Change) -> tuple[int, int]:
    return found.lines_deleted, found.lines_added


# ---------------------------------------------------------------- kinds, ratios (S0, A1-A6)

KINDS = [
    ("S0-002 a file that is not there is new", None, b"a\nb\n", NEW, 0, 2, 0.0),
    ("an empty new file", None, b"", NEW, 0, 0, 0.0),
    ("a file that goes is deleted", b"a\nb\n", None, DELETE, 2, 0, 1.0),
    ("an empty file that goes", b"", None, DELETE, 0, 0, 0.0),
    ("A3 an empty file has ratio 0 (S0-047)", b"", b"a\n" * 9, MODIFY, 0, 9, 0.0),
    ("A3 a replaced line goes and comes", b"a\nb\nc\n", b"a\nx\nc\n", MODIFY, 1, 1, 1 / 3),
    ("A3 appending deletes nothing", b"a\n", b"a\n" + b"b\n" * 99, MODIFY, 0, 99, 0.0),
    ("A2 exactly half is a replacement (S0-004)", b"a\nb\n", b"a\nx\n", REPLACE, 1, 1, 0.5),
    ("A5 a small file is replaced too", b"a\n", b"b\n", REPLACE, 1, 1, 1.0),
    ("everything goes", b"a\nb\n", b"", REPLACE, 2, 0, 1.0),
    ("nothing changes", b"a\nb\n", b"a\nb\n", MODIFY, 0, 0, 0.0),
    ("A17 a newline at the end that goes is a line", b"a\nb\n", b"a\nb", REPLACE, 1, 1, 0.5),
    ("A17 FF, VT, U+2028 end no line", b"a\x0cb\x0bc\n", b"a\x0cX\x0bc\n", REPLACE, 1, 1, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("why", "before", "after", "kind", "deleted", "added", "ratio"), KINDS)
def test_a_change_has_its_kind_counts_and_ratio(
    why: str, before: bytes | None, after: bytes | None, kind: ChangeKind, deleted: int, added: int,
    ratio: float,
) -> None:  # fmt: skip
    found = measure(before, after)
    assert (found.kind, *counts(found), found.change_ratio) == (kind, deleted, added, ratio), why
    assert found.exact
    assert found.least_deleted == deleted


def test_five_percent_of_200_lines_is_a_modification() -> None:  # S0-043
    lines = numbered(200)
    found = measure(b"".join(lines), with_changed(lines, 10))
    assert (found.kind, found.existing_lines, found.change_ratio) == (MODIFY, 200, 0.05)


def test_eighty_percent_of_270_lines_is_a_replacement() -> None:  # S0-044
    lines = numbered(270)
    found = measure(b"".join(lines), with_changed(lines, 216))
    assert (found.kind, found.existing_lines, found.change_ratio) == (REPLACE, 270, 0.8)


def test_270_lines_replaced_by_56_is_a_replacement() -> None:  # S0-045
    found = measure(b"".join(numbered(270)), b"".join(b"other %d\n" % n for n in range(56)))
    assert (found.kind, found.lines_deleted, found.lines_added) == (REPLACE, 270, 56)


@pytest.mark.parametrize(
    ("threshold", "kind"), [(0.1, REPLACE), (0.100001, MODIFY), (0.0, REPLACE)]
)
def test_the_threshold_is_reached_when_it_is_met(threshold: float, kind: ChangeKind) -> None:
    lines = numbered(100)
    found = measure(b"".join(lines), with_changed(lines, 10), change_threshold=threshold)
    assert found.kind is kind


def test_two_lines_before_a_repetitive_file_delete_nothing() -> None:  # A4
    content = b"x = 1\ny = 2\n\n" * 100
    assert counts(measure(content, b"import a\nimport b\n" + content)) == (0, 2)


def test_nothing_before_and_nothing_after_is_an_error() -> None:
    with pytest.raises(InputError) as caught:
        measure(None, None)
    assert caught.value.code == "nothing-to-measure"


def test_sources_and_bytes_measure_alike() -> None:
    before, after = b"a\nb\nc\n", b"a\nx\n"
    assert measure(Bytes(before), after) == measure(before, Bytes(after)) == measure(before, after)


# ---------------------------------------------------------------- the same counts as git

WORDS = [b"return None\n", b"\n", b"    pass\n", b"}\n", b"a\n", b"b\n", b"c\n"]
CONTENT = st.lists(st.sampled_from(WORDS), max_size=30).map(b"".join)


def git_counts(before: bytes, after: bytes, where: Path, *options: str) -> tuple[int, int]:
    (where / "old").write_bytes(before)
    (where / "new").write_bytes(after)
    command = ("git", "diff", "--no-index", "--minimal", "--numstat", *options, "old", "new")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    out = subprocess.run(command, cwd=where, env=env, capture_output=True, check=False).stdout
    added, deleted = out.split()[:2] if out else (b"0", b"0")
    return int(deleted), int(added)


def fewest(before: bytes, after: bytes) -> tuple[int, int]:
    old, new = ([x + b"\n" for x in c.split(b"\n")] for c in (before, after))
    old[-1], new[-1] = old[-1][:-1], new[-1][:-1]
    old, new = [x for x in old if x], [x for x in new if x]
    shared = int(LCSseq.similarity(old, new))
    return len(old) - shared, len(new) - shared


def as_few_as_git(before: bytes, after: bytes, plain: tuple[bytes, bytes], where: Path) -> bool:
    """Ours are the fewest; git, even with --minimal, now and then finds a few more."""
    found = counts(measure(before, after))
    return found == fewest(*plain) and found <= git_counts(*plain, where)


def random_changes(count: int, seed: int) -> Iterator[tuple[bytes, bytes]]:
    rng = random.Random(seed)
    for _ in range(count):
        kinds = rng.choice([2, 6, 50, 5000])
        before = [b"%d\n" % rng.randrange(kinds) for _ in range(rng.randrange(200))]
        rate = rng.choice([0.02, 0.2, 0.6, 1.0])
        after = [b"%d\n" % rng.randrange(kinds) if rng.random() < rate else x for x in before]
        after = [x for x in after if rng.random() > rate / 4]
        ends = [rng.random() < 0.15 for _ in "ab"]
        yield tuple(  # type: ignore[misc]
            b"".join(side).removesuffix(b"\n") if cut else b"".join(side)
            for side, cut in zip((before, after), ends, strict=True)
        )


def test_counts_are_those_of_git_on_hundreds_of_random_changes(tmp_path: Path) -> None:
    for before, after in random_changes(300, seed=3):
        assert counts(measure(before, after)) == git_counts(before, after, tmp_path)


@given(before=CONTENT, after=CONTENT, cut=st.booleans())
@settings(max_examples=60, deadline=None)
def test_counts_are_those_of_git_on_repetitive_lines(
    before: bytes, after: bytes, cut: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    where = tmp_path_factory.mktemp("git", numbered=True)
    after = after.removesuffix(b"\n") if cut else after
    assert as_few_as_git(before, after, (before, after), where)


@given(before=CONTENT, after=CONTENT, flip=st.lists(st.booleans(), min_size=60, max_size=60))
@settings(max_examples=60, deadline=None)
def test_counts_with_mixed_line_ends_are_those_of_the_same_lines_with_one_end(
    before: bytes, after: bytes, flip: list[bool], tmp_path_factory: pytest.TempPathFactory
) -> None:
    where = tmp_path_factory.mktemp("git", numbered=True)
    mixed = [
        b"".join(
            line + (b"\r\n" if crlf else b"\n")
            for line, crlf in zip(side.split(b"\n")[:-1], chosen, strict=False)
        )
        for side, chosen in ((before, flip[:30]), (after, flip[30:]))
    ]
    plain = (mixed[0].replace(b"\r\n", b"\n"), mixed[1].replace(b"\r\n", b"\n"))
    assert as_few_as_git(mixed[0], mixed[1], plain, where)


def test_counts_of_a_large_file_are_those_of_git(tmp_path: Path) -> None:
    rng = random.Random(8)
    common = [b"\n", b"    return None\n", b"}\n", b"    else:\n"]
    lines = [
        rng.choice(common) if rng.random() < 0.4 else b"value_%d = %d\n" % (n, rng.randrange(9))
        for n in range(40_000)
    ]
    after = [rng.choice(common) if rng.random() < 0.03 else line for line in lines]
    after = [line for line in after if rng.random() > 0.01]
    before, new = b"".join(lines), b"".join(after)
    assert counts(measure(before, new)) == git_counts(before, new, tmp_path)


# ---------------------------------------------------------------- what is told

BIG = b"".join(b"value_%d = compute(%d)\n" % (n, n) for n in range(60))

TOLD = [
    ("all goes", BIG, b"", NotePrefix.EMPTIED),
    ("only blanks stay", BIG, b" \n\t\n", NotePrefix.EMPTIED),
    ("dots for the rest", BIG, b"value_0 = compute(0)\n# ... existing code ...\n", NotePrefix.STUB),
    ("words for the rest", BIG, BIG[:200] + b"\n// rest of the file unchanged\n", NotePrefix.STUB),
    ("a body of dots", BIG, b"def compute(n):\n    ...\n", NotePrefix.STUB),
    ("a body of pass", BIG, b"def compute(n):\n    pass\n", NotePrefix.STUB),
    ("not implemented", BIG, b"def compute(n):\n    raise NotImplementedError\n", NotePrefix.STUB),
    ("other methods", BIG, b"class A {\n  /* ... other methods */\n}\n", NotePrefix.STUB),
    ("an ellipsis sign", BIG, "value = 1\n# … (omitted)\n".encode(), NotePrefix.STUB),
    ("one line for many", BIG, BIG.replace(b"\n", b";") + b"\n", NotePrefix.ONE_LINE),
    ("one giant line", b"a\nb\n", b"x" * 5000 + b"\n", NotePrefix.ONE_LINE),
    ("a giant line in a new file", None, b"x" * 5000, NotePrefix.ONE_LINE),
    ("CRLF to LF", b"a\r\nb\r\n", b"a\nb\n", NotePrefix.LINE_ENDS),
    ("LF to CRLF", b"a\nb\n", b"a\r\nb\r\n", NotePrefix.LINE_ENDS),
    ("LF to both", b"a\nb\n", b"a\r\nb\n", NotePrefix.LINE_ENDS),
    ("CR to LF", b"a\rb\r", b"a\nb\n", NotePrefix.LINE_ENDS),
    ("ends that change places", b"a\r\nb\n", b"a\nb\r\n", NotePrefix.LINE_ENDS),
    ("a mark comes", b"a\n", b"\xef\xbb\xbfa\n", NotePrefix.BYTE_ORDER_MARK),
    ("a mark goes", b"\xef\xbb\xbfa\n", b"a\n", NotePrefix.BYTE_ORDER_MARK),
    ("the last newline goes", b"a\n", b"a", NotePrefix.FINAL_NEWLINE),
    ("the last newline comes", b"a", b"a\n", NotePrefix.FINAL_NEWLINE),
    ("NUL before", b"a\0\n", b"a\n", NotePrefix.IN_BYTES),
    ("NUL after", b"a\n", b"a\0\n", NotePrefix.IN_BYTES),
    ("latin-1", b"caf\xe9\n", b"cafe\n", NotePrefix.IN_BYTES),
    ("a new binary file", None, b"\0", NotePrefix.IN_BYTES),
    ("a binary file that goes", b"\0", None, NotePrefix.IN_BYTES),
    ("a binary file that is emptied", b"\0", b"", NotePrefix.EMPTIED),
]


@pytest.mark.parametrize(("why", "before", "after", "note"), TOLD)
def test_what_a_person_should_know_is_told(
    why: str, before: bytes | None, after: bytes | None, note: NotePrefix
) -> None:
    found = measure(before, after)
    assert [told for told in found.notes if told.startswith(note + ":")], (why, found.notes)
    assert not found.same


QUIET = [
    ("an ordinary edit", BIG, BIG.replace(b"value_7 ", b"other ")),
    ("an ordinary deletion", BIG, b"".join(BIG.splitlines(True)[:20])),
    ("a function that passes, in a longer file", b"a\n", b"a\ndef f():\n    pass\n"),
    ("placeholders that were there before", BIG + b"# ... existing code ...\n" * 2,
     b"# ... existing code ...\n" * 2),
    ("an empty file gets content", b"", b"a\n"),
    ("a new file", None, b"a\nb\n"),
    ("CR inside lines", b"a\rb\nc\n", b"a\rb\nd\n"),
    ("mixed line ends stay mixed", b"a\r\nb\n", b"a\r\nb\nc\n"),
    ("one line becomes another", b"a\n", b"b\n"),
    ("a file of long lines stays one", b"x" * 5000 + b"\n", b"y" * 6000 + b"\n"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "before", "after"), QUIET)
def test_ordinary_changes_carry_no_notes(why: str, before: bytes | None, after: bytes) -> None:
    assert measure(before, after).notes == (), why


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"a\r\nb\r\n", b"a\nb\n"), (b"a\rb", b"a\nb"), (b"a\r\nb\n", b"a\nb\r\n")],
)
def test_a_change_of_line_ends_is_no_change_of_lines(before: bytes, after: bytes) -> None:
    found = measure(before, after)
    assert counts(found) == (0, 0)
    assert found.kind is MODIFY
    assert not found.same


@pytest.mark.parametrize("content", [b"", b"a\n", b"a", b"\0", b"\xff", b"a\r\n", b"a\rb\r", BIG])
def test_only_identical_bytes_are_the_same(content: bytes) -> None:
    assert measure(content, content).same
    assert measure(content, content).notes == ()
    assert not measure(content, content + b"x").same
    assert not measure(None, content).same
    assert not measure(content, None).same


def test_a_long_new_content_is_not_searched_for_placeholders() -> None:
    before, after = b"x = 1\n" * 400_000, b"y = 1\n" * 200_000 + b"# ... existing code ...\n"
    assert not [note for note in measure(before, after).notes if note.startswith(NotePrefix.STUB)]


# ---------------------------------------------------------------- bytes

IN_BYTES = [
    (b"\0abcd", b"\0aXcd", MODIFY, 5, 1, 1, 0.2),
    (b"\0abc", b"\0abcdef", MODIFY, 4, 0, 3, 0.0),
    (b"\0ab", b"\0", REPLACE, 3, 2, 0, 2 / 3),
    (b"\xff\xfea\0", b"b", REPLACE, 4, 4, 1, 1.0),
    (b"text\n", b"\0", REPLACE, 5, 5, 1, 1.0),
]


@pytest.mark.parametrize(
    ("before", "after", "kind", "existing", "deleted", "added", "ratio"), IN_BYTES
)
def test_what_is_no_text_is_measured_in_bytes(
    before: bytes, after: bytes, kind: ChangeKind, existing: int, deleted: int, added: int,
    ratio: float,
) -> None:  # fmt: skip
    found = measure(before, after)
    assert found.unit == "bytes"
    assert (found.kind, found.existing_lines, *counts(found)) == (kind, existing, deleted, added)
    assert found.change_ratio == pytest.approx(ratio)


def test_new_and_deleted_binary_files_are_counted_in_bytes() -> None:
    assert (measure(None, b"\0\n\n").lines_added, measure(None, b"\0").unit) == (3, "bytes")
    assert (measure(b"\0\n\n", None).lines_deleted, measure(b"\0", None).unit) == (3, "bytes")


# ---------------------------------------------------------------- bounds


@pytest.fixture
def without_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow no work at all, so that counts of anything hard are bounds."""
    monkeypatch.setattr(align, "WORK", 1)
    monkeypatch.setattr(align, "CHEAP", 1)
    monkeypatch.setattr(change, "FEW_BYTES", 0)


def hard(rate: float) -> tuple[bytes, bytes]:
    rng = random.Random(1)
    before = [b"%d\n" % rng.randrange(4) for _ in range(400)]
    after = [b"%d\n" % rng.randrange(4) if rng.random() < rate else line for line in before]
    return b"".join(before), b"".join(after)


@pytest.mark.usefixtures("without_work")
def test_bounds_are_told_with_both_numbers_and_a_straddled_threshold_is_a_replacement() -> None:
    before, after = hard(1.0)
    found = measure(before, after, change_threshold=0.2)
    assert not found.exact
    assert found.least_deleted < found.lines_deleted
    assert found.least_deleted / 400 < 0.2 <= found.change_ratio == found.lines_deleted / 400
    assert found.kind is REPLACE
    told = [note for note in found.notes if note.startswith(NotePrefix.BOUNDS)]
    assert f"{found.least_deleted} to {found.lines_deleted} lines removed" in told[0]


@pytest.mark.usefixtures("without_work")
def test_bounds_below_the_threshold_are_a_modification() -> None:
    before, after = hard(0.05)
    found = measure(before, after, change_threshold=0.9)
    assert not found.exact
    assert found.kind is MODIFY


def test_more_lines_than_memory_allows_get_bounds_unless_they_are_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(change, "MOST_LINES", 50)
    lines = numbered(100)
    near = measure(b"".join(lines), with_changed(lines, 3))
    assert (near.exact, *counts(near)) == (True, 3, 3)
    far = measure(b"".join(lines), b"".join(reversed(lines)).removesuffix(b"\n"))
    assert (far.exact, far.lines_deleted, far.least_deleted) == (False, 100, 0)


# ---------------------------------------------------------------- progress


def test_progress_is_told_in_bytes_for_large_files_only() -> None:
    told: list[tuple[int, int]] = []
    large = b"line\n" * 120_000
    measure(large, large[5:] + b"other\n", progress=lambda *step: told.append(step))
    totals = {total for _, total in told}
    assert totals == {2 * (2 * len(large) + 1)}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]
    told.clear()
    measure(b"a\n" * 100, b"b\n" * 100, progress=lambda *step: told.append(step))
    assert told == []


# ---------------------------------------------------------------- lost lines


def test_lost_lines_come_with_their_numbers_and_without_their_ends() -> None:
    before, after = b"a\r\nb\r\nc\r\nd", b"a\nx\nc\n"
    assert lost_lines(before, after) == ((2, b"b"), (4, b"d"))


def test_lost_lines_beyond_the_limit_are_counted() -> None:
    before = b"".join(numbered(300))
    assert lost(before, b"", limit=2) == LineLoss(
        lines=((1, b"line 0"), (2, b"line 1")), hidden=298
    )
    assert lost(before, before).lines == ()
    assert lost(before, b"", limit=0) == LineLoss(lines=(), hidden=300)
    assert len(lost_lines(before, b"")) == 200


@given(CONTENT, CONTENT)
@settings(max_examples=80, deadline=None)
def test_as_many_lines_are_lost_as_are_deleted(before: bytes, after: bytes) -> None:
    assert len(lost_lines(before, after, limit=10**6)) == measure(before, after).lines_deleted
