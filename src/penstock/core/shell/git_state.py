"""What git commands of one call leave behind, so that the next one is judged by it.

`git add -A && git commit && git reset --hard` loses nothing, `git stash && git stash drop`
does. Only what the earlier commands of the same call surely did is assumed.
Always true: nothing is read here; whatever is not known counts as it is on the disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from penstock.core.text.late_regex import late_regex

EVERYTHING = ":/"
UNKNOWN = "?"  # a revision begins so when nobody knows it; the rest says why
_STEPS = late_regex(r"(?:HEAD|@)((?:~[0-9]*|\^)*)")
_NAME = late_regex(r"(.*?)((?:[~^:]|@\{).*|)", re.DOTALL)  # a name, and what is made of it
_PREFIXES = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
# Directories and names that tools make anew.
_MADE = frozenset(
    {
        *("node_modules", "build", "dist", "out", "target", "coverage", "htmlcov", ".venv", "venv"),
        *("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".cache"),
        *(".next", ".nuxt", ".turbo", ".parcel-cache", ".gradle", ".svelte-kit", ".angular"),
        *(".eggs", ".terraform", "bin", "obj", "tmp", "temp", "logs", ".nyc_output", "Pods"),
        *("DerivedData", "_build", "deps", ".dart_tool", ".hypothesis", "storybook-static"),
    }
)
_MADE_ENDINGS = (
    *(".pyc", ".pyo", ".o", ".obj", ".class", ".log", ".tsbuildinfo", ".egg-info", ".tmp", ".swp"),
    *(".orig", ".rej", ".DS_Store", ".coverage", ".eslintcache", ".so", ".a", ".dll", ".exe"),
)


def is_made_anew(path: str) -> bool:
    """Say whether an ignored file is one that a build, an installation or a run makes again."""
    *folders, name = path.rstrip("/").split("/")
    known = any(folder in _MADE or folder.endswith(".egg-info") for folder in (*folders, name))
    return known or name.endswith(_MADE_ENDINGS)


class GitState(Struct):
    """A repository as the commands so far leave it; `head` is empty while it stays where it is."""

    head: str = ""
    previous: str = ""
    commits: int = 0
    worked: bool = False  # a commit of this call holds work that no other one has
    staged: set[str] = field(default_factory=set)
    saved: set[str] = field(default_factory=set)  # pathspecs whose changes are kept elsewhere
    saved_untracked: set[str] = field(default_factory=set)
    stashes: list[tuple[set[str], set[str], int]] = field(default_factory=list)
    popped: set[str] = field(default_factory=set)
    settings: dict[str, str] = field(default_factory=dict)  # in lower case
    names: dict[str, str] = field(default_factory=dict)  # full names of refs, and revisions
    indexed: list[str] = field(default_factory=list)  # revisions that the index may hold by now
    expired: bool = False

    def revision(self, name: str) -> str:
        """Return what a name means, in the words of the repository as it is on the disk."""
        if name in ("-", "@{-1}") and self.previous:
            return self.previous
        if name.startswith(UNKNOWN):
            return name
        found = _STEPS.fullmatch(name)
        if not found:
            return self._named(name)
        if not (self.head or self.commits):
            return name
        steps = sum(_count(step) for step in re.findall(r"~[0-9]*|\^", found.group(1)))
        back = max(0, steps - self.commits)
        return f"{self.head or 'HEAD'}~{back}" if back else self.head or "HEAD"

    def _named(self, name: str) -> str:
        """Return a name by which the repository on the disk knows what this call has renamed."""
        base, rest = _split(name)
        known = next((one for one in spellings(base) if one in self.names), "")
        return self.names[known] + rest if known else name

    def name(self, ref: str, revision: str) -> None:
        """A ref means a revision from now on."""
        self.names[ref] = self.revision(revision)

    def move(self, commit: str) -> None:
        """HEAD is elsewhere from now on."""
        self.previous, self.head, self.commits = self.revision("HEAD"), commit, 0

    def commit(self, *, paths: tuple[str, ...], every: bool, dirty: bool) -> None:
        """What is staged, named, or all that is tracked is in a commit."""
        self.commits += 1
        self.worked = self.worked or dirty
        self.saved |= self.staged | set(paths) | ({EVERYTHING} if every else set())
        self.saved_untracked |= self.staged
        self.staged = set()

    def stash(self, *, paths: tuple[str, ...], untracked: bool, files: int) -> None:
        """Changes are put away."""
        self.stashes.append((self.saved, self.saved_untracked, files))
        put = set(paths) or {EVERYTHING}
        self.saved = self.saved | put
        self.saved_untracked = self.saved_untracked | (put if untracked else set())

    def unstash(self) -> bool:
        """Bring back what this call put away; False when it put nothing away."""
        if not self.stashes:
            return False
        self.saved, self.saved_untracked, _ = self.stashes.pop()
        return True

    def is_saved(self, path: str) -> bool:
        """Say whether the changes of a tracked file are kept elsewhere."""
        return _meets(self.saved, path)

    def is_saved_untracked(self, path: str) -> bool:
        """Say whether a file that was not tracked is kept elsewhere."""
        return _meets(self.saved_untracked, path)


def spellings(name: str) -> Iterator[str]:
    """Yield the refs that a short name may stand for, in git's order."""
    return (prefix + name for prefix in _PREFIXES)


def _split(name: str) -> tuple[str, str]:
    found = _NAME.fullmatch(name)
    return (found.group(1), found.group(2)) if found else (name, "")


def _meets(specs: set[str], path: str) -> bool:
    return any(
        spec in (EVERYTHING, path) or path.startswith(f"{spec.rstrip('/')}/") for spec in specs
    )


def _count(step: str) -> int:
    return 1 if step in ("~", "^") else min(int(step[1:]), 10_000)
