"""Whose each entry of a run's layer is: the project's, git's, or scratch that tools make again.

What the real repository ignores is scratch, unless the rules deny it: most projects ignore their
secrets, and a change of those is told.
Always true: the rules and the list of ignored files are those of the real tree, never the run's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.errors import PenstockError
from penstock.core.model import Action, Actor, Request, Verdict
from penstock.core.run.base import Shown, view
from penstock.core.run.entry import LayerEntry
from penstock.core.run.place import LayerPlace, place_of

AGENT = "run"


@dataclass(frozen=True, kw_only=True, slots=True)
class SortedLayer:
    """The entries of a layer that are the project's, and how many others there are.

    `behind` are entries that the user changed outside after the run was done with them.
    """

    project: tuple[LayerEntry, ...]
    behind: tuple[LayerEntry, ...]
    scratch: int
    git: int


def actor_of(run: str) -> Actor:
    """Return who proposes the changes of a run."""
    return Actor(agent=AGENT, session=run)


def sort_layer(
    here: Workspace, runs: IsolatedRuns, run: str, *, live: bool = False, shown: Shown = ()
) -> SortedLayer:
    """Read a layer and sort what is in it; `shown` is when the user's files were shown inside."""
    tracked = runs.tracked()
    places: dict[LayerPlace, list[LayerEntry]] = {place: [] for place in LayerPlace}
    for one in runs.layer(run, live=live).entries(
        lambda path: place_of(path, tracked=tracked) is LayerPlace.PROJECT
    ):
        places[place_of(one.path, tracked=tracked)].append(one)
    found = places[LayerPlace.PROJECT]
    ignored = runs.ignored([one.path for one in found])
    project = [one for one in found if one.path not in ignored or _is_denied(here, run, one.path)]
    scratch = len(places[LayerPlace.SCRATCH]) + len(found) - len(project)
    started = int(runs.records.get(run).started * 1e9)
    seen = view(project, runs.records.bases(run), started=started, shown=shown)
    return SortedLayer(
        project=seen.entries,
        behind=seen.behind,
        scratch=scratch,
        git=len(places[LayerPlace.GIT]),
    )


def settle_layer(runs: IsolatedRuns, run: str, behind: Sequence[LayerEntry] = ()) -> None:
    """Drop from a layer what the project holds by now, and what the user has overtaken."""
    tracked = runs.tracked()
    runs.layer(run).settle(
        lambda path: place_of(path, tracked=tracked) is LayerPlace.PROJECT,
        behind={one.path for one in behind if not one.hidden},
    )


def _is_denied(here: Workspace, run: str, path: str) -> bool:
    try:
        target = here.gate.locate(path)
    except PenstockError:
        return True  # a name that no rule can judge is not passed over
    request = Request(action=Action.WRITE, target=target, actor=actor_of(run))
    return here.gate.decide(request).verdict is Verdict.DENY
