"""The page of requirements is complete: every line has a test that exists, or says why not."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import pytest

from tests import REPOSITORY
from tests.requirements.table import numbered

PAGE = (REPOSITORY / "docs" / "reference" / "requirements.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ((?:S[0-3X]-|[XABCD])\d+[a-z]?) \| (.+?) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)(?:\[([^\]]+)\])?`")
DEVIATION = re.compile(r"\*\*Deviation\*\*: (.+)")
# The specifications' lists as they were counted: no S0-097 to 100, no S1-071, no S3-068.
EXPECTED = [
    *numbered("S0-", [*range(1, 97), *range(101, 131)], digits=3),
    *numbered("S1-", [*range(1, 71), *range(72, 75)], digits=3),
    *("S1-074a", "S1-074b"),
    *numbered("S1-", range(75, 81), digits=3),
    *numbered("S2-", range(1, 67), digits=3),
    "S2-066a",
    *numbered("S2-", range(67, 71), digits=3),
    *numbered("S3-", [*range(1, 68), 69, 70], digits=3),
    *numbered("SX-", range(1, 7), digits=2),
    *numbered("X", range(1, 13)),
    *numbered("A", range(1, 25)),
    *numbered("B", range(1, 26)),
    *numbered("C", range(1, 14)),
    *numbered("D", range(1, 31)),
]


class Requirement(NamedTuple):
    id: str
    asked: str
    shown: str


LEDGER = [Requirement(*row) for row in ROW.findall(PAGE)]


@cache
def functions(path: str) -> frozenset[str]:
    """Names of the tests in a file, those of classes too; none where there is no such file."""
    file = REPOSITORY / path
    tree = ast.parse(file.read_text(encoding="utf-8") if file.is_file() else "")
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.name.startswith("test_")
    )


@cache
def rows(path: str) -> frozenset[str]:
    """Ids of the rows that a table of requirements is tested with."""
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    return frozenset(row.id for row in module.ROWS)


def exists(path: str, name: str, row: str) -> bool:
    return name in functions(path) and (not row or row in rows(path))


def test_every_requirement_is_there_once() -> None:
    assert [one.id for one in LEDGER] == EXPECTED


def test_each_says_something_of_its_own() -> None:
    asked = Counter((one.id.split("-")[0], one.asked) for one in LEDGER)
    assert [text for text, count in asked.items() if count > 1] == []
    assert [one.id for one in LEDGER if len(one.asked) < 9] == []


@pytest.mark.parametrize("one", LEDGER, ids=lambda one: one.id)
def test_a_requirement_is_shown_by_tests_that_exist_or_says_why_not(one: Requirement) -> None:
    named = TEST.findall(one.shown)
    said = DEVIATION.search(one.shown)
    assert named or said
    assert [test for test in named if not exists(*test)] == []
    assert said is None or len(said[1]) > 30, "a deviation has a reason"
    rest = DEVIATION.sub("", TEST.sub("", one.shown)).replace("<br>", "").strip()
    assert rest == ""


def test_no_line_of_a_table_is_passed_over() -> None:
    lines = [line for line in PAGE.splitlines() if re.match(r"\| [SXABCD][\dX]", line)]
    ids = [line for line in lines if not line.startswith(("| S0 |", "| S1 |", "| S2 |"))]
    ids = [line for line in ids if not line.startswith(("| S3 |", "| SX |", "| X, "))]
    assert len(ids) == len(LEDGER)


def test_every_row_of_the_tables_is_in_the_ledger() -> None:
    tables = {path for one in LEDGER for path, _, row in TEST.findall(one.shown) if row}
    shown = {(path, row) for one in LEDGER for path, _, row in TEST.findall(one.shown) if row}
    assert {(path, row) for path in tables for row in rows(path)} - shown == set()
    assert len(tables) == 6
