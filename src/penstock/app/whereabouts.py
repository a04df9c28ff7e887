"""What kind of checkout a workspace is, in one sentence: which rules hold, where its log is.

Always true: looking reads one small file and changes nothing.
"""

from __future__ import annotations

import os

from penstock.stores.system.places import RULES, rules_of

LONGEST = 4096
MODULES = "/.git/modules/"


def whereabouts(root: str) -> tuple[str, str]:
    """Return a word and a sentence for a worktree or a submodule, two empty texts otherwise."""
    places = rules_of(root)
    if len(places) > 1:
        main = os.path.dirname(places[1])
        own = os.path.lexists(places[0])
        whose = "its own" if own else f"those of `{main}`" if os.path.lexists(places[1]) else "none"
        return "worktree", f"a git worktree of `{main}`; rules: {whose}; separate audit log"
    around = _project_around(root)
    if not around:
        return "", ""
    own = os.path.lexists(os.path.join(root, RULES))
    whose = "its own" if own else "yours, or `guard`"
    return "submodule", (
        f"a submodule of `{around}`; rules: {whose}, not those of that project; separate audit log"
    )


def _project_around(root: str) -> str:
    """Return the project that a directory is a submodule of, "" for none."""
    try:
        with open(os.path.join(root, ".git"), "rb") as file:
            text = os.fsdecode(file.read(LONGEST))
    except OSError:
        return ""
    if not text.startswith("gitdir: "):
        return ""
    place = os.path.normpath(os.path.join(root, text[8:].rstrip("\n")))
    return place.partition(MODULES)[0] if MODULES in place else ""
