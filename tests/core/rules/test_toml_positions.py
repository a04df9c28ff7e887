"""Every key and element of a TOML text has its line, however the text is laid out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.rules.toml_positions import MAX_NESTING, MAX_PARTS, MAX_PLACES, Path, find_lines

LAYOUT = '''\
# a comment with [[brackets]] = "and" more
top = 1
"quoted key" = 2 # = 3
'lit.eral' = 3
dotted . "sub key".c = 4

[defaults] # comment
read = "allow"
write = """
[[deny]]
id = "not a rule"
"""
create = \'\'\'[[deny]]
\'\'\'

[[deny]]
id = "first"
paths = [
  "a", # one
  # a whole line ]
  "b",
  """c
  d""", "e"
]
[[deny]]
  id = "second"
  inline = { x = 1, y.z = [ { w = 5 }, { w = 6 } ] }
[deny.nested]
k = 1979-05-27 07:32:00
[[deny.again]]
n = 1
[[deny.again]]
n = 2
["deny"."also"]
m = [[1, 2], [3]]
[spread.out]
'''
EXPECTED: list[tuple[Path, int]] = [
    (("top",), 2),
    (("quoted key",), 3),
    (("lit.eral",), 4),
    (("dotted", "sub key", "c"), 5),
    (("defaults",), 7),
    (("defaults", "read"), 8),
    (("defaults", "write"), 9),
    (("defaults", "create"), 13),
    (("deny", 0), 16),
    (("deny", 0, "id"), 17),
    (("deny", 0, "paths"), 18),
    (("deny", 0, "paths", 0), 19),
    (("deny", 0, "paths", 1), 21),
    (("deny", 0, "paths", 2), 22),
    (("deny", 0, "paths", 3), 23),
    (("deny", 1), 25),
    (("deny", 1, "id"), 26),
    (("deny", 1, "inline", "y", "z", 1, "w"), 27),
    (("deny", 1, "nested"), 28),
    (("deny", 1, "nested", "k"), 29),
    (("deny", 1, "again", 1, "n"), 33),
    (("deny", 1, "also", "m", 1, 0), 35),
    (("spread",), 36),
    (("spread", "out"), 36),
]


@pytest.mark.parametrize(("path", "line"), EXPECTED, ids=str)
def test_the_line_of_a_path_is_where_it_is_written(path: Path, line: int) -> None:
    assert find_lines(LAYOUT).of(*path) == line


@pytest.mark.parametrize(("path", "line"), EXPECTED, ids=str)
def test_windows_line_ends_change_no_line(path: Path, line: int) -> None:
    assert find_lines(LAYOUT.replace("\n", "\r\n")).of(*path) == line


def test_what_is_not_written_gets_the_line_around_it() -> None:
    lines = find_lines(LAYOUT)
    assert lines.of("deny", 1, "missing") == 25
    assert lines.of("nowhere") == 1


QUOTES = [
    ('a = """"""', "empty"),
    ('a = """"x"""', "a quote first"),
    ('a = """x""""', "a quote last"),
    ('a = """x"""""', "two quotes last"),
    ("a = ''''x'''''", "the same with apostrophes"),
    ('a = "\\""', "an escaped quote"),
    ('a = """\\""""', "an escaped quote, then the end"),
    ("a = '\\'", "no escapes between apostrophes"),
    ('a = ""', "nothing at all"),
    ("a = ''", "nothing at all"),
    ('a = "#"', "no comment"),
    ("a = [\"]\", '[']", "no brackets"),
    ("a = []", "an empty array"),
    ("a = {}", "an empty table"),
    ("a = [ 1, ]", "a comma too many"),
    ("a = -inf", "a number"),
    ("a = 2020-01-01 10:00:00.5", "a date with a space"),
]


@pytest.mark.parametrize(("value", "why"), QUOTES)
def test_the_next_key_is_found_after_any_value(value: str, why: str) -> None:
    text = f"{value}\nb = 1"
    assert "b" in tomllib.loads(text)
    assert find_lines(text).known[("b",)] == 2, why


def walk(value: object, path: Path = ()) -> Iterator[Path]:
    items = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from walk(inner, (*path, key))


