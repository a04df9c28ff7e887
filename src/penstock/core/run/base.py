"""What a run and the project last agreed on, path by path, and what that says of a difference.

While a run goes on its files are applied and stay in its layer, or leave it. A difference between
the layer and the project can then be the command's work or the user's, and only the state that
both had tells which. Where nothing is known, the times of the two files decide.
Always true: a difference that the user made is never taken for a change of the command.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.run.entry import EntryKind, LayerEntry, LayerNode

ABSENT = "absent"
UNKNOWN_ORIGIN = "a file that it may have been moved from can't be read"
# Nanoseconds after which a file that the user replaced is certainly seen inside. A copy that was
# made earlier than that may be one of the file before.
SEEN_WITHIN = 5 * 10**9
CLOCKS_DIFFER = 20 * 10**6  # the times of files are those of the kernel's last tick


class PathBase(Struct, frozen=True, kw_only=True):
    """One path: the mark of what both sides held, and of what the run proposed since.

    `absorbed` says that the layer's own file was dropped, so that the command saw the project's.
    """

    base: str = ""
    proposed: tuple[str, ...] = ()
    absorbed: bool = False


Bases = Mapping[str, PathBase]
Shown = Sequence[tuple[int, int]]
Written = Callable[[LayerEntry], bool]


class LayerView(Struct, frozen=True, kw_only=True):
    """The entries that may be changes, and those whose difference is the user's own work."""

    entries: tuple[LayerEntry, ...]
    behind: tuple[LayerEntry, ...] = ()


def mark_of(node: LayerNode | None) -> str:
    """Return a short text that is the same for the same content, kind and mode."""
    if node is None or node.kind is EntryKind.DELETED:
        return ABSENT
    if node.kind is EntryKind.LINK:
        return f"link {digest(node.link)}"
    mode = "x" if node.kind is EntryKind.FILE and node.executable else ""
    return f"{node.kind}{mode} {node.digest}"


def view(
    entries: Iterable[LayerEntry],
    bases: Bases,
    *,
    started: int = 0,
    shown: Shown = (),
    written: Written = lambda _: False,
) -> LayerView:
    """Sort entries by whose work they are; `started` is when the run began, in nanoseconds.

    `shown` has the beginning and the end of each refresh, where they are known. `written` says
    that the real file is as the run's own changes left it; it is asked where nothing else is known
    of a newer file, as after a sync that was stopped.
    """
    ours: list[LayerEntry] = []
    behind: list[LayerEntry] = []
    entries = tuple(entries)
    moved = moves(entries, started=started, synced=bool(bases))
    doubted = any(one.held and one.removes for one in entries)
    for one in entries:
        known = bases.get(one.path)
        if one.held:
            ours.append(one)
        elif doubted and known is None and _is_copy(one) and one.path not in moved:
            ours.append(replace(one, held=UNKNOWN_ORIGIN))
        elif known is not None and known.base and not known.absorbed:
            _by_base(one, known, ours, behind)
        elif (
            (known is not None and mark_of(one.real) in (known.base, *known.proposed))
            or one.path in moved
            or (one.real is not None and _is_newer(one, started, shown) and written(one))
        ):
            ours.append(replace(one, overtaken=False))
        elif one.hidden and one.out_of_date:
            behind.append(one)
        else:
            ours.append(_by_time(one, started, shown))
    return LayerView(entries=tuple(ours), behind=tuple(behind))


def moves(entries: Sequence[LayerEntry], *, started: int, synced: bool) -> frozenset[str]:
    """Return the copies of real files under names that have none, where the command moved them.

    Otherwise the user deleted the file that was copied. In this order it is a move where
      (1) nothing was made or removed in the real directory since the run began
      (2) the command removed a file with the same content
      (3) we may have changed the directory ourselves, in an earlier sync, and the command removed
          a file that no other move explains; it may have changed it afterwards
    """
    copies = [one for one in entries if _is_copy(one) and not one.held]
    removed = Counter(
        one.real.digest
        for one in entries
        if one.removes and one.real is not None and one.real.kind is EntryKind.FILE
    )
    all_removed = removed.total()
    found: list[str] = []
    left: list[str] = []
    for one in copies:
        untouched = one.above is not None and one.above + CLOCKS_DIFFER < started
        same = bool(one.node.digest) and removed[one.node.digest] > 0
        if same:
            removed[one.node.digest] -= 1
        (found if untouched or same else left).append(one.path)
    most = max(0, all_removed - len(found)) if synced else 0
    return frozenset((*found, *left[:most]))


def _is_copy(one: LayerEntry) -> bool:
    """Say whether it was made from a real file, and the project has nothing of its name."""
    return one.real is None and one.node.copied


def _by_base(
    one: LayerEntry, known: PathBase, ours: list[LayerEntry], behind: list[LayerEntry]
) -> None:
    mine, real = mark_of(one.node), mark_of(one.real)
    if mine == real:
        ours.append(one)
    elif mine == known.base:
        behind.append(one)
    elif real in (known.base, *known.proposed):
        ours.append(replace(one, overtaken=False))
    else:
        ours.append(replace(one, overtaken=True))


def _is_newer(one: LayerEntry, started: int, shown: Shown) -> bool:
    return one.out_of_date or _by_time(one, started, shown).out_of_date


def _by_time(one: LayerEntry, started: int, shown: Shown) -> LayerEntry:
    """Say of an entry whether the user changed the real file after the command had seen it.

    What was saved while the run goes on is seen inside from the next refresh on.
    """
    made, changed = one.node.at, one.real.at if one.real else None
    if made is None or changed is None or changed <= started:
        return one
    if not shown:
        return replace(one, overtaken=made - changed < SEEN_WITHIN)
    seen = any(changed + CLOCKS_DIFFER < began and ended < made for began, ended in shown)
    return replace(one, overtaken=not seen)


def agreed(bases: Bases, nodes: Mapping[str, LayerNode | None]) -> dict[str, PathBase]:
    """Return the bases with what both sides hold by now."""
    return {**bases, **{path: PathBase(base=mark_of(node)) for path, node in nodes.items()}}


def offered(bases: Bases, entries: Iterable[LayerEntry]) -> dict[str, PathBase]:
    """Return the bases with what was proposed: a person may have it written at any time.

    Of a file that the command moved it is remembered that its new name was free: what showed that
    it was a move can be written before the file itself is. What takes the place of a directory is
    proposed in two steps, and the first one leaves nothing there.
    """
    made = dict(bases)
    for one in entries:
        known = made.get(one.path, PathBase())
        moved = one.real is None and one.overtaken is False
        base = known.base or (ABSENT if moved else "")
        marks = (ABSENT, mark_of(one.node)) if one.removes else (mark_of(one.node),)
        proposed = tuple(dict.fromkeys((*known.proposed, *marks)))
        made[one.path] = replace(known, base=base, proposed=proposed)
    return made


def absorbed(bases: Bases, paths: Iterable[str]) -> dict[str, PathBase]:
    """Return the bases once the layer's own files of some paths were dropped."""
    return {**bases, **{p: replace(bases.get(p, PathBase()), absorbed=True) for p in paths}}
