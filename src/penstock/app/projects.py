"""The states of all projects of this user: what there is, and what goes with one.

Always true: what would be lost is counted before anything is removed, and a state that cannot be
read is said to be so rather than taken for empty.
"""

from __future__ import annotations

import os

from msgspec import Struct

from penstock.app.workspace import Workspace
from penstock.core.errors import PenstockError
from penstock.stores.system.places import state_home
from penstock.stores.system.project_states import (
    ProjectState,
    project_states,
    remove_state,
    state_in,
)

__all__ = ["ProjectState", "StateContents", "contents", "forget", "projects", "state_of_project"]


class StateContents(Struct, frozen=True, kw_only=True):
    """What goes with a state: pending proposals, audit entries, kept contents in bytes.

    `unknown` says why these could not be counted.
    """

    pending: int = 0
    entries: int = 0
    kept_bytes: int = 0
    unknown: str = ""


def projects() -> tuple[ProjectState, ...]:
    """Return the state of every project."""
    return project_states(state_home())


def state_of_project(here: Workspace) -> ProjectState | None:
    """Return the state of one project, None where there is none."""
    return state_in(here.state) if os.path.isdir(here.state) else None


def contents(here: Workspace) -> StateContents:
    """Count what a project's state holds."""
    from penstock.core.proposals.model import State

    try:
        head = here.record.head()
        return StateContents(
            pending=len(here.gate.find(states=(State.WAITING,))),
            entries=head.seq + 1 if head else 0,
            kept_bytes=here.gate.kept_bytes(),
        )
    except (PenstockError, OSError) as fault:
        return StateContents(unknown=str(fault))


def forget(here: Workspace) -> None:
    """Remove a project's whole state. Raises StoreError."""
    here.close()
    remove_state(here.state)
