"""The project that a graph writes to: where it is, which rules hold there, which file is meant.

The gate spec's thresholds are one more level of rules beside the project's and the user's own;
the strictest answer wins. Names that nobody wants to lose or leak are protected with or without
a `penstock.toml`.
Always true: a place that comes out lies in the project, links followed; the rules hear the name
that was given and the one that it leads to.
"""

from __future__ import annotations

import os

from msgspec import Struct

from penstock.app.workspace import DoorExtras, Workspace, open_workspace, workspace_of
from penstock.core.digest import digest
from penstock.core.errors import InputError
from penstock.core.model import Action, Target, Verdict
from penstock.core.paths.relpath import RelPath, locate, parse
from penstock.core.policy.builtin import protected_layer
from penstock.core.policy.rule import Rule, Where
from penstock.core.rules.layers import LoadResult
from penstock.core.text.display import spoken
from penstock.doors.langgraph.config import GateConfig
from penstock.doors.langgraph.errors import BadTargetError
from penstock.gate.doors import Door
from penstock.ports import AuditLog, FileKind

NAME = "langgraph gate"
INSIDE = "name a file inside the project"


class Place(Struct, frozen=True, kw_only=True):
    """A file: how it was named, and where that leads in the workspace."""

    shown: str
    path: RelPath
    target: Target

    @property
    def linked(self) -> bool:
        """Say whether the name leads elsewhere."""
        return self.target.shown != self.path.text


class Project(Struct, frozen=True, kw_only=True, dict=True):
    """A directory that no write may leave, in its workspace: the one that `penstock` finds."""

    root: str
    here: Workspace

    def find(self, target_path: object) -> Place:
        """Return the file that a text names. Raises BadTargetError."""
        named = os.fspath(target_path) if isinstance(target_path, os.PathLike) else target_path
        if not isinstance(named, str):
            kind = type(named).__name__
            raise BadTargetError("bad-path", f"`target_path` is {kind}, not text")
        try:
            return self._found(named)
        except InputError as wrong:
            raise BadTargetError(
                wrong.code, wrong.message, because=wrong.because, hint=wrong.hint
            ) from None

    def _found(self, text: str) -> Place:
        files = self.here.files
        # Looks at the text first: what cannot name a file must not reach the disk.
        target = locate(
            text,
            root=files.root,
            base=self.root,
            resolve=files.resolve,
            known_as=files.known_as,
            twins=files.twins,
            folds=files.folds,
        )
        if text.endswith("/"):
            raise InputError("bad-path", f"`{spoken(text)}` names a directory", hint=INSIDE)
        there = files.resolve(text if text.startswith("/") else f"{self.root}/{text}")
        if there != self.root and not there.startswith(f"{self.root.rstrip('/')}/"):
            raise InputError(
                "path-escape",
                f"`{spoken(text)}` is outside the project",
                because=f"it leads to `{spoken(there)}`",
                hint=INSIDE,
            )
        parse(there, root=self.root)
        return Place(shown=text, path=parse(there, root=files.root), target=target)

    def close(self) -> None:
        """Give back what was opened; a graph that runs for weeks opens it very often."""
        self.here.close()

    def exists(self, place: Place) -> bool:
        """Say whether a file is there. Raises BadTargetError for what is there and is no file."""
        kind = self.here.files.kind(place.path)
        if kind in (None, FileKind.FILE):
            return kind is not None
        raise BadTargetError("not-a-file", f"`{spoken(place.shown)}` is a {kind}, not a file")


def open_project(project_root: object = None, config: GateConfig | None = None) -> Project:
    """Return a project, by default the working directory; without a config, as its rules say."""
    if not isinstance(project_root, str | os.PathLike | None):
        kind = type(project_root).__name__
        raise BadTargetError("no-workspace", f"`project_root` is {kind}, not a path")
    named = os.getcwd() if project_root is None else os.fspath(project_root)
    if not isinstance(named, str) or "\0" in named or not os.path.isdir(named):
        raise BadTargetError("no-workspace", f"`{spoken(str(named)[:200])}` is not a directory")
    root = os.path.realpath(named)
    above = workspace_of(root)
    return Project(
        root=root, here=open_workspace(above.root, brought=_brought(above, config), door=Door.GRAPH)
    )


def _brought(above: Workspace, config: GateConfig | None) -> DoorExtras:
    def level(_: bytes | None) -> LoadResult:
        return _level(config or _own(above))

    return DoorExtras(file=os.path.join(above.root, "penstock.toml"), level=level, beside=_only)


def _own(above: Workspace) -> GateConfig:
    said = above.policy().gate
    return GateConfig(said.line_threshold, said.change_threshold)


def _only(record: AuditLog) -> AuditLog:
    return record


def _level(config: GateConfig) -> LoadResult:
    """Return the spec's one rule, and the names that are protected everywhere."""
    rule = Rule(
        id="safe-write-gate",
        verdict=Verdict.ASK,
        actions=frozenset({Action.WRITE}),
        line_threshold=config.line_threshold,
        change_threshold=config.change_threshold,
        description="a rewrite that removes much of a file",
        reason="this removes {deleted} of {existing} lines of {path} ({percent} %)",
        code="substantial-change",
        where=Where(file=NAME),
    )
    spelled = f"{config.line_threshold} {config.change_threshold!r}"
    return LoadResult(
        name=NAME,
        rules=(rule, *protected_layer().rules),
        sources=((NAME, digest(spelled.encode())),),
    )
