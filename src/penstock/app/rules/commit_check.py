"""Judge the files of commits, or of the index, by the rules that were in force before them.

Always true: rules inside of the repository are read from the base, so that commits cannot loosen
what they are judged by; where those do not load, the preset and the built-in rules judge, and the
result says so. (An error would stop the very commit that mends them.)
"""

from __future__ import annotations

import os
import time

from penstock.app.rules.policy import policy_at, read_rules
from penstock.core.commits.delta import FileDelta
from penstock.core.commits.findings import CommitCheck, CommitFinding
from penstock.core.model import STRICTNESS, Verdict
from penstock.gate.git.commits import CommitJudge
from penstock.stores.git.commit_range import CommitRange, commit_range


def check_commits(root: str, revisions: str | None) -> CommitCheck:
    """Return what the rules of a project say about `BASE..HEAD`, or about the index for None."""
    span = commit_range(root, revisions)
    policy = policy_at(root, lambda path: _rules(span, path))
    judge = CommitJudge(root=root, policy=policy, now=time.time())
    net, elsewhere = _inside(root, span, span.net())
    passing, _ = _inside(root, span, span.passing())
    last = list(judge.findings(span.contents(net)))
    # A file that a later commit put right again counts only where the history must not have it.
    once = [
        one
        for one in judge.findings(span.contents(passing))
        if one.decision.verdict is Verdict.DENY
    ]
    return CommitCheck(
        base=span.base,
        head=span.head,
        revision=policy.revision,
        findings=_sorted([*last, *_first(once)]),
        degraded=policy.degraded,
        elsewhere=elsewhere,
    )


def _rules(span: CommitRange, path: str) -> bytes | None:
    """Return a rules file: from the base if it lies in the repository, else from the disk."""
    inside = f"{path}/".startswith(f"{span.repository.top.rstrip('/')}/")
    return span.file_at_base(path) if inside else read_rules(path)


def _inside(
    root: str, span: CommitRange, deltas: tuple[FileDelta, ...]
) -> tuple[list[FileDelta], int]:
    """Return the files below the project, named from there, and how many are not."""
    above = os.path.relpath(root, os.path.realpath(span.repository.top))
    prefix = b"" if above == "." else os.fsencode(above) + b"/"
    found = [
        FileDelta(
            path=one.path.removeprefix(prefix),
            before=one.before,
            after=one.after,
            commit=one.commit,
        )
        for one in deltas
        if one.path.startswith(prefix)
    ]
    return found, len(deltas) - len(found)


def _first(findings: list[CommitFinding]) -> list[CommitFinding]:
    """Return one finding for each file; git lists the newest commit first."""
    return list({one.path: one for one in reversed(findings)}.values())


def _sorted(findings: list[CommitFinding]) -> tuple[CommitFinding, ...]:
    """Return the strictest first, then by name."""
    return tuple(sorted(findings, key=lambda one: (-STRICTNESS[one.decision.verdict], one.path)))
