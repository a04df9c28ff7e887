"""Judge what commits change: each file by its name and its content, without a work tree.

Where the files come from is the store's. A commit says nothing about who made it, a person or an
agent: so a change of Penstock's own settings needs approval here and is not denied, or nobody
could ever commit one.
Always true: every file is judged; one that cannot be measured is judged by its name and says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from posixpath import dirname, join, normpath

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.commits.delta import DeltaContent, FileDelta
from penstock.core.commits.findings import CommitFinding
from penstock.core.diff.measure import measure
from penstock.core.errors import InputError
from penstock.core.file_mode import FileMode
from penstock.core.model import Action, Change, Decision, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.policy.builtin import SELF_RULE
from penstock.core.policy.decide import decide
from penstock.core.policy.model import Policy
from penstock.gate.call import denied
from penstock.gate.node import with_destination

BY = "git"  # what rules call the program that brings the files
UNMEASURED = "too large to compare: judged by its name"


class CommitJudge(Struct, frozen=True, kw_only=True, dict=True):
    """The rules of one project, asked about files of commits."""

    root: str
    policy: Policy
    now: float

    def findings(self, files: Iterable[DeltaContent]) -> Iterator[CommitFinding]:
        """Yield the decision on each file that lies in the project."""
        for one in files:
            path = os.fsdecode(one.delta.path)
            change = self._measured(one)
            decision = self._decision(path, one, change)
            if one.too_large:
                decision = replace(decision, notes=(*decision.notes, UNMEASURED))
            yield CommitFinding(
                path=path, decision=decision, change=change, commit=one.delta.commit
            )

    def _measured(self, one: DeltaContent) -> Change | None:
        if one.before is None and one.after is None:
            return None
        if one.too_large or _is_submodule(one):
            return None
        threshold = self.policy.gate.change_threshold
        return measure(one.before, one.after, change_threshold=threshold)

    def _decision(self, path: str, one: DeltaContent, change: Change | None) -> Decision:
        request = Request(action=_action(one.delta), change=change, by=BY)
        try:
            said = self._judge(path, request)
        except InputError as problem:  # a name that no file should have
            return denied(problem, self.policy)
        after = one.delta.after
        if after is not None and after.mode == FileMode.LINK and one.after is not None:
            said = self._linked(said, path, one.after, request)
        return _settings(said)

    def _judge(self, path: str, request: Request) -> Decision:
        target = locate(path, root=self.root)
        return decide(replace(request, target=target), self.policy, now=self.now)

    def _linked(self, said: Decision, path: str, held: bytes, request: Request) -> Decision:
        target = normpath(join(self.root, dirname(path), os.fsdecode(held)))
        try:
            located = locate(target, root=self.root)
        except InputError as problem:
            return denied(problem, self.policy)
        return with_destination(said, located, target, request, self._judge)


def _action(delta: FileDelta) -> Action:
    if delta.after is None:
        return Action.DELETE
    return Action.CREATE if delta.before is None else Action.WRITE


def _is_submodule(one: DeltaContent) -> bool:
    """Say whether one side is there and has no content of its own."""
    sides = ((one.delta.before, one.before), (one.delta.after, one.after))
    return any(version is not None and content is None for version, content in sides)


def _settings(said: Decision) -> Decision:
    """Return a denial that only protects Penstock's own settings as a need for approval."""
    denying = {one.rule for one in said.reasons if one.verdict is Verdict.DENY}
    if denying != {SELF_RULE}:
        return said
    because = f"{said.path} configures Penstock or an agent's hooks"
    return replace(
        said, verdict=Verdict.ASK, because=because, suggestion="have a person review this file"
    )
