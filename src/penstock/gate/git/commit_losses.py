"""Commits that git throws away: names of them that go, and what only those names held.

Always true: a loss is named with what undo needs to bring it back, where that can be kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.shell.git_deed import GitKind
from penstock.gate.git.call import Requests
from penstock.gate.git.deed import Handler, OneDeed
from penstock.gate.git.words import of_commits


def _refs(one: OneDeed) -> Requests:
    if one.state.worked:
        yield from one.lost("the commit that the same command makes", kept={})
        return
    also = [one.commit(name) for name in one.state.names if name not in one.deed.refs]
    objects = {name: oid for ref in one.deed.refs for name, oid in one.repository.refs(ref).items()}
    kept: dict[str, bytes | None] = {}
    for name in one.deed.refs:
        if name in objects:
            kept[f"{one.repository.folder}/{name}"] = f"{objects[name]}\n".encode()
            kept[f"{one.repository.folder}/logs/{name}"] = None
    lost = one.repository.lost_with(one.deed.refs, also=[commit for commit in also if commit])
    if lost and all(_is_merged(one, name) for name in one.deed.refs):
        one.keep(kept)
    else:
        yield from one.lost_commits(lost, kept)


def left_behind(one: OneDeed, ref: str, commit: str) -> Requests:
    """Yield the commits that no name holds any more once a branch means another commit.

    A reflog remembers them for a while; nobody finds them there who does not look for them.
    """
    current = ref == f"refs/heads/{one.repository.branch()}"
    also = [commit, *(one.commit(name) for name in one.state.names if name != ref)]
    lost = one.repository.lost_with((ref,), also=[name for name in also if name], head=not current)
    places = ("@{upstream}", "refs/remotes/origin/HEAD")
    tip = one.repository.commit(ref) if lost else ""
    if lost and not any(one.repository.holds(place, tip) for place in places):
        folder = one.repository.folder
        kept: dict[str, bytes | None] = {f"{folder}/{ref}": f"{tip}\n".encode()}
        kept[f"{folder}/logs/{ref}"] = None
        yield from one.lost_commits(lost, kept)


def _is_merged(one: OneDeed, ref: str) -> bool:
    """Say whether all that a branch changed is found elsewhere: a merge by squashing."""
    places = ("HEAD", "@{upstream}", "refs/remotes/origin/HEAD")
    commit = one.repository.commit(ref)
    return any(one.repository.holds(place, commit) for place in places if commit)


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
    if one.deed.has("as_set") and one.setting("gc.pruneexpire") not in ("now", "all"):
        return
    lost = list(one.repository.unreachable(reflogs=False))
    lost += one.repository.unreachable(reflogs=True) if one.state.expired else ()
    if lost:
        pack = one.repository.pack([commit.id for commit in lost])
        folder = f"{one.repository.folder}/objects/pack"
        kept = {f"{folder}/{name}": data for name, data in pack.items()}
        yield from one.lost_commits(lost, kept)


COMMIT_LOSSES: Mapping[GitKind, Handler] = {
    GitKind.REFS: _refs,
    GitKind.DROP: _drop,
    GitKind.REFLOG: _reflog,
    GitKind.PRUNE: _prune,
}
