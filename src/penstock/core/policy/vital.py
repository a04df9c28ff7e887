"""What the hook cannot run without: whether a path reaches it, and what is then said.

Where the interpreter, the package and its libraries lie is known to whoever starts; here are only
the comparison and the words.
Always true: a pattern reaches whatever it may match, and the place itself counts as much as any
directory above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from penstock.core.model import GateRefusal, Verdict
from penstock.core.paths.globs import matches
from penstock.core.text.late_regex import late_regex

MARK = "/pyvenv.cfg"  # what makes a directory a Python environment
_CLASS = late_regex(r"\[[^\]/]*\]")
_WILD = frozenset("*?[")


def reached(paths: Iterable[str], places: Sequence[str], *, itself: bool = True) -> str:
    """Return the first place that one of some absolute paths is, or that lies below one, or ""."""
    for path in paths:
        below, wild = f"{path.rstrip('/')}/", not _WILD.isdisjoint(path)
        for place in places:
            if place.startswith(below) or (itself and path == place):
                return place
            if wild and path != place and _may_match(path, place, itself):
                return place
    return ""


def _may_match(pattern: str, place: str, itself: bool) -> bool:
    pattern = f"**{_CLASS.sub('?', pattern)}"
    above = place if itself else place.rpartition("/")[0]
    while above:
        if matches(pattern, above):
            return True
        above = above.rpartition("/")[0]
    return False


def environment_holds(path: str, vital: Sequence[str], *, root: str) -> bool:
    """Say whether a path lies in the environment that the hook runs from, inside the root.

    A project that lies inside of an environment is no part of it.
    """
    folders = [place.removesuffix(MARK) for place in vital if place.endswith(MARK)]
    inside = [folder for folder in folders if folder.startswith(f"{root}/")]
    return any(f"{path}/".startswith(f"{folder}/") for folder in inside)


def vital_refusal(place: str) -> GateRefusal:
    """Return what is said of a command that takes away, or closes, what the hook runs from."""
    return GateRefusal(
        rule="penstock-removal",
        verdict=Verdict.ASK,
        text=f"this would remove or block `{place}`, which Penstock's hook runs from",
        instead="leave it in place, or ask the user to do it in their own terminal",
    )