KEYS = st.sampled_from(
    ["a", "b-1", "deny", '"x y"', "'q.r'", '"\\u00e9\\""', "a . b", '"a".c', "1"]
)
BLANKS = st.sampled_from(["", " ", "\t"])
COMMENTS = st.sampled_from(["", " # c", ' # "[', "#]]'"])
SCALARS = st.sampled_from(
    [
        "1",
        "true",
        '"s"',
        "'s'",
        '"\\\\"',
        '"a#b"',
        '"""m\n[x]\n"""',
        "'''m\n\"'''",
        "1979-05-27 07:32:00",
    ]
)
GAPS = st.sampled_from(["", " ", "\n", " # ,]\n", "\n\n  "])


def arrays(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    element = st.tuples(GAPS, inner, GAPS).map("".join)
    return st.lists(element, max_size=3).map(lambda parts: "[" + ",".join(parts) + "\n]")


def inline(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.lists(st.tuples(KEYS, inner), max_size=2, unique_by=lambda pair: pair[0])
    return pairs.map(lambda found: "{" + ", ".join(f"{k} = {v}" for k, v in found) + "}")


VALUES = st.recursive(SCALARS, lambda inner: arrays(inner) | inline(inner), max_leaves=5)
PAIRS = st.tuples(BLANKS, KEYS, BLANKS, VALUES, COMMENTS).map(
    lambda p: f"{p[0]}{p[1]}{p[2]}={p[3]}{p[4]}"
)
HEADERS = st.tuples(KEYS, BLANKS, COMMENTS, st.booleans()).map(
    lambda h: f"[[{h[1]}{h[0]}{h[1]}]]{h[2]}" if h[3] else f"[{h[1]}{h[0]}{h[1]}]{h[2]}"
)
DOCUMENTS = st.lists(PAIRS | HEADERS | COMMENTS, max_size=10).map("\n".join)


@given(DOCUMENTS)
@settings(max_examples=500, deadline=None)
def test_whatever_tomllib_reads_has_a_line_that_names_it(text: str) -> None:
    try:
        document = tomllib.loads(text)
    except ValueError:
        find_lines(text)
        return
    lines, written = find_lines(text), text.split("\n")
    for path in walk(document):
        line = written[lines.of(*path) - 1]
        key = path[-1]
        escaped = "\\u00e9" if key == 'é"' else str(key)
        assert isinstance(key, int) or escaped in line, (path, line)


@given(
    st.lists(st.sampled_from(["v", "w"]), min_size=1, max_size=6),
    st.lists(GAPS, min_size=6, max_size=6),
)
@settings(max_examples=100, deadline=None)
def test_each_element_of_an_array_has_its_own_line(names: list[str], gaps: list[str]) -> None:
    items = [f'{gap}"{name}{at}"' for at, (name, gap) in enumerate(zip(names, gaps, strict=False))]
    text = "a = [" + ",".join(items) + "]"
    lines = find_lines(text)
    for at, name in enumerate(names):
        assert f'"{name}{at}"' in text.split("\n")[lines.of("a", at) - 1]


@given(st.text(alphabet="[]{}=\"'\\#.,a1 \n\r", max_size=40))
@settings(max_examples=500, deadline=None)
def test_a_text_that_is_no_toml_is_scanned_without_an_error(text: str) -> None:
    find_lines(text)


HOSTILE = [
    (".".join(["a"] * (MAX_PARTS + 1)) + " = 1", "a key of many parts"),
    ("[" + ".".join(["a"] * 100_000) + "]", "a header of very many parts"),
    ("x = 1\na = {" + ".".join(['"a"'] * 50_000) + " = 1}", "the same inside braces"),
    ("a = " + "[" * (MAX_NESTING + 1), "brackets in brackets"),
    ("a = " + "{a = " * 10_000, "braces in braces"),
    ("a = [" + "1," * (MAX_PLACES + 10), "an endless array"),
]


@pytest.mark.parametrize(("text", "why"), HOSTILE)
def test_what_would_cost_tomllib_dearly_is_told_beforehand(text: str, why: str) -> None:
    lines = find_lines(text)
    assert lines.refused
    assert lines.line == text.count("\n") + 1, why


def test_what_is_only_long_is_not_deep() -> None:
    text = "a = [" + "[1, 2], " * 1000 + "]\n" + "b.c.d = 1\n" + "#" + "a." * 1000
    assert find_lines(text).refused == ""
