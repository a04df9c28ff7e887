"""An edit of a rules file, from the start of the command to its commit, against what people notice.

With a thousand rules it takes half a second at most, with ten thousand one and a half. Beside it
stand a bare start of Python and a plain `git commit` in the same repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.row import Row, best_of

ROUNDS = 7
TYPICAL, MANY = 1_000, 10_000
START = "import sys; from penstock.reviewer import main; main(sys.argv[1:])"
NAME = "claude-code-permissions-hook.toml"


def rows() -> Iterator[Row]:
    """Measure edits of a typical and of a large file, turn by turn with their baseline."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as place:
        typical, many = _Rules(Path(place, "typical"), TYPICAL), _Rules(Path(place, "many"), MANY)
        works: dict[str, Callable[[], None]] = {
            "start": lambda: _ran([sys.executable, "-c", "pass"], {}, Path(place)),
            "commit": typical.commit,
            "typical": typical.edit,
            "dry": lambda: typical.edit("--dry-run"),
            "many": many.edit,
        }
        took = best_of([*works.values()], rounds=ROUNDS)
        best = dict(zip(works, took, strict=True))
    bare = best["start"] + best["commit"]
    area = "reviewer"
    yield Row(
        area=area,
        name=f"an edit with its commit, {TYPICAL} rules",
        subject=best["typical"],
        baseline=0.5,
        beside="half a second",
        limit=1,
    )
    yield Row(
        area=area,
        name="the same",
        subject=best["typical"],
        baseline=bare,
        beside="start + git commit",
    )
    yield Row(
        area=area,
        name=f"its dry run, {TYPICAL} rules",
        subject=best["dry"],
        baseline=0.5,
        beside="half a second",
    )
    yield Row(
        area=area,
        name=f"an edit with its commit, {MANY} rules",
        subject=best["many"],
        baseline=1.5,
        beside="one and a half seconds",
        limit=1,
    )


class _Rules:
    """A repository with a rules file of so many rules."""

    def __init__(self, root: Path, count: int) -> None:
        self.root = root / "rules"
        self.root.mkdir(parents=True)
        self.made = 0
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_"))}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        mine = {"HOME": str(root), "DECISION_REVIEWER_ALLOW_WRITES": "1"}
        apart = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        self.environ = {**kept, **mine, **apart}
        (self.root / NAME).write_text(_text(count))
        (self.root / "other.txt").write_text("0\n")
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
            self.git(*words)

    def git(self, *words: str) -> None:
        who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        _ran(["git", *who, *words], self.environ, self.root)

    def commit(self) -> None:
        """Commit a change of another file, as a person would."""
        self.made += 1
        (self.root / "other.txt").write_text(f"{self.made}\n")
        self.git("commit", "-q", "-m", "other", "other.txt")

    def edit(self, *more: str) -> None:
        """Add one rule."""
        self.made += 1
        rule = {
            "id": f"made-{self.made}",
            "tool": "Bash",
            "command_regex": f"^made{self.made} install( |$)",
            "command_exclude_regex": "[&;|<>`$\n]",
        }
        operation = {"type": "add_rule", "rule_type": "allow", "rule": rule}
        words = ["apply", "--json", json.dumps(operation), "--target-file", str(self.root / NAME)]
        _ran([sys.executable, "-c", START, *words, *more], self.environ, self.root)


def _ran(argv: list[str], environ: dict[str, str], folder: Path) -> None:
    subprocess.run(
        argv, env=environ or None, cwd=folder, check=True, capture_output=True, timeout=120
    )


def _text(count: int) -> str:
    lines = ['[audit]\naudit_file = "/tmp/audit.log"\n']
    for number in range(count):
        table = "deny" if number % 2 else "allow"
        lines.append(
            f'# why rule {number} is there\n[[{table}]]\nid = "rule-{number}"\ntool = "Bash"\n'
            f'command_regex = "^command{number} (build|test)( |$)"\n'
        )
    return "\n".join(lines)
