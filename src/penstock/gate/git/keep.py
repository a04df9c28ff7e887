"""What git puts away: stashed, staged or committed work is then kept elsewhere.

Always true: only what a command surely keeps counts as kept for those behind it.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.model import Action
from penstock.core.shell.git_deed import GitKind
from penstock.gate.git.call import Requests
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


KEEPS: Mapping[GitKind, Handler] = {
    GitKind.STASH: _stash,
    GitKind.STAGE: _stage,
    GitKind.COMMIT: _commit,
}
