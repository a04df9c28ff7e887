"""Commands that people type often, beside a Python that imports what all of them are made with.

The project has a state, and each command has run there before, as in daily use. The commands are
those of a wheel, installed as usual and read-only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import wheel
from bench.row import Row, least_cpu

ROUNDS = 10
LIMIT = 3.0
COMMANDS = (("judge", "--", "ls", "-la"), ("status",), ("proposals",))


def rows() -> Iterator[Row]:
    """Measure the CPU time of each command."""
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder, "p"), Path(folder, "home")
        home.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        environ = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(home)}
        yield from _rows(project, {**environ, "PYTHONPATH": wheel.installed(folder)}, [], "")
        sealed = {**environ, "PYTHONPATH": wheel.sealed(folder)}
        yield from _rows(project, sealed, wheel.keeping_out(), ", installed read-only")
        wheel.unsealed(folder)


def _rows(project: Path, environ: dict[str, str], out: list[str], how: str) -> Iterator[Row]:
    def python(*words: str) -> None:
        argv, quiet = [*out, sys.executable, *words], subprocess.DEVNULL
        subprocess.run(argv, cwd=project, env=environ, stdout=quiet, stderr=quiet, check=True)

    calls = [partial(python, "-m", "penstock.cli", *words) for words in COMMANDS]
    for call in calls:
        call()
    bare, *times = least_cpu([partial(python, "-c", "import click"), *calls], rounds=ROUNDS)
    for words, took in zip(COMMANDS, times, strict=True):
        yield Row(
            area="commands",
            name=f"penstock {' '.join(words)}{how}",
            subject=took,
            baseline=bare,
            beside="python -c 'import click'",
            limit=LIMIT,
            note="CPU time",
        )
