"""What a push replaces or removes at the other end.

A forced push is asked about in every spelling. With a lease, the server refuses where somebody
else has pushed: a note for one's own branch, a question for one that others share. A branch may be
deleted there when another one there holds its commits.
Always true: what a setting adds to the words of the command counts as if it were written there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from penstock.core.model import GateRefusal
from penstock.core.shell.git_deed import GitDeed
from penstock.gate.git.words import loss
from penstock.ports import GitRepository

SHARED = frozenset({"main", "master", "trunk", "develop", "production", "release", "stable"})
_PUSH_FIRST = "push without force, or ask the user to approve it"
_HEADS = "refs/heads/"


class Refspec(NamedTuple):
    """One part of a push: what goes where; no source deletes."""

    source: str
    target: str
    forced: bool


def push_losses(deed: GitDeed, repository: GitRepository) -> Iterator[GateRefusal | str]:
    """Yield what a push loses, and notes (texts) about what it may lose."""
    settings = dict(repository.settings("remote."))
    remote = deed.refs[0] if deed.refs else "origin"
    given = list(deed.refs[1:]) or _configured(remote, repository)
    parts = [_refspec(word, delete=deed.has("delete")) for word in given]
    if deed.has("mirror") or settings.get(f"remote.{remote}.mirror", "false") not in ("false", ""):
        yield _asked(f"`git push --mirror` makes `{remote}` a mirror of this repository")
    elif deed.has("prune"):
        yield _asked(f"`git push --prune` deletes branches of `{remote}` that do not exist here")
    elif deed.has("force") or any(part.forced for part in parts):
        yield _asked(f"`git push --force` replaces {_targets(parts, repository, remote)}")
    elif deed.has("lease"):
        yield from _leased(parts, repository, remote)
    for part in parts:
        if not part.source and not deed.has("force"):
            yield from _deleted(part.target, repository, remote)


def _asked(text: str) -> GateRefusal:
    return loss("git push", "", whole=text, way=_PUSH_FIRST)


def _configured(remote: str, repository: GitRepository) -> list[str]:
    found = repository.settings(f"remote.{remote.lower()}.push")
    return [value for _, value in found]


def _refspec(word: str, *, delete: bool) -> Refspec:
    forced = word.startswith("+")
    source, colon, target = word.removeprefix("+").partition(":")
    if delete:
        return Refspec("", source, forced)
    return (
        Refspec(source, target if colon else source, forced)
        if word != ":"
        else Refspec("x", "", forced)
    )


def _short(name: str) -> str:
    return name.removeprefix(_HEADS)


def _branches(parts: list[Refspec], repository: GitRepository) -> list[str]:
    """Return the names at the other end; without any it is the present branch."""
    names = [_short(part.target) for part in parts if part.target] or ["HEAD"]
    return [repository.branch() or name if name in ("HEAD", "@") else name for name in names]


def _targets(parts: list[Refspec], repository: GitRepository, remote: str) -> str:
    names = ", ".join(f"`{name}`" for name in _branches(parts, repository)[:3])
    return f"{names} on `{remote}`, including what others have pushed"


def _shared(name: str, repository: GitRepository, remote: str) -> bool:
    head = repository.default_branch(remote)
    return name == head or name.split("/", maxsplit=1)[0] in SHARED or "*" in name


def _leased(
    parts: list[Refspec], repository: GitRepository, remote: str
) -> Iterator[GateRefusal | str]:
    for name in _branches(parts, repository):
        if _shared(name, repository, remote):
            text = (
                f"`git push --force-with-lease` rewrites `{name}` on `{remote}`, which others use"
            )
            yield _asked(text)
        else:
            yield f"`git push --force-with-lease` rewrites `{name}` on `{remote}`"


def _deleted(target: str, repository: GitRepository, remote: str) -> Iterator[GateRefusal]:
    name = _short(target)
    known = "" if target.startswith("refs/tags/") else f"refs/remotes/{remote}/{name}"
    there = bool(known) and bool(repository.commit(known))
    if _shared(name, repository, remote) or not there or repository.lost_at(remote, known):
        yield _asked(f"`git push --delete` removes `{name}` from `{remote}`")
