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
