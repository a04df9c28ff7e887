"""One deed of git's in its repository: what is asked there, and what is answered with.

A file that comes in with other content is a request of its own, so that the rule of a protected
file answers. What is lost is said in one sentence, and what undo needs is named.
Always true: what earlier commands of the same call have saved is not lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from penstock.core.errors import PenstockError
from penstock.core.model import Action
from penstock.core.paths.relpath import RelPath
from penstock.core.paths.spellings import beneath, joined, normal
from penstock.core.shell.git_deed import GitDeed
from penstock.core.shell.git_state import EVERYTHING, GitState, is_made_anew
from penstock.gate.git.call import BroughtFile, GitCall, Requests
from penstock.gate.git.words import FIRST, loss, of_commits, of_files
from penstock.ports import GitChange, GitCommit, GitRepository

MOST_FILES = 5_000
MOST_KEPT = 1_000
_INVERSE = {Action.CREATE: Action.DELETE, Action.DELETE: Action.CREATE}
_MARK = b"<<<<<<< "


@dataclass(slots=True)
class OneDeed:
    """One deed in its repository."""

    call: GitCall
    repository: GitRepository
    state: GitState
    deed: GitDeed
    folder: str

    # What is yielded

    def brought(self, changes: Iterable[GitChange], *, inverse: bool = False) -> Requests:
        """Yield a request for each file that gets other content; its own rule answers."""
        for count, one in enumerate(dict.fromkeys(changes)):
            if count == MOST_FILES:
                why = f"`{self.deed.command}` changes more than {MOST_FILES} files"
                yield self.call.unclear(why)
                return
            action = _INVERSE.get(one.action, Action.WRITE) if inverse else one.action
            yield self.file(one.path, action)

    def file(self, path: str, action: Action) -> BroughtFile:
        """Return that a path of the work tree gets other content."""
        place = os.path.join(self.repository.top, path)
        return self.call.brought(place, action, by=self.deed.command)

    def lost(self, what: str, *, kept: Mapping[str, bytes | None], way: str = FIRST) -> Requests:
        """Yield that something goes, and the files by which it can be brought back."""
        inside = {self.inside(path): image for path, image in kept.items()}
        safe = bool(inside) and None not in inside and len(inside) <= MOST_KEPT
        self.call.kept |= {path.text: image for path, image in inside.items() if path}
        yield self.call.losing(loss(self.deed.command, what, way=way, kept=safe))

    def inside(self, place: str) -> RelPath | None:
        """Return an absolute place as a path of the workspace; None outside."""
        inside = beneath(place, self.call.preparation.files.root)
        return RelPath(text=inside) if inside else None

    def lost_files(self, files: Sequence[GitChange], kind: str) -> Requests:
        """Yield that the contents of some files go."""
        if files:
            kept = {os.path.join(self.repository.top, one.path): None for one in files}
            yield from self.lost(of_files(files, kind), kept=kept)

    def lost_commits(
        self, commits: Sequence[GitCommit], kept: Mapping[str, bytes | None]
    ) -> Requests:
        """Yield that some commits can be reached no more."""
        if commits:
            yield from self.lost(of_commits(commits), kept=kept)

    def named(self, paths: Sequence[str], action: Action) -> Requests:
        """Yield a request for each path that is written out, whether or not git finds it changed.

        What the index holds by then may be the work of a command before.
        """
        here = self.call.preparation.files.resolve(self.folder)
        for spec in paths:
            inside = beneath(normal(joined(spec, here)), self.repository.top)
            if inside and not set(spec) & set(":*?["):
                yield self.file(inside, action)

    # What is asked

    def head(self) -> str:
        """Return where HEAD is by now."""
        return self.repository.commit(self.state.revision("HEAD"))

    def commit(self, name: str) -> str:
        """Return the commit that a name means by now, or nothing."""
        return self.repository.commit(self.state.revision(name))

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the deed from the top of the work tree, where they are plain."""
        top, found = self.repository.top, list[str]()
        here = self.call.preparation.files.resolve(self.folder)
        for spec in self.deed.paths:
            place = beneath(normal(joined(spec, here)), top)
            plain = place is not None and not spec.startswith(":")
            found.append((place or EVERYTHING) if plain and place is not None else EVERYTHING)
        return tuple(found)

    def uncommitted(self, *, against: str = "HEAD", paths: Sequence[str] = ()) -> list[GitChange]:
        """Return the files whose changes are nowhere else; what was only deleted is in git."""
        repository, state = self.repository, self.state
        staged = bool(against)
        if not repository.commit("HEAD"):  # before the first commit there is only the index
            against = ""
        found = {
            one.path: one
            for one in repository.changed(against, paths=paths)
            if one.action is not Action.DELETE and one.lines
        }
        if staged:
            for one in repository.staged(paths=paths):
                if one.action is not Action.DELETE:
                    found.setdefault(one.path, one)
        if found:
            found = self._without_conflicts(found)
        left = [one for path, one in found.items() if not state.is_saved(path)]
        popped = [GitChange(path=path, action=Action.WRITE) for path in sorted(state.popped)]
        return [*left, *(one for one in popped if one.path not in found)]

    def _without_conflicts(self, found: dict[str, GitChange]) -> dict[str, GitChange]:
        """Leave out what a merge wrote and nobody has resolved yet: git makes it again."""
        unmerged = [path for path in self.repository.unmerged() if path in found]
        for path in unmerged:
            if self.deed.has("conflict") or _MARK in self._content(path):
                del found[path]
        return found

    def _content(self, path: str) -> bytes:
        inside = self.inside(os.path.join(self.repository.top, path))
        try:
            return self.call.preparation.files.read(inside) if inside else b""
        except PenstockError:
            return b""

    def overwritten(self, changes: Iterable[GitChange], *, forced: bool) -> list[GitChange]:
        """Return files that git does not know and that would be written over.

        Git refuses to, without force, unless they are ignored.
        """
        new = [f":(top,literal){one.path}" for one in changes if one.action is Action.CREATE]
        if not new or len(new) > MOST_FILES:
            return []
        ask = self.repository.untracked
        found = [path for path in ask(paths=new, ignored="only") if not is_made_anew(path)]
        found += ask(paths=new) if forced else ()
        return [
            GitChange(path=path, action=Action.WRITE)
            for path in found
            if not self.state.is_saved_untracked(path)
        ]


Handler = Callable[[OneDeed], Requests]
