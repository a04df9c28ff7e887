"""Where rules files lie that people did not name."""

from __future__ import annotations

import os
from collections.abc import Mapping

from penstock.stores.system.places import RULES, home, workspace_above

CONFIG = "claude-code-permissions-hook.toml"
VARIABLE = "CLAUDE_PERMISSIONS_CONFIG"


def discovered(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the rules files that are found where people keep them, the nearest first."""
    named = environ.get(VARIABLE, "")
    places = (
        os.path.expanduser(named) if named else "",
        CONFIG,
        *_usual(""),
        RULES,
    )
    found = (os.path.realpath(place) for place in places if place and os.path.isfile(place))
    return tuple(dict.fromkeys(found))


def found_config(named: str, environ: Mapping[str, str], start: str) -> str:
    """Return the rules file that is meant: the named one, or the nearest that is found, or ""."""
    if named:
        path = os.path.abspath(os.path.expanduser(named))
        return path if os.path.isfile(path) else ""
    asked = environ.get(VARIABLE, "")
    near = [os.path.expanduser(asked)] if asked else []
    near += [os.path.join(start, CONFIG), os.path.join(workspace_above(start), RULES)]
    places = (*near, *_usual(start))
    return next((os.path.realpath(place) for place in places if os.path.isfile(place)), "")


def _usual(start: str) -> tuple[str, ...]:
    """Return where the original looks when there is nothing in the directory itself."""
    beside = os.path.join(start, "..", ".config", CONFIG)
    return beside, os.path.join(home(), ".config", CONFIG), os.path.join("/etc", CONFIG)
