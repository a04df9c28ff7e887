"""An agent proposes, a person answers, one function writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.errors import AuditError, InputError, RefusedError, StaleError
from penstock.core.merge.strategies import Strategy
from penstock.core.model import Decision, Verdict
from penstock.core.proposals.model import State
from penstock.core.rules.load import parse_policy
from penstock.gate import Item
from penstock.ports import FileState, PlannedWrite
from tests.fakes.files import MemoryFiles
from tests.fakes.queue import FixedClock
from tests.journeys.world import PERSON, RULES, World, lines


@pytest.fixture
def world() -> World:
    world = World()
    world.files.edit("app.py", lines(270))
    return world


def test_proposing_never_writes(world: World) -> None:
    world.propose("app.py", b"stub\n")
    assert world.holds("app.py") == lines(270)


def test_a_replacement_of_a_substantial_file_waits_and_is_written_once_approved(
    world: World,
) -> None:
    waiting = world.propose("app.py", lines(56, "other"))
    assert world.gate.get(waiting).state is State.WAITING  # type: ignore[union-attr]
    world.approve(waiting)
    (receipt,) = world.gate.apply(waiting)
    assert world.holds("app.py") == lines(56, "other")
    assert receipt.path == "app.py"
    assert world.log.ops == ["proposed", "approved", "applying", "applied"]


class Careless(MemoryFiles):
    """A disk that writes and cannot keep everything."""

    def replace_all(self, plan: Sequence[PlannedWrite]) -> list[FileState | None]:
        states = super().replace_all(plan)
        lost = ("the owner 7:7 could not be kept", "the mode 0640 could not be kept")
        return [None if state is None else replace(state, notes=lost) for state in states]


def test_what_the_writer_could_not_keep_is_told_and_on_the_record() -> None:
    world = World(files=Careless({"careful/a": b"old\n"}))
    waiting = world.propose("careful/a", b"new\n")
    world.approve(waiting)
    (receipt,) = world.gate.apply(waiting)
    assert receipt.note == "the owner 7:7 could not be kept; the mode 0640 could not be kept"
    assert world.log.events[-1]["notes"] == receipt.note


def test_what_the_rules_allow_is_answered_by_the_policy(world: World) -> None:
    fresh = world.propose("docs/new.md", b"hello\n")
    world.gate.apply(fresh)
    assert world.holds("docs/new.md") == b"hello\n"


def test_what_the_rules_deny_is_closed_and_never_written(world: World) -> None:
    denied = world.propose(".env", b"KEY=1\n")
    with pytest.raises(StaleError, match="already-denied"):
        world.gate.answer(denied, approve=True, proof=PERSON)
    with pytest.raises(StaleError):
        world.gate.apply(denied)
    assert world.holds(".env") is None


def test_a_rejected_proposal_stays_rejected_and_the_reason_is_on_the_record(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.gate.answer(waiting, approve=False, proof=PERSON, reason="not like this")
    with pytest.raises(StaleError, match="already-rejected"):
        world.gate.apply(waiting)
    assert world.log.events[-1]["reason"] == "not like this"
    assert world.holds("app.py") == lines(270)


def test_a_waiting_proposal_cannot_be_applied(world: World) -> None:
    with pytest.raises(RefusedError, match="not-approved"):
        world.gate.apply(world.propose("app.py", b"stub\n"))


def test_an_approved_proposal_is_refused_once_the_file_has_changed(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.approve(waiting)
    world.files.edit("app.py", b"saved by a person\n")
    with pytest.raises(StaleError, match="base-changed"):
        world.gate.apply(waiting)
    assert world.holds("app.py") == b"saved by a person\n"
    assert world.gate.get(waiting).state is State.STALE  # type: ignore[union-attr]


def test_a_proposal_to_create_is_refused_once_something_is_there(world: World) -> None:
    fresh = world.propose("careful/new.py", b"x\n")
    world.approve(fresh)
    world.files.edit("careful/new.py", b"")
    with pytest.raises(StaleError, match="base-changed"):
        world.gate.apply(fresh)
    assert world.holds("careful/new.py") == b""


def test_each_of_many_is_closed_when_its_own_time_is_over(world: World) -> None:
    made = [
        world.gate.propose([Item(path=f"{n}.txt", content=b"x")], ttl=100.0 + n % 2 * 50)[0]
        for n in range(1100)
    ]
    assert world.gate.expire() == ()
    world.clock.advance(99)
    assert world.gate.expire() == ()
    world.clock.advance(1)
    assert {one.id for one in world.gate.expire()} == {one.id for one in made[::2]}
    assert world.gate.expire() == ()
    (late,) = world.gate.propose([Item(path="late.txt", content=b"x")], ttl=10.0)
    world.clock.advance(10)
    assert [one.id for one in world.gate.expire()] == [late.id]
    world.clock.advance(40)
    assert len(world.gate.expire()) == 550


def test_a_proposal_expires_and_then_nobody_can_approve_or_apply_it(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.clock.advance(3599)
    world.gate.renew(waiting)
    world.clock.advance(3599)
    world.approve(waiting)
    world.clock.advance(1)
    with pytest.raises(StaleError, match="expired"):
        world.gate.apply(waiting)
    assert world.log.ops[-1] == "expired"


def test_setting_the_clock_back_gives_no_more_time(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.clock.advance(3601)
    world.clock.set_wall(1_600_000_000.0)
    with pytest.raises(StaleError, match="expired"):
        world.approve(waiting)


def test_an_id_alone_does_not_move_a_write_to_another_path(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.approve(waiting)
    with pytest.raises(InputError, match="path-mismatch"):
        world.gate.apply(waiting, path="other.py")


def test_a_receipt_is_given_once(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.approve(waiting)
    world.gate.apply(waiting)
    with pytest.raises(StaleError, match="already-applied"):
        world.gate.apply(waiting)


def test_rules_that_became_stricter_meanwhile_are_obeyed(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.approve(waiting)
    world.policy = parse_policy(RULES + '\n[[deny]]\nid = "frozen"\npaths = ["app.py"]\n')
    with pytest.raises(RefusedError, match="frozen"):
        world.gate.apply(waiting)
    assert world.holds("app.py") == lines(270)


def test_what_the_policy_answered_itself_waits_when_the_policy_now_asks(world: World) -> None:
    fresh = world.propose("docs/new.md", b"hello\n")
    world.policy = parse_policy('version = 1\n[defaults]\nwrite = "ask"\n')
    with pytest.raises(RefusedError, match="not-approved"):
        world.gate.apply(fresh)


def test_no_record_no_write(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.approve(waiting)
    world.log.fails_at = "applying"
    with pytest.raises(AuditError):
        world.gate.apply(waiting)
    assert world.holds("app.py") == lines(270)


def test_a_write_that_happened_is_never_called_an_error(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.approve(waiting)
    world.log.fails_at = "applied"
    (receipt,) = world.gate.apply(waiting)
    assert world.holds("app.py") == b"stub\n"
    assert "could not be logged" in receipt.note


def test_a_log_that_cannot_be_read_after_the_write_does_not_call_it_an_error(world: World) -> None:
    waiting = world.propose("app.py", b"stub\n")
    world.approve(waiting)
    world.log.unread_after = "applying"
    (receipt,) = world.gate.apply(waiting)
    assert world.holds("app.py") == b"stub\n"
    assert "could not be logged" in receipt.note
    assert receipt.event_hash == ""


def test_proposing_the_same_call_again_finds_the_first(world: World) -> None:
    item = Item(path="app.py", content=b"stub\n")
    first = world.gate.propose([item], ids=["call-7"])
    again = world.gate.propose([item], ids=["call-7"])
    assert first == again
    assert world.log.ops == ["proposed"]


class TestOtherContentIsAnotherProposal:
    def test_a_strategy_makes_a_new_version_that_waits_again(self, world: World) -> None:
        waiting = world.propose("app.py", b"more\n")
        made = world.gate.with_strategy(waiting, Strategy.APPEND)
        assert made.parent == waiting
        assert made.state is State.WAITING
        assert world.gate.get(waiting).state is State.SUPERSEDED  # type: ignore[union-attr]
        world.approve(made.id)
        world.gate.apply(made.id)
        assert world.holds("app.py") == lines(270) + b"\nmore\n"

    def test_chosen_hunks_are_exactly_what_is_written(self, world: World) -> None:
        new = lines(270).replace(b"line 3\n", b"three\n").replace(b"line 200\n", b"two hundred\n")
        waiting = world.propose("careful/a.py", new)
        world.gate.answer(waiting, approve=False, proof=PERSON, reason="first")
        world.files.edit("careful/a.py", lines(270))
        waiting = world.propose("careful/a.py", new)
        made = world.gate.with_hunks(waiting, [2])
        world.approve(made.id)
        world.gate.apply(made.id)
        assert world.holds("careful/a.py") == lines(270).replace(b"line 200\n", b"two hundred\n")

    def test_a_persons_edit_is_judged_again(self, world: World) -> None:
        waiting = world.propose("app.py", b"stub\n")
        made = world.gate.revise(waiting, b"mine\n")
        assert made.decision.verdict == "ask"
        assert made.origin == "edit"

    def test_a_rebase_keeps_what_was_saved_meanwhile(self, world: World) -> None:
        world.files.edit("careful/a.py", lines(20))
        new = lines(20).replace(b"line 15\n", b"fifteen\n")
        waiting = world.propose("careful/a.py", new)
        world.approve(waiting)
        world.files.edit("careful/a.py", b"saved\n" + lines(20))
        made = world.gate.rebase(waiting)
        assert made.state is State.WAITING
        world.approve(made.id)
        world.gate.apply(made.id)
        assert world.holds("careful/a.py") == b"saved\n" + new

    def test_a_rebase_never_guesses(self, world: World) -> None:
        world.files.edit("careful/a.py", b"one\ntwo\n")
        waiting = world.propose("careful/a.py", b"one\nTWO\n")
        world.files.edit("careful/a.py", b"one\nzwei\n")
        with pytest.raises(StaleError, match="conflict"):
            world.gate.rebase(waiting)


def test_where_the_rules_ask_for_a_key_a_terminal_is_not_enough(world: World) -> None:
    early = world.propose("careful/a", b"early\n")
    world.approve(early)
    approval = replace(world.policy.approval, require_key=True)
    world.policy = replace(world.policy, approval=approval)
    with pytest.raises(RefusedError, match="key-needed") as refused:
        world.approve(world.propose("careful/b", b"new\n"))
    assert refused.value.hint == "run `penstock approver init`"
    with pytest.raises(RefusedError, match="bad-signature"):
        world.gate.apply(early)
    world.gate.apply(world.propose("free.txt", b"the rules allow this\n"))
    assert world.holds("careful/a") is None
    assert world.holds("free.txt") == b"the rules allow this\n"


def test_a_stricter_decision_on_the_whole_call_is_the_one_that_counts(world: World) -> None:
    asked = Decision(verdict=Verdict.ASK, because="this tool is asked about", revision="r")
    item = Item(path="docs/new.md", content=b"hello\n")
    (one,) = world.gate.propose([item], judged=asked)
    assert (one.state, one.decision.because) == (State.WAITING, "this tool is asked about")
    with pytest.raises(RefusedError, match="not-approved"):
        world.gate.apply(one.id)
    allowed = Decision(verdict=Verdict.ALLOW, revision="r")
    (secret,) = world.gate.propose([Item(path=".env", content=b"x")], judged=allowed)
    assert secret.state is State.DENIED


def test_what_was_made_from_other_bytes_than_are_there_is_not_proposed(world: World) -> None:
    made_from = digest(lines(270))
    world.files.edit("app.py", lines(271))
    edited = Item(path="app.py", content=lines(270) + b"more\n", expect=made_from)
    with pytest.raises(StaleError, match="base-changed"):
        world.gate.propose([edited])
    with pytest.raises(StaleError, match="base-changed"):
        world.gate.propose([Item(path="app.py", content=b"x", expect=None)])
    assert world.log.ops == []
    (one,) = world.gate.propose([replace(edited, expect=digest(lines(271)))])
    assert one.base == digest(lines(271))


@dataclass(kw_only=True)
class Meanwhile(FixedClock):
    """A clock that stands still until somebody waits; then things happen, one at each look."""

    happens: list[Callable[[], object]] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.happens:
            self.happens.pop(0)()


def test_waiting_ends_with_the_answer_and_follows_what_a_person_put_in_its_place() -> None:
    clock = Meanwhile()
    world = World(clock=clock)
    waiting = world.propose("careful/a", b"theirs\n")
    begun = clock.now()
    clock.happens = [
        lambda: world.gate.revise(waiting, b"mine\n"),
        lambda: world.approve(world.gate.latest(world.gate.find()[0]).id),
    ]
    one = world.gate.wait(waiting, timeout=60)
    assert (one.state, one.parent, one.content) == (State.APPROVED, waiting, digest(b"mine\n"))
    assert clock.now().since(begun) < 1


def test_waiting_ends_with_the_time_that_was_given_or_with_the_proposals_own(world: World) -> None:
    waiting = world.propose("careful/a", b"x\n")
    begun = world.clock.now()
    assert world.gate.wait(waiting, timeout=1).state is State.WAITING
    assert world.clock.now().since(begun) == pytest.approx(1)
    assert world.gate.wait(waiting, timeout=0).state is State.WAITING
    world.clock.advance(86_400)
    assert world.gate.wait(waiting, timeout=1).state is State.EXPIRED
    with pytest.raises(InputError, match="not-found"):
        world.gate.wait("hitl-0", timeout=1)


def test_an_id_names_one_proposal_or_a_set_without_its_replaced_versions(world: World) -> None:
    items = [Item(path=f"careful/{name}", content=b"x\n") for name in "ab"]
    first, second = world.gate.propose(items)
    newer = world.gate.revise(first.id, b"y\n")
    assert {one.id for one in world.gate.members(first.set_id)} == {newer.id, second.id}
    assert [one.state for one in world.gate.members(first.id)] == [State.SUPERSEDED]
    assert world.gate.latest(first).id == newer.id
    assert world.gate.members("") == world.gate.of_set("") == ()
