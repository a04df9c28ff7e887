"""The files of a patch that git makes of revisions, found on the real repository.

What such a patch is made of is said by `core.shell.programs.git_patches`.
Always true: where git knows no such revision, the patch has no files.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.shell.programs.git_patches import BASE, COMMITS, DIFF, STAGED
from penstock.ports import GitChange, GitRepository


def patched_files(repository: GitRepository, kind: str, *names: str) -> Sequence[GitChange]:
    """Return what a patch changes."""
    if kind == STAGED:
        return repository.staged()
    if kind == COMMITS:
        known = all(map(repository.commit, names))
        return repository.of_commits(names, span=False) if known else ()
    before, after = names
    if kind == BASE:
        before = repository.base(before, after)
    return repository.changed(before, after) if kind == DIFF or before else ()
