"""Settings and hooks of a directory that git takes for a repository, row by row."""

from __future__ import annotations

import pytest

from penstock.core.paths.git_folders import as_git

HEADS = {"/p/HEAD", "/p/bare/HEAD", "/p/a.git/HEAD", "/p/hooks/HEAD", "/p/.git/HEAD", "/HEAD"}
ROWS = [
    ("settings of a bare repository", "/p/bare/config", ["/p/bare/.git/config"]),
    ("by any name", "/p/a.git/config", ["/p/a.git/.git/config"]),
    ("of one work tree", "/p/bare/config.worktree", ["/p/bare/.git/config.worktree"]),
    ("what names another directory", "/p/bare/commondir", ["/p/bare/.git/commondir"]),
    ("a hook", "/p/bare/hooks/pre-push", ["/p/bare/.git/hooks/pre-push"]),
    ("deep in the hooks", "/p/bare/hooks/a/b", ["/p/bare/.git/hooks/a/b"]),
    ("all hooks", "/p/bare/hooks", ["/p/bare/.git/hooks"]),
    ("the project itself", "/p/config", ["/p/.git/config"]),
    ("a disk that folds names", "/p/bare/CONFIG", ["/p/bare/.git/config"]),
    ("and its hooks", "/p/bare/Hooks/Post", ["/p/bare/.git/hooks/Post"]),
    ("both", "/p/hooks/config", ["/p/.git/hooks/config", "/p/hooks/.git/config"]),
    ("the root of the disk", "/config", ["/.git/config"]),
    ("objects are data", "/p/bare/objects/ab/cdef", []),
    ("so are refs", "/p/bare/refs/heads/main", []),
    ("no repository", "/p/src/config", []),
    ("hooks of a web framework", "/p/src/hooks/use_state.ts", []),
    ("another name", "/p/bare/config.yml", []),
    ("git's own place is known as it is", "/p/.git/config", []),
    ("with its hooks", "/p/.git/hooks/pre-push", []),
]


@pytest.mark.parametrize(
    ("place", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_rules_know(place: str, expected: list[str]) -> None:
    assert as_git(place, HEADS.__contains__) == expected
