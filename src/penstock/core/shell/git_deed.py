"""What a git command does to a repository, in terms of revisions and pathspecs.

The program's rows (`programs.git*`) make deeds of words; what a deed changes or loses on a real
tree is found by whoever has the repository (`gate.git`).
Always true: every word in a deed is the very text that git would get.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class GitKind(StrEnum):
    """The kinds of deeds. Words in capitals say what `refs` and `paths` hold."""

    # content comes into the work tree
    CHECKOUT = "checkout"  # refs: words before `--`, a revision or paths; paths: those behind it
    TREE = "tree"  # refs: (REVISION,), () for an empty tree; the work tree becomes what it holds
    PATHS = "paths"  # refs: (REVISION,) or () for the index; paths: PATHSPECS
    MERGE = "merge"  # refs: REVISIONS, whose changes since the merge base come in
    PULL = "pull"  # refs: (REMOTE, BRANCH, ...), all may be missing
    COMMITS = "commits"  # refs: COMMITS or ranges whose changes are made, or taken back
    BISECT = "bisect"  # refs: (BAD, GOOD, ...), () for those that git remembers
    PATCH = "patch"  # paths: FILES with patches
    MADE = "made"  # paths: (FOLDER,) that becomes another work tree
    INDEX = "index"  # refs: (REVISION,) or () for objects; paths: PATHS that change in the index
    SPARSE = "sparse"  # paths: FOLDERS that stay; the others go
    # content is put away
    STASH = "stash"  # paths: PATHSPECS
    UNSTASH = "unstash"  # refs: (STASH,)
    STAGE = "stage"  # paths: PATHSPECS
    COMMIT = "commit"
    # something goes
    CLEAN = "clean"  # paths: PATHSPECS; refs: patterns that are left out
    REMOVE = "remove"  # paths: PATHSPECS
    OVERWRITE = "overwrite"  # paths: FILES whose name another file gets
    REFS = "refs"  # refs: full names of REFS
    DROP = "drop"  # refs: (STASH,) or () for all
    REFLOG = "reflog"
    PRUNE = "prune"
    WORKTREE = "worktree"  # paths: (FOLDER,)
    SUBMODULES = "submodules"  # paths: PATHS of submodules, () for all
    ABORT = "abort"  # a merge, rebase or pick that waits for somebody is given up
    # elsewhere
    PUSH = "push"  # refs: (REMOTE, REFSPEC, ...)
    # what later commands mean
    SETTING = "setting"  # refs: (KEY, VALUE)
    ALIAS = "alias"  # refs: (NAME, ARGUMENT, ...)
    EACH = "each"  # refs: (COMMAND,) that is run in each submodule
    NAME = "name"  # refs: (REF, REVISION); the ref means it from now on
    HEAD = "head"  # refs: (REVISION,) or a full name of a branch; HEAD moves, files stay
    FETCH = "fetch"  # refs: (REMOTE, REFSPEC, ...), all may be missing


class GitDeed(Struct, frozen=True):
    """One thing that a git command does. `command` is how people would name it.

    `flags` are words of the kind: `force` (uncommitted work is no obstacle), `staged` (the index
    too), `all`, and so on. `git_dir` and `work_tree` are what those options say.
    """

    kind: GitKind
    command: str
    refs: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    git_dir: str = ""
    work_tree: str = ""

    @property
    def for_later(self) -> bool:
        """True where nothing changes but what commands behind this one mean."""
        if self.kind is GitKind.SETTING:
            return not self.refs[0].lower().startswith("remote.")
        if self.kind in (GitKind.NAME, GitKind.FETCH) and "moves" in self.flags:
            return False
        return self.kind in _FOR_LATER or (self.kind is GitKind.INDEX and bool(self.refs))

    def has(self, *flags: str) -> bool:
        """Say whether one of some flags is set."""
        return not self.flags.isdisjoint(flags)


_FOR_LATER = frozenset({GitKind.STAGE, GitKind.COMMIT, GitKind.NAME, GitKind.HEAD, GitKind.FETCH})
