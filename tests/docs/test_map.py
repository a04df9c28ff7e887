"""The map is true: its spine can be read in an hour, and every place that a page names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import REPOSITORY

SRC = REPOSITORY / "src" / "penstock"
PAGE = (REPOSITORY / "docs" / "map.md").read_text(encoding="utf-8")
SPINE = re.findall(r"^\| \d+ \| `([\w/]+\.py)` \|", PAGE, re.MULTILINE)
MOST_MODULES, MOST_LINES = 15, 3850
# A path of ours in a text, `core/diff/align.py`, and a dotted name in code style, `core.diff`;
# `core.fsync` and its like are settings of git's.
PLACE = re.compile(
    r"(?<![\w./*~-])(?:src/penstock/)?"
    r"((?:core|gate|stores|doors|app|cli|startup|presets|tests|bench|tools)/[\w/]+(?:\.py)?)(?![\w*.])"
)
DOTTED = re.compile(
    r"`(?:penstock\.)?((?:core|stores|doors)\.(?!fsync|fsmonitor|hooksPath|sshCommand)\w+)[\w.]*`"
)
MADE_BY_THE_BUILD = "startup/hook_path.py"
# Files of other projects that the page of the specifications names.
SPECIFIED = re.compile(r"`(?:cli/(?:app|approval)\.py|tests/unit/workflows/testing/\w+\.py)`")


def test_the_spine_is_read_in_an_hour() -> None:
    assert 10 <= len(SPINE) <= MOST_MODULES
    lines = sum(len((SRC / name).read_text(encoding="utf-8").splitlines()) for name in SPINE)
    assert lines <= MOST_LINES, f"the spine has {lines} lines"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_map_is_found(page: str) -> None:
    assert "docs/map.md" in (REPOSITORY / page).read_text(encoding="utf-8")


def test_every_place_that_a_page_or_a_docstring_names_exists() -> None:
    texts = [*_pages(), *_docstrings()]
    assert len(texts) > 1000
    missing = [
        f"{where}: {place}"
        for where, text in texts
        for place in (*PLACE.findall(text), *(n.replace(".", "/") for n in DOTTED.findall(text)))
        if place != MADE_BY_THE_BUILD and not _exists(place)
    ]
    assert not missing


def _exists(place: str) -> bool:
    found = (SRC / place, SRC / f"{place}.py", REPOSITORY / place, REPOSITORY / f"{place}.py")
    return any(path.exists() for path in found)


def _pages() -> Iterator[tuple[Path, str]]:
    """Return every page but decisions that no longer hold, which name what was there then."""
    for page in (
        path for at in ("*.md", "docs/**/*.md", "changes/*.md") for path in REPOSITORY.glob(at)
    ):
        text = page.read_text(encoding="utf-8")
        if "uperseded by [" not in text:
            yield page, SPECIFIED.sub("", text) if page.name == "specifications.md" else text


def _docstrings() -> Iterator[tuple[Path, str]]:
    for folder in ("src", "tests", "bench", "tools"):
        for path in (REPOSITORY / folder).rglob("*.py"):
            if "fixtures" not in path.parts:
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    if isinstance(
                        node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
                    ):
                        yield path, ast.get_docstring(node) or ""


@pytest.mark.parametrize("plate", sorted(SRC.rglob("__init__.py")), ids=lambda p: p.parent.name)
def test_a_package_is_entered_where_it_says(plate: Path) -> None:
    text = ast.get_docstring(ast.parse(plate.read_text(encoding="utf-8"))) or ""
    (enter,) = re.findall(r"^Enter by (.*)$", text, re.MULTILINE)
    for name in re.findall(r"`([\w.]+)`", enter.split(";")[0].split("(")[0]):
        head = name.split(".")[0]
        found = (plate.parent / f"{head}.py", plate.parent / head / "__init__.py")
        inside = re.search(rf"\b{head}\b", plate.read_text(encoding="utf-8").split('"""', 2)[2])
        assert any(path.exists() for path in found) or inside or head == "penstock", name
