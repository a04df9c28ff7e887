"""A command that runs isolated while a test goes on: it reads lines, the test looks and saves."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.project import Project

PATIENCE_SECONDS = 60
END = "__END__\n"


@dataclass
class LiveRun:
    """A shell in a run of a project."""

    here: Project
    process: subprocess.Popen[str]
    err: str = ""

    def __call__(self, line: str) -> str:
        """Have the shell do something; return what it printed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\necho __END__\n")
        self.process.stdin.flush()
        said = ""
        while not said.endswith(END):
            one = self.process.stdout.readline()
            assert one, f"the run ended: {self.process.communicate()}"
            said += one
        return said.removesuffix(END)

    def end(self) -> str:
        """End the shell and return what the run said."""
        if not self.err:
            _, self.err = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.err

    def save(self, path: str, text: str) -> None:
        """Save a real file as most editors do: another file takes its name."""
        fresh = Path(self.here.home, "fresh")
        fresh.write_text(text)
        os.rename(fresh, self.here.root / path)

    def real(self, path: str) -> str | None:
        """Return what a real file holds."""
        try:
            return (self.here.root / path).read_text()
        except FileNotFoundError:
            return None


def soon(condition: Callable[[], bool]) -> bool:
    """Look again and again until something is so; False where it is not after a minute."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@contextmanager
def live_run(here: Project, *options: str) -> Iterator[LiveRun]:
    """Run a shell isolated while a block runs."""
    command = [sys.executable, "-m", "penstock.cli", "run", *options, "--", "bash"]
    process = subprocess.Popen(
        command, cwd=here.root, env=here.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    run = LiveRun(here, process)
    try:
        yield run
        run.end()
    finally:
        process.kill()
        process.communicate()
