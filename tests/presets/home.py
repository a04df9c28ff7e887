"""A project in a home, both made for a test, and what `guard` says to a call in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from penstock.app.workspace import open_judge
from penstock.core.model import Decision
from penstock.gate import Call
from penstock.gate.judge import Judgement
from tests.accuracy.place import Place, places
from tests.presets.guard_rows import CHANGED, COMMITTED, LOOSE

TOOLS = ("Read", "read_file", "Write", "write_file", "Create")
SETUP = "git init -q && git add -A -- {} && git commit -qm first"


@contextmanager
def home_project() -> Iterator[Place]:
    """A home with a project in it, none of it below a directory for temporary files."""
    before = dict(os.environ)
    with places("guard", {}) as made:
        place = Place(made.top / "1")
        place.root.mkdir(parents=True)
        for files in (COMMITTED, LOOSE):
            for name, content in files.items():
                write(place, name, content)
        write(place, "penstock.toml", 'version = 1\npreset = "guard"\n')
        done = place.shell(SETUP.format(" ".join(COMMITTED)))
        assert done.returncode == 0, done.stderr
        for name, content in CHANGED.items():
            write(place, name, content)
        os.environ.clear()
        os.environ.update(place.environ)
        yield place
    os.environ.clear()
    os.environ.update(before)


def write(place: Place, name: str, content: str) -> None:
    file = place_of(place, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")


def place_of(place: Place, name: str) -> Path:
    return place.home / name[2:] if name.startswith("~/") else place.root / name


@cache
def judge_of(place: Place) -> Callable[[Call, float, None], Judgement]:
    """Read the rules of a place once: no row changes them."""
    return open_judge(os.path.realpath(place.root), policy_file=None)


def judged(place: Place, row: str) -> Decision:
    tool, _, rest = row.partition(" ")
    given: dict[str, object] = {"command": row}
    if tool in TOOLS:
        given = {"file_path": str(place_of(place, rest)), "content": "x\n"}
    call = Call(
        tool=tool if tool in TOOLS else "Bash",
        tool_input=given,
        cwd=str(place.root),
        home=str(place.home),
    )
    return judge_of(place)(call, time.time(), None).decision
