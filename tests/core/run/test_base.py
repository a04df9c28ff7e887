"""Whose work a difference between a layer and the project is, row by row."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from penstock.core.run.base import (
    ABSENT,
    SEEN_WITHIN,
    UNKNOWN_ORIGIN,
    Bases,
    PathBase,
    absorbed,
    agreed,
    mark_of,
    moves,
    offered,
    view,
)
from penstock.core.run.entry import BUSY, EntryKind, LayerEntry, LayerNode

STARTED = 100 * 10**9
LATER = STARTED + 60 * 10**9
SECOND = 10**9


def file(text: str, at: int | None = STARTED, *, executable: bool = False) -> LayerNode:
    return LayerNode(kind=EntryKind.FILE, digest=text, at=at, executable=executable)


def gone(at: int | None = STARTED) -> LayerNode:
    return LayerNode(kind=EntryKind.DELETED, at=at)


def base(node: LayerNode | None, *proposed: LayerNode, **more: bool) -> PathBase:
    return PathBase(base=mark_of(node), proposed=tuple(map(mark_of, proposed)), **more)


OURS, OVERTAKEN, BEHIND = "the run's", "the run's, out of date", "the user's"
A, B, C = file("a", LATER), file("b", LATER), file("c", LATER)
FOLDER, LINK = LayerNode(kind=EntryKind.DIRECTORY), LayerNode(kind=EntryKind.LINK, link=b"x")
FIRST = PathBase(proposed=(mark_of(B),))
ROWS = [
    ("nothing known, the real file is older", A, file("o", STARTED - 1), None, OURS),
    ("nothing known, it changed after the copy", file("a"), file("o", LATER), None, OVERTAKEN),
    ("saved just before the copy", A, file("o", LATER - 1), None, OVERTAKEN),
    ("saved long before the copy", A, file("o", LATER - SEEN_WITHIN), None, OURS),
    ("saved just before the run began", file("a", STARTED + 1), file("o", STARTED), None, OURS),
    ("both hold what was applied", A, A, base(A), OURS),
    ("the run changed it again", B, file("a", LATER), base(A), OURS),
    ("only the user changed it", A, file("u", LATER), base(A), BEHIND),
    ("only the user deleted it", A, None, base(A), BEHIND),
    ("both changed it", B, file("u", STARTED), base(A), OVERTAKEN),
    ("the run changed it, the user deleted it", B, None, base(A), OVERTAKEN),
    ("a person approved what was proposed", C, file("b", LATER), base(A, B), OURS),
    ("the first proposal was approved", C, file("b", LATER), FIRST, OURS),
    ("undone by the user, then changed", C, file("o", LATER), base(A), OVERTAKEN),
    ("deleted, and made again by the user", gone(), file("u", LATER), base(None), BEHIND),
    ("deleted by the run after a sync", gone(), file("a", LATER), base(A), OURS),
    ("only its mode was changed", file("a", executable=True), file("a", LATER), base(A), OURS),
    ("copied again after it had left", file("b", LATER + 1), A, base(A, absorbed=True), OURS),
    ("saved after it had left", B, file("u", LATER + 1), base(A, absorbed=True), OVERTAKEN),
]  # fmt: skip


def verdict(one: LayerEntry, bases: Bases) -> str:
    found = view([one], bases, started=STARTED)
    if found.behind:
        return BEHIND
    return OVERTAKEN if found.entries[0].out_of_date else OURS


@pytest.mark.parametrize(
    ("node", "real", "known", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_whose_work(
    node: LayerNode, real: LayerNode | None, known: PathBase | None, expected: str
) -> None:
    bases = {} if known is None else {"f": known}
    assert verdict(LayerEntry(path="f", node=node, real=real), bases) == expected


def test_a_real_file_in_a_directory_that_the_run_made_is_the_users() -> None:
    made_since = LayerEntry(path="d/f", node=gone(), real=file("u", LATER), hidden=True)
    there_before = LayerEntry(path="d/f", node=gone(), real=file("u", STARTED - 1), hidden=True)
    assert verdict(made_since, {}) == BEHIND
    assert verdict(there_before, {}) == OURS
    assert verdict(made_since, {"d/f": base(file("u"))}) == OURS, "it was applied and deleted"


def test_what_the_run_wrote_itself_is_no_edit_of_the_user() -> None:
    newer = LayerEntry(path="f", node=file("a"), real=file("o", LATER))
    below = LayerEntry(path="d/f", node=gone(), real=file("o", LATER), hidden=True)
    known = base(file("b"))
    for one in (newer, below):
        assert view([one], {}, started=STARTED, written=lambda _: True).entries[0].out_of_date is (
            False
        )
    found = view([newer], {"f": known}, started=STARTED, written=lambda _: True)
    assert found.entries[0].out_of_date, "what both sides had is the better witness"


REFRESHES = [
    ("a refresh between them", LATER - SECOND, (LATER - SECOND // 2, LATER - 1), OURS),
    ("one that began before it was saved", LATER - SECOND, (LATER - SECOND, LATER - 1), OVERTAKEN),
    ("the refresh was not over", LATER - SECOND, (LATER - SECOND // 2, LATER), OVERTAKEN),
    ("saved after the copy", LATER + 1, (LATER - SECOND, LATER - 1), OVERTAKEN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "shown", "expected"), [row[1:] for row in REFRESHES], ids=[r[0] for r in REFRESHES]
)
def test_what_was_saved_is_seen_inside_after_a_refresh(
    changed: int, shown: tuple[int, int], expected: str
) -> None:
    one = LayerEntry(path="f", node=A, real=file("u", changed))
    (found,) = view([one], {}, started=STARTED, shown=[shown]).entries
    assert (OVERTAKEN if found.out_of_date else OURS) == expected


def test_a_copy_of_a_file_that_is_gone_is_out_of_date() -> None:
    copy = LayerNode(kind=EntryKind.FILE, digest="a", copied=True)
    assert verdict(LayerEntry(path="f", node=copy), {}) == OVERTAKEN


def copied(path: str, text: str = "a", above: int | None = None) -> LayerEntry:
    node = LayerNode(kind=EntryKind.FILE, digest=text, at=LATER, copied=True)
    return LayerEntry(path=path, node=node, above=above)


def left(path: str, text: str) -> LayerEntry:
    return LayerEntry(path=path, node=gone(), real=file(text, STARTED - 1))


BEFORE = STARTED - SECOND
MOVES = [
    ("the user deleted it", [copied("f")], (), ()),
    ("moved, and nothing else", [copied("g"), left("f", "a")], "g", "g"),
    ("a second copy is of a file that is gone", [copied("g"), copied("h"), left("f", "a")],
        "g", "g"),
    ("moved and changed, or deleted by the user", [copied("g", "b"), left("f", "a")], "", "g"),
    ("what is the same explains it", [copied("g", "b"), copied("h"), left("f", "a")], "h", "h"),
    ("no name was removed where it is", [copied("g", "b", BEFORE)], "g", "g"),
    ("one was, since the run began", [copied("g", "b", LATER)], "", ""),
    ("one was, a moment before", [copied("g", "b", STARTED - 1)], "", ""),
    ("each removal explains one",
        [copied("g", "b", BEFORE), copied("h", "c"), left("f", "a")], "g", "g"),
    ("two removals explain two",
        [copied("g", "b", BEFORE), copied("h", "c"), left("f", "a"), left("e", "e")], "g", "gh"),
    ("a directory that went explains none",
        [copied("g"), LayerEntry(path="d", node=gone(), real=LayerNode(kind=EntryKind.DIRECTORY))],
        "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "first", "later"), [r[1:] for r in MOVES], ids=[r[0] for r in MOVES]
)
def test_a_copy_that_the_command_moved_is_its_own_work(
    entries: list[LayerEntry], first: str, later: str
) -> None:
    """In a first sync whatever changed a real directory is the user's; later it may be ours."""
    for synced, expected in ((False, first), (True, later)):
        assert moves(entries, started=STARTED, synced=synced) == set(expected)
        bases = {"other": base(A)} if synced else {}
        found = view(entries, bases, started=STARTED).entries
        copies = [one for one in found if one.node.copied]
        assert {one.path for one in copies if not one.out_of_date} == set(expected)


