"""The git commands of one call while they are judged: what is remembered, and said of each.

Always true: what is remembered here is all that one deed leaves for the next.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.model import Action, GateRefusal, Request
from penstock.core.paths.relpath import locate
from penstock.core.paths.spellings import renamed
from penstock.core.shell.git_state import GitState
from penstock.gate.prepare import Preparation, PreparedRequest
from penstock.ports import GitRepository, Repositories

GIT = "git"  # rules against changes by hand leave out what git brings


class BroughtFile(Struct, frozen=True, kw_only=True):
    """A file that a git command gives other content: only strict rules have a say in it."""

    request: Request
    by: str


Requests = Iterator["PreparedRequest | BroughtFile"]


class GitCall(Struct):
    """What is known of one call.

    `kept` are the files of the workspace that bring back what is lost, each with its content where
    it is another than on the disk; `notes` are said although nothing is asked; `doing` is the
    simple command whose deed is looked at.
    """

    preparation: Preparation
    repositories: Repositories | None
    kept: dict[str, bytes | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    states: dict[str, GitState] = field(default_factory=dict)
    doing: tuple[str, ...] = ()

    def repository(
        self, folder: str, *, git_dir: str = "", work_tree: str = ""
    ) -> GitRepository | None:
        """Return the repository of a directory; None where there is none."""
        if self.repositories is None:
            return None
        return self.repositories.at(folder, git_dir=git_dir, work_tree=work_tree)

    def request(self, action: Action = Action.RUN) -> Request:
        """Return a request of this call."""
        call = self.preparation.call
        return Request(
            action=action,
            tool=call.tool,
            tool_input=call.tool_input,
            doing=self.doing,
            attended=call.attended,
            actor=call.actor,
        )

    def unclear(self, why: str) -> PreparedRequest:
        """Return that something cannot be told."""
        return PreparedRequest(request=replace(self.request(), unclear=why))

    def losing(self, said: GateRefusal) -> PreparedRequest:
        """Return that something would be lost."""
        return PreparedRequest(request=replace(self.request(), losses=(said,)))

    def brought(self, place: str, action: Action, by: str) -> BroughtFile:
        """Return that a file gets other content. Git writes through no link."""
        files, moved = self.preparation.files, self.preparation.call.moved
        target = locate(
            place,
            root=files.root,
            known_as=lambda known: [*files.known_as(known), *renamed(known, moved)],
            folds=files.folds,
        )
        return BroughtFile(request=replace(self.request(action), target=target, by=GIT), by=by)
