"""Several files of one task: reviewed together, applied all or none."""

from __future__ import annotations

import pytest

from penstock.core.errors import AuditError, InputError, RefusedError, StaleError
from penstock.core.proposals.model import State
from penstock.gate import Item
from tests.journeys.world import PERSON, World


@pytest.fixture
def world() -> World:
    world = World()
    world.files.edit("careful/a", b"a\n")
    world.files.edit("careful/b", b"b\n")
    return world


def test_a_set_is_written_whole(world: World) -> None:
    made = world.gate.propose(
        [
            Item(path="careful/a", content=b"A\n"),
            Item(path="careful/b", content=None),
            Item(path="careful/c", content=b"C\n"),
        ]
    )
    for one in made:
        world.approve(one.id)
    receipts = world.gate.apply(made[0].set_id)
    assert len(receipts) == 3
    assert (world.holds("careful/a"), world.holds("careful/b")) == (b"A\n", None)
    assert world.holds("careful/c") == b"C\n"


def test_one_member_that_still_waits_holds_all_of_them(world: World) -> None:
    made = world.gate.propose(
        [Item(path="careful/a", content=b"A\n"), Item(path="careful/b", content=b"B\n")]
    )
    world.approve(made[0].id)
    with pytest.raises(RefusedError, match="not-approved"):
        world.gate.apply(made[0].set_id)
    assert world.holds("careful/a") == b"a\n"


def test_one_file_that_moved_keeps_all_of_them_as_they_are(world: World) -> None:
    made = world.gate.propose(
        [Item(path="careful/a", content=b"A\n"), Item(path="careful/b", content=b"B\n")]
    )
    for one in made:
        world.approve(one.id)
    world.files.edit("careful/b", b"saved\n")
    with pytest.raises(StaleError, match="base-changed"):
        world.gate.apply(made[0].set_id)
    assert world.holds("careful/a") == b"a\n"


def test_one_file_of_a_set_is_never_written_alone(world: World) -> None:
    made = world.gate.propose(
        [Item(path="careful/a", content=b"A\n"), Item(path="careful/b", content=b"B\n")]
    )
    world.approve(made[0].id)
    with pytest.raises(RefusedError, match="not-approved"):
        world.gate.apply(made[0].id, path="careful/a")
    assert world.holds("careful/a") == b"a\n"
    world.approve(made[1].id)
    world.gate.apply(made[0].id, path="careful/a")
    assert (world.holds("careful/a"), world.holds("careful/b")) == (b"A\n", b"B\n")


def test_chosen_files_become_a_set_of_their_own_and_the_rest_goes_back(world: World) -> None:
    made = world.gate.propose(
        [Item(path="careful/a", content=b"A\n"), Item(path="careful/b", content=b"B\n")]
    )
    (kept,) = world.gate.choose_files(made, ["careful/b"], proof=PERSON)
    world.approve(kept.id)
    world.gate.apply(kept.set_id)
    assert (world.holds("careful/a"), world.holds("careful/b")) == (b"a\n", b"B\n")
    sent_back = world.gate.get(made[0].id)
    assert sent_back is not None
    assert sent_back.state is State.REJECTED


def test_choosing_files_of_which_one_has_moved_leaves_the_set_as_it_was(world: World) -> None:
    made = world.gate.propose(
        [Item(path=f"careful/{name}", content=b"new\n") for name in ("a", "b", "c")]
    )
    world.files.edit("careful/b", b"somebody else's\n")
    with pytest.raises(StaleError, match="base-changed"):
        world.gate.choose_files(made, ["careful/a", "careful/b"], proof=PERSON)
    now = world.gate.of_set(made[0].set_id)
    assert [one.state for one in now] == [State.WAITING] * 3
    assert "rejected" not in world.log.ops


def test_a_record_that_fails_while_a_version_is_exchanged_loses_neither(world: World) -> None:
    (old,) = world.gate.propose([Item(path="careful/a", content=b"A\n")])
    world.log.fails_at = "superseded"
    with pytest.raises(AuditError):
        world.gate.revise(old.id, b"edited by hand\n")
    (new,) = world.gate.find(states=(State.WAITING,))
    assert (new.parent, world.gate.contents(new)[1]) == (old.id, b"edited by hand\n")


def test_a_file_stands_once_in_a_set(world: World) -> None:
    twice = [Item(path="careful/a", content=b"1"), Item(path="./careful/a", content=b"2")]
    with pytest.raises(InputError, match="twice-in-one-set"):
        world.gate.propose(twice)


LINES = [b"line %d\n" % at for at in range(1, 21)]


def lines(**changed: bytes) -> bytes:
    """Return twenty lines, some of them others: `l3=b"x\\n"`."""
    return b"".join(changed.get(f"l{at}", line) for at, line in enumerate(LINES, 1))


@pytest.fixture
def long(world: World) -> World:
    world.files.edit("careful/a", lines())
    world.files.edit("careful/b", lines())
    return world


