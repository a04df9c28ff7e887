"""A project for the LangGraph door, and the samples of the gate spec."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from penstock.langgraph import TestingWorkflowState, safe_file_write_gate
from tests import REPOSITORY

SAMPLES = REPOSITORY / "tests" / "fixtures" / "safe_write"


def sample(name: str) -> str:
    return (SAMPLES / f"sample_{name}.py").read_text()


STATE = sample("270_line_state")
REPLACEMENT = sample("56_line_replacement")
SMALL = sample("small_file")
MODIFIED = sample("modified_file")
BROKEN = sample("syntax_error")


def numbered(count: int, word: str = "line") -> str:
    return "".join(f"{word} {at}\n" for at in range(count))


@dataclass(frozen=True)
class Scene:
    tmp: Path

    @property
    def root(self) -> Path:
        return self.tmp / "project"

    @property
    def places(self) -> dict[str, str]:
        """Where the user's home, state and settings are."""
        home = self.tmp / "home"
        return {
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def gate(self, *writes: tuple[str, str], **more: Any) -> TestingWorkflowState:
        return safe_file_write_gate(pending(*writes, **more))


def pending(*writes: tuple[str, str], **more: Any) -> TestingWorkflowState:
    asked = [{"target_path": path, "new_content": text} for path, text in writes]
    return cast("TestingWorkflowState", {"pending_writes": asked, **more})
