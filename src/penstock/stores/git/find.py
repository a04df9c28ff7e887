"""Find the repository of a directory.

What is asked of one is `inspect`'s, which is imported where there is one.
Always true: git itself says what a repository is; here is only where it could not find any.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.stores.git.inspect import InspectedRepository


class GitRepositories:
    """Finds repositories on this machine."""

    def at(
        self, folder: str, *, git_dir: str = "", work_tree: str = ""
    ) -> InspectedRepository | None:
        """Return the repository of a directory; None where git finds none, or there is no git."""
        if not (git_dir or _may_lie_in_one(folder)) or not os.path.isdir(folder):
            return None
        from penstock.stores.git.inspect import inspected

        return inspected(folder, git_dir=git_dir, work_tree=work_tree)


def _may_lie_in_one(folder: str) -> bool:
    """Say whether git could find a repository from here: most questions elsewhere end with it."""
    above = os.path.realpath(folder).rstrip("/").split("/")
    places = ["/".join(above[:count]) for count in range(1, len(above) + 1)]
    signs = (".git", "HEAD")  # of a work tree, and of a repository itself
    return any(os.path.lexists(f"{place}/{sign}") for place in places for sign in signs)
