"""Entries of a layer into changes of files, in the order in which they can be made.

Whether a change may be made is the gate's business.
Always true: a copy that the command never changed is no change; what cannot be a change (a pipe,
a name that is no text) is told with its reason and never dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.file_mode import FileMode
from penstock.core.run.entry import EntryKind, LayerEntry, LayerNode

MODES = {EntryKind.LINK: FileMode.LINK, EntryKind.DIRECTORY: FileMode.DIRECTORY}


class Turn(IntEnum):
    """When a change can be made: a directory is removed once it is empty, and then replaced."""

    FILES = 0
    REMOVALS = 1
    REPLACEMENTS = 2


class LayerChange(Struct, frozen=True, kw_only=True):
    """One change: `mode` is given where it is more than the bytes of a file.

    Without `keeps` the name is removed. `digest` is of the bytes, or of the path a link holds.
    `base` is the digest of what the project had when the two were compared, None where it had
    nothing, "" where nobody read it.
    """

    path: str
    keeps: bool
    mode: FileMode | None = None
    link: bytes | None = None
    digest: str = ""
    base: str | None = ""
    out_of_date: bool = False
    turn: Turn = Turn.FILES

    @property
    def places(self) -> frozenset[str]:
        """Its path and those of the directories that it is in."""
        parts = self.path.split("/")
        return frozenset("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))

    def key(self, run: str) -> str:
        """Return the id that proposing this again gets again."""
        text = "\0".join((run, self.path, str(self.keeps), self.mode or "", self.digest))
        return f"hitl-{digest(text.encode('utf-8', 'surrogateescape'))[7:39]}"


def numbered(key: str, at: int) -> str:
    """Return the id of a change that was proposed before and is over: it is the second or later."""
    return f"{key}-{at}"


def key_of(known: str) -> str:
    """Return the key of the change that a proposal of a run is about, whichever time it is."""
    return "-".join(known.split("-")[:2])


class HeldEntry(Struct, frozen=True, kw_only=True):
    """A name that cannot be proposed, and why; it stays in the layer."""

    path: str
    because: str


def changes(entries: Iterable[LayerEntry]) -> tuple[tuple[LayerChange, ...], tuple[HeldEntry, ...]]:
    """Return what a command changed, in order, and what is held back."""
    made: list[LayerChange] = []
    held: list[HeldEntry] = []
    for one in entries:
        because = one.held or _unnameable(one.path)
        if because or one.node.kind is EntryKind.SPECIAL:
            reason = because or "a pipe, socket or device is never written to the project"
            held.append(HeldEntry(path=one.path, because=reason))
        elif one.real is None or not one.node.same(one.real):
            made += _changes(one)
    return tuple(sorted(_in_turn(made), key=_order)), tuple(held)


def _unnameable(path: str) -> str:
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not valid UTF-8"
    return ""


def _changes(one: LayerEntry) -> Iterator[LayerChange]:
    """Yield a removal and what takes its place: a file never replaces a directory in one step."""
    if one.removes:
        directory = one.real is not None and one.real.kind is EntryKind.DIRECTORY
        yield LayerChange(
            path=one.path,
            keeps=False,
            base=_base(one.real),
            out_of_date=one.out_of_date,
            turn=Turn.REMOVALS if directory else Turn.FILES,
        )
        one = replace(one, real=None, overtaken=one.out_of_date)
    if one.node.kind is not EntryKind.DELETED:
        yield _made(one)


def _made(one: LayerEntry) -> LayerChange:
    node = one.node
    link = node.link if node.kind is EntryKind.LINK else None
    return LayerChange(
        path=one.path,
        keeps=True,
        mode=MODES.get(node.kind) or _file_mode(one),
        link=link,
        digest=node.digest or (digest(link) if link else ""),
        base=_base(one.real),
        out_of_date=one.out_of_date,
    )


def _base(real: LayerNode | None) -> str | None:
    if real is None:
        return None
    return digest(real.link) if real.kind is EntryKind.LINK and real.link else real.digest


def _file_mode(one: LayerEntry) -> FileMode | None:
    """A plain file over a plain file keeps the mode it has; all else says what it becomes."""
    mode = FileMode.EXECUTABLE if one.node.executable else FileMode.FILE
    if one.real is None:
        return mode if one.node.executable else None
    same_kind = one.real.kind is EntryKind.FILE
    return None if same_kind and one.real.executable == one.node.executable else mode


def _in_turn(made: Sequence[LayerChange]) -> Iterable[LayerChange]:
    """What takes the place of something that is removed comes after the removal."""
    removed = {one.path for one in made if not one.keeps}
    for one in made:
        late = one.keeps and not removed.isdisjoint(one.places)
        yield replace(one, turn=Turn.REPLACEMENTS) if late else one


def _order(one: LayerChange) -> tuple[int, int, str]:
    depth = one.path.count("/")
    return one.turn, -depth if one.turn is Turn.REMOVALS else 0, one.path


def renames(made: Sequence[LayerChange], gone: dict[str, str]) -> dict[str, str]:
    """Return new paths with the deleted path that held the same bytes; `gone` has digests."""
    by_digest = {known: path for path, known in sorted(gone.items()) if known}
    found: dict[str, str] = {}
    for one in made:
        old = by_digest.get(one.digest) if one.keeps and one.digest else None
        if old is not None and old != one.path and old not in found.values():
            found[one.path] = old
    return found
