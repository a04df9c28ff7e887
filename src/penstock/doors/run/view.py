"""Isolated runs as the page and the full screen list them: each run, and the tree of its changes.

Always true: looking changes nothing, and a layer that is being written is read as it is now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.proposals.model import STATE_WORDS, Proposal, State
from penstock.core.run.changes import LayerChange, changes
from penstock.core.text.quantities import counted
from penstock.doors.run.listing import RunListing, find, listed
from penstock.doors.run.sort import AGENT, sort_layer

MOST_SHOWN = 2_000  # changes of one run
MOST_ASKED = 5_000  # proposals that are looked through for a run's own
IN_LAYER = "in the layer"


class RunChange(Struct, frozen=True, kw_only=True):
    """One path that a run changed: what it did, what became of it, and since when."""

    path: str
    what: str
    state: str
    proposal: str = ""
    at: float | None = None

    @property
    def folder(self) -> str:
        """The directory that it is in, "" for the project itself."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name in that directory."""
        return self.path.rpartition("/")[2]


class RunTree(Struct, frozen=True, kw_only=True):
    """A run with what it changed, by path; scratch and git's own files are only counted."""

    listing: RunListing
    changes: tuple[RunChange, ...]
    more: int = 0
    scratch: int = 0
    git: int = 0


def runs_of(here: Workspace) -> list[RunListing]:
    """Return the runs that left something, newest first."""
    return listed(here)[::-1]


def tree(here: Workspace, run: str) -> RunTree:
    """Return what a run changed so far. Raises InputError `not-found`."""
    record = find(here, run)
    runs = IsolatedRuns(here)
    (listing,) = [one for one in listed(here) if one.record.id == record.id]
    known = _proposals(here, record.id)
    if not runs.has_layer(record.id):
        return RunTree(listing=listing, changes=tuple(_written(known)))
    found = sort_layer(here, runs, record.id)
    made, held = changes(found.project)
    at = {one.path: one.node.at for one in found.project}
    left = [_left(one, known.get(one.path), at.get(one.path)) for one in made]
    left += [RunChange(path=one.path, what="held", state=one.because) for one in held]
    paths = {one.path for one in left}
    shown = sorted(
        [*left, *(one for one in _written(known) if one.path not in paths)],
        key=lambda one: one.path,
    )
    return RunTree(
        listing=listing,
        changes=tuple(shown[:MOST_SHOWN]),
        more=max(0, len(shown) - MOST_SHOWN),
        scratch=found.scratch,
        git=found.git,
    )


def as_text(here: Workspace) -> str:
    """Return all runs with their changes in lines, for a terminal."""
    lines: list[str] = []
    for one in runs_of(here):
        found = tree(here, one.record.id)
        lines.append(f"{one.record.id}  {one.state}  {' '.join(one.record.command)}")
        lines += [f"  {each.state:12} {each.what:9} {each.path}" for each in found.changes]
        rest = {"more path": found.more, "scratch file": found.scratch, "git file": found.git}
        lines += [f"  {counted(count, what)}" for what, count in rest.items() if count]
    return "\n".join(lines) or "no runs are kept here"


def _proposals(here: Workspace, run: str) -> Mapping[str, Proposal]:
    """Return the newest proposal of a run for each path."""
    found = here.gate.find(limit=MOST_ASKED)
    own = [one for one in found if one.actor.agent == AGENT and one.actor.session == run]
    return {one.path: one for one in own if one.state is not State.SUPERSEDED}


def _left(one: LayerChange, proposed: Proposal | None, at: int | None) -> RunChange:
    since = at / 1e9 if at is not None else None
    if proposed is None or proposed.state is State.APPLIED:  # changed again after it was written
        return RunChange(path=one.path, what=_what(one), state=IN_LAYER, at=since)
    state = STATE_WORDS[proposed.state]
    return RunChange(path=one.path, what=_what(one), state=state, proposal=proposed.id, at=since)


def _what(one: LayerChange) -> str:
    if not one.keeps:
        return "deleted"
    return {"120000": "link", "040000": "directory"}.get(one.mode or "", "written")


def _written(known: Mapping[str, Proposal]) -> Iterator[RunChange]:
    for one in known.values():
        if one.state is State.APPLIED:
            what = "deleted" if one.content is None else "written"
            at = one.created.wall
            yield RunChange(path=one.path, what=what, state="applied", proposal=one.id, at=at)
