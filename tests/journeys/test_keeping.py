"""What is kept: contents within their room, undo before all else, and the rest for its time."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from penstock.core.errors import InputError, StoreError
from penstock.gate.retention import DAY, PAUSE
from tests.journeys.world import PERSON, World, lines


@pytest.fixture
def world() -> World:
    world = World()
    world.files.edit("careful/a", b"old\n")
    return world


def keep(world: World, *, keep_blobs_bytes: int = 2**30, keep_days: int = 90) -> None:
    audit = replace(world.policy.audit, keep_blobs_bytes=keep_blobs_bytes, keep_days=keep_days)
    world.policy = replace(world.policy, audit=audit)


def later(world: World, seconds: float = PAUSE) -> None:
    world.clock.advance(seconds)


def written(world: World, path: str, content: bytes) -> str:
    waiting = world.propose(path, content)
    world.approve(waiting)
    return world.gate.apply(waiting)[0].id


def test_contents_stay_within_their_room_and_the_record_tells_what_went(world: World) -> None:
    keep(world, keep_blobs_bytes=3000)
    gone = world.propose("careful/b", lines(200))
    world.gate.answer(gone, approve=False, proof=PERSON, reason="no")
    later(world)
    world.propose("careful/c", lines(200, "other"))
    assert world.log.events[-1] == {
        "op": "pruned",
        "path": "",
        "status": "done",
        "images": 1,
        "forgotten": 0,
    }
    with pytest.raises(StoreError, match="content-gone"):
        world.gate.contents(world.gate.find()[0])


def test_what_waits_is_never_dropped(world: World) -> None:
    keep(world, keep_blobs_bytes=1)
    waiting = world.propose("careful/a", lines(50))
    later(world)
    world.propose("careful/b", b"x\n")
    world.approve(waiting)
    world.gate.apply(waiting)
    assert world.holds("careful/a") == lines(50)


def test_an_agent_that_proposes_a_lot_takes_nobodys_undo_away(world: World) -> None:
    receipt = written(world, "careful/a", b"new\n")
    keep(world, keep_blobs_bytes=5000)
    for number in range(5):
        noise = world.propose(f"careful/n{number}", lines(300, f"w{number}"))
        world.gate.answer(noise, approve=False, proof=PERSON, reason="no")
        later(world)
    world.propose("careful/b", b"x\n")
    (back,) = world.gate.undo(world.gate.undoable(receipt=receipt))
    world.approve(back.id)
    world.gate.apply(back.id)
    assert world.holds("careful/a") == b"old\n"


def test_after_their_time_writes_can_no_longer_be_looked_up(world: World) -> None:
    receipt = written(world, "careful/a", b"new\n")
    later(world, 89 * DAY)
    world.propose("careful/b", b"x\n")
    assert world.gate.undoable(receipt=receipt)
    later(world, 2 * DAY)
    world.propose("careful/c", b"y\n")
    with pytest.raises(InputError, match="not-found"):
        world.gate.undoable(receipt=receipt)
    assert world.log.events[-1]["forgotten"] == 2


def test_for_ever_is_for_ever(world: World) -> None:
    keep(world, keep_days=0)
    receipt = written(world, "careful/a", b"new\n")
    later(world, 9000 * DAY)
    world.propose("careful/b", b"x\n")
    assert world.gate.undoable(receipt=receipt)


def test_images_are_looked_at_now_and_then_and_not_at_every_step(world: World) -> None:
    world.propose("careful/a", b"x\n")
    first = world.parts.blobs.pruned_at()
    later(world, PAUSE / 2)
    world.propose("careful/b", b"x\n")
    assert world.parts.blobs.pruned_at() == first
    later(world, PAUSE / 2)
    world.propose("careful/c", b"x\n")
    assert world.parts.blobs.pruned_at() == first + PAUSE


def test_a_failure_to_tidy_up_is_told_and_stops_nothing(world: World) -> None:
    world.log.fails_at = "pruned"
    keep(world, keep_blobs_bytes=1)
    written(world, "careful/a", b"new\n")
    later(world)
    world.propose("careful/b", b"x\n")
    assert world.log.ops[-1] == "prune_failed"
