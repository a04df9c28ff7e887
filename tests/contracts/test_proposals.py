"""One suite for every queue: what the port promises, in memory and in SQLite."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.errors import InputError, PenstockError, StaleError
from penstock.core.model import Actor, Change, ChangeKind, Decision, Reason, Verdict
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import (
    NEXT,
    OPEN,
    Answer,
    Moment,
    Proposal,
    Receipt,
    State,
    Transition,
)
from penstock.stores.queue.sqlite import SqliteProposals
from tests.fakes.queue import MemoryProposals

if TYPE_CHECKING:
    from penstock.ports import Proposals

Queue = MemoryProposals | SqliteProposals
NOW = Moment(wall=1000.0, boot=10.0, boot_id="b")
YES = Answer(approved=True, by="ada", proof="terminal", at=1001.0, reason="looks right")
NO = Answer(approved=False, by="ada", proof="terminal", at=1001.0, reason="too much lost")


@pytest.fixture(params=["memory", "sqlite"])
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queue]:
    if request.param == "memory":
        yield MemoryProposals()
        return
    store = SqliteProposals(str(tmp_path / "state" / "penstock.db"), boot=None)
    yield store
    store.close()


def proposal(name: str = "p1", **changes: Any) -> Proposal:
    made = Proposal(
        id=name,
        path="src/app.py",
        base="sha256:" + "0" * 64,
        content="sha256:" + "1" * 64,
        change=Change(kind=ChangeKind.REPLACE, existing_lines=270, new_lines=56, notes=("crlf",)),
        decision=Decision(
            verdict=Verdict.ASK,
            reasons=(Reason(rule="big", verdict=Verdict.ASK, text="214 of 270 lines"),),
            revision="sha256:r",
        ),
        state=State.WAITING,
        created=NOW,
        ttl=120.0,
        actor=Actor(agent="claude", tool_call_id="tc-1", context_id="ctx-1"),
        warnings=("a zero-width space in line 3",),
        extra={"door": "hook"},
    )
    return replace(made, **changes)


def receipt(name: str = "r1", **changes: Any) -> Receipt:
    made = Receipt(
        id=name, proposal="p1", path="src/app.py", before="a", after=None, event_hash="h", at=5.0
    )
    return replace(made, **changes)


def ids(found: tuple[Proposal, ...]) -> list[str]:
    return [one.id for one in found]


def refused(code: str, call: Callable[[], object], kind: type = StaleError) -> PenstockError:
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, PenstockError)
    assert caught.value.code == code
    return caught.value


def test_each_queue_is_what_the_gate_asks_for(queue: Queue) -> None:
    port: Proposals = queue
    assert port.get("nothing") is None


# Adding and finding


def test_what_is_added_is_found_exactly_as_it_was(queue: Queue) -> None:
    made = proposal(answer=YES, base=None, parent="p0", origin="undo")
    queue.add([made])
    assert queue.get("p1") == made


def test_flags_the_agents_words_and_a_persons_comments_are_kept(queue: Queue) -> None:
    flag = RiskFlag(level=RiskLevel.DANGER, code="secret", text="line 3: a secret", lines=(3,))
    region = LineComment(path="src/app.py", start=3, end=9, text="the new loop")
    made = proposal(flags=(flag,), why="it was \u202e slow", regions=(region,))
    queue.add([made])
    assert queue.get("p1") == made
    no = replace(NO, comments=(replace(region, removed=True, hunk=2),))
    (closed,) = queue.answer({"p1": no}, Transition.REJECT)
    assert closed == replace(made, state=State.REJECTED, answer=no)
    assert queue.get("p1") == closed


def test_an_id_is_used_once(queue: Queue) -> None:
    queue.add([proposal()])
    refused("id-taken", lambda: queue.add([proposal(path="other")]), InputError)
    assert queue.get("p1") == proposal()


@pytest.mark.parametrize("names", [("p2", "p1"), ("p2", "p3", "p2")], ids=["known", "twice"])
def test_several_are_added_all_or_none(queue: Queue, names: tuple[str, ...]) -> None:
    queue.add([proposal("p1")])
    refused("id-taken", lambda: queue.add([proposal(name) for name in names]), InputError)
    assert ids(queue.find()) == ["p1"]


def test_adding_nothing_is_fine(queue: Queue) -> None:
    queue.add([])
    assert queue.find() == ()


def test_a_set_is_returned_in_the_order_it_was_added(queue: Queue) -> None:
    queue.add([proposal("z", set_id="s"), proposal("a", set_id="s"), proposal("b", set_id="t")])
    queue.add([proposal("m", set_id="s"), proposal("n")])
    assert ids(queue.of_set("s")) == ["z", "a", "m"]
    assert queue.of_set("u") == ()


def test_proposals_outside_of_any_set_are_no_set(queue: Queue) -> None:
    queue.add([proposal("a"), proposal("b")])
    assert queue.of_set("") == ()


def test_finding_by_state_and_path(queue: Queue) -> None:
    queue.add(
        [
            proposal("a", state=State.WAITING, path="x"),
            proposal("b", state=State.DENIED, path="y"),
            proposal("c", state=State.APPROVED, path="x"),
            proposal("d", state=State.WAITING, path="y"),
        ]
    )
    assert ids(queue.find()) == ["a", "b", "c", "d"]
    assert ids(queue.find(states=[State.WAITING])) == ["a", "d"]
    assert ids(queue.find(states={State.APPROVED, State.DENIED})) == ["b", "c"]
    assert ids(queue.find(path="x")) == ["a", "c"]
    assert ids(queue.find(path="y", states=[State.WAITING])) == ["d"]
    assert ids(queue.find(path="z")) == []
    assert ids(queue.find(states=[State.WAITING, State.WAITING])) == ["a", "d"]


def test_what_is_open_is_listed_whole_and_is_the_same_while_nothing_changes(queue: Queue) -> None:
    queue.add([proposal(f"p{n}", path=f"{n}.txt") for n in range(1100)])
    queue.add([proposal("closed", state=State.DENIED)])
    first = queue.open()
    assert ids(first) == [f"p{n}" for n in range(1100)]
    assert queue.open() is first
    queue.move("p7", Transition.REJECT, answer=NO)
    queue.move("p8", Transition.APPROVE, answer=YES)
    later = Moment(wall=1100.0, boot=110.0, boot_id="b")
    queue.move("p9", Transition.RENEW, at=later)
    queue.add([proposal("new")])
    now = queue.open()
    assert ids(now) == [f"p{n}" for n in range(1100) if n != 7] + ["new"]
    assert now == tuple(queue.get(one) for one in ids(now))
    assert queue.open() is now


def test_a_limit_keeps_the_newest_and_newest_is_last(queue: Queue) -> None:
    queue.add([proposal(str(n), state=list(State)[n % 3]) for n in range(9)])
    assert ids(queue.find(limit=3)) == ["6", "7", "8"]
    assert ids(queue.find(states=list(State)[:2], limit=3)) == ["4", "6", "7"]
    assert ids(queue.find(path="src/app.py", limit=2)) == ["7", "8"]


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (-1, 0), (10**30, 1)])
def test_odd_limits_do_no_harm(queue: Queue, limit: int, count: int) -> None:
    queue.add([proposal()])
    queue.add_receipt(receipt())
    assert len(queue.find(limit=limit)) == count
    assert len(queue.find(path="src/app.py", limit=limit)) == count
    assert len(queue.receipts(limit=limit)) == count


ODD = ["", "a b", "ünïcode", "\udc80", "a\0b", "'; DROP TABLE proposals --", "%", "x" * 100_000]


@pytest.mark.parametrize("text", ODD, ids=[ascii(text[:12]) for text in ODD])
def test_any_text_can_be_an_id_a_path_and_a_set(queue: Queue, text: str) -> None:
    made = proposal(text, path=text, set_id=text, state=State.APPROVED)
    queue.add([made])
    assert queue.get(text) == made
    assert queue.find(path=text, limit=1) == (made,)
    assert queue.of_set(text) == ((made,) if text else ())
    refused("id-taken", lambda: queue.add([made]), InputError)
    queue.claim([text], token=text or "t")
    assert queue.claimed() == ((text or "t", made),)
    queue.release(text or "t")
    assert queue.move(text, Transition.APPLY).state is State.APPLIED
    queue.add_receipt(receipt(text, path=text, set_id=text))
    assert queue.receipt(text) == receipt(text, path=text, set_id=text)
    assert len(queue.receipts(path=text, set_id=text)) == 1


def test_two_ids_that_only_look_alike_are_two(queue: Queue) -> None:
    names = ["\udc80", "\ufffd", "a", "A", "a ", "é", "e\u0301"]
    queue.add([proposal(name) for name in names])
    assert [queue.get(name) for name in names] == [proposal(name) for name in names]


# Moving


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("move", Transition)
def test_every_move_of_the_table_is_stored_and_no_other(
    queue: Queue, state: State, move: Transition
) -> None:
    before = proposal(state=state)
    queue.add([before])
    at = Moment(wall=1500.0) if move is Transition.EXPIRE else Moment(wall=1050.0)
    if (state, move) in NEXT:
        moved = queue.move("p1", move, at=at)
        assert moved.state is NEXT[state, move]
    else:
        moved = before
        with pytest.raises(StaleError):
            queue.move("p1", move, at=at)
    assert queue.get("p1") == moved
    assert ids(queue.find(states=[moved.state])) == ["p1"]


def test_a_move_keeps_everything_but_state_and_answer(queue: Queue) -> None:
    queue.add([proposal()])
    assert queue.move("p1", Transition.APPROVE, answer=YES) == proposal(
        state=State.APPROVED, answer=YES
    )
    assert queue.move("p1", Transition.OUTDATE) == proposal(state=State.STALE, answer=YES)
    assert queue.get("p1") == proposal(state=State.STALE, answer=YES)


def test_renewing_starts_the_time_again(queue: Queue) -> None:
    queue.add([proposal()])
    later = Moment(wall=1100.0, boot=110.0, boot_id="b")
    assert queue.move("p1", Transition.RENEW, at=later).created == later
    found = queue.get("p1")
    assert found is not None
    assert found == proposal(created=later)
    assert found.expires_in(Moment(wall=1120.0)) == 100.0


def test_what_has_run_out_cannot_be_renewed(queue: Queue) -> None:
    queue.add([proposal()])
    refused("expired", lambda: queue.move("p1", Transition.RENEW, at=Moment(wall=1120.0)))
    refused("no-time", lambda: queue.move("p1", Transition.RENEW), InputError)
    assert queue.get("p1") == proposal()


def test_what_was_renewed_meanwhile_does_not_expire(queue: Queue) -> None:
    """Someone saw it run out, but before they could say so it was given more time."""
    queue.add([proposal()])
    queue.move("p1", Transition.RENEW, at=Moment(wall=1119.0))
    refused("not-expired", lambda: queue.move("p1", Transition.EXPIRE, at=Moment(wall=1121.0)))
    assert queue.move("p1", Transition.EXPIRE, at=Moment(wall=1239.0)).state is State.EXPIRED


def test_an_answer_fits_its_move(queue: Queue) -> None:
    queue.add([proposal()])
    refused("answer-mismatch", lambda: queue.move("p1", Transition.APPROVE, answer=NO), InputError)
    refused("answer-mismatch", lambda: queue.move("p1", Transition.REJECT, answer=YES), InputError)
    assert queue.get("p1") == proposal()
    assert queue.move("p1", Transition.REJECT, answer=NO).answer == NO


def test_moving_what_is_not_there_says_so(queue: Queue) -> None:
    refused("not-found", lambda: queue.move("p9", Transition.APPROVE), InputError)


# Claiming


def approved(queue: Queue, *names: str) -> None:
    queue.add([proposal(name, state=State.APPROVED) for name in names])


def test_one_claim_wins(queue: Queue) -> None:
    approved(queue, "p1")
    assert ids(queue.claim(["p1"], token="one")) == ["p1"]
    refused("claimed", lambda: queue.claim(["p1"], token="two"))
    refused("claimed", lambda: queue.claim(["p1"], token="one"))
    assert [(token, p.id) for token, p in queue.claimed()] == [("one", "p1")]


def test_several_are_claimed_all_or_none(queue: Queue) -> None:
    approved(queue, "p1", "p2", "p3")
    queue.claim(["p3"], token="one")
    refused("claimed", lambda: queue.claim(["p1", "p2", "p3"], token="two"))
    refused("not-found", lambda: queue.claim(["p1", "p9"], token="two"), InputError)
    assert ids(queue.claim(["p2", "p1", "p2"], token="two")) == ["p2", "p1"]
    assert [(token, p.id) for token, p in queue.claimed()] == [
        ("two", "p1"),
        ("two", "p2"),
        ("one", "p3"),
    ]


@pytest.mark.parametrize("state", sorted(set(State) - {State.APPROVED}))
def test_only_what_is_approved_can_be_claimed(queue: Queue, state: State) -> None:
    queue.add([proposal(state=state)])
    code = "wrong-state" if state is State.WAITING else f"already-{state}"
    refused(code, lambda: queue.claim(["p1"], token="one"))
    assert queue.claimed() == ()


def test_a_claim_needs_a_token(queue: Queue) -> None:
    approved(queue, "p1")
    refused("no-token", lambda: queue.claim(["p1"], token=""), InputError)


def test_a_released_claim_can_be_taken_again(queue: Queue) -> None:
    approved(queue, "p1", "p2", "p3")
    queue.claim(["p1", "p2"], token="one")
    queue.claim(["p3"], token="other")
    queue.release("one")
    queue.release("never taken")
    assert [(token, p.id) for token, p in queue.claimed()] == [("other", "p3")]
    assert ids(queue.claim(["p1"], token="two")) == ["p1"]


def test_what_is_written_is_claimed_no_more(queue: Queue) -> None:
    approved(queue, "p1", "p2")
    queue.claim(["p1", "p2"], token="one")
    queue.move("p1", Transition.APPLY)
    assert [p.id for _, p in queue.claimed()] == ["p2"]
    queue.release("one")
    found = queue.get("p1")
    assert found is not None
    assert found.state is State.APPLIED


@pytest.mark.parametrize(
    "move", [Transition.REJECT, Transition.EXPIRE, Transition.OUTDATE, Transition.SUPERSEDE]
)
def test_while_it_is_written_nobody_else_moves_it(queue: Queue, move: Transition) -> None:
    approved(queue, "p1")
    queue.claim(["p1"], token="one")
    refused("claimed", lambda: queue.move("p1", move))
    refused("claimed", lambda: queue.move("p1", move, token="two"))
    refused("claimed", lambda: queue.move("p1", Transition.APPLY, token="two"))
    assert queue.move("p1", move, token="one").state is NEXT[State.APPROVED, move]
    assert queue.claimed() == ()


def test_what_a_living_process_is_writing_is_not_abandoned(queue: Queue) -> None:
    approved(queue, "p1")
    queue.claim(["p1"], token="one")
    assert queue.abandoned() == ()


def test_of_many_threads_one_claims_and_one_applies(queue: Queue) -> None:
    approved(queue, "p1", "p2")
    won: list[str] = []
    start = threading.Barrier(8)

    def attempt(name: str) -> None:
        start.wait()
        for call in (
            lambda: queue.claim(["p1"], token=name),
            lambda: queue.move("p2", Transition.APPLY),
        ):
            try:
                call()
            except StaleError:
                continue
            won.append(f"{name} won")

    threads = [threading.Thread(target=attempt, args=(str(n),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 2


# Receipts


def test_receipts_are_found_newest_first(queue: Queue) -> None:
    for name, path, set_id in [("a", "x", "s"), ("b", "y", "s"), ("c", "x", ""), ("d", "x", "t")]:
        queue.add_receipt(receipt(name, path=path, set_id=set_id))
    assert [r.id for r in queue.receipts()] == ["d", "c", "b", "a"]
    assert [r.id for r in queue.receipts(path="x")] == ["d", "c", "a"]
    assert [r.id for r in queue.receipts(set_id="s")] == ["b", "a"]
    assert [r.id for r in queue.receipts(set_id="s", path="x")] == ["a"]
    assert [r.id for r in queue.receipts(limit=1)] == ["d"]
    assert queue.receipt("b") == receipt("b", path="y", set_id="s")
    assert queue.receipt("z") is None


def test_a_receipt_is_given_once(queue: Queue) -> None:
    queue.add_receipt(receipt())
    refused("id-taken", lambda: queue.add_receipt(receipt(note="again")), InputError)
    assert queue.receipt("r1") == receipt()


# Forgetting


CLOSED = [state for state in State if state not in OPEN]


def test_what_is_closed_and_old_is_forgotten_and_what_is_open_never(queue: Queue) -> None:
    queue.add([proposal(f"old-{state}", state=state) for state in State])
    queue.add([proposal("young", state=State.APPLIED, created=Moment(wall=2000.0))])
    queue.add_receipt(receipt("old", at=1000.0))
    queue.add_receipt(receipt("young", at=2000.0))
    assert queue.forget(before=1500.0) == len(CLOSED) + 1
    assert ids(queue.find()) == [f"old-{state}" for state in State if state in OPEN] + ["young"]
    assert [one.id for one in queue.receipts()] == ["young"]
    assert queue.forget(before=1500.0) == 0


def test_a_set_is_forgotten_whole(queue: Queue) -> None:
    """A denied member that was forgotten alone would let the others be written without it."""
    queue.add(
        [
            proposal("a", set_id="s", state=State.DENIED),
            proposal("b", set_id="s", state=State.WAITING),
            proposal("c", set_id="t", state=State.DENIED),
        ]
    )
    assert queue.forget(before=1500.0) == 1
    assert ids(queue.find()) == ["a", "b"]
    queue.move("b", Transition.REJECT, answer=NO)
    assert queue.forget(before=1500.0) == 2
    assert queue.find() == ()


def test_forgetting_is_bounded_and_begins_with_the_oldest(queue: Queue) -> None:
    queue.add([proposal(f"p{n}", state=State.REJECTED) for n in range(5)])
    assert queue.forget(before=1500.0, limit=2) == 2
    assert ids(queue.find()) == ["p2", "p3", "p4"]


# Time


def test_the_latest_time_is_remembered(queue: Queue) -> None:
    assert queue.last_wall(100.0) == 100.0
    assert queue.last_wall(50.0) == 100.0
    assert queue.last_wall(100.5) == 100.5
    assert queue.last_wall(0.0) == 100.5


# Both at once: whatever is done, the two queues say the same.

NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.one_of(
    st.tuples(st.just("add"), NAMES, st.sampled_from(State)),
    st.tuples(st.just("move"), NAMES, st.sampled_from(Transition)),
    st.tuples(st.just("claim"), st.lists(NAMES, max_size=3), st.sampled_from(["t", "u"])),
    st.tuples(st.just("release"), st.sampled_from(["t", "u"]), st.none()),
    st.tuples(st.just("find"), st.sets(st.sampled_from(State)), st.integers(0, 4)),
)


def step(queue: Queue, what: str, first: Any, second: Any) -> object:
    calls: dict[str, Callable[[], object]] = {
        "add": lambda: queue.add([proposal(first, state=second)]),
        "move": lambda: queue.move(first, second, at=Moment(wall=1010.0)),
        "claim": lambda: queue.claim(first, token=second),
        "release": lambda: queue.release(first),
        "find": lambda: (queue.find(states=first, limit=second), queue.claimed()),
    }
    try:
        return calls[what]()
    except PenstockError as error:
        return type(error), error.code, error.message


@given(st.lists(STEPS, max_size=12))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_both_queues_answer_alike(tmp_path_factory: pytest.TempPathFactory, steps: Any) -> None:
    real = SqliteProposals(str(tmp_path_factory.mktemp("q") / "penstock.db"), boot=None)
    simple = MemoryProposals()
    for one in steps:
        assert step(real, *one) == step(simple, *one)
    assert real.find() == simple.find()
    assert real.claimed() == simple.claimed()
    real.close()


def test_several_are_answered_all_or_none(queue: Queue) -> None:
    queue.add([proposal("p1"), proposal("p2"), proposal("p3", state=State.APPLIED)])
    with pytest.raises(StaleError):
        queue.answer({"p1": YES, "p2": YES, "p3": YES}, Transition.APPROVE)
    with pytest.raises(InputError):
        queue.answer({"p1": YES, "none": YES}, Transition.APPROVE)
    assert ids(queue.find(states=[State.WAITING])) == ["p1", "p2"]
    answered = queue.answer({"p1": YES, "p2": YES}, Transition.APPROVE)
    assert [(one.id, one.state, one.answer) for one in answered] == [
        ("p1", State.APPROVED, YES),
        ("p2", State.APPROVED, YES),
    ]
    assert queue.answer({}, Transition.APPROVE) == ()


def test_new_versions_are_stored_with_what_they_close_all_or_none(queue: Queue) -> None:
    queue.add([proposal("p1"), proposal("p2"), proposal("p3"), proposal("p4", state=State.APPLIED)])
    new = [proposal("n1", parent="p1"), proposal("n2", parent="p2")]
    faults: list[tuple[list[Proposal], dict[str, Answer]]] = [
        ([*new, proposal("n4", parent="p4")], {"p3": NO}),
        (new, {"p3": NO, "p4": NO}),
        (new, {"none": NO}),
        ([new[0], proposal("p3", parent="p2")], {}),
    ]
    for versions, rejected in faults:
        with pytest.raises(PenstockError):
            queue.supersede(versions, rejected=rejected)
        assert ids(queue.find(states=[State.WAITING])) == ["p1", "p2", "p3"]
    closed = queue.supersede(new, rejected={"p3": NO})
    assert [(one.id, one.state) for one in closed] == [
        ("p1", State.SUPERSEDED),
        ("p2", State.SUPERSEDED),
        ("p3", State.REJECTED),
    ]
    assert closed[2].answer == NO
    assert ids(queue.find(states=[State.WAITING])) == ["n1", "n2"]


def test_of_what_a_part_was_taken_the_answer_is_kept(queue: Queue) -> None:
    queue.add([proposal("p1"), proposal("p2")])
    closed = queue.supersede([proposal("n1", parent="p1")], rejected={"p1": NO, "p2": NO})
    assert [(one.id, one.state, one.answer) for one in closed] == [
        ("p1", State.SUPERSEDED, NO),
        ("p2", State.REJECTED, NO),
    ]
    assert queue.get("p1") == closed[0]


def test_what_is_claimed_is_not_replaced(queue: Queue) -> None:
    queue.add([proposal("p1", state=State.APPROVED)])
    queue.claim(["p1"], token="t")
    with pytest.raises(StaleError, match="claimed"):
        queue.supersede([proposal("n1", parent="p1")], rejected={})
    assert queue.get("n1") is None


def test_what_is_claimed_is_not_answered(queue: Queue) -> None:
    queue.add([proposal("p1", state=State.APPROVED), proposal("p2", state=State.APPROVED)])
    queue.claim(["p2"], token="t")
    with pytest.raises(StaleError, match="claimed"):
        queue.answer({"p1": NO, "p2": NO}, Transition.REJECT)
    assert ids(queue.find(states=[State.APPROVED])) == ["p1", "p2"]


def test_what_was_written_is_closed_with_its_receipts_all_or_none(queue: Queue) -> None:
    queue.add([proposal(name, state=State.APPROVED) for name in ("p1", "p2")])
    queue.add([proposal("p3")])
    queue.claim(["p1", "p2"], token="t")
    done = [receipt("r1", proposal="p1"), receipt("r2", proposal="p2")]
    with pytest.raises(StaleError):
        queue.settle([*done, receipt("r3", proposal="p3")], token="t")
    assert queue.receipts() == ()
    assert len(queue.claimed()) == 2
    for _ in range(2):  # a crash may come after it, so it may be asked for again
        queue.settle(done, token="t")
        assert [one.id for one in queue.receipts()] == ["r2", "r1"]
        assert ids(queue.find(states=[State.APPLIED])) == ["p1", "p2"]
        assert queue.claimed() == ()
