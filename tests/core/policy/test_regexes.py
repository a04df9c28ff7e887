"""Regexes are RE2's: linear, quiet, and wrong ones say where and what to do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import RulesError
from penstock.core.policy.regex_faults import beyond_rust, pieces
from penstock.core.policy.regexes import (
    CHUNK,
    MAX_LENGTH,
    Bank,
    check,
    fault,
    literal,
    search,
    weigh,
)

FAULTS = [
    # pattern, what is said, a word of the hint
    ("a(b", "unmatched parenthesis at position 1", "Expected closing ')'"),
    ("^npm (install|ci", "unmatched parenthesis at position 5", "Expected closing ')'"),
    ("((((", "unmatched parenthesis at position 3", "Expected closing ')'"),
    (r"ab\(c(", "unmatched parenthesis at position 5", "Expected closing ')'"),  # \( is no group
    ("[(](", "unmatched parenthesis at position 3", "Expected closing ')'"),  # nor is [(]
    ("a)b", "unmatched parenthesis at position 1", "remove"),
    ("(a))b", "unmatched parenthesis at position 3", "remove"),
    ("git (push [a", "unclosed character class at position 10", "]"),
    ("[]", "unclosed character class at position 0", "]"),  # a leading ] is a character
    ("[^]", "unclosed character class at position 0", "]"),
    ("a[b]c[", "unclosed character class at position 5", "]"),
    ("(?=x)", "look-around is not supported at position 0", "exclude_regex"),
    ("ab(?!x)", "look-around is not supported at position 2", "exclude_regex"),
    ("(?<=a)b", "look-around is not supported at position 0", "exclude_regex"),
    ("^/(?!Users/x)", "look-around is not supported at position 2", "exclude_regex"),
    (r"(a)\1", "back-references are not supported at position 3", "spell"),
    ("(?P<n>a)(?P=n)", "back-references are not supported at position 8", "spell"),
    ("(?>a)", "possessive matching is not supported at position 0", "backtracks"),
    ("a++", "possessive matching is not supported at position 1", "backtracks"),
    ("a**", "repeated repetition at position 1", "(?:"),
    ("*a", "nothing to repeat at position 0", "escape"),
    ("a|*", "nothing to repeat at position 2", "escape"),
    ("x{2,1}", "repetition out of range at position 1", "1000"),
    ("x{1001}", "repetition out of range at position 1", "1000"),
    ("[z-a]", "invalid character class at position 1", "ends"),
    (r"\p{Foo}", "invalid character class at position 0", "names"),
    (r"ab\Z", "unknown escape at position 2", "backslash"),
    ("a\\", "trailing backslash at position 1", "backslash"),
    ("(?x) a", "unknown group at position 0", "(?:"),
    ("(?", "unknown group at position 0", "(?:"),
    ("(?P<a-b>x)", "invalid group name at position 0", "letters"),
    (r"\pL{1000}", "too large when compiled", "smaller"),
    ("é\ud800", "not Unicode text at position 1", "remove"),
    ("a" * (MAX_LENGTH + 1), f"longer than {MAX_LENGTH} characters", "split"),
]


@pytest.mark.parametrize(("pattern", "said", "hint"), FAULTS)
def test_a_wrong_pattern_says_what_where_and_what_to_do(pattern: str, said: str, hint: str) -> None:
    found = fault(pattern)
    assert found is not None
    assert str(found) == said == check(pattern)
    assert hint in found.hint


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "a",
        "^git push( |$)",
        "(?i)x",
        "(?P<n>a)",
        r"\bx\b",
        "[]a]",
        "a{3}",
        "\x00",
        "é",
        "a" * 600,
    ],
)
def test_a_right_pattern_has_no_fault(pattern: str) -> None:
    assert check(pattern) is None


SEARCHES = [
    ("push", "git push", True, "unanchored"),
    ("^push", "git push", False, "anchored at the start"),
    ("push$", "git push\n", False, "$ is the end of the text, not before a newline"),
    ("a.c", "a\nc", False, ". is no newline"),
    ("A", "a", False, "case-sensitive"),
    ("(?i)A", "a", True, "unless it says so"),
    ("é", "caf\u00e9", True, "characters, not bytes"),
    ("^.$", "é", True, "one character is one"),
    ("a", "\ud800a", True, "a lone surrogate in the text hides nothing"),
    ("", "", True, "the empty pattern is everywhere"),
]


@pytest.mark.parametrize(("pattern", "text", "found", "why"), SEARCHES)
def test_search_finds_a_pattern_anywhere(pattern: str, text: str, found: bool, why: str) -> None:
    assert search(pattern, text) is found, why


def test_searching_with_a_wrong_pattern_is_a_rules_error() -> None:
    with pytest.raises(RulesError, match="unmatched parenthesis at position 1"):
        search("a(b", "ab")


def test_wrong_patterns_write_nothing_to_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    for pattern, _, _ in FAULTS:
        check(pattern)
    Bank(["(a|b)*c"] * 3).hits("abc")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(a*)*b", "(.*a){20}b", "(x+x+)+y"])
def test_no_pattern_is_catastrophic(pattern: str) -> None:
    assert search(pattern, "a" * 20_000 + "!") is False


RUST = [
    ("rm {} ;", "a bare `{` at position 3"),
    ("x{,3}", "a bare `{` at position 1"),
    (r"\C", "`\\C` at position 0"),
    (r"a\Q.\E", "`\\Q` at position 1"),
    (r"\012", "an octal escape at position 0"),
    ("[[a]b]", "a class inside a class at position 0"),
    ("x[a&&b]", "a class inside a class at position 1"),
    ("(?P<n>a)|(?<n>b)", "the group name `n` twice at position 9"),
    ("(?P<1>a)", "the group name `1` at position 0"),
    (r"a\<b", "`\\<` or `\\>` at position 1"),
    (r"[&\>]", "`\\<` or `\\>` at position 0"),
]


@pytest.mark.parametrize(("pattern", "said"), RUST)
def test_what_the_original_cannot_load_is_told(pattern: str, said: str) -> None:
    assert check(pattern) is None
    assert str(beyond_rust(pattern)) == said


@pytest.mark.parametrize(
    "pattern",
    [
        *("abc", "x{2}", "x{2,}", "x{2,3}", r"\{", "[[:alpha:]]", r"[\[&]", "[<>]"),
        *("(?P<a>x)(?P<b>y)", r"\\<", r"[\\<]"),
    ],
)
def test_what_both_engines_load_is_fine(pattern: str) -> None:
    assert beyond_rust(pattern) is None


LITERALS = [
    ("git push .*--force", "git push "),
    ("^npm install( |$)", "npm install"),
    ("colou?r", "colo"),
    ("abcde*", "abcd"),
    ("abcde+f", "abcde"),
    ("ab(cd|ef)ghijk", "ghijk"),
    ("abcde{2}f", "abcd"),
    (r"a\.b\.c", "a.b.c"),
    ("abcd|efgh", ""),  # either may be absent
    ("abcd{2}|x", ""),
    ("(?i)abcd", ""),  # ABCD matches too
    (r"\x41bcd", ""),  # \x41 is one character
    (r"\Qabcd\E", ""),
    ("abc", ""),  # too short to tell texts apart
]


@pytest.mark.parametrize(("pattern", "run"), LITERALS)
def test_the_characters_that_every_match_needs_are_known(pattern: str, run: str) -> None:
    assert literal(pattern) == run


CHARACTERS = ["abcd", "git ", "push", "a", "b", ".", "^", "$", "{", "}"]
REPEATS = ["*", "+", "?", "{2}", "{0,1}"]
GROUPS = ["|", "(", ")", "(?:", "(?i)", "[ab]", "[^a]"]
ESCAPES = [r"\.", r"\x61", r"\s", r"\b", r"\Qx\E", r"\141"]
PIECES = st.sampled_from([*CHARACTERS, *REPEATS, *GROUPS, *ESCAPES])
REGEX = st.lists(PIECES, max_size=8).map("".join)
TEXT = st.text(alphabet="abcdgitpush .x{}A", max_size=40)


@given(REGEX, TEXT)
@settings(max_examples=400, deadline=None)
def test_a_text_without_the_needed_characters_never_matches(pattern: str, text: str) -> None:
    if check(pattern) is None and search(pattern, text):
        assert literal(pattern) in text


@given(st.lists(REGEX, max_size=12), TEXT)
@settings(max_examples=200, deadline=None)
def test_a_bank_finds_exactly_what_asking_each_finds(patterns: list[str], text: str) -> None:
    valid = [p for p in patterns if check(p) is None]
    assert Bank(valid).hits(text) == [n for n, p in enumerate(valid) if search(p, text)]


def test_a_bank_of_more_than_one_set_keeps_its_numbers() -> None:
    patterns = [f"(?i)cmd{n}$" for n in range(CHUNK * 2 + 3)]
    assert Bank(patterns).hits("run CMD513") == [513]
    assert Bank(patterns).hits("run cmd5") == [5]


def test_patterns_too_large_together_are_asked_one_by_one() -> None:
    patterns = [rf"(?i)x{n}-\pL{{30}}" for n in range(20)]
    assert Bank(patterns).hits("x7-" + "é" * 30) == [7]


def test_an_empty_bank_finds_nothing() -> None:
    assert Bank([]).hits("anything") == []


def test_a_large_pattern_tells_its_size_and_a_small_one_costs_nothing() -> None:
    size = weigh("[a-z]{200}")
    assert isinstance(size, int)
    assert size > 200
    assert weigh("^git push") == 0


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_as_a_pattern_is_answered(pattern: str) -> None:
    found = fault(pattern)
    assert found is None or -1 <= found.position <= len(pattern)
    assert "".join(piece for _, piece in pieces(pattern)) == pattern
    beyond_rust(pattern)


@given(st.text(alphabet="ab(|)*+?.[]^$\\d{1,}", max_size=12))
@settings(max_examples=300, deadline=None)
def test_what_re2_accepts_python_understands_or_differs_by_name(pattern: str) -> None:
    """An oracle for `search`: on plain patterns both engines give the same answer."""
    if check(pattern) is not None or "[" in pattern or "{" in pattern or "$" in pattern:
        return
    try:
        expected = re.compile(pattern, re.ASCII)
    except re.error:
        return
    assert search(pattern, "ab1(a)b.") is (expected.search("ab1(a)b.") is not None)
