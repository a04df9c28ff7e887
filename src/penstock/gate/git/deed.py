"""One deed of git's in its repository: what is asked there, and what is answered with.

A file that comes in with other content is a request of its own, so that the rule of a protected
file answers. What is lost is said in one sentence, and what undo needs is named.
Always true: what earlier commands of the same call have saved is not lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from penstock.core.errors import PenstockError, StoreError
from penstock.core.model import Action
from penstock.core.paths.relpath import RelPath
from penstock.core.paths.spellings import beneath, joined, normal
from penstock.core.shell.git_deed import GitDeed
from penstock.core.shell.git_state import EVERYTHING, UNKNOWN, GitState, is_made_anew
from penstock.gate.git.call import BroughtFile, GitCall, Requests
from penstock.gate.git.words import FIRST, KEPT, MOST_NAMED, loss, of_commits, of_files
from penstock.ports import GitChange, GitCommit, GitRepository

MOST_FILES = 5_000
MOST_KEPT = 1_000
LARGEST = 16 << 20  # bytes of a file that is kept
_INVERSE = {Action.CREATE: Action.DELETE, Action.DELETE: Action.CREATE}
_MARK = b"<<<<<<< "


class OneDeed(Struct):
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
        yield self.call.losing(loss(self.deed.command, what, way=way, kept=self.keep(kept)))

    def keep(self, images: Mapping[str, bytes | None]) -> bool:
        """Name files that undo will need; False where some of them cannot be kept."""
        inside = {self.inside(path): image for path, image in images.items()}
        self.call.kept |= {path.text: image for path, image in inside.items() if path}
        small = all(image is not None or self._is_small(path) for path, image in inside.items())
        return bool(inside) and small and len(self.call.kept) <= MOST_KEPT

    def _is_small(self, path: RelPath | None) -> bool:
        """Say whether a file of the workspace is one that is kept; one that is not there is."""
        try:
            files = self.call.preparation.files
            return path is not None and (not files.kind(path) or files.source(path).size <= LARGEST)
        except PenstockError:
            return False

    def keep_files(self, paths: Sequence[str], what: str) -> None:
        """Keep files that go although nobody is asked, and say so where there are any."""
        images = {os.path.join(self.repository.top, path): None for path in paths}
        if self.keep(images):
            named = ", ".join(f"`{one}`" for one in paths[:MOST_NAMED])
            self.call.notes.append(f"`{self.deed.command}` {what} {named}{KEPT}")

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
        for spec in paths:
            for inside in self.from_top(spec):
                if inside and not set(spec) & set(":*?["):
                    yield self.file(inside, action)

    # What is asked

    def head(self) -> str:
        """Return where HEAD is by now."""
        return self.commit("HEAD")

    def commit(self, name: str) -> str:
        """Return the commit that a name means by now, or nothing."""
        return self.repository.commit(self.revision(name))

    def tree(self, name: str) -> str:
        """Return the commit that a name means by now, or the tree, or nothing."""
        found = self.revision(name) if name else ""
        return self.repository.commit(found) or self.repository.commit(found, kind="tree")

    def revision(self, name: str) -> str:
        """Return what a name means by now, in words of the repository. Raises StoreError."""
        state = self.state
        if state.names and not state.head and name.startswith(("HEAD", "@")):
            own = f"refs/heads/{self.repository.branch()}"
            name = own + name.removeprefix("HEAD").removeprefix("@") if own in state.names else name
        found = state.revision(name)
        if found.startswith(UNKNOWN):
            raise StoreError("unknown-revision", f"`{name}` is not known", because=found[1:])
        return found

    def is_remote(self, name: str) -> bool:
        """Say whether a name is one of the repository's remotes, or the repository itself."""
        return name in ("", ".") or any(
            key[7:].rpartition(".")[0] == name for key, _ in self.settings("remote.")
        )

    def settings(self, prefix: str) -> list[tuple[str, str]]:
        """Return settings whose names begin so, those of this call last."""
        mine = [pair for pair in self.state.settings.items() if pair[0].startswith(prefix)]
        return [*self.repository.settings(prefix), *mine]

    def setting(self, key: str) -> str:
        """Return the value of one setting in lower case, or nothing."""
        found = [value for name, value in self.settings(key) if name.lower() == key]
        return found[-1].lower() if found else ""

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the deed from the top of the work tree, where they are plain."""
        plain = [() if spec.startswith(":") else self.from_top(spec) for spec in self.deed.paths]
        return tuple(found[0] if found and found[0] else EVERYTHING for found in plain)

    def from_top(self, path: str) -> tuple[str, ...]:
        """Return a path as the top of the work tree names it; nothing outside of it."""
        here = self.call.preparation.files.resolve(self.folder)
        found = beneath(normal(joined(path, here)), self.repository.top)
        return () if found is None else (found,)

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

    def staged(self) -> list[GitChange]:
        """Return the files that are staged and not committed."""
        found = [one for one in self.repository.staged() if one.action is not Action.DELETE]
        return [one for one in found if not self.state.is_saved(one.path)]

    def _without_conflicts(self, found: dict[str, GitChange]) -> dict[str, GitChange]:
        """Leave out what a merge wrote and nobody has resolved yet: git makes it again."""
        unmerged = [path for path in self.repository.unmerged() if path in found]
        for path in unmerged:
            if self.deed.has("conflict") or self.has_marks(path):
                del found[path]
        return found

    def has_marks(self, path: str) -> bool:
        """Say whether a file still holds the marks of a conflict."""
        return _MARK in (self._content(os.path.join(self.repository.top, path)) or b"")

    def is_copy(self, path: str, other: str) -> bool:
        """Say whether another work tree has the same file."""
        here = self._content(os.path.join(self.repository.top, path)) if other else None
        return here is not None and here == self._content(os.path.join(other, path))

    def _content(self, place: str) -> bytes | None:
        files = self.call.preparation.files.machine()
        try:
            return files.read(RelPath(text=place.lstrip("/")))
        except PenstockError:
            return None

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
