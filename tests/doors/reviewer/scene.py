"""A rules file with a home of its own, edited in this very process: quick enough for tables."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.doors.reviewer.apply import Apply
from penstock.doors.reviewer.arguments import ApplyArguments
from penstock.doors.reviewer.responses import CommandResult
from tests.doors.reviewer.repos import NAME, Repo, clean, repo_at
from tests.doors.reviewer.reviewer_process import AGENT_WORDS, RULES, SWITCH


@dataclass(frozen=True)
class Scene:
    folder: Path
    home: Path

    @property
    def file(self) -> Path:
        return self.folder / NAME

    @property
    def text(self) -> str:
        return self.file.read_text()

    @property
    def repo(self) -> Repo:
        return Repo(self.folder)

    @property
    def log(self) -> Path:
        return self.home / ".config/decision-reviewer-audit.log"

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def answer(self, operation: object, target: str = "-", **asked: Any) -> CommandResult:
        """Apply an operation to the file, or to another target."""
        text = operation if isinstance(operation, str) else json.dumps(operation)
        named = str(self.file) if target == "-" else target
        one = ApplyArguments(json=text, target_file=named, **asked)
        return Apply(asked=one, environ=os.environ, prove=_nobody).run()

    def made(self, operation: object, **asked: Any) -> dict[str, Any]:
        """Apply an operation that must succeed."""
        answer = self.answer(operation, **asked)
        assert answer.code == 0, answer.document
        return answer.document

    def refused(self, operation: object, kind: str = "", **asked: Any) -> dict[str, Any]:
        """Apply an operation that must be refused, and change nothing."""
        before = self.file.read_bytes()
        answer = self.answer(operation, **asked)
        assert answer.code == 1, answer.document
        assert not kind or answer.document["error_type"] == kind, answer.document
        assert self.file.read_bytes() == before
        return answer.document

    def files(self) -> dict[str, bytes]:
        """Return every file below the folder and the home, with its content."""
        found = [f for top in (self.folder, self.home) for f in top.rglob("*") if f.is_file()]
        return {str(f): f.read_bytes() for f in found}


def _nobody(*_: object) -> Any:
    raise AssertionError("nobody is asked here")


@contextmanager
def scene(rules: str = RULES, *, git: bool = False, switch: bool = True) -> Iterator[Scene]:
    """Make a rules file; while the block runs, the variables are those of its home."""
    with tempfile.TemporaryDirectory(prefix="penstock-scene-") as place:
        made = Scene(Path(place, "rules").resolve(), Path(place, "home").resolve())
        for folder in (made.folder, made.home):
            folder.mkdir()
        made.file.write_text(rules)
        if git:
            repo_at(made.folder)
            made.repo.git("add", "-A")
            made.repo.git("commit", "-q", "-m", "first")
        kept = dict(os.environ)
        mine = {k: v for k, v in clean(made.home).items() if not k.startswith(AGENT_WORDS)}
        os.environ.clear()
        os.environ.update({**mine, **(SWITCH if switch else {})})
        try:
            yield made
        finally:
            os.environ.clear()
            os.environ.update(kept)
