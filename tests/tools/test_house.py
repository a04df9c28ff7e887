"""What `make house` counts and refuses."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools import house

NAMES = [
    ("asked", True, "what was done to something"),
    ("shell_found", True, "the last word counts"),
    ("looking", True, "what somebody does"),
    ("told", True, "without an ending that gives it away"),
    ("learning", False, "a noun"),
    ("staging", False, "a noun"),
    ("outcome_text", False, "what it holds"),
    ("decide", False, "what it does"),
    ("thread", False, "ends like one, and is none"),
    ("run", False, "a verb and a noun before it is a participle"),
]


@pytest.mark.parametrize(("name", "refused", "why"), NAMES)
def test_a_participle_is_no_name(name: str, refused: bool, why: str) -> None:
    assert house.is_participle(name) is refused, why


def module(text: str, name: str = "core/sample.py") -> house.Module:
    return house.Module(path=house.SRC / name, text=text, tree=ast.parse(text))


SAMPLE = '''"""A module.

With a docstring of two paragraphs.
"""

import os  # why it is here


# A comment alone.
def first() -> str:
    """Say it."""
    text = """two
lines"""
    return text
'''


def test_code_lines_are_what_a_machine_would_read() -> None:
    assert house.code_lines(module(SAMPLE)) == 5  # import, def, text in two lines, return


def test_a_class_name_in_two_modules_means_two_things() -> None:
    found = [module("class Kind: ...\n"), module("class Kind: ...\n", "core/other.py")]
    assert list(house.shared_class_names(found)) == ["Kind"]
    assert not house.shared_class_names(found[:1])


def test_only_the_gate_looks_behind_the_gate() -> None:
    text = "def f(gate):\n    return gate._parts.files\n"
    assert house.reaching([module(text, "cli/status.py")]) == ["cli/status.py:2"]
    assert not house.reaching([module(text, "gate/service.py")])


def test_a_package_says_where_to_enter_who_imports_it_and_what_holds() -> None:
    short = module('"""A package."""\n', "core/__init__.py")
    assert len(house.unexplained([short])) == 3


def test_a_full_folder_is_seen() -> None:
    found = [module("", f"core/m{n}.py") for n in range(house.MODULES + 1)]
    assert house.folders(found) == {"core": house.MODULES + 1}


def test_the_house_as_it_is_keeps_its_limits() -> None:
    found = house.modules()
    assert Path(house.SRC, "__init__.py") in {one.path for one in found}
    assert not house.participles(found)
    assert not house.shared_class_names(found)
    assert not house.unexplained(found)
    assert not house.reaching(found)
    counted = house.folders(found)
    assert not {folder for folder, n in counted.items() if n > house.MODULES}
