"""What git brings into the work tree: which files get other content, and what lies under them.

Always true: where git would refuse, or finds no such revision, nothing comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from penstock.core.model import Action
from penstock.core.paths.spellings import joined, normal
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.git_state import EVERYTHING
from penstock.gate.git.call import Requests
from penstock.gate.git.commit_losses import left_behind
from penstock.gate.git.deed import Handler, OneDeed
from penstock.gate.git.losses import given_up, inner_losses
from penstock.gate.made_patch import patched_files
from penstock.ports import GitChange


def _tree(one: OneDeed, name: str = "") -> Requests:
    name = name or (one.deed.refs[0] if one.deed.refs else "")
    if not name:
        yield from _emptied(one)
        return
    commit = one.tree(name) or one.tree(one.repository.remote_branch(name))
    head, forced = one.head(), one.deed.has("force")
    if not commit:
        # Git refuses, but for a branch without commits: there only the index holds anything.
        if forced and not head and name == "HEAD":
            yield from one.lost_files(one.uncommitted(), "uncommitted changes")
        return
    changes = one.repository.changed(head, commit) if head and head != commit else ()
    yield from one.brought(changes)
    if forced and one.deed.has("moves"):
        yield from _moved(one, name, commit)
    for tree in _indexed(one):
        yield from one.brought(one.repository.changed(tree), inverse=True)
    if forced:
        yield from _thrown_away(one, commit, known=bool(head))
    elif one.deed.has("staged"):
        yield from given_up(one, one.staged())
    yield from one.lost_files(one.overwritten(changes, forced=forced), "untracked")
    one.state.move(commit)


def _moved(one: OneDeed, name: str, commit: str) -> Requests:
    """The branch itself goes to another commit, and its files with it."""
    branch = one.repository.branch()
    if name in ("HEAD", "@"):  # it stays where it is
        return
    if one.state.worked and one.state.commits:
        yield from one.lost("the commit that the same command makes", kept={})
    elif branch and not one.state.commits and not one.state.head:
        yield from left_behind(one, f"refs/heads/{branch}", commit)


def _thrown_away(one: OneDeed, commit: str, *, known: bool) -> Requests:
    """All that is tracked becomes what a commit holds, whatever was there."""
    here = one.repository.changed(commit)
    yield from one.brought(here, inverse=True)
    differ = {change.path for change in here}
    staged = {change.path for change in one.repository.staged()} if known else set()
    lost = [f for f in one.uncommitted() if f.path in differ | staged | one.state.popped]
    yield from one.lost_files(lost, "uncommitted changes")
    yield from inner_losses(one)
    one.state.popped = set()


def _emptied(one: OneDeed) -> Requests:
    """The new branch holds nothing, so all that is tracked goes."""
    gone = one.repository.tracked(paths=(EVERYTHING,))
    yield from one.brought(GitChange(path=path, action=Action.DELETE) for path in gone)
    if one.deed.has("force"):
        yield from one.lost_files(one.uncommitted(), "uncommitted changes")


def _indexed(one: OneDeed) -> list[str]:
    """Return what this call has put into the index: with the next command it may come as files."""
    return [tree for tree in map(one.tree, one.state.indexed) if tree]


def _checkout(one: OneDeed) -> Requests:
    words, paths = one.deed.refs, one.deed.paths
    first = words[0] if words else ""
    is_tree = bool(first) and bool(
        one.tree(first) or (one.repository.remote_branch(first) and not paths)
    )
    if paths:
        yield from _take_paths(one, first, paths)
    elif is_tree and len(words) == 1:
        yield from _tree(one, first)
    elif is_tree:
        yield from _take_paths(one, first, words[1:])
    else:
        yield from _take_paths(one, "", words)


def _paths(one: OneDeed) -> Requests:
    source = one.deed.refs[0] if one.deed.refs else ""
    yield from _take_paths(one, source, one.deed.paths)


def _take_paths(one: OneDeed, source: str, paths: Sequence[str]) -> Requests:
    """Paths become what a revision holds, or what is staged."""
    yield from one.named(paths, Action.WRITE)
    tree = one.tree(source) if source else ""
    if source and not tree:  # git refuses
        return
    sources = [tree] if source else ["", *_indexed(one)]
    found = [change for each in sources for change in one.repository.changed(each, paths=paths)]
    changes = tuple(dict.fromkeys(found))
    if not source or not one.deed.has("exact"):  # what is only here stays
        changes = tuple(change for change in changes if change.action is not Action.CREATE)
    if one.deed.has("new"):  # what is there stays
        changes = tuple(change for change in changes if change.action is Action.DELETE)
    yield from one.brought(changes, inverse=True)
    differ = {change.path for change in changes}
    lost = one.uncommitted(against="HEAD" if source or len(sources) > 1 else "", paths=paths)
    yield from one.lost_files([f for f in lost if f.path in differ], "uncommitted changes")
    if one.deed.has("conflict"):
        one.keep_files([path for path in one.repository.unmerged() if path in differ], "replaces")


def _merge(one: OneDeed) -> Requests:
    one.state.worked = False  # what this call has committed on a branch is on another, too
    yield from _merged(one, [one.commit(name) for name in one.deed.refs])


def _merged(one: OneDeed, commits: Iterable[str]) -> Requests:
    """What another side has changed since the two went apart comes in."""
    for commit in filter(None, commits):  # where there is none git refuses
        head = one.head()
        base = one.repository.base(head, commit) if head and head != commit else ""
        if commit in (head, base):  # nothing is new
            continue
        changes = one.repository.changed(base or head, commit) if head else ()
        yield from one.brought(changes)
        yield from one.lost_files(one.overwritten(changes, forced=False), "ignored")
        if base == head:
            one.state.move(commit)


def _pull(one: OneDeed) -> Requests:
    """What a fetch will bring is known by nobody; judged is what the last one brought."""
    remote, *branches = one.deed.refs or ("",)
    if not one.is_remote(remote):
        why = f"`git pull` fetches from `{remote}`, which is not a remote of this repository"
        yield one.call.unclear(why)
        return
    names = [branch.removeprefix("+").partition(":")[0] for branch in branches]
    names = [name if remote == "." else f"refs/remotes/{remote}/{name}" for name in names]
    yield from _merged(one, [one.commit(name) for name in names or ["@{upstream}"]])


def _commits(one: OneDeed) -> Requests:
    names = [_in_range(one, name) for name in one.deed.refs]
    span = any(".." in name or name.startswith("^") for name in names)
    if span or all(one.repository.commit(name) for name in names):
        yield from one.brought(one.repository.of_commits(names, span=span))


def _in_range(one: OneDeed, name: str) -> str:
    """Return a commit or a range in words of the repository."""
    if name.startswith("^"):
        return f"^{one.revision(name[1:])}"
    first, dots, last = name.partition("..")
    if not dots:
        return one.revision(name)
    more = "." * last.startswith(".")
    ends = [end and one.revision(end) for end in (first, last.removeprefix("."))]
    return f"{ends[0]}..{more}{ends[1]}"


def _bisect(one: OneDeed) -> Requests:
    """Any revision between a good and a bad one may come."""
    bad, *good = one.deed.refs or ("refs/bisect/bad", *one.repository.refs("refs/bisect/good-"))
    names = [one.commit(name) for name in (bad, *good)]
    if good and all(names):
        span = [names[0], *(f"^{name}" for name in names[1:])]
        yield from one.brought(one.repository.of_commits(span, span=True))


def _patch(one: OneDeed) -> Requests:
    """A patch in files, or one that git has made of revisions."""
    if one.deed.refs:
        kind, *names = one.deed.refs
        known = [name and one.revision(name) for name in names]
        yield from one.brought(patched_files(one.repository, kind, *known))
        return
    below = next((flag[6:] for flag in one.deed.flags if flag.startswith("below:")), "")
    yield from one.brought(one.repository.patched(one.deed.paths, below=below))


def _made(one: OneDeed) -> Requests:
    """Another work tree is made where nothing is; git refuses elsewhere."""
    for path in one.deed.paths:
        yield one.file(normal(joined(path, one.folder)), Action.CREATE)


def _index(one: OneDeed) -> Requests:
    one.state.indexed += [one.revision(name) for name in one.deed.refs if one.tree(name)]
    yield from (one.file(path, Action.WRITE) for path in one.deed.paths)


def _sparse(one: OneDeed) -> Requests:
    """What lies outside of some folders goes from the work tree; files above them stay."""
    kept = [path.strip("/") for path in one.deed.paths]
    above = {"", *(folder for path in kept for folder in _folders(path))}
    for path in one.repository.tracked(paths=(EVERYTHING,)):
        stays = any(path.startswith(f"{folder}/") for folder in kept)
        stays = stays or path.rpartition("/")[0] in above
        if one.deed.has("patterns") or not stays:
            yield one.file(path, Action.DELETE)


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


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
    GitKind.BISECT: _bisect,
    GitKind.SPARSE: _sparse,
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
