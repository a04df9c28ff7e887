"""What git brings into the work tree: which files get other content, and what lies under them.

Always true: where git would refuse, or finds no such revision, nothing comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from penstock.core.model import Action
from penstock.core.paths.spellings import joined, normal
from penstock.core.shell.git_deed import GitKind
from penstock.gate.git.call import Requests
from penstock.gate.git.deed import Handler, OneDeed


def _tree(one: OneDeed, name: str = "") -> Requests:
    name = name or one.deed.refs[0]
    commit = one.commit(name) or one.repository.commit(one.repository.remote_branch(name))
    if not commit:  # git refuses
        return
    head, forced = one.head(), one.deed.has("force")
    changes = one.repository.changed(head, commit) if head else ()
    yield from one.brought(changes)
    if forced:
        here = one.repository.changed(commit)
        yield from one.brought(here, inverse=True)
        differ = {change.path for change in here}
        staged = {change.path for change in one.repository.staged()} if head else set()
        lost = [f for f in one.uncommitted() if f.path in differ | staged | one.state.popped]
        yield from one.lost_files(lost, "uncommitted changes")
        one.state.popped = set()
    yield from one.lost_files(one.overwritten(changes, forced=forced), "untracked")
    one.state.move(commit)


def _checkout(one: OneDeed) -> Requests:
    words, paths = one.deed.refs, one.deed.paths
    first = words[0] if words else ""
    is_commit = bool(first) and bool(
        one.commit(first) or (one.repository.remote_branch(first) and not paths)
    )
    if paths:
        if first and not is_commit:  # git refuses
            return
        yield from _take_paths(one, first, paths)
    elif is_commit and len(words) == 1:
        yield from _tree(one, first)
    elif is_commit:
        yield from _take_paths(one, first, words[1:])
    else:
        yield from _take_paths(one, "", words)


def _paths(one: OneDeed) -> Requests:
    source = one.deed.refs[0] if one.deed.refs else ""
    yield from _take_paths(one, source, one.deed.paths)


def _take_paths(one: OneDeed, source: str, paths: Sequence[str]) -> Requests:
    """Paths become what a revision holds, or what is staged."""
    commit = one.commit(source) if source else ""
    if source and not commit:  # git refuses
        return
    yield from one.named(paths, Action.WRITE)
    changes = one.repository.changed(commit, paths=paths)
    if not source:
        changes = tuple(change for change in changes if change.action is not Action.CREATE)
    yield from one.brought(changes, inverse=True)
    differ = {change.path for change in changes}
    lost = one.uncommitted(against="HEAD" if source else "", paths=paths)
    yield from one.lost_files([f for f in lost if f.path in differ], "uncommitted changes")


def _merge(one: OneDeed) -> Requests:
    yield from _merged(one, [one.commit(name) for name in one.deed.refs])


def _merged(one: OneDeed, commits: Iterable[str]) -> Requests:
    """What another side has changed since the two went apart comes in."""
    for commit in filter(None, commits):  # where there is none git refuses
        head = one.head()
        base = one.repository.base(head, commit) if head else ""
        changes = one.repository.changed(base or head, commit) if head else ()
        yield from one.brought(changes)
        yield from one.lost_files(one.overwritten(changes, forced=False), "ignored")
        if base == head:
            one.state.move(commit)


def _pull(one: OneDeed) -> Requests:
    """What a fetch will bring is known by nobody; judged is what the last one brought."""
    remote, *branches = one.deed.refs or ("",)
    known = {
        key.split(".", 1)[1].rpartition(".")[0] for key, _ in one.repository.settings("remote.")
    }
    if remote and remote != "." and remote not in known:
        why = f"`git pull` takes changes from `{remote}`, which is no remote of this repository"
        yield one.call.unclear(why)
        return
    names = [branch.removeprefix("+").partition(":")[0] for branch in branches]
    names = [name if remote == "." else f"refs/remotes/{remote}/{name}" for name in names]
    yield from _merged(one, [one.commit(name) for name in names or ["@{upstream}"]])


def _commits(one: OneDeed) -> Requests:
    names = [one.state.revision(name) for name in one.deed.refs]
    span = any(".." in name or name.startswith("^") for name in names)
    if span or all(one.repository.commit(name) for name in names):
        yield from one.brought(one.repository.of_commits(names, span=span))


def _patch(one: OneDeed) -> Requests:
    below = next((flag[6:] for flag in one.deed.flags if flag.startswith("below:")), "")
    yield from one.brought(one.repository.patched(one.deed.paths, below=below))


def _made(one: OneDeed) -> Requests:
    """Another work tree is made where nothing is; git refuses elsewhere."""
    for path in one.deed.paths:
        yield one.file(normal(joined(path, one.folder)), Action.CREATE)


def _index(one: OneDeed) -> Requests:
    yield from (one.file(path, Action.WRITE) for path in one.deed.paths)


def _unstash(one: OneDeed) -> Requests:
    if not one.deed.refs and one.state.unstash():
        return
    name = one.deed.refs[0] if one.deed.refs else "stash@{0}"
    stash = one.repository.commit(f"stash@{{{name}}}" if name.isdigit() else name)
    if not stash:  # git refuses
        return
    changes = list(one.repository.changed(f"{stash}^1", stash))
    untracked = one.repository.commit(f"{stash}^3")
    if untracked:
        changes += one.repository.of_commits([untracked], span=False)
    yield from one.brought(changes)
    if one.deed.has("pop"):
        one.state.popped |= {change.path for change in changes}


ARRIVALS: Mapping[GitKind, Handler] = {
    GitKind.CHECKOUT: _checkout,
    GitKind.TREE: _tree,
    GitKind.PATHS: _paths,
    GitKind.MERGE: _merge,
    GitKind.PULL: _pull,
    GitKind.COMMITS: _commits,
    GitKind.PATCH: _patch,
    GitKind.MADE: _made,
    GitKind.INDEX: _index,
    GitKind.UNSTASH: _unstash,
}
