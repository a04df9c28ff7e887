"""Places outside of a project whose content nobody misses: temporary files, caches, build output.

What is said here is said by name alone; whether git has a file is for whoever can ask it.
Always true: a place counts as temporary only when it lies below such a directory, never when it
is one; and a path that leads through a link counts by every place that it may lead to.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from penstock.core.model import Target
from penstock.core.paths.spellings import beneath, normal

# Names, not files that are used here.
TEMPORARY = (
    *("/tmp", "/var/tmp", "/dev/shm"),  # noqa: S108
    *("/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders"),
)
# Below the home: what programs fetch or build again when it is gone.
CACHES = (
    *(".cache", ".npm", ".yarn/cache", ".yarn/berry/cache", ".pnpm-store", ".bun/install/cache"),
    *(
        ".cargo/registry",
        ".cargo/git",
        ".ccache",
        ".gradle/caches",
        ".m2/repository",
        ".ivy2/cache",
    ),
    *("go/pkg/mod", ".nuget/packages", ".pub-cache", ".composer/cache", ".bundle/cache"),
    *(".node-gyp", ".electron-gyp", ".local/share/pnpm/store", "Library/Caches"),
)


# Directories whose whole content one command makes anew: removing them loses nothing, however
# much lies below; and those that are mostly such.
MADE_ANEW = frozenset(
    {
        *("node_modules", "bower_components", "__pypackages__", "site-packages", ".venv", "venv"),
        *(".tox", ".nox", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".next"),
        *(".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".gradle"),
    }
)
OUTPUT = frozenset(
    {"dist", "build", "out", "coverage", "htmlcov", "target", "_build", "storybook-static"}
)


class FreePlaces(Struct, frozen=True):
    """Directories whose content nobody misses, and the home, which may lie below one of them."""

    folders: tuple[str, ...]
    home: str = ""

    def hold(self, place: str) -> bool:
        """Say whether a normal absolute path lies in one of the directories.

        What is in the home counts as such, wherever the home is: in containers and tests it is
        often below `/tmp`.
        """
        at_home = bool(self.home) and beneath(place, self.home) is not None
        return any(
            beneath(place, folder) and not (at_home and beneath(self.home, folder) is not None)
            for folder in self.folders
        )


@lru_cache(maxsize=16)  # a process asks for one project, call after call
def free_places(*, root: str, home: str, temporary: str = "") -> FreePlaces:
    """Return the directories whose content nobody misses.

    `temporary` is what `TMPDIR` says; a value that holds the home or the project is not believed.
    """
    home = normal(home) if home.startswith("/") else ""
    said = normal(temporary) if temporary.startswith("/") else ""
    holds = any(beneath(place, said) is not None for place in (root, home) if place and said)
    own = (said,) if said and not holds else ()
    caches = tuple(f"{home}/{name}" for name in CACHES) if home else ()
    return FreePlaces(folders=(*TEMPORARY, *own, *caches), home=home)


TEMPORARY_PLACES = FreePlaces(TEMPORARY)


def is_temporary(path: str) -> bool:
    """Say whether a path as it is written lies below a directory for temporary files."""
    return path.startswith("/") and TEMPORARY_PLACES.hold(normal(path))


def is_outside(target: Target) -> bool:
    """Say whether a path leads out of the project.

    Another worktree of the project's repository is the project: rules know it by its place there.
    """
    if not target.outside:
        return False
    known = (one for one in target.judged if not one.startswith("/") and one not in target.twins)
    return not target.shown.startswith("/") or next(known, None) is None


def is_beyond(target: Target, free: FreePlaces) -> bool:
    """Say whether a path leads out of the project to a place that is not free."""
    spelled = (one for one in (*target.judged, *target.tightening) if one.startswith("/"))
    return is_outside(target) and not all(free.hold(normal(one)) for one in spelled)
