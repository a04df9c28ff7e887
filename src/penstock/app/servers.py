"""What a server of the approval page needs: which workspaces there are, and how it is found.

Always true: only workspaces whose state was made before are served unasked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.app.workspace import Workspace, open_workspace, workspace_root
from penstock.gate.doors import Door
from penstock.stores.system.known_roots import (
    ServerAddress,
    forget_serving,
    keep_serving,
    known_roots,
    serving,
)
from penstock.stores.system.places import state_home, state_of

__all__ = [
    "ServerAddress",
    "found",
    "known_workspaces",
    "left",
    "listens",
    "select",
    "served_first",
    "state_home",
]


def known_workspaces() -> tuple[Workspace, ...]:
    """Return every workspace that has a state."""
    return tuple(
        Workspace(root, state_of(root), door=Door.PAGE) for root in known_roots(state_home())
    )


def served_first(workspace: str | None) -> tuple[Workspace, ...]:
    """Return the named workspace, or that of the current directory if it is one."""
    import os

    from penstock.stores.system.places import MARKS, exists

    if workspace is not None:
        return (open_workspace(workspace, door=Door.PAGE),)
    root = workspace_root()
    marked = any(exists(os.path.join(root, mark)) for mark in MARKS)
    return (Workspace(root, state_of(root), door=Door.PAGE),) if marked else ()


def listens(port: int) -> None:
    """Tell other commands where this process listens."""
    keep_serving(state_home(), port)


def left() -> None:
    """Take it back."""
    forget_serving(state_home())


def found() -> ServerAddress | None:
    """Return the server that runs, if one does."""
    return serving(state_home())


def select(here: Workspace, chosen: Mapping[str, Any]) -> list[Mapping[str, object]]:
    """Return the events of a workspace's record that a query chooses, oldest first."""
    from penstock.core.audit.query import Query, parse_line
    from penstock.stores.audit.reader import read_lines

    lines = read_lines(here.audit_path, Query(**chosen))
    return [parse_line(line) or {} for line in lines]
