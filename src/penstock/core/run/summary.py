"""What a run says of itself: a line when it starts, a few when it ends.

Always true: what was not written is named with what can be done about it; no name of a file, which
the run chose, begins a line of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.run.changes import HeldEntry
from penstock.core.run.reasons import SUMMARY
from penstock.core.text.display import spoken
from penstock.core.text.quantities import counted

if TYPE_CHECKING:
    from penstock.core.run.commits import BranchImport

MOST_NAMED = 5
PLURALS = {"stash": "stashes"}


class PathNote(Struct, frozen=True, kw_only=True):
    """A path, and a few words on it."""

    path: str
    note: str = ""


class SyncResult(Struct, frozen=True, kw_only=True):
    """What became of everything that a run changed."""

    applied: tuple[str, ...] = ()
    pending: tuple[PathNote, ...] = ()
    blocked: tuple[PathNote, ...] = ()
    failed: tuple[PathNote, ...] = ()
    held: tuple[HeldEntry, ...] = ()
    busy: int = 0
    scratch: int = 0
    git: int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)
    manifest: str = ""
    commits: tuple[BranchImport, ...] = ()
    incomplete: bool = False  # the machine stopped while the layer was written

    @property
    def settled(self) -> bool:
        """True when nothing of the project is left to be decided."""
        return not (self.pending or self.blocked or self.failed or self.held)

    def news(self, last: SyncResult | None) -> bool:
        """Say whether a sync found something that the one before had not."""
        if last is None:
            return bool(self.applied or not self.settled)
        return bool(self.applied) or replace(self, **_SAME) != replace(last, **_SAME)

    def after(self, earlier: SyncResult | None) -> SyncResult:
        """Return what became of everything, with what earlier syncs of the run applied."""
        if earlier is None:
            return self
        applied = tuple(dict.fromkeys((*earlier.applied, *self.applied)))
        return replace(self, applied=applied, renamed={**earlier.renamed, **self.renamed})


# What says nothing about a single sync.
_SAME: dict[str, Any] = {"applied": (), "busy": 0, "scratch": 0, "git": 0, "renamed": {}}


def manifest_of(keys: Sequence[str]) -> str:
    """Return the digest of everything that a sync looked at, by the ids of its changes."""
    return digest("\n".join(sorted(keys)).encode())


WEAKER = (
    "Contents change only through the gate, but the command can change modes, times and attributes "
    "of your files, and reach Unix sockets and shared memory."
)


def started(
    run: str,
    *,
    landlock: int,
    scoped: bool,
    notes: Sequence[str] = (),
    network: bool = True,
    mode: str = "overlay",
    place: str = "",
    because: str = "",
) -> list[str]:
    """Return what is said when a run starts: what holds, and what does not."""
    guard = f"Landlock {landlock}" if landlock else "no Landlock"
    holds = "Files change only through the gate." if mode == "overlay" else WEAKER
    reach = "open" if network else "off"
    said = f"penstock: run {run} started ({mode}, {guard}). {holds} Network access is {reach}."
    lines = [f"{said} Review: penstock open"]
    if because:
        lines.append(f"penstock: this is the weaker mode: {because}")
    if place:
        lines.append(f"penstock: the command works in a copy, at {place}")
    if not scoped:
        more = "" if mode == "overlay" else ", and processes of yours can be signalled"
        says = f"abstract Unix sockets of others can be reached{more} (Landlock < 6)"
        lines.append(f"penstock: {says}")
    return [*lines, *(f"penstock: {note}" for note in notes)]


def finished(run: str, code: int, result: SyncResult, *, kept: bool) -> list[str]:
    """Return what is said when a run has ended."""
    lines = [f"penstock: run {run} finished (exit {code}): {counts(result)}"]
    lines += cautions(result)
    for one in result.failed:
        lines.append(f"  not written: {spoken(one.path)}: {one.note}")
    for held in result.held[:MOST_NAMED]:
        lines.append(f"  held: {spoken(held.path)}: {held.because}")
    for new, old in list(result.renamed.items())[:MOST_NAMED]:
        lines.append(f"  renamed: {spoken(old)} -> {spoken(new)}")
    if result.commits:
        from penstock.core.run.commits import told_imports  # most runs commit nothing

        lines += told_imports(run, result.commits)
    if result.git and not result.commits:
        lines.append("  changes of .git stay in the run's layer")
    offers = []
    if result.pending:
        offers.append("penstock review")
    if result.applied:
        offers.append(f"penstock undo {run}")
    if kept:
        offers += [f"penstock runs diff {run}", f"penstock runs enter {run}"]
        offers.append(f"penstock runs drop {run}")
    return [*lines, "  " + "    ".join(offers)] if offers else lines


def cautions(result: SyncResult) -> list[str]:
    """Return what a person has to know before they approve what is pending."""
    return [f"  {SUMMARY}"] if result.incomplete and result.pending else []


def counts(result: SyncResult) -> str:
    """Return how many of each, in one line; what needs somebody is named."""
    said = [f"{len(result.applied)} applied"]
    for notes, word in (
        (result.pending, "pending"),
        (result.blocked, "blocked"),
        (result.failed, "not written"),
    ):
        if notes:
            said.append(f"{len(notes)} {word} ({_named([one.path for one in notes])})")
    if result.held:
        said.append(f"{len(result.held)} held")
    brought = [one for one in result.commits if one.ref]
    kinds = [str(one.kind) for one in brought]
    rest = {
        "commit": sum(one.commits for one in brought if str(one.kind) == "branch"),
        "tag": kinds.count("tag"),
        "stash": kinds.count("stash"),
        "git file": 0 if brought else result.git,
        "scratch file": result.scratch,
    }
    said += [counted(count, word, PLURALS.get(word, "")) for word, count in rest.items() if count]
    return ", ".join(said)


def _named(paths: Sequence[str]) -> str:
    shown = ", ".join(map(spoken, paths[:MOST_NAMED]))
    more = len(paths) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
