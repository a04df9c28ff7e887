"""Commits of a run: what they change is judged, and what the rules do not deny gets a ref.

Each file is judged in every state that a commit gives it, so that a file that one commit brings
and the next removes is judged too. Moving a branch of the user's is a person's to do, and only
when the files are in the work tree already, where the gate put them.
Always true: commits that change what the rules deny stay in the layer; the audit log has an entry
before a ref is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.app.run.commits import (
    FastForward,
    PackQuarantine,
    Repository,
    RunCommits,
    current_branch,
)
from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.model import Action, Request, Verdict
from penstock.core.run.commits import (
    ABSENT,
    DETACHED,
    EXECUTABLE,
    GITLINK,
    HEADS,
    LINK,
    REFS,
    BranchImport,
    BranchTip,
    CommittedFile,
    TipKind,
    is_taken,
)
from penstock.core.text.display import visible
from penstock.doors.run.sort import actor_of
from penstock.gate import Item, Proof

MOST_NAMED = 3


class CommitVerdicts(Struct, frozen=True, kw_only=True):
    """What the rules say to the files of some commits."""

    denied: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


class BranchMove(Struct, frozen=True, kw_only=True):
    """A branch that was moved forward."""

    branch: str
    old: str
    new: str
    files: int


def import_commits(here: Workspace, runs: IsolatedRuns, run: str) -> tuple[BranchImport, ...]:
    """Bring what a run committed below refs of its own; say what became of each branch."""
    brought = RunCommits(runs)
    found: list[BranchImport] = []
    for place, repository in brought.repositories.items():
        if brought.made(run, repository):
            found += _imported(here, brought, run, place, repository)
    return tuple(found[::-1])  # what is the project's own first


def _imported(
    here: Workspace, brought: RunCommits, run: str, place: str, repository: Repository
) -> Sequence[BranchImport]:
    try:
        with brought.exported(run, repository) as (held, tips):
            found = [_judged(here, held, run, tip) for tip in tips]
            kept = _kept(found, tips)
            if kept:
                _accept(here, held, run, place, kept)
            told = [one for one in found if one.commits or one.ref or one.problem]
            return [replace(one, place=place) for one in told][::-1]
    except PenstockError as fault:
        because = f"{fault.message} ({fault.because})" if fault.because else fault.message
        text = visible(because, keep_newlines=False)
        return [BranchImport(name="all branches", place=place, problem=text)]


def _kept(found: list[BranchImport], tips: Sequence[BranchTip]) -> dict[str, str]:
    """Return the refs to write. A tag or a stash that a branch is in the way of gets none."""
    kept: dict[str, str] = {}
    for at, (one, tip) in enumerate(zip(list(found), tips, strict=True)):
        if one.ref and is_taken(one.ref, kept):
            found[at] = replace(one, ref="", problem=f"a branch is in the way of {one.ref}")
        elif one.ref:
            kept[one.ref] = tip.commit
    return kept


def _judged(here: Workspace, held: PackQuarantine, run: str, tip: BranchTip) -> BranchImport:
    commits = held.commits(tip.commit)
    made = BranchImport(name=tip.name, kind=tip.kind, commits=len(commits))
    if not commits:  # a tag can be new where its commit is not
        return replace(made, ref=tip.ref(run)) if tip.kind is TipKind.TAG else made
    files = held.files(commits)
    known = judge_files(here, run, held.repository.top, files, _contents(held, files))
    if known.denied:
        return replace(made, problem=f"the rules deny {_named(known.denied)}")
    forward = FastForward(repository=held.repository)
    here_now = tip.kind is TipKind.BRANCH and tip.name == current_branch(forward)
    old = forward.head() if here_now else ""
    return replace(
        made,
        ref=tip.ref(run),
        files=len({one.path for one in files}),
        pending=len(known.asked),
        fast_forward=here_now and (not old or held.is_ahead(tip.commit, old)),
    )


def _contents(held: PackQuarantine, files: Iterable[CommittedFile]) -> Mapping[str, bytes]:
    return held.blobs(one.blob for one in files if one.mode not in (ABSENT, GITLINK))


def _accept(
    here: Workspace, held: PackQuarantine, run: str, place: str, kept: Mapping[str, str]
) -> None:
    said = {ref.rpartition(f"/{run}/")[2]: commit for ref, commit in kept.items()}
    branches = " ".join(f"{name}={commit}" for name, commit in said.items())
    facts = {"run": run, "branches": branches}
    here.gate.record("commits_importing", path=place, status="started", **facts)
    try:
        held.accept(kept)
    except PenstockError as fault:
        failed = {"run": run, "code": fault.code}
        here.gate.record("commits_imported", path=place, status="failed", **failed)
        raise
    here.gate.record("commits_imported", path=place, status="ok", **facts)


def judge_files(
    here: Workspace,
    run: str,
    top: str,
    files: Iterable[CommittedFile],
    contents: Mapping[str, bytes],
) -> CommitVerdicts:
    """Judge every file that commits change, by the rules of the real project."""
    found: dict[Verdict, set[str]] = {verdict: set() for verdict in Verdict}
    for one in files:
        name = os.path.relpath(os.path.join(top, os.fsdecode(one.path)), here.root)
        found[_verdict(here, run, name, one, contents)].add(name)
    denied, asked = found[Verdict.DENY], found[Verdict.ASK]
    return CommitVerdicts(denied=tuple(sorted(denied)), asked=tuple(sorted(asked - denied)))


def _verdict(
    here: Workspace, run: str, path: str, one: CommittedFile, contents: Mapping[str, bytes]
) -> Verdict:
    """Return what the rules say to one file; a path outside of the project is denied."""
    try:
        path.encode()
        target = here.gate.locate(path)
    except (PenstockError, UnicodeEncodeError):
        return Verdict.DENY
    try:
        item = _item(path, one, contents)
        verdict = here.gate.preview(item, actor=actor_of(run)).decision.verdict
    except PenstockError:  # it is gone already, or no file is there
        action = Action.DELETE if one.mode == ABSENT else Action.WRITE
        request = Request(action=action, target=target, actor=actor_of(run))
        verdict = here.gate.decide(request).verdict
    return verdict


def _item(path: str, one: CommittedFile, contents: Mapping[str, bytes]) -> Item:
    if one.mode == ABSENT:
        return Item(path)
    if one.mode == LINK:
        return Item(path, link=contents[one.blob])
    if one.mode == GITLINK:
        return Item(path, mode="040000")  # where a submodule would be checked out
    mode = one.mode if one.mode == EXECUTABLE else None
    return Item(path, content=contents[one.blob], mode=mode)


def _named(paths: tuple[str, ...]) -> str:
    shown = ", ".join(visible(path, keep_newlines=False) for path in paths[:MOST_NAMED])
    more = len(paths) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def drop_refs(here: Workspace, run: str) -> int:
    """Remove the refs of a run from the real repository; its objects go when git tidies up."""
    return RunCommits(IsolatedRuns(here)).drop_refs(run)


class _Move(Struct, frozen=True, kw_only=True):
    """A branch that can be moved: where from, where to, and what that brings."""

    place: str
    by: FastForward
    branch: str
    old: str
    new: str

    @property
    def files(self) -> tuple[CommittedFile, ...]:
        return self.by.files(self.old, self.new)[0]


def merge_run(here: Workspace, run: str, proof: Proof) -> tuple[BranchMove, ...]:
    """Move the branch of the work tree to where a run left it, and those of submodules before it.

    Raises InputError `no-commits`, StaleError `not-fast-forward`, RefusedError `files-differ`.
    """
    runs = RunCommits(IsolatedRuns(here))
    every = [_move(runs, run, place, one) for place, one in runs.repositories.items()]
    moves = [one for one in every if one is not None]
    if not moves:
        raise InputError(
            "no-commits",
            f"run `{run}` has no commits for the branch you are on",
            because="it made none there, they stayed in its layer, or HEAD is detached",
            hint=f"list them with `git for-each-ref refs/penstock/run/{run}`",
        )
    heads = {place: FastForward(repository=one).head() for place, one in runs.repositories.items()}
    heads |= {one.place: one.new for one in moves}
    for one in moves:
        _check_move(run, one, heads)
    return tuple(_moved(here, run, one, proof) for one in moves)


def _move(runs: RunCommits, run: str, place: str, repository: Repository) -> _Move | None:
    """Return what is to be moved in a work tree. A submodule's HEAD is mostly on no branch."""
    forward = FastForward(repository=repository)
    branch, old = current_branch(forward), forward.head()
    new = runs.refs(run, repository).get(f"{REFS}{run}/{branch}", "")
    if not new or (branch == DETACHED and not place) or (place and new == old):
        return None
    return _Move(place=place, by=forward, branch=branch, old=old, new=new)


