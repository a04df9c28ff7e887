"""One question about many writes: its shape, and every way in which an answer can be wrong."""

from __future__ import annotations

import json
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import is_invalid_resume
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from pydantic import TypeAdapter, ValidationError

from penstock.core.merge.strategies import Strategy
from penstock.doors.langgraph.decisions import read, response_type
from penstock.doors.langgraph.interrupt import ask, payload
from penstock.doors.langgraph.records import DecisionType, ReviewAction, ReviewDecision, decision_of

ONE = ReviewAction(
    name="safe_file_write",
    args={"target_path": "a.py", "new_content": "x = 1\n"},
    description="REPLACE a.py",
    proposal="hitl-1",
    pinned=("target_path",),
    joins=True,
    lines=3,
    facts={"lines_deleted": 3},
)
TWO = ReviewAction(
    name="safe_file_write",
    args={"target_path": "b.py", "new_content": "y = 1\n"},
    proposal="hitl-2",
    allowed=(DecisionType.APPROVE, DecisionType.REJECT),
)


def edit(**args: object) -> dict[str, object]:
    kept = {"target_path": "a.py", "new_content": "z = 1\n"}
    return {
        "type": "edit",
        "edited_action": {"name": "safe_file_write", "args": {**kept, **args}},
    }


def answered(value: object, *actions: ReviewAction) -> tuple[ReviewDecision, ...]:
    """Read an answer as LangGraph does: it checks it before it keeps it."""
    return read(TypeAdapter(response_type(actions)).validate_python(value))


def test_the_question_has_the_shape_of_langchains_middleware() -> None:
    asked = payload([ONE, TWO])
    assert asked == {
        "action_requests": [
            {
                "name": "safe_file_write",
                "args": {"target_path": "a.py", "new_content": "x = 1\n"},
                "description": "REPLACE a.py",
                "proposal_id": "hitl-1",
                "lines_deleted": 3,
            },
            {
                "name": "safe_file_write",
                "args": {"target_path": "b.py", "new_content": "y = 1\n"},
                "description": "",
                "proposal_id": "hitl-2",
            },
        ],
        "review_configs": [
            {
                "action_name": "safe_file_write",
                "allowed_decisions": ["approve", "edit", "reject", "respond"],
            },
            {"action_name": "safe_file_write", "allowed_decisions": ["approve", "reject"]},
        ],
    }


def test_each_kind_of_decision_is_read() -> None:
    decided = [
        answered({"decisions": [one]}, ONE)[0]
        for one in (
            {"type": "approve"},
            {"type": "approve", "strategy": "insert", "insertion_point": 3},
            edit(),
            {"type": "reject", "message": "not like this"},
            {"type": "respond", "message": "done by hand"},
        )
    ]
    kinds = ["approve", "approve", "edit", "reject", "respond"]
    assert [one.kind for one in decided] == kinds
    assert [one.strategy for one in decided[:2]] == [Strategy.REPLACE, Strategy.INSERT]
    assert decided[1].insertion_point == 3
    assert decided[2].args["new_content"] == "z = 1\n"
    assert [one.message for one in decided[3:]] == ["not like this", "done by hand"]
    assert [decision_of(one.as_json()) for one in decided] == decided