def test_a_move_is_known_when_only_half_of_it_was_written() -> None:
    """The old name went, and the new one could not be written: the user deleted nothing."""
    moved = copied("g")
    half = view([moved, left("f", "a")], {}, started=STARTED).entries
    known = offered({}, half[:1])
    (again,) = view([moved], known, started=STARTED).entries
    assert not again.out_of_date
    (theirs,) = view([replace(moved, real=file("u", LATER))], known, started=STARTED).entries
    assert theirs.out_of_date, "the user made one of that name since"


def test_where_a_removed_file_cannot_be_read_nobody_says_whose_copy_it_is() -> None:
    unread = replace(left("f", ""), held="it cannot be read")
    found = view([copied("g"), copied("h", above=BEFORE), unread], {}, started=STARTED).entries
    assert [one.held for one in found] == [UNKNOWN_ORIGIN, "", unread.held]


@pytest.mark.parametrize(("node", "real"), [(A, FOLDER), (FOLDER, A), (LINK, FOLDER)])
@pytest.mark.parametrize("removed", [False, True])
def test_what_takes_the_place_of_another_kind_is_the_runs_until_it_is_written(
    node: LayerNode, real: LayerNode, removed: bool
) -> None:
    one = LayerEntry(path="f", node=replace(node, at=LATER), real=replace(real, at=STARTED - 1))
    known = offered({}, view([one], {}, started=STARTED).entries)
    now = replace(one, real=None) if removed else one
    for _ in range(2):
        (found,) = view([now], known, started=STARTED).entries
        assert not found.out_of_date
        known = offered(known, [found])
    (theirs,) = view([replace(one, real=file("u", LATER + 1))], known, started=STARTED).entries
    assert theirs.out_of_date, "the user made a file of that name since"


def test_what_is_held_is_passed_on() -> None:
    one = LayerEntry(path="f", node=file("a"), held=BUSY)
    assert view([one], {"f": base(A)}).entries == (one,)


def test_bases_grow() -> None:
    known = agreed({}, {"f": A, "gone": None})
    assert known == {"f": PathBase(base=mark_of(A)), "gone": PathBase(base=ABSENT)}
    changed = LayerEntry(path="f", node=B, real=A)
    known = offered(offered(known, [changed]), [changed])
    assert known["f"] == PathBase(base=mark_of(A), proposed=(mark_of(B),))
    assert absorbed(known, ["f"])["f"].absorbed
    assert agreed(known, {"f": B})["f"] == PathBase(base=mark_of(B)), "what was proposed is over"


def test_marks_tell_kinds_apart() -> None:
    nodes = [
        A,
        file("a", executable=True),
        LayerNode(kind=EntryKind.LINK, link=b"a"),
        LayerNode(kind=EntryKind.DIRECTORY),
        gone(),
    ]
    assert len({mark_of(one) for one in nodes}) == len(nodes)