def _check_move(run: str, one: _Move, heads: Mapping[str, str]) -> None:
    if one.old == one.new or not one.by.is_ahead(one.new, one.old):
        raise StaleError(
            "not-fast-forward",
            "your branch can't be fast-forwarded to these commits",
            because=f"`{one.place or one.branch}` has commits that the run did not have, or has "
            "these already",
            hint=f"merge or rebase: `git log HEAD..refs/penstock/run/{run}/{one.branch}`",
        )
    differing = one.by.differing(one.files, _below(heads, one.place))
    if differing:
        raise RefusedError(
            "files-differ",
            "the files of these commits are not all in your work tree",
            because=f"{_named(tuple(differing))}: pending, rejected, or changed since",
            hint="approve what is pending first (`penstock review`), or merge with git",
        )


def _below(heads: Mapping[str, str], place: str) -> Mapping[bytes, str]:
    """Return at which commit submodules are, by their paths in a work tree."""
    start = f"{place}/" if place else ""
    inner = {path[len(start) :]: head for path, head in heads.items() if path.startswith(start)}
    return {os.fsencode(path): head for path, head in inner.items() if path}


def _moved(here: Workspace, run: str, one: _Move, proof: Proof) -> BranchMove:
    files = len(one.files)
    named = one.branch if one.branch == DETACHED else HEADS + one.branch
    facts = {"run": run, "branch": named, "before": one.old, "after": one.new, "by": proof.by}
    where = {"path": one.place, "proof": proof.kind}
    here.gate.record("branch_moving", status="started", **where, **facts)
    if not one.by.move(one.old, one.new, reason=f"penstock: fast-forward to {run}"):
        raise StaleError(
            "not-fast-forward",
            "the branch was moved by somebody else",
            because="it is not at the commit that was looked at",
            hint="try again",
        )
    here.gate.record("branch_moved", status="ok", **where, **facts)
    name = f"{one.place}: {one.branch}" if one.place else one.branch
    return BranchMove(branch=name, old=one.old, new=one.new, files=files)
