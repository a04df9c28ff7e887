"""Directories that git takes for a repository though they are not called `.git`.

A directory with a file `HEAD` can be one: a bare repository, or the work of somebody who wants
git to start a program when a person enters it. Its settings and hooks run programs as those in
`.git` do, so rules know them by the same names. A hook's short way imports this: no import here.
Always true: without `HEAD` git takes no directory for a repository.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable

HEAD, GIT, HOOKS = "HEAD", ".git", "hooks"
# Settings, and what names the directory that has them.
STEERING = ("config", "config.worktree", "commondir")


def as_git(place: str, is_there: "Callable[[str], bool]") -> "list[str]":
    """Return the names in a `.git` by which rules know a place, mostly none.

    `is_there` says whether a name exists, a dangling link included.
    """
    parts = place.split("/")
    lower = [part.lower() for part in parts]  # some disks take `Config` for `config`
    depths = [at for at, part in enumerate(lower) if part == HOOKS and at]
    if lower[-1] in STEERING:
        depths.append(len(parts) - 1)
    return [
        "/".join([*parts[:at], GIT, *lower[at : at + 1], *parts[at + 1 :]])
        for at in depths
        if lower[at - 1] != GIT and is_there("/".join([*parts[:at], HEAD]))
    ]
