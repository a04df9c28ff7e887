"""White space and line ends: recognised, counted and left out, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks, unified
from penstock.core.diff.measure import lost, measure
from penstock.core.diff.white_space import WhiteSpace, of_change
from penstock.core.text.line_endings import split
from penstock.core.text.white_space import folded

CODE = b"".join(
    b"def f_%d(a, b):\n    if a:\n        return %d\n    return b\n\n" % (n, n) for n in range(48)
)
BLANKS = st.sampled_from([b"", b" ", b"\t", b"  \t "])
WORDS = st.sampled_from([b"a", b"b c", b"", b"}"])
LINE = st.tuples(BLANKS, WORDS, BLANKS, st.sampled_from([b"\n", b"\r\n"])).map(b"".join)
CONTENT = st.tuples(st.lists(LINE, max_size=20).map(b"".join), st.sampled_from([b"", b" x "])).map(
    b"".join
)


def indented(content: bytes) -> bytes:
    return b"".join(b"    " + line if line.strip() else line for line in split(content))


ONLY_WHITE_SPACE = [
    ("re-indented", CODE, indented(CODE), WhiteSpace(blanks=192)),
    ("tabs for spaces", CODE, CODE.replace(b"    ", b"\t"), WhiteSpace(blanks=144)),
    ("LF to CRLF", CODE, CODE.replace(b"\n", b"\r\n"), WhiteSpace(line_ends=240)),
    ("CRLF to LF", CODE.replace(b"\n", b"\r\n"), CODE, WhiteSpace(line_ends=240)),
    ("blanks at ends go", b"a  \nb\t\nc\n", b"a\nb\nc\n", WhiteSpace(blanks=2)),
    ("blanks at ends come", b"a\nb\n", b"a \nb\n", WhiteSpace(blanks=1)),
    ("blanks between words", b"x   = 1\n", b"x = 1\n", WhiteSpace(blanks=1)),
    ("the last newline", b"a\nb", b"a\nb\n", WhiteSpace(blanks=1)),
    ("a last line of blanks", b"a\n   ", b"a\n\n", WhiteSpace(blanks=1)),
    ("both", b"a\r\n  b\r\n", b"a\n b\n", WhiteSpace(blanks=1, line_ends=1)),
]
MORE_THAN_WHITE_SPACE = [
    ("words join", b"rm -rf /home /x\n", b"rm -rf /home/x\n"),
    ("words part", b"notdone = 1\n", b"not done = 1\n"),
    ("a no-break space", b"a b\n", "a\u00a0b\n".encode()),
    ("a form feed", b"a b\n", b"a\x0cb\n"),
    ("a lone return", b"a b\n", b"a\rb\n"),
    ("two returns", b"a\n", b"a\r\r\n"),
    ("an empty line", b"a\nb\n", b"a\n\nb\n"),
    ("a byte order mark", b"a\n", b"\xef\xbb\xbfa\n"),
]


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [row[1:] for row in ONLY_WHITE_SPACE],
    ids=[row[0] for row in ONLY_WHITE_SPACE],
)
def test_a_change_of_white_space_alone_is_counted_and_no_line_is_lost(
    before: bytes, after: bytes, count: WhiteSpace
) -> None:
    assert of_change(before, after) == count
    assert hunks(before, after, white_space=False) == ()
    assert lost(before, after, white_space=False).lines == ()
    assert unified(before, after, path="f", white_space=False) == b""


@pytest.mark.parametrize(
    ("before", "after"),
    [row[1:] for row in MORE_THAN_WHITE_SPACE],
    ids=[row[0] for row in MORE_THAN_WHITE_SPACE],
)
def test_what_a_program_could_read_otherwise_is_never_white_space(
    before: bytes, after: bytes
) -> None:
    assert of_change(before, after).lines == 0
    assert hunks(before, after, white_space=False)


def test_lines_that_end_in_a_return_alone_are_lines() -> None:
    assert lost(CODE.replace(b"\n", b"\r"), CODE).lines == ()


def test_a_real_change_among_others_is_the_only_one_that_is_shown() -> None:
    after = indented(CODE).replace(b"return 7\n", b"return 8\n")
    assert of_change(CODE, after) == WhiteSpace(blanks=191)
    (only,) = lost(CODE, after, white_space=False).lines
    assert only == (38, b"        return 7")
    shown = unified(CODE, after, path="f", white_space=False, context=1).split(b"\n")
    # The lines around it are shown as they will be.
    assert shown[3:7] == [
        b"         if a:",
        b"-        return 7",
        b"+            return 8",
        b"         return b",
    ]


def test_the_gate_counts_every_line_all_the_same() -> None:
    assert measure(CODE, indented(CODE)).lines_deleted == 192


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (WhiteSpace(), ""),
        (WhiteSpace(blanks=1), "1 line differs only in white space"),
        (WhiteSpace(blanks=1204), "1,204 lines differ only in white space"),
        (WhiteSpace(line_ends=2), "2 lines differ only in line endings"),
        (
            WhiteSpace(blanks=3, line_ends=1),
            "3 lines differ only in white space; 1 line differs only in line endings",
        ),
    ],
)
def test_the_count_in_words(count: WhiteSpace, words: str) -> None:
    assert count.words == words


@given(CONTENT, CONTENT)
@settings(max_examples=200, deadline=None)
def test_folding_keeps_the_lines_and_never_hides_a_word(before: bytes, after: bytes) -> None:
    assert len(split(folded(before))) == len(split(before))
    same = [line.split() for line in split(before)] == [line.split() for line in split(after)]
    assert (hunks(before, after, white_space=False) == ()) is same
    counts = of_change(before, after)
    exact = sum(len(hunk.before) for hunk in hunks(before, after))
    read = sum(len(hunk.before) for hunk in hunks(before, after, white_space=False))
    assert counts.lines == exact - read
