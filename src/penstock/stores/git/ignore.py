"""Which files git ignores and which it tracks, as the real repository says.

Always true: looking changes nothing; where there is no repository, nothing is ignored or tracked.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from penstock.stores.git.run import GitError, program, run

# The command knows names only, and refuses to be told so.
NOT_LITERAL = {"GIT_LITERAL_PATHSPECS": None}


def ignored(root: str, paths: Collection[str]) -> frozenset[str]:
    """Return which of some paths below a directory git ignores; tracked ones never are."""
    if not paths or not program(root):
        return frozenset()
    asked = b"\0".join(os.fsencode(f"./{path}") for path in paths)
    try:
        words = ("check-ignore", "-z", "--stdin")
        _, said = run(root, *words, stdin=asked, more=NOT_LITERAL, right=(0, 1))
    except GitError:  # no repository, or a path that leads through a link
        return frozenset()
    return frozenset(name.removeprefix("./") for name in _names(said))


def tracked(root: str) -> frozenset[str]:
    """Return every file that git tracks below a directory."""
    if not program(root):
        return frozenset()
    try:
        _, said = run(root, "ls-files", "-z")
    except GitError:
        return frozenset()
    return frozenset(_names(said))


def _names(said: bytes) -> list[str]:
    return [os.fsdecode(name) for name in said.split(b"\0") if name]
