"""Everything can be undone, and what changed since is left alone."""

from __future__ import annotations

import pytest

from penstock.core.errors import StaleError
from penstock.core.proposals.model import Receipt
from penstock.gate import Item
from tests.journeys.world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.files.edit("careful/a", b"old\n")
    return world


def write(world: World, path: str, content: bytes | None) -> Receipt:
    waiting = world.propose(path, content)
    world.approve(waiting)
    return world.gate.apply(waiting)[0]


def undo(world: World, *receipts: Receipt) -> tuple[Receipt, ...]:
    made = world.gate.undo(receipts)
    for one in made:
        world.approve(one.id)
    return world.gate.apply(made[0].set_id or made[0].id)


def test_undo_puts_back_what_was_there(world: World) -> None:
    receipt = write(world, "careful/a", b"new\n")
    undo(world, receipt)
    assert world.holds("careful/a") == b"old\n"


def test_undo_of_a_creation_removes_the_file_and_of_a_removal_brings_it_back(
    world: World,
) -> None:
    undo(world, write(world, "careful/new", b"x\n"))
    assert world.holds("careful/new") is None
    undo(world, write(world, "careful/a", None))
    assert world.holds("careful/a") == b"old\n"


def test_the_directories_that_a_creation_made_go_with_it_unless_somebody_uses_them(
    world: World,
) -> None:
    first, second = write(world, "careful/x/y/new", b"1\n"), write(world, "careful/x/z/new", b"2\n")
    assert (first.made, second.made) == (("careful/x", "careful/x/y"), ("careful/x/z",))
    undo(world, first)
    assert world.files.kind(world.parts.path("careful/x/y")) is None
    assert world.holds("careful/x/z/new") == b"2\n"
    (back,) = world.gate.undoable(path="careful/x/z/new")
    world.files.edit("careful/x/z/theirs", b"3\n")
    undo(world, back)
    assert world.holds("careful/x/z/theirs") == b"3\n"


def test_undo_of_an_undo_works(world: World) -> None:
    (back,) = undo(world, write(world, "careful/a", b"new\n"))
    undo(world, back)
    assert world.holds("careful/a") == b"new\n"


def test_a_file_that_changed_since_is_left_alone(world: World) -> None:
    receipt = write(world, "careful/a", b"new\n")
    world.files.edit("careful/a", b"newer\n")
    with pytest.raises(StaleError, match="changed-since"):
        world.gate.undo([receipt])
    assert world.holds("careful/a") == b"newer\n"


def test_the_last_writes_are_taken_back_together_newest_first(world: World) -> None:
    write(world, "careful/a", b"1\n")
    write(world, "careful/a", b"2\n")
    found = world.gate.undoable(last=2)
    assert len({receipt.after for receipt in found}) == 2
    undo(world, *found)
    assert world.holds("careful/a") == b"old\n"


def test_what_was_undone_is_not_offered_again(world: World) -> None:
    first = write(world, "careful/a", b"1\n")
    second = write(world, "careful/b", b"2\n")
    assert world.gate.undoable() == (second,)
    undo(world, second)
    assert world.gate.undoable() == (first,)


def test_a_set_is_undone_whole(world: World) -> None:
    made = world.gate.propose(
        [Item(path="careful/a", content=b"A\n"), Item(path="careful/b", content=b"B\n")]
    )
    for one in made:
        world.approve(one.id)
    world.gate.apply(made[0].set_id)
    undo(world, *world.gate.undoable(receipt=made[0].set_id))
    assert (world.holds("careful/a"), world.holds("careful/b")) == (b"old\n", None)


def write_set(world: World, **contents: bytes) -> str:
    made = world.gate.propose(
        [Item(path=f"careful/{name}", content=content) for name, content in contents.items()]
    )
    for one in made:
        world.approve(one.id)
    world.gate.apply(made[0].set_id)
    return made[0].set_id


def test_the_last_step_is_a_whole_set_and_no_number_splits_one(world: World) -> None:
    first = write(world, "careful/first", b"1\n")
    group = write_set(world, a=b"A\n", b=b"B\n", c=b"C\n")
    whole = world.gate.undoable(receipt=group)
    assert world.gate.undoable() == world.gate.undoable(last=1) == whole
    assert world.gate.undoable(last=2) == world.gate.undoable(last=3) == whole
    assert world.gate.undoable(last=4) == (*whole, first)
    assert [one.path for one in world.gate.undoable(path="careful/b")] == ["careful/b"]
    undo(world, *world.gate.undoable())
    assert world.gate.undoable() == (first,)


def test_what_of_a_set_was_undone_before_is_left_out(world: World) -> None:
    group = write_set(world, a=b"A\n", b=b"B\n")
    undo(world, *world.gate.undoable(path="careful/b"))
    rest = world.gate.undoable(receipt=group)
    assert [one.path for one in rest] == ["careful/a"]
    undo(world, *rest)
    assert (world.holds("careful/a"), world.holds("careful/b")) == (b"old\n", None)


@pytest.mark.parametrize("rebase", [False, True])
def test_what_was_undone_before_is_told_and_not_called_a_change(world: World, rebase: bool) -> None:
    receipt = write(world, "careful/a", b"new\n")
    (back,) = undo(world, receipt)
    with pytest.raises(StaleError, match="already-undone") as told:
        world.gate.preview_undo([receipt], rebase=rebase)
    assert told.value.hint == f"redo the write with `penstock undo {back.id}`"


def test_how_to_keep_what_was_saved_since_names_what_was_asked_for(world: World) -> None:
    receipt = write(world, "careful/a", b"new\n")
    world.files.edit("careful/a", b"newer\n")
    with pytest.raises(StaleError, match="changed-since") as told:
        world.gate.preview_undo([receipt])
    assert f"`penstock undo --rebase {receipt.id}`" in told.value.hint


def test_a_person_may_repair_what_agents_may_not_touch(world: World) -> None:
    receipt = write(world, "careful/a", b"new\n")
    from penstock.core.rules.load import parse_policy

    world.policy = parse_policy('version = 1\n[[deny]]\nid = "x"\npaths = ["**"]\n')
    undo(world, receipt)
    assert world.holds("careful/a") == b"old\n"


def test_what_was_answered_together_is_undone_together(world: World) -> None:
    first, second = write(world, "careful/a", b"new\n"), write(world, "careful/b", b"x\n")
    write(world, "careful/c", b"stays\n")
    found = world.gate.undoable(receipt=f"{first.id},{second.id},{first.id}")
    assert {one.id for one in found} == {first.id, second.id}
    undo(world, *found)
    assert world.holds("careful/a") == b"old\n"
    assert world.holds("careful/b") is None
    assert world.holds("careful/c") == b"stays\n"


def test_of_several_writes_to_one_file_the_first_content_comes_back(world: World) -> None:
    first = write(world, "careful/a", b"one\n")
    second = write(world, "careful/a", b"two\n")
    undo(world, *world.gate.undoable(receipt=f"{first.id},{second.id}"))
    assert world.holds("careful/a") == b"old\n"


def test_of_what_was_answered_together_the_rest_is_undone(world: World) -> None:
    first, second = write(world, "careful/a", b"new\n"), write(world, "careful/b", b"x\n")
    undo(world, first)
    (left,) = world.gate.undoable(receipt=f"{first.id},{second.id}")
    assert left.id == second.id
