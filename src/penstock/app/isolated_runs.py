"""Isolated runs of one workspace, for the door that runs commands.

It joins the stores that build a run, read its layer and keep its record, and says which places a
run shows: the project, the home directory, and what is hidden.
Always true: it decides nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from penstock.core.errors import StoreError
from penstock.stores.isolation.layer import RunLayer
from penstock.stores.isolation.mounts import is_below, mounted_below
from penstock.stores.isolation.probe import Isolation, isolation, try_out
from penstock.stores.isolation.process import NO_ISOLATION, IsolatedProcess, start
from penstock.stores.isolation.records import RunFolders, RunRecord
from penstock.stores.isolation.room import RoomPlan
from penstock.stores.system.places import home, state_home

if TYPE_CHECKING:
    from penstock.app.workspace import Workspace

__all__ = ["IsolatedProcess", "IsolatedRuns", "Isolation", "RunLayer", "RunRecord", "probe"]

HIDDEN = (".ssh", ".aws", ".gnupg")
# Ways to programs outside that a run does not have.
LEFT_OUT = (
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GPG_AGENT_INFO", "SSH_AUTH_SOCK", "TMUX", "TMUX_PANE",
    "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
)  # fmt: skip
TEMPORARY = "/tmp"  # noqa: S108 - the run's own


def probe(here: Workspace) -> Isolation:
    """Say whether a run of this workspace can be isolated, by trying."""
    return try_out(here.state)


@dataclass(frozen=True)
class IsolatedRuns:
    """The isolated runs of a workspace."""

    here: Workspace

    @cached_property
    def records(self) -> RunFolders:
        """What is kept of runs."""
        return RunFolders(state=self.here.state)

    def layer(self, run: str) -> RunLayer:
        """Return the layer over the project that a run left."""
        return RunLayer(upper=os.path.join(self._layer(run), "upper"), real=self.here.root)

    def has_layer(self, run: str) -> bool:
        """Say whether a run ever got as far as a layer."""
        return os.path.isdir(os.path.join(self._layer(run), "upper"))

    def _layer(self, run: str) -> str:
        return os.path.join(self.records.path(run), "project")

    def home_layer(self, run: str) -> str:
        """Return the layer of the home directory that a run has: its own, or the shared one."""
        own = os.path.join(self.records.path(run), "home")
        return own if os.path.isdir(own) else self.records.home_layer

    def machine(self) -> Isolation:
        """Return what this machine has. Raises StoreError where no run can be isolated here."""
        known = isolation()
        if known.problem:
            raise _impossible(known.problem, known.hint)
        root, place = self.here.root, os.path.realpath(home())
        if root == "/" or (is_below(place, root) and place != root):
            raise _impossible(f"the project `{root}` contains your home directory")
        below = mounted_below(root)
        if below:
            raise _impossible(f"a file system is mounted at `{below[0]}`, inside the project")
        return known

    @contextmanager
    def started(
        self, run: str, command: Sequence[str], environ: Mapping[str, str]
    ) -> Iterator[tuple[IsolatedProcess, tuple[str, ...]]]:
        """Start the command of a run, with what a person should know of it."""
        with self.records.home(run) as layer:
            plan, notes = self._plan(run, layer)
            yield start(plan, command, self._environ(run, plan, environ)), notes

    def plan(self, run: str) -> RoomPlan:
        """Return what a command sees that looks at what a run left; home is read-only to it."""
        return self._plan(run, "")[0]

    def _plan(self, run: str, layer: str) -> tuple[RoomPlan, tuple[str, ...]]:
        root, place = self.here.root, os.path.realpath(home())
        notes: list[str] = []
        if place in ("/", root) or not os.path.isdir(place):
            layer = ""
        elif below := mounted_below(place):
            because = f"`{below[0]}` is mounted in it"
            notes.append(f"your home directory is read-only in this run: {because}")
            layer = ""
        directory = os.getcwd()
        plan = RoomPlan(
            folder=self.records.path(run),
            project=root,
            directory=directory if is_below(directory, root) else root,
            home=place,
            home_layer=layer,
            state=os.path.realpath(state_home()),
            hidden=tuple(os.path.join(place, name) for name in HIDDEN),
            repository=self.repository_outside(),
        )
        return plan, tuple(notes)

    def repository_outside(self) -> str:
        """Return where git keeps the repository, if not in the project: a linked work tree's."""
        from penstock.stores.git.repository import repository_of
        from penstock.stores.git.run import GitError

        root = self.here.root
        usual = os.path.join(root, ".git")
        if os.path.isdir(usual) and not os.path.islink(usual):
            return ""
        try:
            found = repository_of(usual)
        except GitError:
            return ""
        place = os.path.realpath(found.common) if found else root
        beside = not is_below(place, root) and not is_below(root, place)
        return place if beside and os.path.isdir(place) and not mounted_below(place) else ""

    def git_files(self, run: str) -> int:
        """Return how many names a run left in the layer of a repository outside the project."""
        upper = os.path.join(self.records.path(run), "git", "upper")
        return sum(len(names) for _, _, names in os.walk(upper))

    def _environ(self, run: str, plan: RoomPlan, environ: Mapping[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in environ.items() if name not in LEFT_OUT}
        writable = [plan.project, *([plan.home] if plan.home_layer else [])]
        given = kept.get("TMPDIR", "")
        if given and not any(is_below(given, one) for one in writable):
            kept["TMPDIR"] = TEMPORARY  # what it named is read-only, or not in the run's own /tmp
        return {**kept, "PENSTOCK_RUN": run}

    def ignored(self, paths: Sequence[str]) -> frozenset[str]:
        """Return which paths the real repository ignores."""
        from penstock.stores.git.ignore import ignored

        return ignored(self.here.root, paths)

    def tracked(self) -> frozenset[str]:
        """Return which files the real repository tracks."""
        from penstock.stores.git.ignore import tracked

        return tracked(self.here.root)


def _impossible(because: str, hint: str = "") -> StoreError:
    return StoreError(
        NO_ISOLATION,
        "this run cannot be isolated, so the command was not started",
        because=because,
        hint=hint or "run it from a directory inside, or protect the project with `penstock init`",
    )