YES: dict[str, object] = {"type": "approve"}
WRONG: list[tuple[str, object, str]] = [
    ("nothing", None, "dictionary"),
    ("only a word", "approve", "dictionary"),
    ("a bare list", [YES, YES], "dictionary"),
    ("too few", {"decisions": [YES]}, "at least 2"),
    ("too many", {"decisions": [YES, YES, YES]}, "at most 2"),
    ("no type", {"decisions": [{}, YES]}, "type"),
    ("an unknown type", {"decisions": [{"type": "accept"}, YES]}, "accept"),
    ("a type of another case", {"decisions": [{"type": "Approve"}, YES]}, "Approve"),
    ("a misspelt key", {"decisions": [{**YES, "stategy": "append"}, YES]}, "stategy"),
    ("an unknown strategy", {"decisions": [{**YES, "strategy": "merge"}, YES]}, "strategy"),
    (
        "insert without a line",
        {"decisions": [{**YES, "strategy": "insert"}, YES]},
        "insertion_point",
    ),
    (
        "a line behind the end",
        {"decisions": [{**YES, "strategy": "insert", "insertion_point": 4}, YES]},
        "0 to 3",
    ),
    (
        "a line before the top",
        {"decisions": [{**YES, "strategy": "insert", "insertion_point": -1}, YES]},
        "insertion_point",
    ),
    (
        "a line that is true",
        {"decisions": [{**YES, "strategy": "insert", "insertion_point": True}, YES]},
        "insertion_point",
    ),
    (
        "a line that is text",
        {"decisions": [{**YES, "strategy": "insert", "insertion_point": "2"}, YES]},
        "insertion_point",
    ),
    (
        "a line with append",
        {"decisions": [{**YES, "strategy": "append", "insertion_point": 2}, YES]},
        "`insertion_point` can't be used with `append`",
    ),
    (
        "append to no file",
        {"decisions": [YES, {**YES, "strategy": "append"}]},
        "`append` needs an existing file; approve without a strategy",
    ),
    ("what is not allowed there", {"decisions": [YES, edit()]}, "not allowed"),
    (
        "the wrong order",
        {"decisions": [{**YES, "proposal_id": "hitl-2"}, {**YES, "proposal_id": "hitl-1"}]},
        "hitl-2",
    ),
    ("another file", {"decisions": [edit(target_path="c.py"), YES]}, "cannot change"),
    ("another argument", {"decisions": [edit(mode="w"), YES]}, "keeps the arguments"),
    ("content that is no text", {"decisions": [edit(new_content=5), YES]}, "another type"),
    (
        "another action",
        {
            "decisions": [
                {"type": "edit", "edited_action": {"name": "shell", "args": dict(ONE.args)}},
                YES,
            ]
        },
        "shell",
    ),
    ("a reply without words", {"decisions": [{"type": "respond"}, YES]}, "message"),
    ("more than decisions", {"decisions": [YES, YES], "all": True}, "all"),
]


@pytest.mark.parametrize(
    ("answer", "said"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_an_answer_that_does_not_fit_is_an_error_that_says_why(answer: object, said: str) -> None:
    with pytest.raises(ValidationError) as wrong:
        answered(answer, ONE, TWO)
    assert said in str(wrong.value)


class State(TypedDict, total=False):
    kinds: list[str]


def asking() -> Any:
    def node(state: State) -> State:
        return {"kinds": [str(one.kind) for one in ask([ONE, TWO])]}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    return builder.compile(checkpointer=InMemorySaver())


def test_a_wrong_answer_is_not_remembered_and_the_question_can_be_answered_again() -> None:
    graph, thread = asking(), {"configurable": {"thread_id": "1"}}
    asked = graph.invoke({}, thread)["__interrupt__"]
    assert len(asked) == 1
    assert asked[0].value == payload([ONE, TWO])
    assert asked[0].response_schema["properties"]["decisions"]["minItems"] == 2
    for wrong in ({"decisions": [YES]}, {"decisions": [YES, {**YES, "proposal_id": "hitl-1"}]}):
        with pytest.raises(ValidationError) as told:
            graph.invoke(Command(resume=wrong), thread)
        assert is_invalid_resume(told.value)
    answer = {"decisions": [{"type": "reject"}, YES]}
    assert graph.invoke(Command(resume=answer), thread) == {"kinds": ["reject", "approve"]}


def test_comments_on_lines_are_part_of_what_the_agent_reads() -> None:
    no = {"type": "reject", "message": "too broad", "comments": ["14: keep it", "b.py:-3 why"]}
    (said,) = answered({"decisions": [no]}, ONE)
    assert said.said == "too broad; line 14: keep it; b.py removed line 3: why"
    assert said == decision_of(json.loads(json.dumps(said.as_json())))
    older = {name: value for name, value in said.as_json().items() if name != "comments"}
    assert decision_of(older).message == "too broad"
    with pytest.raises(ValidationError, match="does not name lines of a file"):
        answered({"decisions": [{"type": "reject", "comments": ["nonsense"]}]}, ONE)
