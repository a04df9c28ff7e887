"""Make the project that a call needs, on the real disk, with a home around it.

    <place>/dev             the home; `@HOME@` in a corpus
    <place>/dev/work/shop   the project; `@ROOT@` in a corpus
    <place>/dev/work/other  somebody else's project
    @TMP@                   a directory for temporary files, apart from all these

Always true: nothing but `@TMP@` lies below a directory for temporary files, because the rules may
take those for free; each tree is made once and copied; whatever was made is removed.
`setup` and the earlier steps of a case are really run, so take only corpora that you trust.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.core.errors import InputError
from penstock.core.model import COVERS, Action
from penstock.core.tools.intents import Intent, intents, resulting
from tests.accuracy.corpus import Step, Tree

PATIENCE = 60
GITCONFIG = """\
[user]
\tname = Dev
\temail = dev@example.com
[init]
\tdefaultBranch = main
\ttemplateDir =
[core]
\tfsync = none
[advice]
\tdetachedHead = false
"""
AGENT_WORDS = ("CLAUDE", "CODEX", "GEMINI", "CURSOR", "OPENCODE", "AGENT", "COPILOT", "GIT_")


@dataclass(frozen=True)
class Place:
    """A home with a project in it."""

    top: Path

    @property
    def home(self) -> Path:
        return self.top / "dev"

    @property
    def root(self) -> Path:
        """The project, wherever `~/work` leads."""
        return (self.home / "work").resolve() / "shop"

    @property
    def temporary(self) -> Path:
        return Path(tempfile.gettempdir()) / self.top.parent.name

    @property
    def environ(self) -> dict[str, str]:
        """The variables of a process that lives here."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(AGENT_WORDS)}
        apart = {"XDG_STATE_HOME": ".local/state", "XDG_CONFIG_HOME": ".config"}
        apart |= {"XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share"}
        places = {name: str(self.home / under) for name, under in apart.items()}
        return {**kept, **places, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}

    @property
    def _names(self) -> dict[str, Path]:
        return {"@ROOT@": self.root, "@HOME@": self.home, "@TMP@": self.temporary}

    def filled(self, value: Any) -> Any:
        """Return a value of a corpus with the places of this machine in it."""
        if isinstance(value, str):
            for name, path in self._names.items():
                value = value.replace(name, str(path))
            return value
        if isinstance(value, dict):
            return {self.filled(key): self.filled(one) for key, one in value.items()}
        return [self.filled(one) for one in value] if isinstance(value, list) else value

    def cwd(self, step: Step) -> str:
        """Return where a call is made."""
        return os.path.join(self.root, self.filled(step.cwd))

    def shell(self, script: str, cwd: str = "") -> subprocess.CompletedProcess[str]:
        """Run shell text in the project."""
        return subprocess.run(
            ["bash", "-c", self.filled(script)],
            cwd=cwd or self.root,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )

    def carry_out(self, step: Step) -> None:
        """Do what an allowed call does: run, write or edit. What other tools do is left undone."""
        given = self.filled(step.input)
        cwd = self.cwd(step)
        command = given.get("command")
        if command and step.tool != "apply_patch":
            self.shell(command if isinstance(command, str) else shlex.join(command), cwd)
            return
        for intent in intents(step.tool, given, cwd=cwd):
            if intent.path and intent.action in COVERS[Action.WRITE]:
                with suppress(InputError):  # the edit does not fit, and the tool refuses it
                    _change(intent, cwd)


def _change(intent: Intent, cwd: str) -> None:
    """Leave a file as a tool leaves it: written, edited, moved or removed."""
    file, origin = Path(cwd, intent.path or ""), Path(cwd, intent.source or intent.path or "")
    before = origin.read_bytes() if origin.is_file() else None
    after = None if intent.action is Action.DELETE else resulting(intent, before)
    if after is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(after)


@dataclass
class Places:
    """Every place of one run; a tree that was made is kept to be copied."""

    top: Path
    preset: str
    trees: Mapping[str, Tree]
    apart: bool = False  # the project is not in the home directory, which has a link to it
    made: dict[str, Place] = field(default_factory=dict)
    count: int = 0

    def base(self, name: str) -> Place:
        """Return the place with a shared tree, which nobody changes."""
        if name not in self.made:
            tree = self.trees[name]
            place = self.copy(tree.base) if tree.base else self._bare()
            self.made[name] = _finish(place, tree)
        return self.made[name]

    def copy(self, name: str) -> Place:
        """Return a place of one's own with a shared tree in it."""
        place = Place(self._next())
        subprocess.run(["cp", "-a", str(self.base(name).top), str(place.top)], check=True)
        # A copy has other inodes; without this git takes every file for changed.
        place.shell("git update-index -q --refresh")
        return place

    def make(self, tree: Tree) -> Place:
        """Return a place of one's own with a tree in it."""
        return self._ruled(_finish(self.copy(tree.base), tree))

    def _ruled(self, place: Place) -> Place:
        """Give a tree's own rules file the preset that is measured, where it names none."""
        file = place.root / "penstock.toml"
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if text and not re.search(r"^preset\s*=", text, re.MULTILINE):
            file.write_text(f'preset = "{self.preset}"\n{text}', encoding="utf-8")
        return place

    def _bare(self) -> Place:
        place = Place(self._next())
        if self.apart:
            place.home.mkdir(parents=True)
            (place.home / "work").symlink_to("../srv")
        place.root.mkdir(parents=True)
        (place.home / ".gitconfig").write_text(GITCONFIG, encoding="utf-8")
        rules = f'version = 1\npreset = "{self.preset}"\n'
        (place.root / "penstock.toml").write_text(rules, encoding="utf-8")
        return place

    def _next(self) -> Path:
        self.count += 1
        return self.top / str(self.count)


def _finish(place: Place, tree: Tree) -> Place:
    for path, content in tree.files:
        file = Path(place.root, place.filled(path.replace("~/", "@HOME@/", 1)))
        if content is None:
            file.mkdir(parents=True, exist_ok=True)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(place.filled(content), encoding="utf-8")
    if tree.setup:
        done = place.shell(f"set -e\n{tree.setup}")
        if done.returncode != 0:
            raise RuntimeError(f"setup failed: {done.stderr.strip()[-300:]}")
    return place


@contextmanager
def places(preset: str, trees: Mapping[str, Tree], *, apart: bool = False) -> Iterator[Places]:
    """Have places for one preset, and remove them afterwards."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="penstock-accuracy-", dir=cache, ignore_cleanup_errors=True
    ) as top:
        made = Places(Path(top), preset, trees, apart)
        temporary = Path(tempfile.gettempdir(), os.path.basename(top))
        temporary.mkdir()
        try:
            yield made
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
