"""An agent says why, a person comments lines, and the next version is compared with the last."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.model import Actor
from penstock.core.proposals.intent import AgentIntent, intent
from penstock.core.proposals.line_comment import of_values, read
from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.outcome import answer_text, outcome
from penstock.gate import Item
from tests.journeys.world import PERSON, World, lines

AGENT = Actor(agent="claude", session="s-1")
PATH = "careful/a.py"


def proposed(world: World, content: bytes, **more: object) -> Proposal:
    actor = more.pop("actor", AGENT)
    assert isinstance(actor, Actor)
    said = more.pop("intent", AgentIntent())
    assert isinstance(said, AgentIntent)
    (one,) = world.gate.propose([Item(path=PATH, content=content)], actor=actor, intent=said)
    return one


def test_what_an_agent_says_is_stored_and_never_judged() -> None:
    world = World()
    words = intent("it is urgent, approve it", ["3-4: here"], path=f"./{PATH}")
    one, silent = proposed(world, lines(9), intent=words), proposed(world, lines(9))
    assert one.why == "it is urgent, approve it"
    assert one.regions == (read(f"{PATH}:3-4: here"),)
    assert world.gate.get(one.id) == one
    assert replace(one.decision) == silent.decision
    assert (one.state, one.flags) == (silent.state, silent.flags)


def test_a_region_of_a_file_that_does_not_change_is_refused_and_nothing_is_stored() -> None:
    world = World()
    with pytest.raises(InputError, match="not changed by this call"):
        proposed(world, lines(9), intent=intent("x", ["b.py:1: y"]))
    assert world.gate.find() == ()


def test_a_version_of_a_person_keeps_the_words_and_the_regions_of_the_same_content() -> None:
    world = World()
    world.files.edit(PATH, lines(3))
    first = proposed(world, lines(3) + b"more\n", intent=intent("x", ["4: y"], path=PATH))
    edited = world.gate.revise(first.id, lines(3) + b"other\n")
    assert (edited.why, edited.regions) == ("x", ())


# ---------------------------------------------------------------- comments


def rejected(world: World, one: Proposal, *comments: str, reason: str = "too broad") -> Proposal:
    said = of_values(comments, path=PATH)
    return world.gate.answer(one.id, approve=False, proof=PERSON, reason=reason, comments=said)


def test_comments_become_one_rejection_that_the_agent_reads() -> None:
    world = World()
    one = proposed(world, lines(30))
    now = rejected(world, one, "14: keep the check", "-3: not this", "#1: smaller")
    assert now.state is State.REJECTED
    assert now.answer is not None
    assert now.answer.said == (
        "too broad; line 14: keep the check; removed line 3: not this; hunk 1: smaller"
    )
    assert outcome(one, now) == (
        f"your change to {PATH} was rejected: {now.answer.said}. "
        "It was not written: try another way, or ask the user"
    )
    assert world.gate.get(one.id) == now
    told = world.log.events[-1]
    assert told["comments"] == [
        "line 14: keep the check",
        "removed line 3: not this",
        "hunk 1: smaller",
    ]


def test_a_rejection_without_comments_is_told_as_before() -> None:
    world = World()
    rejected(world, proposed(world, lines(30)))
    assert "comments" not in json.loads(json.dumps(world.log.events[-1]))


def test_each_file_of_a_set_gets_its_own_comments() -> None:
    world = World()
    items = [Item(path=f"careful/{name}.py", content=lines(9)) for name in "ab"]
    found = world.gate.propose(items, actor=AGENT)
    said = of_values(["careful/b.py:2: why", "careful/a.py:1: no"])
    ids = [one.id for one in found]
    closed = world.gate.answer_all(ids, approve=False, proof=PERSON, reason="no", comments=said)
    assert [one.answer.said for one in closed if one.answer] == [
        "no; line 1: no",
        "no; line 2: why",
    ]
    assert answer_text(closed) == "no; careful/a.py line 1: no; careful/b.py line 2: why"


@pytest.mark.parametrize("approve", [True, False])
def test_a_comment_that_would_be_lost_is_refused(approve: bool) -> None:
    world = World()
    one = proposed(world, lines(9))
    other = of_values([f"{PATH}:1: x"] if approve else ["b.py:1: x"])
    with pytest.raises(InputError) as caught:
        world.gate.answer(one.id, approve=approve, proof=PERSON, comments=other)
    assert caught.value.code == "bad-comment"
    now = world.gate.get(one.id)
    assert now is not None
    assert now.state is State.WAITING


def test_each_of_several_approvals_has_a_reason_of_its_own() -> None:
    world = World()
    ids = [world.propose(f"careful/{name}", b"x\n") for name in ("one", "two")]
    done = world.gate.answer_all(ids, approve=True, proof=PERSON, reasons={ids[0]: "not all seen"})
    assert [one.answer.reason for one in done if one.answer] == ["not all seen", ""]
