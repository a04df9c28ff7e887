"""The table of moves, walked; the page that draws it; and the clock that ends a question."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.errors import StaleError
from penstock.core.model import Change, ChangeKind, Decision, Verdict
from penstock.core.proposals.model import (
    FIRST,
    NEXT,
    OPEN,
    STATE_WORDS,
    Moment,
    Proposal,
    State,
    Transition,
    after,
)
from tests import REPOSITORY

PAGE = REPOSITORY / "docs" / "concepts" / "proposals.md"
ARROW = re.compile(r"^ +(\[\*\]|\w+) --> (\[\*\]|\w+)(?:: (\w+))?$", re.MULTILINE)

PROPOSAL = Proposal(
    id="p",
    path="a.py",
    base=None,
    content="sha256:0",
    change=Change(kind=ChangeKind.NEW),
    decision=Decision(verdict=Verdict.ASK),
    state=State.WAITING,
    created=Moment(wall=1000.0, boot=50.0, boot_id="first"),
    ttl=120.0,
)

# Twelve outcomes that must not exist, whoever edits the table: why they matter.
NEVER = [
    (State.REJECTED, Transition.APPROVE, "a no stays a no"),
    (State.DENIED, Transition.APPROVE, "a person does not overrule the rules by approving"),
    (State.DENIED, Transition.APPLY, "what the rules refuse is never written"),
    (State.REJECTED, Transition.APPLY, "what a person refused is never written"),
    (State.WAITING, Transition.APPLY, "no write without an answer"),
    (State.EXPIRED, Transition.APPROVE, "too late is too late"),
    (State.EXPIRED, Transition.APPLY, "an old yes is no yes"),
    (State.EXPIRED, Transition.RENEW, "renew is for before the end"),
    (State.STALE, Transition.APPLY, "the answer was about other bytes"),
    (State.SUPERSEDED, Transition.APPLY, "the newer version counts"),
    (State.APPLIED, Transition.APPLY, "one answer, one write"),
    (State.APPROVED, Transition.RENEW, "a yes does not live longer by asking"),
]


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("move", Transition)
def test_every_move_leads_where_the_table_says_or_is_refused(
    state: State, move: Transition
) -> None:
    if (state, move) in NEXT:
        assert after(state, move) is NEXT[state, move]
        return
    with pytest.raises(StaleError) as caught:
        after(state, move)
    assert caught.value.code == ("wrong-state" if state in OPEN else f"already-{state}")
    assert STATE_WORDS[state] in caught.value.message


@pytest.mark.parametrize(("state", "move", "why"), NEVER)
def test_moves_that_would_undo_an_answer_do_not_exist(
    state: State, move: Transition, why: str
) -> None:
    assert (state, move) not in NEXT, why


def test_every_state_can_be_reached() -> None:
    reached = set(FIRST.values())
    for _ in State:
        reached |= {to for (here, _), to in NEXT.items() if here in reached}
    assert reached == set(State)


def test_every_walk_through_the_table_ends() -> None:
    steps = {(here, to) for (here, _), to in NEXT.items() if here is not to}
    left = set(State)
    for _ in State:
        left = {here for here, to in steps if to in left}
    assert not left, f"a circle through {left}"


def test_what_was_written_or_refused_has_no_way_on() -> None:
    final = set(State) - {here for here, _ in NEXT}
    assert final == {State.APPLIED, State.REJECTED, State.DENIED, State.SUPERSEDED}


def test_only_an_approved_proposal_can_be_applied() -> None:
    assert [here for (here, move) in NEXT if move is Transition.APPLY] == [State.APPROVED]
    assert {move for (_, move), to in NEXT.items() if to is State.APPLIED} == {Transition.APPLY}


def test_every_verdict_has_a_first_state_and_only_allow_needs_no_answer() -> None:
    assert FIRST == {
        Verdict.ALLOW: State.APPROVED,
        Verdict.ASK: State.WAITING,
        Verdict.DENY: State.DENIED,
    }


def drawn() -> Counter[tuple[str, str, str]]:
    """Return the arrows of the diagram in the manual."""
    block = PAGE.read_text().partition("stateDiagram-v2")[2].partition("```")[0]
    arrows = ARROW.findall(block)
    assert len(arrows) == block.count("-->"), "an arrow that this test cannot read"
    return Counter(arrows)


def test_the_manual_draws_exactly_this_table() -> None:
    moves = Counter((str(here), str(to), str(move)) for (here, move), to in NEXT.items())
    first = Counter(("[*]", str(state), str(verdict)) for verdict, state in FIRST.items())
    final = Counter((str(s), "[*]", "") for s in set(State) - {here for here, _ in NEXT})
    assert drawn() == moves + first + final


def test_the_manual_explains_every_state() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(State)


# wall, boot, boot id -> seconds since PROPOSAL was made, and why (B9, X6)
PASSED = [
    (1060.0, 110.0, "first", 60.0, "both clocks agree"),
    (1060.0, 50.0, "first", 60.0, "suspended, on a machine whose boot clock sleeps too"),
    (400.0, 110.0, "first", 60.0, "the wall clock was set back"),
    (1060.0, 3.0, "second", 60.0, "restarted: the boot clocks cannot be compared"),
    (1060.0, 900.0, "second", 60.0, "restarted, and up for longer than before"),
    (1060.0, 900.0, "", 60.0, "a machine without a boot id"),
    (1000.0, 50.0, "first", 0.0, "at once"),
]


@pytest.mark.parametrize(("wall", "boot", "boot_id", "passed", "why"), PASSED)
def test_the_clock_that_says_more_counts(
    wall: float, boot: float, boot_id: str, passed: float, why: str
) -> None:
    now = Moment(wall=wall, boot=boot, boot_id=boot_id)
    assert now.since(PROPOSAL.created) == passed, why
    assert PROPOSAL.expires_in(now) == PROPOSAL.ttl - passed


def test_no_boot_id_on_either_side_is_not_the_same_boot() -> None:
    made = Moment(wall=1000.0, boot=50.0)
    assert Moment(wall=1001.0, boot=5000.0).since(made) == 1.0


@given(st.floats(0, 1e6), st.floats(-1e6, 1e6))
def test_setting_the_wall_clock_back_never_stretches_the_time(spent: float, step: float) -> None:
    """Whatever the wall clock does, at least the time of the boot clock has passed."""
    now = Moment(wall=1000.0 + spent + step, boot=50.0 + spent, boot_id="first")
    assert now.since(PROPOSAL.created) >= now.boot - PROPOSAL.created.boot


def test_a_proposal_is_over_exactly_at_the_end_of_its_time() -> None:
    """B9: expired when now >= expires_at."""
    assert not PROPOSAL.expired(Moment(wall=1119.999))
    assert PROPOSAL.expired(Moment(wall=1120.0))
    assert PROPOSAL.expires_in(Moment(wall=1120.0)) == 0


@pytest.mark.parametrize("state", State)
def test_only_an_open_proposal_can_run_out_of_time(state: State) -> None:
    late = Moment(wall=1e9)
    assert replace(PROPOSAL, state=state).expired(late) is (state in OPEN)


def test_a_proposal_with_no_base_creates() -> None:
    assert PROPOSAL.creates
    assert not replace(PROPOSAL, base="sha256:1").creates
