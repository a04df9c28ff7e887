"""What git throws away: files that it does not know, names of commits, and what only those held.

Always true: a loss is named with what undo needs to bring it back, where that can be kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.model import Action
from penstock.core.paths.spellings import joined, normal
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.git_state import GitState, is_made_anew
from penstock.gate.git.call import Requests
from penstock.gate.git.deed import Handler, OneDeed
from penstock.gate.git.words import of_commits
from penstock.ports import GitChange


def _clean(one: OneDeed) -> Requests:
    deed, repository = one.deed, one.repository
    ignored = "only" if deed.has("only_ignored") else "also" if deed.has("ignored") else ""
    found = repository.untracked(paths=deed.paths, ignored=ignored, left_out=deed.refs)
    if not deed.has("folders") and not deed.paths:
        apart = repository.untracked(ignored=ignored, left_out=deed.refs, collapsed=True)
        folders = tuple(name for name in apart if name.endswith("/"))
        found = tuple(path for path in found if not path.startswith(folders))
    if not deed.has("nested"):
        found = tuple(path for path in found if not path.endswith("/"))
    found = tuple(path for path in found if not one.state.is_saved_untracked(path))
    gone = [GitChange(path=path, action=Action.DELETE) for path in found]
    yield from one.brought(gone)
    plain = set(repository.untracked(paths=deed.paths)) if ignored else set(found)
    lost = [change for change in gone if change.path in plain or not is_made_anew(change.path)]
    yield from one.lost_files(lost, "untracked")


def _remove(one: OneDeed) -> Requests:
    yield from one.named(one.deed.paths, Action.DELETE)
    gone = one.repository.tracked(paths=one.deed.paths)
    yield from one.brought(GitChange(path=path, action=Action.DELETE) for path in gone)
    if one.deed.has("force"):
        yield from one.lost_files(one.uncommitted(paths=one.deed.paths), "uncommitted changes")


def _refs(one: OneDeed) -> Requests:
    if one.state.worked:
        yield from one.lost("the commit that the same command makes", kept={})
        return
    objects = {name: oid for ref in one.deed.refs for name, oid in one.repository.refs(ref).items()}
    kept: dict[str, bytes | None] = {}
    for name in one.deed.refs:
        if name in objects:
            kept[f"{one.repository.folder}/{name}"] = f"{objects[name]}\n".encode()
            kept[f"{one.repository.folder}/logs/{name}"] = None
    yield from one.lost_commits(one.repository.lost_with(one.deed.refs), kept)


def _drop(one: OneDeed) -> Requests:
    if one.state.stashes:
        count = one.state.stashes.pop()[2]
        yield from one.lost(
            f"changes of {count} file{'s' * (count != 1)} that it has just stashed", kept={}
        )
        return
    stashes = one.repository.stashes()
    name = one.deed.refs[0] if one.deed.refs else ""
    if name:
        at = name.removeprefix("stash@{").removesuffix("}")
        stashes = stashes[int(at) : int(at) + 1] if at.isdigit() else stashes
    if stashes:
        folder = one.repository.folder
        kept: dict[str, bytes | None] = {f"{folder}/refs/stash": None}
        kept[f"{folder}/logs/refs/stash"] = None
        yield from one.lost(of_commits(stashes, "stash", "stashes"), kept=kept)


def _reflog(one: OneDeed) -> Requests:
    one.state.expired = True
    logs = _below(one, f"{one.repository.folder}/logs")
    # The stashes are nothing but a reflog.
    stashes = one.deed.has("all") or any("stash" in ref for ref in one.deed.refs)
    found = one.repository.stashes() if stashes else ()
    if found:
        yield from one.lost(of_commits(found, "stash", "stashes"), kept=logs)
    else:
        yield from one.lost_commits(one.repository.unreachable(reflogs=True), logs)


def _below(one: OneDeed, place: str) -> dict[str, bytes | None]:
    inside = one.inside(place)
    files = one.call.preparation.files
    found = files.below(inside) if inside else ()
    return {f"{files.root}/{path.text}": None for path in found}


def _prune(one: OneDeed) -> Requests:
    lost = list(one.repository.unreachable(reflogs=False))
    lost += one.repository.unreachable(reflogs=True) if one.state.expired else ()
    if lost:
        pack = one.repository.pack([commit.id for commit in lost])
        folder = f"{one.repository.folder}/objects/pack"
        kept = {f"{folder}/{name}": data for name, data in pack.items()}
        yield from one.lost_commits(lost, kept)


def _worktree(one: OneDeed) -> Requests:
    place = normal(joined(one.deed.paths[0] if one.deed.paths else ".", one.folder))
    repositories = one.call.repositories
    other = repositories.at(one.call.preparation.files.resolve(place)) if repositories else None
    if other is None or other.top == one.repository.top:  # git refuses
        return
    there = OneDeed(one.call, other, GitState(), one.deed, place)
    yield from there.lost_files(there.uncommitted(), "uncommitted changes")
    lost = [GitChange(path=path, action=Action.DELETE) for path in other.untracked()]
    yield from there.lost_files(lost, "untracked")


def _skip(one: OneDeed) -> Requests:
    """Skipping a commit throws away its conflicts; what else was changed is work of somebody."""
    names = ("REBASE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
    at = [name for name in names if one.repository.commit(name)]
    replayed = (
        {change.path for change in one.repository.of_commits(at, span=False)} if at else set()
    )
    unmerged = set(one.repository.unmerged())
    lost = [f for f in one.uncommitted() if f.path not in replayed | unmerged]
    yield from one.lost_files(lost, "uncommitted changes")


LOSSES: Mapping[GitKind, Handler] = {
    GitKind.CLEAN: _clean,
    GitKind.REMOVE: _remove,
    GitKind.REFS: _refs,
    GitKind.DROP: _drop,
    GitKind.REFLOG: _reflog,
    GitKind.PRUNE: _prune,
    GitKind.WORKTREE: _worktree,
    GitKind.SKIP: _skip,
}
