"""The map is true: its spine can be read in an hour, and its places exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests import REPOSITORY

SRC = REPOSITORY / "src" / "penstock"
PAGE = (REPOSITORY / "docs" / "map.md").read_text(encoding="utf-8")
SPINE = re.findall(r"^\| \d+ \| `([\w/]+\.py)` \|", PAGE, re.MULTILINE)
MOST_MODULES, MOST_LINES = 15, 3500


def test_the_spine_is_read_in_an_hour() -> None:
    assert 10 <= len(SPINE) <= MOST_MODULES
    lines = sum(len((SRC / name).read_text(encoding="utf-8").splitlines()) for name in SPINE)
    assert lines <= MOST_LINES, f"the spine has {lines} lines"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_map_is_found(page: str) -> None:
    assert "docs/map.md" in (REPOSITORY / page).read_text(encoding="utf-8")


def test_every_place_that_the_map_names_exists() -> None:
    text = re.sub(r"<!-- tree -->.*?<!-- /tree -->", "", PAGE, flags=re.DOTALL)
    for name in re.findall(r"`((?:core|gate|stores|doors|app|startup)/[\w/]+(?:\.py)?)`", text):
        assert (SRC / name).exists(), name
    for name in re.findall(r"`(tests/\w+)`", text):
        assert (REPOSITORY / name).is_dir(), name


@pytest.mark.parametrize("plate", sorted(SRC.rglob("__init__.py")), ids=lambda p: p.parent.name)
def test_a_package_is_entered_where_it_says(plate: object) -> None:
    from pathlib import Path

    assert isinstance(plate, Path)
    text = ast.get_docstring(ast.parse(plate.read_text(encoding="utf-8"))) or ""
    (enter,) = re.findall(r"^Enter by (.*)$", text, re.MULTILINE)
    for name in re.findall(r"`([\w.]+)`", enter.split(";")[0].split("(")[0]):
        head = name.split(".")[0]
        found = (plate.parent / f"{head}.py", plate.parent / head / "__init__.py")
        inside = re.search(rf"\b{head}\b", plate.read_text(encoding="utf-8").split('"""', 2)[2])
        assert any(path.exists() for path in found) or inside or head == "penstock", name
