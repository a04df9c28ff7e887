"""The quick reader of JSON reads what `json` reads, and refuses what it refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core import strict_json
from penstock.core.strict_json import DuplicateKeyError, TrailingError, parse, quoted, strict

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


def plain(text: str) -> Any:
    """What `json` makes of a text; all numbers are floats here as they are there."""
    return json.loads(text, parse_int=float)


def outcome(read: Callable[[Any], Any], text: str | bytes) -> tuple[str, Any]:
    try:
        return ("value", repr(read(text)))
    except RecursionError:
        return ("too deep", None)
    except ValueError:
        return ("not JSON", None)


@pytest.fixture(params=["scanner", "no scanner", "another scanner"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read with the private scanner, without one, and with one that asks for something new."""
    if request.param == "no scanner":
        monkeypatch.setitem(sys.modules, "_json", None)
    if request.param == "another scanner":

        def unknown(_: object) -> None:
            raise AttributeError("a new attribute")

        monkeypatch.setattr("_json.make_scanner", unknown)
    return str(request.param)


ROWS = [
    # text, outcome, why
    ("{}", "value", "the least object"),
    (' \t\r\n{"a": [1, -2.5e3, true, null]} \n', "value", "blanks around it"),
    ("9" * 10_000, "value", "longer than an int may be"),
    ("NaN", "value", "`json` takes it too"),
    ('"\\ud800"', "value", "a lone surrogate is for the caller to judge"),
    ('"\\ud83d\\ude00"', "value", "a pair is one character"),
    ("", "not JSON", "nothing"),
    ("   ", "not JSON", "nothing but blanks"),
    ("{", "not JSON", "no end"),
    ("{} {}", "not JSON", "two values"),
    ("{'a': 1}", "not JSON", "Python's quotes"),
    ('{"a": 1,}', "not JSON", "a comma too many"),
    ('"a\nb"', "not JSON", "a line break in a text"),
    ('"\\x"', "not JSON", "an escape that there is not"),
    ("\xa0{}", "not JSON", "only four characters are blanks"),
    ("\ufeff{}", "not JSON", "whoever reads a file takes its mark off"),
    ("[" * 200_000, "too deep", "no end in sight"),
    ('{"a":' * 200_000, "too deep", "of objects too"),
]


@pytest.mark.parametrize(("text", "expected", "why"), ROWS, ids=[row[2] for row in ROWS])
def test_texts_are_read_alike_on_every_way(text: str, expected: str, why: str, way: str) -> None:
    assert outcome(parse, text)[0] == expected, (why, way)
    assert outcome(parse, text) == outcome(plain, text) or text.startswith("\ufeff")


@settings(max_examples=200, deadline=None)
@given(value=VALUES)
def test_every_document_is_read_as_json_reads_it(value: object) -> None:
    text = json.dumps(value)
    assert repr(parse(text)) == repr(plain(text))


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet='{}[]",:\\u0e-1. \nantrue', max_size=30))
@example(text='{"a":"\\u0')
def test_every_text_is_read_or_refused_as_json_does(text: str) -> None:
    assert outcome(lambda t: parse(t, dict), text) == outcome(plain, text)


def test_a_key_that_comes_twice_is_refused_at_any_depth(way: str) -> None:
    for text in ('{"a": 1, "a": 2}', '{"b": [{"c": {"a": 1, "\\u0061": 1}}]}'):
        with pytest.raises(DuplicateKeyError):
            parse(text)
        assert parse(text, dict) is not None
    assert parse('{"a": {"a": 1}}') == {"a": {"a": 1.0}}, way


STRICT = [
    # text, outcome, why
    (b'{"a": [1, -2.5e3, true, null]}', "value", "bytes are UTF-8"),
    ("9" * 4000, "value", "a whole number stays one"),
    ("9" * 10_000, "not JSON", "longer than an int may be"),
    (b'"\xff"', "not JSON", "no UTF-8"),
    ('{"a": NaN}', "not JSON", "equal to nothing, not even to itself"),
    ("-Infinity", "not JSON", "beyond every bound"),
    ("{} {}", "not JSON", "two values"),
    ("[" * 200_000, "not JSON", "one error, for what is too deep as well"),
]


@pytest.mark.parametrize(("text", "expected", "why"), STRICT, ids=[row[2] for row in STRICT])
def test_a_strict_reader_has_one_error(
    text: str | bytes, expected: str, why: str, way: str
) -> None:
    assert outcome(strict, text)[0] == expected, (why, way)


def test_a_strict_reader_keeps_whole_numbers_and_names_what_is_wrong(way: str) -> None:
    assert repr(strict('{"a": 1, "b": 1.0}')) == "{'a': 1, 'b': 1.0}", way
    with pytest.raises(DuplicateKeyError, match="the key `a` occurs twice in one object"):
        strict('[{"b": 1, "a": 2, "\\u0061": 2}]')
    with pytest.raises(TrailingError):
        strict('{"a": 1}x')


@given(text=st.text())
def test_what_is_quoted_reads_back_and_is_ascii(text: str) -> None:
    assert json.loads(quoted(text)) == text
    assert quoted(text).isascii()


def test_a_lone_surrogate_is_quoted_as_an_escape() -> None:
    assert quoted("\ud800\x7f\x00") == '"\\ud800\\u007f\\u0000"'


def test_reading_imports_nothing_but_the_scanner() -> None:
    assert [name for name in vars(strict_json) if name in ("json", "re", "typing")] == []
