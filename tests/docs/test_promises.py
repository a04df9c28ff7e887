"""The page of promises is complete: each names its attack, tests that exist, and its limit.

SECURITY.md speaks of the same promises: each one is referred to there, and nothing else is.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import pytest

from tests import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference" / "promises.md").read_text(encoding="utf-8")
SECURITY = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
HEAD = re.compile(r"^### ([A-Z]\d+)\. (.+)$")
FIELD = re.compile(r"^- \*\*(Tried|Held by|Not promised)\*\*: ?(.*)$")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
REFERENCE = re.compile(r"\b([A-Z]\d{1,2})\b")
LEAST = 30


class Promise(NamedTuple):
    id: str
    sentence: str
    fields: dict[str, str]


def _promises() -> list[Promise]:
    """Each heading with the fields below it; a field's further lines are indented."""
    found: list[Promise] = []
    last = ""
    for line in PAGE.splitlines():
        if head := HEAD.match(line):
            found.append(Promise(head[1], head[2], {}))
            last = ""
        elif found and (field := FIELD.match(line)):
            last = field[1]
            found[-1].fields[last] = field[2]
        elif last and line.startswith("  "):
            found[-1].fields[last] += " " + line.strip()
        elif line.startswith("## "):
            last = ""
    return found


PROMISES = _promises()


@cache
def _tests_of(path: str) -> frozenset[str]:
    """Names of the functions in a file of tests; empty when file not found."""
    file = REPOSITORY / path
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


def test_the_page_has_its_promises_each_once() -> None:
    assert len(PROMISES) >= LEAST
    counted = Counter(promise.id for promise in PROMISES)
    assert not [name for name, count in counted.items() if count > 1]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.id)
def test_a_promise_is_one_sentence_with_its_attack_its_tests_and_its_limit(
    promise: Promise,
) -> None:
    assert promise.sentence.endswith(".")
    assert ". " not in promise.sentence
    assert sorted(promise.fields) == ["Held by", "Not promised", "Tried"]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.id)
def test_the_tests_that_hold_a_promise_exist(promise: Promise) -> None:
    named = TEST.findall(promise.fields["Held by"])
    assert named
    missing = [f"{path}::{name}" for path, name in named if name not in _tests_of(path)]
    assert not missing
    assert all(name.startswith("test_") for _, name in named)


def test_security_md_speaks_of_every_promise_and_of_no_other() -> None:
    assert "docs/reference/promises.md" in SECURITY
    known = {promise.id for promise in PROMISES}
    letters = {name[0] for name in known}
    spoken = {name for name in REFERENCE.findall(SECURITY) if name[0] in letters}
    assert spoken == known


def test_every_line_of_security_md_that_claims_something_names_its_promise() -> None:
    claims = re.findall(r"^(?:- |\| (?!layer)).+(?:\n  .+)*$", SECURITY, re.MULTILINE)
    assert len(claims) >= 15
    assert not [claim for claim in claims if not REFERENCE.search(claim)]
