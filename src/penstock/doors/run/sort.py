"""Whose each entry of a run's layer is: the project's, git's, or scratch that tools make again.

What the real repository ignores is scratch, unless the rules deny it: most projects ignore their
secrets, and a change of those is told.
Always true: the rules and the list of ignored files are those of the real tree, never the run's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from msgspec import Struct

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.digest import digest
from penstock.core.errors import PenstockError, RefusedError
from penstock.core.model import Action, Actor, Request, Verdict
from penstock.core.proposals.model import State
from penstock.core.run.base import Shown, view
from penstock.core.run.entry import EntryKind, LayerEntry
from penstock.core.run.place import LayerPlace, place_of
from penstock.core.text.quantities import counted
from penstock.gate import Gate

AGENT = "run"


class SortedLayer(Struct, frozen=True, kw_only=True):
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
    gate = here.gate  # opening it ends what a write that was stopped had begun: so that is first
    place = _places(runs)
    places: dict[LayerPlace, list[LayerEntry]] = {one: [] for one in LayerPlace}
    layer = runs.layer(run, live=live)
    for one in layer.entries(lambda path: place(path) is LayerPlace.PROJECT):
        places[place(one.path)].append(one)
    found = places[LayerPlace.PROJECT]
    _check_count(run, len(found), runs.settings.limit_files)
    ignored = runs.ignored([one.path for one in found])
    project = [one for one in found if one.path not in ignored or _is_denied(here, run, one.path)]
    scratch = len(places[LayerPlace.SCRATCH]) + len(found) - len(project)
    started = int(runs.records.get(run).started * 1e9)
    seen = view(
        project,
        runs.records.bases(run),
        started=started,
        shown=shown,
        written=lambda one: _is_written(gate, run, one),
    )
    return SortedLayer(
        project=seen.entries,
        behind=seen.behind,
        scratch=scratch,
        git=len(places[LayerPlace.GIT]),
    )


def settle_layer(runs: IsolatedRuns, run: str, behind: Sequence[LayerEntry] = ()) -> None:
    """Drop from a layer what the project holds by now, and what the user has overtaken."""
    place = _places(runs)
    runs.layer(run).settle(
        lambda path: place(path) is LayerPlace.PROJECT,
        behind={one.path for one in behind if not one.hidden},
    )


def _places(runs: IsolatedRuns) -> Callable[[str], LayerPlace]:
    # Most layers hold nothing that could be scratch: git is asked once, when something does.
    return partial(place_of, tracked=cache(runs.tracked), scratch=runs.settings.scratch)


def _check_count(run: str, files: int, most: int) -> None:
    """Refuse a run that changed more than anybody can have meant; its layer keeps all of it."""
    if files > most:
        raise RefusedError(
            "run-too-large",
            f"run `{run}` changed {counted(files, 'file')}, so nothing was written",
            because=f"`limit_files` of [run] is {most:,}",
            hint="raise it in your own rules, or list what is scratch in `scratch`, "
            f"then run `penstock runs apply {run}`",
        )


def _is_written(gate: Gate, run: str, one: LayerEntry) -> bool:
    """Say whether a file that looks newer is so by this run's own doing.

    Either the last write to it was the run's and it still holds that, or a write of the run failed
    and the file was put back as it was: the content is the old one, the times are not.
    """
    if one.real is None:
        return False
    try:
        known = one.real.digest
        if one.real.kind is EntryKind.LINK:
            known = digest(one.real.link)
        elif not known and one.real.kind is EntryKind.FILE:
            known = digest(gate.current(one.path) or b"")
        return bool(known) and known in _left_by(gate, run, one.path)
    except PenstockError:
        return False


def _left_by(gate: Gate, run: str, path: str) -> Iterator[str | None]:
    """Yield the digests that a run's own writes leave at a path: done, or failed and undone."""
    for receipt in gate.receipts(path=path, limit=1):
        made = gate.get(receipt.proposal)
        if made is not None and made.actor == actor_of(run):
            yield receipt.after
    for one in gate.find(states=(State.APPROVED,), path=path):
        if one.actor == actor_of(run) and one.decision.verdict is Verdict.ALLOW:
            yield one.base


def _is_denied(here: Workspace, run: str, path: str) -> bool:
    try:
        target = here.gate.locate(path)
    except PenstockError:
        return True  # a name that no rule can judge is not passed over
    request = Request(action=Action.WRITE, target=target, actor=actor_of(run))
    return here.gate.decide(request).verdict is Verdict.DENY
