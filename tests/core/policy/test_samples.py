"""Samples of a pattern match it; that is all they promise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.paths.globs import matches
from penstock.core.policy.regexes import search
from penstock.core.policy.samples import (
    LONGEST,
    MOST,
    nests_repetition,
    pattern_samples,
    sample_path,
    words_in,
)

MADE = [
    ("^npm install( |$)", "npm install"),
    ("^cargo (build|test)", "cargo test"),
    (r"^git (?P<what>push|pull)(?: --force)?$", "git pull --force"),
    (r"^\s*[a-f]{2,3}\d+?x{0,2}", "aa1x"),
    (r"(?i)^LS\b", "LS"),
    (r"\Qa.b\E+", "a.b"),
    (r"^[^a-z]\x41\pL", "AAp"),
    (r"^[[:alpha:]]{3}", "aaa"),
    ("^a{x", "a{x"),
    ("^(a|b(c|d)+)*x", "bcx"),
    ("(?:" * 60 + "a" + ")" * 60 + "b", ""),
    ("^[\u4e00-\u4e10]$", "\u4e00"),
    (r"a\.b\nc", "a.b\nc"),
    ("rm .*-rf", "rm -rf"),
    (r"^/p/src/[a-z]+\.py$", "/p/src/a.py"),
    ("a{3}b?", "aaab"),
    ("[^x]y", "ay"),
    ("[0-9]", "0"),
    (r"\d+ \w\s", "1 a "),
    (r"[\d]", "1"),
    (r"[\s]z", " z"),
    ("x{2,}?", "xx"),
    ("^(a|b|c|d|e|f|g|h|i)z$", "iz"),
]


@pytest.mark.parametrize(("pattern", "expected"), MADE)
def test_samples_are_what_a_person_would_write(pattern: str, expected: str) -> None:
    made = pattern_samples(pattern)
    assert not expected or expected in made, made
    assert all(search(pattern, text) for text in made)


@pytest.mark.parametrize("pattern", ["(", "a(?!b)", r"(a)\1", "^a\\bc", "x{2000}"])
def test_what_cannot_be_or_does_not_compile_has_no_samples(pattern: str) -> None:
    assert pattern_samples(pattern) == ()


PIECES = (
    "a",
    "b",
    ".",
    "*",
    "+",
    "?",
    "|",
    "(",
    ")",
    "(?:",
    "[a-c]",
    "[^x]",
    "\\d",
    "\\b",
    "^",
    "$",
    "{2}",
    "{1,}",
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_pattern_has_few_short_samples_that_match(pattern: str) -> None:
    made = pattern_samples(pattern)
    assert len(made) <= MOST
    assert all(len(text) <= LONGEST and search(pattern, text) for text in made)


@pytest.mark.parametrize(
    ("pattern", "nests"),
    [
        *(("(a+)+", True), ("((ab*)c)+", True), ("(a{2,})*", True), ("(?:x*){3,}", True)),
        *(
            ("(a|b)+c*", False),
            ("(a+)?", False),
            ("a+b+", False),
            ("(a{2,3})+", False),
            ("a)+", False),
        ),
    ],
)
def test_repetition_of_repetition_is_seen(pattern: str, nests: bool) -> None:
    assert nests_repetition(pattern) is nests


@pytest.mark.parametrize("glob", ["**", "src/**", "**/*.py", "a?c", "docs/*/x", ".env*"])
def test_a_sample_path_meets_its_glob(glob: str) -> None:
    assert matches(glob, sample_path(glob))


def test_rules_are_looked_up_by_how_their_words_begin() -> None:
    assert words_in(r"^npm (install|ci)\bfoo -x") == {"npm", "ins", "foo"}
