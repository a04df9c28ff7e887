"""Files that git throws away: those it does not know, and work in trees that it removes.

Always true: what a build makes anew is no loss; in a conflict, git's own way back is taken as
meant, and what was resolved by hand is kept for undo.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from penstock.core.model import Action
from penstock.core.paths.spellings import joined, normal
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.git_state import GitState, is_made_anew
from penstock.gate.git.call import Requests
from penstock.gate.git.deed import Handler, OneDeed
from penstock.gate.git.words import of_files
from penstock.ports import GitChange

_FALSE = frozenset({"false", "no", "off", "0"})


def _gone(paths: Sequence[str]) -> list[GitChange]:
    return [GitChange(path=path, action=Action.DELETE) for path in paths]


def _clean(one: OneDeed) -> Requests:
    deed, repository = one.deed, one.repository
    if not deed.has("force") and one.setting("clean.requireforce") not in _FALSE:  # git refuses
        return
    ignored = "only" if deed.has("only_ignored") else "also" if deed.has("ignored") else ""
    found = repository.untracked(paths=deed.paths, ignored=ignored, left_out=deed.refs)
    if not deed.has("folders") and not deed.paths:
        apart = repository.untracked(ignored=ignored, left_out=deed.refs, collapsed=True)
        folders = tuple(name for name in apart if name.endswith("/"))
        found = tuple(path for path in found if not path.startswith(folders))
    found = tuple(path for path in found if not one.state.is_saved_untracked(path))
    gone = _gone([path for path in found if not path.endswith("/")])
    yield from one.brought(gone)
    plain = set(repository.untracked(paths=deed.paths)) if ignored else set(found)
    lost = [change for change in gone if change.path in plain or not is_made_anew(change.path)]
    yield from one.lost_files(lost, "untracked")
    inner = [path for path in found if path.endswith("/") and not is_made_anew(path)]
    if inner and deed.has("nested"):
        named = ", ".join(f"`{path.rstrip('/')}`" for path in inner[:3])
        yield from one.lost(f"whole repositories: {named}", kept={})


def _remove(one: OneDeed) -> Requests:
    yield from one.named(one.deed.paths, Action.DELETE)
    gone = one.repository.tracked(paths=one.deed.paths)
    yield from one.brought(_gone(gone))
    if one.deed.has("force"):
        yield from one.lost_files(one.uncommitted(paths=one.deed.paths), "uncommitted changes")
        for there in _submodules(one, gone):
            yield from _lost_whole(there)


def _overwrite(one: OneDeed) -> Requests:
    """A file gets the name of another, which is then only where git has it."""
    paths = [f":(literal){path}" for path in one.deed.paths if path]
    lost = one.uncommitted(paths=paths)
    known = {change.path for change in lost}
    new = one.repository.untracked(paths=paths, ignored="also")
    exact = {name for path in one.deed.paths for name in one.from_top(path)}
    lost += [f for f in _gone(new) if f.path not in known and not is_made_anew(f.path)]
    yield from one.lost_files([f for f in lost if f.path in exact], "uncommitted changes")


# Work trees inside this one, or beside it


def _inner(one: OneDeed, place: str) -> OneDeed | None:
    """Return the deed as it meets another work tree; None where there is none at that place."""
    real = one.call.preparation.files.resolve(place)
    other = one.call.repository(real)
    if other is None or other.top != real:
        return None
    return OneDeed(one.call, other, GitState(), one.deed, place)


def _submodules(one: OneDeed, paths: Sequence[str] | None = None) -> Iterator[OneDeed]:
    for path in one.repository.submodules():
        if paths is None or path in paths:
            there = _inner(one, os.path.join(one.repository.top, path))
            if there is not None:
                yield there


def inner_losses(one: OneDeed) -> Requests:
    """Submodules follow a forced checkout where an option or a setting says so."""
    if not one.deed.has("submodules") and one.setting("submodule.recurse") in ("", *_FALSE):
        return
    for there in _submodules(one):
        yield from there.lost_files(there.uncommitted(), "uncommitted changes")


def _of_submodules(one: OneDeed) -> Requests:
    wanted = {name for path in one.deed.paths for name in one.from_top(path)}
    for there in _submodules(one, sorted(wanted) if wanted else None):
        if one.deed.has("gone"):
            yield from _lost_whole(there)
        else:
            yield from there.lost_files(there.uncommitted(), "uncommitted changes")


def _worktree(one: OneDeed) -> Requests:
    place = normal(joined(one.deed.paths[0] if one.deed.paths else ".", one.folder))
    there = _inner(one, place)
    main = os.path.dirname(one.repository.folder)
    if there is not None and there.repository.top != main:  # git refuses
        yield from _lost_whole(there, forced=one.deed.has("force"), copies=main)


def _lost_whole(there: OneDeed, *, forced: bool = True, copies: str = "") -> Requests:
    """A whole work tree goes. Git refuses to without force, but for ignored files.

    An ignored file that is the same in `copies`, another work tree, is not lost.
    """
    repository = there.repository
    kinds = {
        "uncommitted changes": there.uncommitted() if forced else [],
        "untracked": _gone(_files(repository.untracked())) if forced else [],
        "ignored": [
            one
            for one in _gone(_files(repository.untracked(ignored="only")))
            if not is_made_anew(one.path) and not there.is_copy(one.path, copies)
        ],
    }
    lost = {kind: files for kind, files in kinds.items() if files}
    if lost:
        what = " and ".join(of_files(files, kind) for kind, files in lost.items())
        paths = [one.path for files in lost.values() for one in files]
        kept = {os.path.join(repository.top, path): None for path in paths}
        yield from there.lost(what, kept=kept)


def _files(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not path.endswith("/")]


# Something that waits for somebody is given up


def _abort(one: OneDeed) -> Requests:
    if one.repository.unfinished() is None:  # git refuses
        return
    yield from given_up(one, one.uncommitted() if one.deed.has("hard") else one.staged())


def given_up(one: OneDeed, changes: Sequence[GitChange]) -> Requests:
    """What a merge, rebase or pick brought can be made again; other changes are work."""
    brought = set(one.repository.unfinished() or ())
    yield from one.lost_files([f for f in changes if f.path not in brought], "uncommitted changes")
    resolved = [f.path for f in changes if f.path in brought and not one.has_marks(f.path)]
    one.keep_files(resolved, "drops what was resolved in")


LOSSES: Mapping[GitKind, Handler] = {
    GitKind.CLEAN: _clean,
    GitKind.REMOVE: _remove,
    GitKind.OVERWRITE: _overwrite,
    GitKind.WORKTREE: _worktree,
    GitKind.SUBMODULES: _of_submodules,
    GitKind.ABORT: _abort,
}
