"""Syntax colours: there when they come in time, gone without a fuss when they do not."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from collections.abc import Iterator

import pytest

from penstock.doors.colours.child import LARGEST, Colours
from penstock.doors.colours.worker import coloured

SOURCE = 'def f(a):\n    """Say."""\n    return "x" + 1  # why\n'


@pytest.fixture
def colours() -> Iterator[Colours]:
    made = Colours(within=20)
    yield made
    made.close()


def test_each_line_is_covered_by_its_spans() -> None:
    lines = coloured("a.py", SOURCE)
    assert [sum(length for length, _ in line) for line in lines] == [
        len(line) for line in SOURCE.split("\n")
    ]
    assert (3, "sk") in lines[0]


def test_blank_lines_at_the_ends_are_counted() -> None:
    assert len(coloured("a.py", "\n\nx = 1\n\n")) == 5


def test_a_file_of_no_known_kind_has_no_colours() -> None:
    assert coloured("a.unknown-kind", "x") == [[]]


@pytest.fixture
def crowded() -> Iterator[None]:
    """As many open files as a server with very many viewers has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.skip("this machine allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    with contextlib.ExitStack() as opened:
        for _ in range(1100):
            opened.enter_context(open(os.devnull))
        yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_colours_come_also_where_very_many_files_are_open(crowded: None, colours: Colours) -> None:
    assert len(colours.of("a.py", SOURCE)) == len(coloured("a.py", SOURCE))


def test_the_child_says_what_the_function_says(colours: Colours) -> None:
    answered = colours.of("dir/a.py", SOURCE)
    assert [[tuple(span) for span in line] for line in answered] == coloured("a.py", SOURCE)


def test_a_text_that_is_too_large_has_no_colours(colours: Colours) -> None:
    assert colours.of("a.py", "x" * (LARGEST + 1)) == ()


STUCK = "import signal\nwhile True: signal.pause()"
ENDS = "raise SystemExit(1)"


@pytest.mark.parametrize(("program", "why"), [(STUCK, "it never answers"), (ENDS, "it ends")])
def test_a_child_that_does_not_answer_costs_the_colours_only(
    program: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.doors.colours.child.STARTING", 0.2)
    made = Colours(within=0.2, argv=[sys.executable, "-I", "-c", program])
    assert made.of("a.py", SOURCE) == (), why
    made.close()
