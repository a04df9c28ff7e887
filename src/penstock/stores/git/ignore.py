"""Which files git ignores and which it tracks, as the real repository and its submodules say.

Git answers for one repository at a time, and for none of many paths when one of them lies in
another: so a submodule is asked about its own files.
Always true: looking changes nothing; where there is no repository, nothing is ignored or tracked.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from penstock.stores.git.run import GitError, program, run

# The command knows names only, and refuses to be told so.
NOT_LITERAL = {"GIT_LITERAL_PATHSPECS": None}
GITLINK = b"160000 "
DEEPEST, MOST_SUBMODULES = 8, 200
MOST_REFUSALS = 100


def ignored(root: str, paths: Collection[str]) -> frozenset[str]:
    """Return which of some paths below a directory git ignores; tracked ones never are."""
    if not paths or not program(root):
        return frozenset()
    try:
        return frozenset(_asked(root, paths))
    except GitError:
        return frozenset(_ignored_apart(root, paths))


def _asked(root: str, paths: Collection[str]) -> list[str]:
    asked = b"\0".join(os.fsencode(f"./{path}") for path in paths)
    words = ("check-ignore", "-z", "--stdin")
    _, said = run(root, *words, stdin=asked, more=NOT_LITERAL, right=(0, 1))
    return [name.removeprefix("./") for name in _names(said)]


def _ignored_apart(root: str, paths: Collection[str]) -> Iterator[str]:
    """Ask about the paths of each work tree alone, without those that git has no answer to."""
    try:
        places = sorted(_gitlinks(root))
    except GitError:
        return  # there is no repository, so no half of the paths has an answer either
    for place, inner in _by_work_tree(paths, places).items():
        folder = os.path.join(root, place)
        if place and not os.path.lexists(os.path.join(folder, ".git")):
            continue  # it is not checked out, so nobody says what it ignores
        wanted = [path for path in inner if not _behind_link(folder, path)]
        # In a submodule there may be more of them.
        known = ignored(folder, wanted) if place else _halved(folder, wanted, [MOST_REFUSALS])
        yield from (os.path.join(place, path) for path in known)


def _by_work_tree(paths: Collection[str], places: Sequence[str]) -> Mapping[str, list[str]]:
    """Return paths by the work tree that they lie in, each as it is called there."""
    found: dict[str, list[str]] = {}
    for path in paths:
        place = next((one for one in places if path.startswith(f"{one}/")), "")
        found.setdefault(place, []).append(path[len(place) + 1 :] if place else path)
    return found


def _behind_link(root: str, path: str) -> bool:
    """Say whether a link is on the way: then git has no answer, and nothing is ignored."""
    above = path.split("/")[:-1]
    return any(os.path.islink(os.path.join(root, *above[: at + 1])) for at in range(len(above)))


def _halved(root: str, paths: Sequence[str], left: list[int]) -> list[str]:
    """Ask about some paths; where git refuses because of one, about each half, so often."""
    if not paths or left[0] <= 0:
        return []
    try:
        return _asked(root, paths)
    except GitError:
        left[0] -= 1
    half = len(paths) // 2
    parts = (paths[:half], paths[half:]) if half else ()
    return [path for part in parts for path in _halved(root, part, left)]


def tracked(root: str) -> frozenset[str]:
    """Return every file that git tracks below a directory, in submodules too."""
    if not program(root):
        return frozenset()
    found: set[str] = set()
    for place in ("", *submodules(root)):
        try:
            _, said = run(os.path.join(root, place), "ls-files", "-z")
        except GitError:
            continue
        found.update(os.path.join(place, name) for name in _names(said))
    return frozenset(found)


def submodules(root: str, depth: int = 0) -> tuple[str, ...]:
    """Return where submodules are checked out, each after the one that it lies in."""
    if depth > DEEPEST or not os.path.isfile(os.path.join(root, ".gitmodules")):
        return ()
    found: list[str] = []
    for place in _known_gitlinks(root):
        if os.path.lexists(os.path.join(root, place, ".git")) and not _behind_link(root, place):
            below = submodules(os.path.join(root, place), depth + 1)
            found += [place, *(os.path.join(place, one) for one in below)]
    return tuple(found[:MOST_SUBMODULES])


def _known_gitlinks(root: str) -> list[str]:
    try:
        return list(_gitlinks(root))
    except GitError:
        return []


def _gitlinks(root: str) -> Iterator[str]:
    """Yield where submodules belong. Raises GitError where there is no repository."""
    _, said = run(root, "ls-files", "-z", "--stage")
    for row in said.split(b"\0"):
        if row.startswith(GITLINK):
            yield os.fsdecode(row.partition(b"\t")[2])


def _names(said: bytes) -> list[str]:
    return [os.fsdecode(name) for name in said.split(b"\0") if name]
