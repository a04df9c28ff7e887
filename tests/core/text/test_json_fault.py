"""What is wrong with a JSON text, as messages say it."""

from __future__ import annotations

import json

import pytest

from penstock.core.strict_json import strict
from penstock.core.text.json_fault import json_fault

FAULTS = [
    ("", "line 1, column 1: expecting value"),
    ("{bad", "line 1, column 2: expecting property name enclosed in double quotes"),
    ('{"a": 1,\n "b" 2}', "line 2, column 6: expecting ':' delimiter"),
    ("{} {}", "more than one value"),
    ('{"a": 1, "a": 2}', "the key `a` occurs twice in one object"),
]


@pytest.mark.parametrize(("text", "said"), FAULTS)
def test_the_place_comes_first(text: str, said: str) -> None:
    with pytest.raises(ValueError) as wrong:  # noqa: PT011 - every kind of it
        strict(text)
    assert json_fault(wrong.value) == said


def test_what_has_no_words_is_nested_too_deeply() -> None:
    assert json_fault(RecursionError()) == "it is nested too deeply"


def test_a_long_complaint_is_cut() -> None:
    assert len(json_fault(json.JSONDecodeError("x" * 5000, "", 0))) < 250
