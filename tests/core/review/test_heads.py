"""Heads of hunks: a table for each language, a changed line and the block that it is in."""

from __future__ import annotations

import pytest

from penstock.core.diff.hunks import hunks, unified
from penstock.core.review.heads import FORMS, LONGEST, HunkHeads
from penstock.core.review.languages import Language, language_of
from tests import REPOSITORY

# Each sample is a file's name, what its hunk's heading says, and its text with one CHANGED line.
SAMPLES = (REPOSITORY / "tests" / "fixtures" / "heads.txt").read_text(encoding="utf-8")
TABLE = [
    (path, text, head)
    for sample in SAMPLES.split("=== ")[1:]
    for top, _, text in [sample.partition("\n")]
    for path, _, head in [top.partition(" |")]
]
TABLE = [(path, text, head.strip()) for path, text, head in TABLE]
PYTHON = TABLE[0][1]


@pytest.mark.parametrize(("path", "text", "head"), TABLE)
def test_a_hunk_is_headed_by_the_block_that_it_is_in(path: str, text: str, head: str) -> None:
    before = text.replace("CHANGED", "old").encode()
    after = text.replace("CHANGED", "new").encode()
    (hunk,) = hunks(before, after)
    said = HunkHeads(path, before, after)(hunk, max(hunk.before_start - 3, 0))
    assert said.decode() == head


def test_every_language_with_blocks_has_a_form_and_a_row() -> None:
    assert FORMS.keys() == set(Language) - {Language.JSON}
    shown = {language_of(path, text.encode()) for path, text, head in TABLE if head}
    assert shown == FORMS.keys()


def test_a_head_that_is_shown_below_the_heading_is_not_repeated() -> None:
    before = (
        b"class A:\n    x = 1\n    y = 1\n    z = 1\n    w = 1\n    def f(self):\n        old\n"
    )
    (hunk,) = hunks(before, before.replace(b"old", b"new"))
    heads = HunkHeads("a.py", before, None)
    assert heads(hunk, 3) == b"class A"
    assert heads(hunk, 6) == b"def f(self)"
    assert heads(hunk, 0) == b""


def test_a_new_file_is_headed_by_its_own_lines_and_a_long_head_is_cut() -> None:
    after = b"def f(%b):\n" % (b"x" * 500) + b"    pass\n" * 9
    (hunk,) = hunks(b"", after)
    assert HunkHeads("a.py", None, after)(hunk, 0) == b""
    grown = after + b"    last\n"
    (hunk,) = hunks(after, grown)
    said = HunkHeads("a.py", after, grown)(hunk, 7)
    assert len(said) == LONGEST + 3


def test_a_unified_diff_carries_the_heads_and_stays_a_diff() -> None:
    before = PYTHON.replace("CHANGED", "old").encode()
    after = PYTHON.replace("CHANGED", "new").encode()
    diff = unified(before, after, path="a.py", context=1, heads=HunkHeads("a.py", before, after))
    assert b"@@ -9,3 +9,3 @@ async def read(self, source: str) -> int\n" in diff


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        ("src/App.TSX", b"", Language.JAVASCRIPT),
        ("Dockerfile.dev", b"", Language.DOCKER),
        ("prod.dockerfile", b"", Language.DOCKER),
        (".envrc", b"", Language.SHELL),
        ("run", b"#!/bin/sh\n", Language.SHELL),
        ("run", b"#!/usr/bin/env -S python3.11 -u\n", Language.PYTHON),
        ("run.txt", b"#!/usr/bin/node\n", Language.JAVASCRIPT),
        ("a.py", b"#!/bin/bash\n", Language.PYTHON),
        ("notes", b"#! not a program\n", None),
        ("py", b"", None),
        ("", b"", None),
    ],
)
def test_a_language_by_name_then_by_the_first_line(
    path: str, content: bytes, language: Language | None
) -> None:
    assert language_of(path, content) is language
