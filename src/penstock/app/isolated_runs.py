"""Isolated runs of one workspace, for the door that runs commands.

It joins the stores that build a run, read its layer and keep its record, and says which places a
run shows: the project, the home directory, and what is hidden.
Always true: it decides nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.errors import StoreError
from penstock.core.run.place import LayerPlace, place_of
from penstock.core.run.reasons import may_be_incomplete
from penstock.core.run.settings import RunSettings, run_settings, without_effect
from penstock.stores.isolation.absorb import LiveLayer, mend
from penstock.stores.isolation.landlock import can_restrict
from penstock.stores.isolation.layer import RunLayer
from penstock.stores.isolation.mounts import is_below, mounted_below
from penstock.stores.isolation.openings import openings, resolved
from penstock.stores.isolation.probe import Isolation, isolation, try_out
from penstock.stores.isolation.process import NO_ISOLATION, IsolatedProcess, start
from penstock.stores.isolation.records import TREE, RunFolders, RunRecord, has_copy, remove_half
from penstock.stores.isolation.room import RoomPlan
from penstock.stores.isolation.syscalls import flush
from penstock.stores.system.clock import boot_id
from penstock.stores.system.places import RUN_SOCKET, exists, home, state_home, user_rules
from penstock.stores.system.private import private_dir

if TYPE_CHECKING:
    from penstock.app.workspace import Workspace
    from penstock.stores.isolation.capture import Begin

__all__ = [
    "IsolatedProcess",
    "IsolatedRuns",
    "Isolation",
    "LiveLayer",
    "RunLayer",
    "RunRecord",
    "probe",
]

# Ways to programs outside that a run does not have.
LEFT_OUT = (
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GPG_AGENT_INFO", "SSH_AUTH_SOCK", "TMUX", "TMUX_PANE",
    "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
)  # fmt: skip
LEFT_OUT_OF_COPY = (
    *LEFT_OUT, "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
)  # fmt: skip
Started = tuple[IsolatedProcess, tuple[str, ...]]  # with what a person should know of it
AUTO, COPY = "auto", "copy"
OVERLAY_HINT = "see what the overlay mode needs: penstock doctor"
TEMPORARY = "/tmp"  # noqa: S108 - the run's own


def probe(here: Workspace) -> Isolation:
    """Say whether a run of this workspace can be isolated, by trying."""
    return try_out(here.state)


class IsolatedRuns(Struct, frozen=True, dict=True):
    """The isolated runs of a workspace."""

    here: Workspace

    @cached_property
    def records(self) -> RunFolders:
        """What is kept of runs."""
        return RunFolders(state=self.here.state)

    @cached_property
    def settings(self) -> RunSettings:
        """What the rules say about runs, each level as far as its word counts."""
        return run_settings(self.here.policy().run, user=user_rules())

    def layer(self, run: str, *, live: bool = False) -> RunLayer:
        """Return the layer over the project that a run left, or still writes to."""
        upper, largest = os.path.join(self._layer(run), "upper"), self.settings.limit_bytes
        copy = self._copy(run)
        if has_copy(copy):
            from penstock.stores.isolation.project_copy import CopyLayer

            tree = os.path.join(copy, TREE)
            return CopyLayer(upper=tree, real=self.here.root, largest=largest, folder=copy)
        return RunLayer(upper=upper, real=self.here.root, largest=largest, live=live)

    def live(self, run: str, process: IsolatedProcess) -> LiveLayer:
        """Return the layer of a run that goes on."""
        return LiveLayer(layer=self.layer(run, live=True), process=process)

    def may_be_incomplete(self, run: str) -> bool:
        """Say whether the machine has stopped since the layer of a run was written."""
        known = self.records.get(run)
        return may_be_incomplete(boot=known.boot, flushed=known.flushed, now=boot_id())

    def written_again(self, known: RunRecord) -> RunRecord:
        """Return what is kept of a run from the moment its layer is written to again."""
        doubted = may_be_incomplete(boot=known.boot, flushed=known.flushed, now=boot_id())
        return replace(known, boot=known.boot if doubted else boot_id(), flushed=False)

    def flush(self, run: str) -> bool:
        """Wait until what a run left is on the disk; False where that is not known."""
        try:
            flush(self.records.path(run))
        except OSError:
            return False
        return True

    def mend(self, run: str) -> None:
        """Put back what a sync that was stopped had moved aside."""
        mend(self.layer(run))

    def has_layer(self, run: str) -> bool:
        """Say whether a run ever got as far as a layer."""
        return has_copy(self._copy(run)) or os.path.isdir(os.path.join(self._layer(run), "upper"))

    def is_copy(self, run: str) -> bool:
        """Say whether a run works in a copy of the project."""
        return has_copy(self._copy(run))

    def wrote_home(self, run: str) -> bool:
        """Say whether there is something that runs wrote to the home directory."""
        if self.settings.home == "read-only":
            return False
        try:
            return bool(os.listdir(self.home_upper(run)))
        except FileNotFoundError:
            return False

    def home_upper(self, run: str) -> str:
        """Return where a run keeps what it wrote to the home directory."""
        return os.path.join(self.home_layer(run), COPY if self.is_copy(run) else "upper")

    def _copy(self, run: str) -> str:
        return os.path.join(self.records.path(run), "copy")

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
        if exists(RUN_SOCKET):
            hint = "start the command itself: what it changes belongs to this run"
            raise _impossible("this is an isolated run already", hint)
        root, place = self.here.root, os.path.realpath(home())
        if root == "/" or is_below(place, root):
            # Settings and startup files would be files of the project, and could be applied.
            does = "is" if place == root else "contains"
            raise _impossible(f"the project `{root}` {does} your home directory")
        return known

    @contextmanager
    def started(
        self,
        run: str,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        mode: str = "",
        control: str = "",
    ) -> Iterator[Started]:
        """Start the command of a run in the strongest mode that is allowed and works; it is held.

        `control` is the socket by which it reaches who attends it.
        """
        mode = mode or self.settings.mode
        with self._home(run) as layer:
            if has_copy(self._copy(run)):
                mode = COPY  # it is entered again
            if mode == COPY:
                yield self._in_copy(run, layer, command, environ)
                return
            try:
                found = self._in_overlay(run, layer, command, environ, control)
            except StoreError as fault:
                if mode != AUTO or fault.code != NO_ISOLATION or self.has_changes(run):
                    raise
                because = f"not an overlay, because {fault.because}"
                found = self._in_copy(run, layer, command, environ, because)
            yield found

    def has_changes(self, run: str) -> bool:
        """Say whether the layer of a run holds anything."""
        upper = os.path.join(self._layer(run), "upper")
        return os.path.isdir(upper) and bool(os.listdir(upper))

    def _in_overlay(
        self,
        run: str,
        layer: str,
        command: Sequence[str],
        environ: Mapping[str, str],
        control: str,
    ) -> Started:
        below = mounted_below(self.here.root)
        if below:
            raise _impossible(f"a file system is mounted at `{below[0]}`, inside the project")
        plan, notes = self._plan(run, layer, control)
        made = start(plan, command, self._environ(run, plan, environ), held=True)
        sockets = [f"sockets below {place} can be reached" for place in made.unsealed]
        return made, (*notes, *sockets)

    def _in_copy(
        self,
        run: str,
        layer: str,
        command: Sequence[str],
        environ: Mapping[str, str],
        because: str = "",
    ) -> Started:
        from penstock.stores.isolation.copy_process import CopyPlan, start_copy
        from penstock.stores.isolation.project_copy import copy_home, copy_project

        root, place = self.here.root, os.path.realpath(home())
        said, state = self.settings, os.path.realpath(state_home())
        if said.net == "off":
            raise _impossible("the copy mode can't switch the network off", hint=OVERLAY_HINT)
        if not can_restrict():
            no = "this kernel has no Landlock that protects files (Linux 6.2 or later has)"
            raise _impossible(f"{because}; {no}" if because else no, hint=OVERLAY_HINT)
        opened = openings(said, home=place, project=root, state=state)
        hidden = self._hidden()
        folder = self._copy(run)
        if not has_copy(folder):
            remove_half(self.records.path(run))
            copy_project(root, folder, left_out=self._left_out(), hidden=hidden)
        tree = os.path.join(folder, TREE)
        temporary = private_dir(os.path.join(self.records.path(run), "tmp"))
        inside = copy_home(place, os.path.join(layer, COPY)) if layer else place
        directory = os.path.normpath(os.path.join(tree, _relative(_current(root), root)))
        plan = CopyPlan(
            directory=directory if os.path.isdir(directory) else tree,
            writable=(tree, temporary, *([inside] if layer else []), *opened.through),
            hidden=(state, *hidden),
        )
        kept = {name: value for name, value in environ.items() if name not in LEFT_OUT_OF_COPY}
        own = {"HOME": inside, "TMPDIR": temporary, "PWD": plan.directory, "PENSTOCK_RUN": run}
        made = start_copy(plan, command, {**kept, **own}, held=True)
        notes = [*self._ignored_settings(), *opened.notes]
        notes += [f"`{one}` is written directly" for one in opened.through]
        return replace(made, because=because), tuple(notes)

    def _left_out(self) -> Callable[[str], bool]:
        """Say of a directory whether tools can make it again, and git tracks nothing in it."""
        tracked, scratch = self.tracked(), self.settings.scratch
        above = {path[:at] for path in tracked for at, sign in enumerate(path) if sign == "/"}

        def left_out(path: str) -> bool:
            place = place_of(path, tracked=frozenset, scratch=scratch)
            return place is LayerPlace.SCRATCH and path not in above

        return left_out

    @contextmanager
    def _home(self, run: str) -> Iterator[str]:
        """Give the layer of the home directory; "" where it stays read-only."""
        if self.settings.home == "keep":
            with self.records.home(run) as layer:
                yield layer
            return
        fresh = self.settings.home == "fresh"
        yield os.path.join(self.records.path(run), "home") if fresh else ""

    def looking(self, run: str, command: Sequence[str], environ: Mapping[str, str]) -> Begin:
        """Return what starts a command that looks at what a run left; home is read-only to it.

        In a copy everything is.
        """
        if self.is_copy(run):
            from penstock.stores.isolation.copy_process import CopyPlan, start_copy

            hidden = (os.path.realpath(state_home()), *self._hidden())
            tree = self.inside(run, self.here.root)
            look = CopyPlan(directory=tree, writable=(), readable=(tree,), hidden=hidden)
            return lambda streams: start_copy(look, command, environ, streams)
        plan = replace(self._plan(run, "", "")[0], directory=self.here.root)
        return lambda streams: start(plan, command, environ, streams)

    def inside(self, run: str, path: str) -> str:
        """Return where a directory of the project is for a command of a run."""
        if not self.is_copy(run):
            return path
        tree = os.path.join(self._copy(run), TREE)
        return os.path.normpath(os.path.join(tree, _relative(path, self.here.root)))

    def _hidden(self) -> tuple[str, ...]:
        place = os.path.realpath(home())
        return resolved(self.settings.hide, home=place, project=self.here.root)

    def _plan(self, run: str, layer: str, control: str) -> tuple[RoomPlan, tuple[str, ...]]:
        root, place = self.here.root, os.path.realpath(home())
        said, state = self.settings, os.path.realpath(state_home())
        opened = openings(said, home=place, project=root, state=state)
        notes = [*self._ignored_settings(), *opened.notes]
        notes += [f"`{one}` is written directly" for one in opened.through]
        if place == "/" or not os.path.isdir(place):
            layer = ""
        elif below := mounted_below(place):
            because = f"`{below[0]}` is mounted in it"
            notes.append(f"your home directory is read-only in this run: {because}")
            layer = ""
        directory = _current(root)
        plan = RoomPlan(
            folder=self.records.path(run),
            project=root,
            directory=directory if is_below(directory, root) else root,
            home=place,
            home_layer=layer,
            state=state,
            hidden=self._hidden(),
            through=opened.through,
            sockets=opened.sockets,
            devices=opened.devices,
            frozen=(os.path.join(root, ".git"),) if said.git == "read-only" else (),
            network=said.net == "on",
            control=control,
            repository=self.repository_outside(),
        )
        return plan, tuple(notes)

    def _ignored_settings(self) -> list[str]:
        return [
            f"`{name}` of [run] in {file} is ignored: only your own rules can set it"
            for file, name in without_effect(self.here.policy().run, user=user_rules())
        ]

    def repository_outside(self) -> str:
        """Return where git keeps the repository, if not in the project: a linked work tree's."""
        root = self.here.root
        usual = os.path.join(root, ".git")
        if os.path.isdir(usual) and not os.path.islink(usual):
            return ""
        from penstock.stores.git.repository import repository_of
        from penstock.stores.git.run import GitError

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
        left_out = [name for name in LEFT_OUT if environ.get(name, "") not in plan.sockets]
        kept = {name: value for name, value in environ.items() if name not in left_out}
        writable = [plan.project, *([plan.home] if plan.home_layer else [])]
        given = kept.get("TMPDIR", "")
        if given and not any(is_below(given, one) for one in writable):
            kept["TMPDIR"] = TEMPORARY  # what it named is read-only, or not in the run's own /tmp
        return {**kept, "PENSTOCK_RUN": run}

    def ignored(self, paths: Sequence[str]) -> frozenset[str]:
        """Return which paths the real repository ignores."""
        if not paths:
            return frozenset()
        from penstock.stores.git.ignore import ignored

        return ignored(self.here.root, paths)

    def tracked(self) -> frozenset[str]:
        """Return which files the real repository tracks."""
        from penstock.stores.git.ignore import tracked

        return tracked(self.here.root)


def _current(root: str) -> str:
    """Return the current directory; the project's own where it was removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return root


def _relative(directory: str, root: str) -> str:
    return os.path.relpath(directory, root) if is_below(directory, root) else "."


def _impossible(because: str, hint: str = "") -> StoreError:
    return StoreError(
        NO_ISOLATION,
        "this run cannot be isolated, so the command was not started",
        because=because,
        hint=hint or "run it in a directory of your project, or name one with `--workspace DIR`",
    )
