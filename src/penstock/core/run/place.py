"""To whom a path of a layer belongs: the project, git, or what tools can make again.

What is denied is the rules' to say, and they are asked first where git ignores a file: most
projects ignore their secrets.
Always true: a file that git tracks is the project's, whatever directory it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
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


def place_of(
    path: str, *, tracked: Callable[[], Set[str]], scratch: Sequence[str] = ()
) -> LayerPlace:
    """Say to whom a path belongs, by its name alone; what git ignores is found on the disk.

    `scratch` are more names of directories, or paths of them in the project. What git tracks is
    asked for only where it matters.
    """
    parts = path.split("/")
    if GIT in parts:
        return LayerPlace.GIT
    made_again = not SCRATCH.isdisjoint(parts) or any(_is_in(path, parts, one) for one in scratch)
    return LayerPlace.SCRATCH if made_again and path not in tracked() else LayerPlace.PROJECT


def _is_in(path: str, parts: Sequence[str], place: str) -> bool:
    known = place.removeprefix("./").rstrip("/")
    return f"{path}/".startswith(f"{known}/") if "/" in known else known in parts
