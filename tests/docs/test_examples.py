"""What the manual shows is what the program does: its rules load, its commands answer so.

A judgement is made by the rules that stand above it on the same page, in a project that has
`src/app.py` with 270 lines. Pages to follow (README, tutorial, how-to) are walked by `test_walks`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from penstock.cli import main
from penstock.core.rules import load as rules
from tests import REPOSITORY
from tests.project import Project

ROOT = REPOSITORY
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEN_MORE = 10


class Block(NamedTuple):
    page: str
    number: int
    kind: str
    text: str


class Example(NamedTuple):
    """A command, what the page shows below it, and the rules in force."""

    page: str
    command: str
    shown: tuple[str, ...]
    rules: str


def blocks(page: Path) -> list[Block]:
    name = page.relative_to(ROOT).as_posix()
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [Block(name, number, *one) for number, one in enumerate(found, 1)]


def commands(block: Block) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each command of a console block with the lines below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *shown = part.rstrip("\n").split("\n")
        yield command, tuple(line for line in shown if line.strip())


def judgements(page: Path) -> Iterator[Example]:
    in_force = ""
    for block in blocks(page):
        if block.kind == "toml":
            in_force = block.text
        for command, shown in commands(block) if block.kind == "console" else ():
            if command.startswith("penstock judge "):
                yield Example(block.page, command, shown, in_force)


def pattern(line: str) -> re.Pattern[str]:
    """Return what a shown line stands for: `...` is any text, spaces are spaces."""
    parts = [r"\s+".join(map(re.escape, piece.split())) for piece in line.split("...")]
    return re.compile(r".*".join(parts))


def holds(shown: tuple[str, ...], told: str) -> None:
    """Each shown line is told, in this order; the first one first unless it is left open."""
    left = [line.strip() for line in told.replace("\r", "").split("\n")]
    for line in shown:
        wanted = pattern(line.strip())
        at = next((n for n, one in enumerate(left) if wanted.fullmatch(one)), None)
        assert at is not None, f"{line!r} is not among:\n{told[:2000]}"
        left = left[at + 1 :]


TOML = [block for page in PAGES for block in blocks(page) if block.kind == "toml"]
LOOKED_UP = [page for page in PAGES if page.parent.name in ("concepts", "reference")]
JUDGED = [example for page in LOOKED_UP for example in judgements(page)]


def test_there_are_examples_at_all() -> None:
    assert len(TOML) > TEN_MORE
    assert len(JUDGED) > TEN_MORE


@pytest.mark.parametrize("block", TOML, ids=lambda block: f"{block.page}:{block.number}")
def test_every_rules_example_loads_without_problems(block: Block) -> None:
    original = "[logging]" in block.text  # a table that only the original hook's files have
    name = "claude-code-permissions-hook.toml" if original else "penstock.toml"
    loaded = rules.load(name, {name: block.text.encode()}.get)
    assert [str(problem) for problem in loaded.problems] == []
    rules.build(loaded)


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project to judge in, from within this process: the command itself, without its start."""
    project.write("src/app.py", "".join(f"def step_{n}(): return {n}\n" for n in range(1, 271)))
    (project.root / "config").mkdir()
    monkeypatch.chdir(project.root)
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "300")
    return project


@pytest.mark.parametrize("example", JUDGED, ids=lambda one: f"{one.page}:{one.command[21:60]}")
def test_every_judgement_is_what_the_command_says(
    example: Example, shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    if example.rules:
        shop.write("penstock.toml", example.rules)
    with pytest.raises(SystemExit):
        main(_words(example.command)[1:])
    told = capsys.readouterr().out
    verdict, *_ = example.shown or ("",)
    assert told.split()[:1] == verdict.split()[:1], told
    holds(example.shown, told)


def _words(command: str) -> list[str]:
    """Take a command apart as a shell does, so that its quoting is tested too."""
    done = subprocess.run(
        ["/bin/bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True, check=True
    )
    return done.stdout.split("\0")[:-1]
