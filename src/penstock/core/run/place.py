"""To whom a path of a layer belongs: the project, git, or what tools can make again.

What is denied is the rules' to say, and they are asked first where git ignores a file: most
projects ignore their secrets.
Always true: a file that git tracks is the project's, whatever directory it is in.
"""

from __future__ import annotations

from collections.abc import Set
from enum import StrEnum

# Directories that tools make and make again, by the name of any directory on the way.
SCRATCH = frozenset(
    {
        ".cache", ".eggs", ".gradle", ".hypothesis", ".mypy_cache", ".next", ".nox", ".nuxt",
        ".parcel-cache", ".pytest_cache", ".ruff_cache", ".svelte-kit", ".tox", ".turbo", ".venv",
        "__pycache__", "dist", "node_modules", "target", "venv",
    }
)  # fmt: skip
GIT = ".git"


class LayerPlace(StrEnum):
    """Who a path belongs to."""

    PROJECT = "project"
    GIT = "git"
    SCRATCH = "scratch"


def place_of(path: str, *, tracked: Set[str]) -> LayerPlace:
    """Say to whom a path belongs, by its name alone; what git ignores is found on the disk."""
    parts = path.split("/")
    if GIT in parts:
        return LayerPlace.GIT
    if SCRATCH.isdisjoint(parts) or path in tracked:
        return LayerPlace.PROJECT
    return LayerPlace.SCRATCH
