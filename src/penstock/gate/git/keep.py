"""What git puts away or names: stashed, staged or committed work is then kept elsewhere.

Always true: only what a command surely keeps counts as kept for those behind it, and a name that
nobody can look up is not known to anybody.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.model import Action
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.git_state import UNKNOWN
from penstock.gate.git.call import Requests
from penstock.gate.git.commit_losses import left_behind
from penstock.gate.git.deed import Handler, OneDeed
from penstock.ports import GitChange


def _stash(one: OneDeed) -> Requests:
    deed, repository = one.deed, one.repository
    if not repository.commit("HEAD"):  # git refuses
        return
    changed = repository.changed("HEAD", paths=deed.paths)
    yield from one.brought(changed, inverse=True)
    more: tuple[str, ...] = ()
    if deed.has("untracked"):
        more = repository.untracked(paths=deed.paths, ignored="also" if deed.has("all") else "")
        gone = (GitChange(path=path, action=Action.DELETE) for path in more)
        yield from one.brought(gone)
    count = len([change for change in changed if not one.state.is_saved(change.path)]) + len(more)
    if count:  # without changes nothing is put away
        one.state.stash(paths=one.paths(), untracked=deed.has("untracked"), files=count)


def _stage(one: OneDeed) -> Requests:
    one.state.staged |= set(one.paths())
    return iter(())


def _commit(one: OneDeed) -> Requests:
    dirty = bool(one.uncommitted()) or bool(one.state.staged)
    if not one.state.staged and not one.deed.has("all") and not one.deed.paths:
        # What was staged before is in the commit; what differs from it is not.
        unstaged = {change.path for change in one.repository.changed("")}
        found = {change.path for change in one.repository.staged()} - unstaged
        one.state.staged |= found
    one.state.commit(paths=one.paths(), every=one.deed.has("all"), dirty=dirty)
    if one.deed.has("amend"):
        one.state.commits -= 1
    return iter(())


def _name(one: OneDeed) -> Requests:
    ref, revision = one.deed.refs
    if ref == "HEAD":
        yield from _head(one, revision)
        return
    moves = one.deed.has("moves") and ref.startswith("refs/heads/")
    if moves and ref not in one.state.names and not one.state.commits:
        known = "" if revision.startswith(UNKNOWN) else one.commit(revision)
        yield from left_behind(one, ref, known) if known and one.repository.refs(ref) else ()
    one.state.name(ref, revision)


def _head(one: OneDeed, revision: str = "") -> Requests:
    """HEAD moves and the files stay: a later command may bring what is then committed."""
    name = one.state.revision(revision or one.deed.refs[0])
    known = name.startswith(UNKNOWN) or bool(one.commit(name))
    if known:
        one.state.move(name)
        one.state.indexed += [name] if one.deed.has("index") else []
    return iter(())


def _fetch(one: OneDeed) -> Requests:
    """What a fetch will bring nobody knows; the names that it makes mean what the last brought."""
    remote, *refspecs = one.deed.refs or ("origin",)
    why = f"{UNKNOWN}it comes from `{remote}`, which is not a remote of this repository"
    for refspec in refspecs:
        source, _, target = refspec.removeprefix("+").partition(":")
        known = source if remote == "." else f"refs/remotes/{remote}/{source}"
        found = known if one.is_remote(remote) else why
        if target and one.deed.has("moves") and not found.startswith(UNKNOWN):
            commit = one.commit(found)
            there = commit and one.repository.refs(_full(target))
            yield from left_behind(one, _full(target), commit) if there else ()
        for name in ("FETCH_HEAD", _full(target)) if target else ("FETCH_HEAD",):
            one.state.name(name, found)
    if not refspecs and not one.is_remote(remote):
        one.state.name("FETCH_HEAD", why)


def _full(name: str) -> str:
    return name if name.startswith("refs/") else f"refs/heads/{name}"


KEEPS: Mapping[GitKind, Handler] = {
    GitKind.NAME: _name,
    GitKind.HEAD: _head,
    GitKind.FETCH: _fetch,
    GitKind.STASH: _stash,
    GitKind.STAGE: _stage,
    GitKind.COMMIT: _commit,
}