def test_hunks_of_some_files_leave_the_set_and_its_other_files_as_they_are(long: World) -> None:
    made = long.gate.propose(
        [
            Item(path="careful/a", content=lines(l2=b"two\n", l18=b"eighteen\n")),
            Item(path="careful/b", content=b"B\n"),
        ]
    )
    paths = [one.path for one in made]
    first, second = long.gate.choose_files(
        made, paths, proof=PERSON, hunks={"careful/a": [1]}, reason="keep the end"
    )
    assert first.set_id == second.set_id == made[0].set_id
    assert (first.parent, second.id) == (made[0].id, made[1].id)
    for one in (first, second):
        long.approve(one.id)
    long.gate.apply(first.set_id)
    assert long.holds("careful/a") == lines(l2=b"two\n")
    assert long.holds("careful/b") == b"B\n"
    closed = long.gate.get(made[0].id)
    assert closed is not None
    assert closed.answer is not None
    assert closed.answer.reason == "1 of 2 hunks kept; hunk 2 (line 18) rejected: keep the end"


def test_files_and_hunks_can_be_chosen_in_one_step(long: World) -> None:
    made = long.gate.propose(
        [
            Item(path="careful/a", content=lines(l2=b"two\n", l18=b"eighteen\n")),
            Item(path="careful/b", content=b"B\n"),
        ]
    )
    (kept,) = long.gate.choose_files(made, ["careful/a"], proof=PERSON, hunks={"careful/a": [2]})
    long.approve(kept.id)
    long.gate.apply(kept.set_id)
    assert (long.holds("careful/a"), long.holds("careful/b")) == (
        lines(l18=b"eighteen\n"),
        lines(),
    )
    now = long.gate.get(made[1].id)
    assert now is not None
    assert now.state is State.REJECTED


@pytest.mark.parametrize(
    ("hunks", "code"),
    [({"careful/b": [7]}, "unknown-hunk"), ({"careful/c": [1]}, "not-in-set"),
     ({"careful/new": [1]}, "no-hunks")],
)  # fmt: skip
def test_a_choice_of_hunks_that_cannot_be_changes_nothing(
    long: World, hunks: dict[str, list[int]], code: str
) -> None:
    made = long.gate.propose(
        [
            Item(path="careful/a", content=b"A\n"),
            Item(path="careful/b", content=lines(l2=b"two\n")),
            Item(path="careful/new", content=b"N\n"),
        ]
    )
    paths = [one.path for one in made]
    with pytest.raises(InputError, match=code):
        long.gate.choose_files(made, paths, proof=PERSON, hunks=hunks)
    assert {one.state for one in long.gate.of_set(made[0].set_id)} == {State.WAITING}


def test_a_rebase_of_a_set_carries_over_only_the_files_that_changed(long: World) -> None:
    made = long.gate.propose(
        [
            Item(path="careful/a", content=lines(l2=b"two\n")),
            Item(path="careful/b", content=lines(l3=b"three\n")),
            Item(path="careful/new", content=b"N\n"),
        ]
    )
    assert long.gate.rebase_all(made) == (), "nothing changed since"
    long.files.edit("careful/b", lines(l19=b"saved\n"))
    (version,) = long.gate.rebase_all(made)
    assert (version.path, version.parent, version.set_id) == (
        "careful/b",
        made[1].id,
        made[0].set_id,
    )
    group = long.gate.members(made[0].set_id)
    assert [one.id for one in group] == [made[0].id, made[2].id, version.id]
    for one in group:
        long.approve(one.id)
    long.gate.apply(made[0].set_id)
    assert long.holds("careful/b") == lines(l3=b"three\n", l19=b"saved\n")
    assert long.holds("careful/a") == lines(l2=b"two\n")


def test_a_rebase_of_a_set_with_a_conflict_names_each_and_changes_nothing(long: World) -> None:
    made = long.gate.propose(
        [
            Item(path="careful/a", content=lines(l2=b"two\n")),
            Item(path="careful/b", content=lines(l3=b"three\n")),
            Item(path="careful/c", content=b"C\n"),
        ]
    )
    long.files.edit("careful/a", lines(l2=b"other\n"))
    long.files.edit("careful/b", lines(l19=b"saved\n"))
    long.files.edit("careful/c", b"somebody was faster\n")
    with pytest.raises(StaleError, match="conflict") as told:
        long.gate.rebase_all(made)
    assert "careful/a" in told.value.because
    assert "careful/c" in told.value.because
    assert "careful/b" not in told.value.because
    now = long.gate.members(made[0].set_id)
    assert [one.id for one in now] == [one.id for one in made]


def test_a_set_that_expired_comes_back_whole(long: World) -> None:
    made = long.gate.propose(
        [Item(path="careful/a", content=b"A\n"), Item(path="careful/new", content=b"N\n")], ttl=10
    )
    long.clock.advance(11)
    long.gate.expire()
    versions = long.gate.rebase_all(long.gate.members(made[0].set_id))
    assert [one.state for one in versions] == [State.WAITING] * 2
    for one in versions:
        long.approve(one.id)
    long.gate.apply(made[0].set_id)
    assert long.holds("careful/new") == b"N\n"
    with pytest.raises(StaleError, match="already-applied"):
        long.gate.rebase_all(long.gate.members(made[0].set_id))
