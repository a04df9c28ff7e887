"""Comments on lines and the agent's own words: read as they are written, bounded, or refused."""

from __future__ import annotations

import pytest

from penstock.core.errors import InputError
from penstock.core.proposals.intent import (
    LONGEST_WHY,
    MOST_REGIONS,
    AgentIntent,
    intent,
    only,
    said_with,
    without,
)
from penstock.core.proposals.line_comment import (
    CUT,
    LONGEST_TEXT,
    MOST_COMMENTS,
    LineComment,
    of_value,
    of_values,
    placed,
    read,
)

A = "src/a.py"
WRITTEN = [
    ("src/a.py:14: keep the check", {"start": 14, "end": 14, "text": "keep the check"}, "line 14"),
    ("src/a.py:14:keep it", {"start": 14, "end": 14, "text": "keep it"}, "line 14"),
    ("src/a.py:10-20 the loop", {"start": 10, "end": 20, "text": "the loop"}, "lines 10 to 20"),
    ("src/a.py:10-20", {"start": 10, "end": 20}, "lines 10 to 20"),
    ("src/a.py:-7: x", {"start": 7, "end": 7, "removed": True, "text": "x"}, "removed line 7"),
    ("src/a.py:-7-9", {"start": 7, "end": 9, "removed": True}, "removed lines 7 to 9"),
    ("src/a.py:#2: no", {"hunk": 2, "text": "no"}, "hunk 2"),
    ("src/a.py: rename it", {"text": "rename it"}, "whole file"),
    ("src/a.py:3: see b.py:7: x", {"start": 3, "end": 3, "text": "see b.py:7: x"}, "line 3"),
    ("src/a.py:3: two\nlines", {"start": 3, "end": 3, "text": "two\nlines"}, "line 3"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "parts", "place"), WRITTEN)
def test_a_comment_as_people_write_it(text: str, parts: dict[str, object], place: str) -> None:
    found = read(text)
    assert found == of_value({"path": A, **parts})
    assert found.place == place


def test_the_file_is_left_out_where_there_is_only_one() -> None:
    assert read("14: keep", path=A) == read("src/a.py:14: keep")
    assert of_value({"line": 14, "comment": "keep"}, path=A) == read("src/a.py:14: keep")
    assert read("14: see b.py:3 there", path=A) == read("src/a.py:14: see b.py:3 there")


@pytest.mark.parametrize("lines", ["14", "10-20", "-7", "-7-9", "#2", ""])
def test_lines_are_written_as_they_are_read(lines: str) -> None:
    made = placed(lines, "a\nb", path=A)
    assert (made.lines, made.path, made.text) == (lines, A, "a\nb")


@pytest.mark.parametrize("lines", ["x", "14:", "9-3", "+1", "1,2", "99999999999", "١"])
def test_lines_that_are_none_are_refused(lines: str) -> None:
    with pytest.raises(InputError, match="does not name lines"):
        placed(lines, "no", path=A)


@pytest.mark.parametrize(
    "value",
    ["", "x", "14: no file", "a:9-3: backwards", 7, None, ["a:1"], {"path": A, "line": "1"},
     {"path": A, "line": True}, {"path": A, "line": -1}, {"path": 7}, {"path": A, "lnie": 1},
     {"path": A, "start": 5, "end": 2}, {"path": A, "line": 10**9}, "a:999999999999: far"],
)  # fmt: skip
def test_what_is_no_comment_is_refused(value: object) -> None:
    with pytest.raises(InputError) as caught:
        of_value(value)
    assert caught.value.code == "bad-comment"
    assert "path:14" in caught.value.because


def test_comments_are_bounded_and_one_line_each() -> None:
    long = read(f"a:1: {'x' * 5000}")
    assert len(long.text) == LONGEST_TEXT
    assert long.text.endswith(CUT)
    assert "\n" not in read("a:1: b\nc").words
    with pytest.raises(InputError):
        of_values(["a:1: x"] * (MOST_COMMENTS + 1))
    with pytest.raises(InputError):
        of_values("a:1: x")
    assert of_values(None) == ()


def test_hidden_characters_of_a_comment_are_written_out() -> None:
    assert LineComment(path="a", start=1, end=1, text="x\u202ey\x1b[2J").words == (
        "line 1: x⟦U+202E RLO⟧y⟦U+001B ESC⟧[2J"
    )


# ---------------------------------------------------------------- the agent's own words


def test_the_words_of_an_agent_are_bounded() -> None:
    found = intent("  because  ", ["10-20: the loop"], path=A)
    assert found == AgentIntent(why="because", regions=(read("src/a.py:10-20: the loop"),))
    assert found.of(A) == found.regions
    assert found.of("b.py") == ()
    assert len(intent("x" * 10**6).why) == LONGEST_WHY
    with pytest.raises(InputError, match="not a text"):
        intent(7)
    with pytest.raises(InputError) as caught:
        intent("x", ["1: y"] * (MOST_REGIONS + 1), path=A)
    assert caught.value.code == "bad-region"


@pytest.mark.parametrize(
    ("arguments", "besides", "why"),
    [
        ({"why": "a", "description": "b"}, "c", "a"),
        ({"explanation": "a"}, "", "a"),
        ({"instruction": "a"}, "", "a"),
        ({"description": " "}, "c", "c"),
        ({"why": 7}, "c", "c"),
        ({}, "", ""),
        ({"why": "a", "regions": "nonsense"}, "", "a"),
    ],
)
def test_what_a_call_says_of_itself(arguments: dict[str, object], besides: str, why: str) -> None:
    assert said_with(arguments, besides=besides) == AgentIntent(why=why)


def test_regions_are_of_files_that_the_call_changes() -> None:
    regions = (read("a.py:1: x"), read("b.py:2: y"))
    assert only(regions, ["a.py", "b.py"]) == regions
    with pytest.raises(InputError, match=r"`b\.py` is not changed by this call"):
        only(regions, ["a.py"])


def test_words_are_no_arguments() -> None:
    assert without({"path": "a", "why": "x", "regions": []}) == {"path": "a"}
