"""A project of a user without rights: tests run as root as often as not, and the claims do not.

Every command is started by `setpriv` as `nobody`, with an interpreter that this user can start.
Always true: a command that this user cannot start is a reason to skip, and the reason is told.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tests.project import Done, Project
from tests.stores.isolation.ground import Ground, ground, python

PATIENCE_SECONDS = 120


def not_here() -> str:
    """Say why no command can be started as an ordinary user; "" where it can."""
    if os.geteuid() != 0:
        return ""  # we are one
    if shutil.which("setpriv") is None:
        return "there is no setpriv"
    program = python()
    if not program:
        return "there is no python that every user can start"
    version = subprocess.run([program, "-V"], capture_output=True, text=True, check=False).stdout
    same = version.split(".")[:2] == f"Python {sys.version}".split(".")[:2]
    return "" if same else f"{program} is another version than this python"


@dataclass(frozen=True)
class OrdinaryProject(Project):
    """A project whose commands run as a user without rights."""

    ground: Ground

    @property
    def words(self) -> tuple[str, ...]:
        """What starts a program as this user."""
        user = self.ground.user
        if os.geteuid() != 0:
            return ()
        who = (f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all")
        return (str(shutil.which("setpriv")), *who, "--")

    @property
    def command(self) -> tuple[str, ...]:
        """What starts `penstock` as this user."""
        program = python() if os.geteuid() == 0 else sys.executable
        return (program, "-B", "-m", "penstock.cli")

    @property
    def environ(self) -> dict[str, str]:
        path = os.pathsep.join(os.path.abspath(one) for one in sys.path if one)
        return {**super().environ, "PYTHONPATH": path}

    def run(self, *argv: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Done:
        return self.start(*self.command, *argv, env=env, stdin=stdin)

    def start(self, *argv: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Done:
        """Run any program as this user, in the project."""
        self.ground.give()
        done = subprocess.run(
            [*self.words, *argv],
            cwd=self.root, env={**self.environ, **(env or {})}, input=stdin, capture_output=True,
            text=True, timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def ordinary_project() -> Iterator[OrdinaryProject]:
    """Give a project in the home of an ordinary user; it is gone afterwards."""
    with ground() as ours:
        (ours.project / ".git").mkdir()
        yield OrdinaryProject(ours.project, ours.home, ours)
