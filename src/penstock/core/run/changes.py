"""Entries of a layer into changes of files, in the order in which they can be made.

Whether a change may be made is the gate's business.
Always true: a copy that the command never changed is no change; what cannot be a change (a pipe,
a name that is no text) is told with its reason and never dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.file_mode import FileMode
from penstock.core.run.entry import EntryKind, LayerEntry, LayerNode
from penstock.core.text.display import visible

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
        return frozenset(places_of(self.path))

    def key(self, run: str) -> str:
        """Return the id that proposing this again gets again."""
        text = "\0".join((run, self.path, str(self.keeps), self.mode or "", self.digest))
        return f"hitl-{digest(text.encode('utf-8', 'surrogateescape'))[7:39]}"


def places_of(path: str) -> tuple[str, ...]:
    """Return the paths of the directories that a path is in, the outermost first, and itself."""
    parts = path.split("/")
    return tuple("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))


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
    """Return what a command changed, in order, and what is held back.

    A file whose new name is held keeps its old one, and the directories that it is in: else
    the layer would have the only copy.
    """
    entries = tuple(entries)
    new_names = {one.node.size: one.path for one in entries if _is_new(one) and _held(one)}
    made: list[LayerChange] = []
    held: list[HeldEntry] = []
    kept: dict[str, str] = {}
    for one in entries:
        because = _held(one) or _moved_to(one, new_names)
        if because:
            held.append(HeldEntry(path=one.path, because=because))
            above = places_of(one.path)[:-1] if one.removes else ()
            kept |= dict.fromkeys(above, f"{visible(one.path, keep_newlines=False)} is held")
        elif one.real is None or not one.node.same(one.real):
            made += _changes(one)
    held += [
        HeldEntry(path=p, because=kept[p]) for p in sorted({one.path for one in made} & set(kept))
    ]
    made = [one for one in made if one.path not in kept]
    return tuple(sorted(_in_turn(made), key=_order)), tuple(held)


def _held(one: LayerEntry) -> str:
    if one.held or one.node.kind is not EntryKind.SPECIAL:
        return one.held or _unnameable(one.path)
    return "a pipe, socket or device is never written to the project"


def _is_new(one: LayerEntry) -> bool:
    return one.node.kind is EntryKind.FILE and one.real is None and one.node.size > 0


def _moved_to(one: LayerEntry, new_names: Mapping[int, str]) -> str:
    """Say of a deletion that the file may have the same name no more, but be there, unread."""
    found = new_names.get(one.real.size) if one.removes and one.real else None
    if found is None:
        return ""
    return f"it may be the file that is held as {visible(found, keep_newlines=False)}"


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
