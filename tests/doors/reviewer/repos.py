"""Real repositories for tests, apart from whoever runs them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

NAME = "claude-code-permissions-hook.toml"


def clean(home: Path) -> dict[str, str]:
    """Return variables under which git knows nobody."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_"))}
    return {**kept, "HOME": str(home), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


@dataclass(frozen=True)
class Repo:
    root: Path

    def git(self, *words: str, stdin: str = "", check: bool = True) -> str:
        who = [*("-c", "user.name=Somebody"), *("-c", "user.email=somebody@example.org")]
        done = subprocess.run(
            ["git", *who, *words],
            cwd=self.root,
            env=clean(self.root),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def config(self, key: str, value: str) -> None:
        self.git("config", key, value)

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def subjects(self) -> list[str]:
        return self.git("log", "--format=%s").splitlines()

    def status(self) -> list[str]:
        return self.git("status", "--porcelain").splitlines()


def repo_at(root: Path, *, committed: str = "") -> Repo:
    """Make a repository; `committed` is a first rules file."""
    root.mkdir(parents=True, exist_ok=True)
    made = Repo(root)
    made.git("init", "-q", "-b", "main")
    if committed:
        made.write(NAME, committed)
        made.git("add", "-A")
        made.git("commit", "-q", "-m", "first")
    return made
