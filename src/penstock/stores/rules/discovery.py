"""Where rules files lie that people did not name, and what was learnt of one when it was read.

A question about rules is asked more often than rules change, so what a file says is kept, with
the stamps of every file that it came from.
Always true: what is kept is used only while no stamp has changed; nothing heavy is imported.
"""

from __future__ import annotations

import os
import sys
import time

from penstock.core.audit.chain import hexdigest
from penstock.stores.system.places import RULES, home, stamp, state_home, workspace_above

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

CONFIG = "claude-code-permissions-hook.toml"
VARIABLE = "CLAUDE_PERMISSIONS_CONFIG"
FORM = 3
# A file that was saved this short a time ago may be saved again within the same stamp.
SETTLED_NS = 50_000_000


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


def kept_listing(path: str, kind: str = "rules") -> Mapping[str, Any] | None:
    """Return what was kept of a rules file, None where it or something of it has changed."""
    import json

    try:
        with open(_place(path, kind), "rb") as file:
            found = json.loads(file.read())
        stamps = [tuple(one) for one in found["stamps"]]
        fresh = found["form"] == FORM and bool(stamps) and all(stamp(s[0]) == s for s in stamps)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    listing: Mapping[str, Any] = found["listing"]
    return listing if fresh and isinstance(listing, dict) else None


def stamps_of(files: Iterable[str]) -> list[tuple[str, int, int, int]]:
    """Return the stamps of some files, and of the program that reads them."""
    return [stamp(__file__), *(stamp(file) for file in files)]


def keep_listing(
    path: str, stamps: list[tuple[str, int, int, int]], listing: object, kind: str = "rules"
) -> None:
    """Keep what a rules file says, if its files have not just been saved; failing is harmless."""
    import json

    from penstock.core.errors import PenstockError
    from penstock.stores.system.private import private_dir

    if any(time.time_ns() - changed < SETTLED_NS for _, _, changed, _ in stamps):
        return
    place = _place(path, kind)
    name = f"{place}.{os.getpid()}.new"
    try:
        private_dir(os.path.dirname(place))
        data = json.dumps({"form": FORM, "stamps": stamps, "listing": listing}).encode()
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        os.replace(name, place)
    except (OSError, PenstockError, TypeError, ValueError):
        return


def _place(path: str, kind: str) -> str:
    # Which Python runs us is part of what a policy protects.
    known = hexdigest(f"{path}\0{sys.executable}".encode("utf-8", "surrogateescape"))[:32]
    return os.path.join(state_home(), "decisions", f"{known}.{kind}")
