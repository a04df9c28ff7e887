"""Commits of a run: what they change is judged, and what the rules do not deny gets a ref.

Each file is judged in every state that a commit gives it, so that a file that one commit brings
and the next removes is judged too. Moving a branch of the user's is a person's to do, and only
when the files are in the work tree already, where the gate put them.
Always true: commits that change what the rules deny stay in the layer; the audit log has an entry
before a ref is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.app.run.commits import FastForward, PackQuarantine, RunCommits
from penstock.core.errors import InputError, PenstockError, RefusedError, StaleError
from penstock.core.model import Action, Request, Verdict
from penstock.core.run.commits import (
    ABSENT,
    EXECUTABLE,
    GITLINK,
    HEADS,
    LINK,
    BranchImport,
    BranchTip,
    CommittedFile,
)
from penstock.core.text.display import visible
from penstock.doors.run.sort import actor_of
from penstock.gate import Item, Proof

MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitVerdicts:
    """What the rules say to the files of some commits."""

    denied: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchMove:
    """A branch that was moved forward."""

    branch: str
    old: str
    new: str
    files: int


def import_commits(here: Workspace, runs: IsolatedRuns, run: str) -> tuple[BranchImport, ...]:
    """Bring what a run committed below refs of its own; say what became of each branch."""
    brought = RunCommits(runs)
    if not brought.made(run):
        return ()
    try:
        with brought.exported(run) as (held, tips):
            found = [_judged(here, brought, held, run, tip) for tip in tips]
            kept = {one.ref: tip.commit for one, tip in zip(found, tips, strict=True) if one.ref}
            if kept:
                _accept(here, held, run, kept)
            return tuple(one for one in found if one.commits)
    except PenstockError as fault:
        because = f"{fault.message} ({fault.because})" if fault.because else fault.message
        return (BranchImport(name="all branches", problem=visible(because, keep_newlines=False)),)


def _judged(
    here: Workspace, brought: RunCommits, held: PackQuarantine, run: str, tip: BranchTip
) -> BranchImport:
    commits = held.commits(tip.commit)
    made = BranchImport(name=tip.name, commits=len(commits))
    if not commits:
        return made
    files = held.files(commits)
    known = judge_files(here, run, held.repository.top, files, _contents(held, files))
    if known.denied:
        return replace(made, problem=f"the rules deny {_named(known.denied)}")
    old = brought.branch_commit(tip.name)
    return replace(
        made,
        ref=tip.ref(run),
        files=len({one.path for one in files}),
        pending=len(known.asked),
        fast_forward=old is not None and (not old or held.is_ahead(tip.commit, old)),
    )


def _contents(held: PackQuarantine, files: Iterable[CommittedFile]) -> Mapping[str, bytes]:
    return held.blobs(one.blob for one in files if one.mode not in (ABSENT, GITLINK))


def _accept(here: Workspace, held: PackQuarantine, run: str, kept: Mapping[str, str]) -> None:
    said = {ref.rpartition(f"/{run}/")[2]: commit for ref, commit in kept.items()}
    branches = " ".join(f"{name}={commit}" for name, commit in said.items())
    here.gate.record("commits_importing", path="", status="started", run=run, branches=branches)
    try:
        held.accept(kept)
    except PenstockError as fault:
        facts = {"run": run, "code": fault.code}
        here.gate.record("commits_imported", path="", status="failed", **facts)
        raise
    here.gate.record("commits_imported", path="", status="ok", run=run, branches=branches)


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


def merge_run(here: Workspace, run: str, proof: Proof) -> BranchMove:
    """Move the branch of the work tree to where a run left it.

    Raises InputError `no-commits`, StaleError `not-fast-forward`, RefusedError `files-differ`.
    """
    runs = RunCommits(IsolatedRuns(here))
    repository = runs.repository
    forward = FastForward(repository=repository) if repository else None
    branch = forward.branch() if forward else ""
    new = runs.refs(run).get(f"refs/penstock/run/{run}/{branch.removeprefix(HEADS)}", "")
    if forward is None or not new or not branch:
        raise InputError(
            "no-commits",
            f"run `{run}` has no commits for the branch you are on",
            because="it made none there, they stayed in its layer, or HEAD is detached",
            hint=f"list them with `git for-each-ref refs/penstock/run/{run}`",
        )
    old = forward.head()
    if old == new or not forward.is_ahead(new, old):
        raise StaleError(
            "not-fast-forward",
            "your branch can't be fast-forwarded to these commits",
            because="it has commits that the run did not have, or has these already",
            hint=f"merge or rebase: `git log HEAD..refs/penstock/run/{run}/"
            f"{branch.removeprefix(HEADS)}`",
        )
    files, _ = forward.files(old, new)
    differing = forward.differing(files)
    if differing:
        raise RefusedError(
            "files-differ",
            "the files of these commits are not all in your work tree",
            because=f"{_named(tuple(differing))}: pending, rejected, or changed since",
            hint="approve what is pending first (`penstock review`), or merge with git",
        )
    facts = {"run": run, "branch": branch, "before": old, "after": new, "by": proof.by}
    here.gate.record("branch_moving", path="", status="started", proof=proof.kind, **facts)
    if not forward.move(old, new, reason=f"penstock: fast-forward to {run}"):
        raise StaleError(
            "not-fast-forward",
            "the branch was moved by somebody else",
            because="it is not at the commit that was looked at",
            hint="try again",
        )
    here.gate.record("branch_moved", path="", status="ok", proof=proof.kind, **facts)
    name = branch.removeprefix(HEADS)
    return BranchMove(branch=name, old=old, new=new, files=len(files))
