"""How far a fault run has come, kept in files, so that hours of it can be done piece by piece.

A file for each scenario: first which code was tried, then a line for each fault that was survived.
What was not survived is tried again.
Always true: what was noted counts only for the very same code.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

import penstock
from tests.faults.tracer import Plan


class Progress:
    """What is known of one scenario of this code."""

    def __init__(self, folder: str, name: str) -> None:
        Path(folder).mkdir(exist_ok=True)
        self._path = Path(folder, re.sub(r"\W+", "-", name) + ".txt")
        self._known = self._read()

    def _read(self) -> dict[str, bool]:
        lines = self._path.read_text().splitlines() if self._path.exists() else []
        same = bool(lines) and lines[0] == code()
        # A line that was cut off when the run before was stopped is none.
        whole = [line for line in lines[1:] if same and line[-2:] in (" 0", " 1")]
        self._path.write_text("".join(f"{line}\n" for line in (code(), *whole)))
        return {line[:-2]: line.endswith("1") for line in whole}

    def survived(self, plan: Plan, call: str) -> bool | None:
        """Say whether a fault struck that was survived before; None where it was not."""
        return self._known.get(_key(plan, call))

    @property
    def is_done(self) -> bool:
        """True where the whole of it was survived before."""
        return "whole" in self._known

    def finish(self) -> None:
        """Note that the whole of it was survived."""
        with self._path.open("a") as file:
            file.write("whole 1\n")

    def note(self, plan: Plan, call: str, *, struck: bool) -> None:
        """Note that a fault was survived."""
        with self._path.open("a") as file:
            file.write(f"{_key(plan, call)} {int(struck)}\n")


def _key(plan: Plan, call: str) -> str:
    how = f"{plan.error} {int(plan.kill)}{int(plan.alone)}{int(plan.lasting)}"
    return f"{plan.at} {call.replace(' ', '')} {how}"


@cache
def code() -> str:
    """Return a digest of the code that is tried, and of what tries it."""
    found = hashlib.sha256()
    for folder in (Path(penstock.__file__).parent, Path(__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()
