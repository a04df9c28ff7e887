"""What the manual shows is what the program does: its rules load, its commands answer so.

A judgement is made by the rules that stand above it on the same page, in a project that has
`src/app.py` with 270 lines. The tutorial is run from its first command to its last.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from penstock.cli import main
from penstock.core.rules import load as rules
from penstock.stores.agents.ancestry import seen_here
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
JUDGED = [example for page in PAGES for example in judgements(page)]


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


TUTORIAL = ROOT / "docs/tutorial.md"
MARK = "-- next "


@pytest.mark.skipif(
    seen_here() is not None, reason="nothing can be approved inside an agent, and that is right"
)
@pytest.mark.skipif(not shutil.which("git"), reason="the tutorial uses git")
def test_the_tutorial_can_be_followed_to_its_end(project: Project) -> None:
    found = blocks(TUTORIAL)
    steps = [one for block in found if block.kind == "console" for one in commands(block)]
    (agent,) = [block.text for block in found if block.kind == "python"]
    script = [f"cat > agent.py <<'END'\n{agent}END\n"] + [
        f"echo '{MARK}'\n{command}\n" for command, _ in steps
    ]
    # The agent's file is written where the tutorial says: in the project, once it is there.
    script.insert(2, script.pop(0))
    told = at_a_terminal("\n".join(script), project).split(MARK)[1:]
    assert len(told) == len(steps)
    for (_, shown), answer in zip(steps, told, strict=True):
        holds(shown, answer)
    # The README shows the same steps in short.
    readme = [one for block in blocks(ROOT / "README.md") for one in commands(block)]
    for word in ("approve", "undo"):
        ((_, shown),) = [one for one in readme if one[0].startswith(f"penstock {word} ")]
        holds(shown, "".join(told))


def at_a_terminal(script: str, project: Project) -> str:
    """Run a script as a person does who sits at a terminal, and return what it showed."""
    own, its = pty.openpty()
    environ = {
        **project.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "300",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    file = project.write("tutorial.sh", script)
    run = subprocess.Popen(
        ["/bin/bash", str(file)], cwd=project.root, env=environ, stdin=its, stdout=its, stderr=its
    )
    os.close(its)
    told = b""
    try:
        while piece := os.read(own, 65536):
            told += piece
    except OSError:  # Linux says so when the last process has left the terminal
        pass
    finally:
        os.close(own)
        run.wait(timeout=60)
    return told.decode()
