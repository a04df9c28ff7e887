"""T150 and the workflow as a whole: the compiled graph, its rounds, its interrupt, its answers."""

from __future__ import annotations

import asyncio
import json
import operator
import subprocess
import sys
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from pydantic import BaseModel

from penstock.app import open_workspace
from penstock.core.errors import InputError
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import State
from penstock.core.proposals.short_id import short
from penstock.gate import Proof
from penstock.langgraph import (
    GateConfig,
    TestingWorkflowState,
    WriteClassification,
    build_graph,
    safe_file_write_gate,
)
from tests.doors.langgraph.conftest import Typing
from tests.doors.langgraph.scene import MODIFIED, REPLACEMENT, STATE, Scene, pending

THREAD: Any = {"configurable": {"thread_id": "1"}}
YES = {"type": "approve"}
NOT_REVIEWED = (
    "the file has changed since this was shown, so this change was not reviewed; it is pending as "
)


def write(path: str, text: str) -> dict[str, str]:
    return {"target_path": path, "new_content": text}


def resume(*decisions: Any) -> Any:
    return Command(resume={"decisions": list(decisions)})


def asked(result: Any) -> dict[str, Any]:
    (one,) = result["__interrupt__"]
    value: dict[str, Any] = one.value
    return value


# --- the wiring -----------------------------------------------------------------------------


def test_graph_includes_safe_write_gate(scene: Scene) -> None:
    """T150, scenario 150: in the edges, before the tests, and callable from the graph."""
    graph = build_graph()
    drawn = graph.get_graph()
    assert "safe_file_write" in drawn.nodes
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert ("generate_code", "safe_file_write") in edges
    assert ("safe_file_write", "run_tests") in edges
    done = graph.nodes["safe_file_write"].invoke(pending(("a.py", "x\n")))
    assert scene.read("a.py") == "x\n"
    assert len(done["approved_writes"]) == 1


def test_without_steps_of_its_own_the_graph_writes_what_is_pending(scene: Scene) -> None:
    done = build_graph().invoke(pending(("src/a.py", "x = 1\n")))
    assert scene.read("src/a.py") == "x = 1\n"
    assert done["pending_writes"] == []
    assert done["attempts"] == 1
    assert build_graph().invoke({"task": "nothing to do"})["approved_writes"] == []


def test_the_workflow_goes_round_until_the_tests_pass(scene: Scene) -> None:
    """S0-096: real code, tested by a real process."""
    contents = ["def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"]

    def generate(state: TestingWorkflowState) -> dict[str, Any]:
        return {"pending_writes": [write("add.py", contents[state.get("attempts", 0)])]}

    def run_tests(state: TestingWorkflowState) -> subprocess.CompletedProcess[str]:
        code = "import add; assert add.add(2, 2) == 4 and add.add(1, 2) == 3"
        argv = [sys.executable, "-B", "-c", code]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)

    done = build_graph(generate, run_tests).invoke({"task": "add two numbers"})
    assert (done["tests_passed"], done["attempts"]) == (True, 2)
    assert "AssertionError" not in done["test_output"]
    assert scene.read("add.py") == contents[1]
    assert [one["outcome"] for one in done["approved_writes"]] == ["auto-allowed"] * 2


def test_the_workflow_ends_when_no_attempt_is_left(scene: Scene) -> None:
    seen: list[int] = []

    def generate(state: TestingWorkflowState) -> list[dict[str, str]]:
        seen.append(state.get("attempts", 0))
        return [write("a.py", f"attempt = {len(seen)}\n")]

    graph = build_graph(generate, lambda state: (False, "one failed"), checkpointer=InMemorySaver())
    done = graph.invoke({"max_attempts": 2}, THREAD)
    assert (done["attempts"], done["tests_passed"], done["test_output"]) == (2, False, "one failed")
    assert seen == [0, 1]
    # The next run of the thread counts from the start.
    assert graph.invoke({"task": "again"}, THREAD)["attempts"] == 2
    for wrong in (0, -1, True, "many", None):
        given: Any = {"max_attempts": wrong}
        over = build_graph(generate, lambda state: False).invoke(given)
        assert 1 <= over["attempts"] <= 3


class Made(BaseModel):
    target_path: str
    new_content: str


class AllMade(BaseModel):
    pending_writes: list[Made]


@pytest.mark.parametrize(
    "generate",
    [
        lambda state: write("a.py", "x\n"),
        lambda state: [write("a.py", "x\n")],
        lambda state: {"pending_writes": [write("a.py", "x\n")]},
        lambda state: Made(target_path="a.py", new_content="x\n"),
        lambda state: AllMade(pending_writes=[Made(target_path="a.py", new_content="x\n")]),
        lambda state, config: [Made(target_path="a.py", new_content="x\n")],
        RunnableLambda(lambda state: state["task"]) | (lambda text: write("a.py", text)),
    ],
    ids=["one", "list", "state", "model", "models", "with config", "runnable"],
)
def test_generate_is_any_callable_or_runnable(scene: Scene, generate: Any) -> None:
    build_graph(generate).invoke({"task": "x\n"})
    assert scene.read("a.py") == "x\n"


def test_steps_may_be_coroutines(scene: Scene) -> None:
    async def generate(state: TestingWorkflowState) -> dict[str, str]:
        await asyncio.sleep(0)
        return write("a.py", "x\n")

    async def run_tests(state: TestingWorkflowState) -> bool:
        return True

    done = asyncio.run(build_graph(generate, run_tests).ainvoke({}))
    assert done["tests_passed"] is True
    assert scene.read("a.py") == "x\n"


def test_generated_code_cannot_change_what_steers_the_gate(scene: Scene) -> None:
    scene.write("a.py", STATE)
    (scene.tmp / "elsewhere").mkdir()

    def generate(state: TestingWorkflowState) -> dict[str, Any]:
        return {
            "pending_writes": [write("a.py", REPLACEMENT)],
            "auto_mode": False,
            "project_root": str(scene.tmp / "elsewhere"),
            "files_at_start": {"a.py": None},
            "approved_writes": ["forged"],
            "max_attempts": 1000,
        }

    done = build_graph(generate, lambda state: False).invoke({"auto_mode": True})
    assert scene.read("a.py") == STATE
    assert done["approved_writes"] == []
    assert len(done["rejected_writes"]) == done["attempts"] == 3


@pytest.mark.parametrize("made", ["text", 5, {"pending_writes": 7}, b"bytes"], ids=repr)
def test_a_generation_without_writes_is_told(scene: Scene, made: object) -> None:
    with pytest.raises(Exception, match="holds no writes"):
        build_graph(lambda state: made).invoke({})


def test_a_test_result_that_says_nothing_is_told(scene: Scene) -> None:
    with pytest.raises(Exception, match="says nothing about tests"):
        build_graph(None, lambda state: "green").invoke({})


class Own(TypedDict, total=False):
    log: Annotated[list[str], operator.add]


def test_a_graph_with_a_state_of_its_own_takes_the_node(scene: Scene) -> None:
    """S0-009, S0-037: fields that other nodes use stay as they are, reducers included."""

    def before(state: Own) -> dict[str, Any]:
        return {"log": ["before"], "pending_writes": [write("a.py", "x\n")]}

    builder = StateGraph(Own)
    builder.add_node("before", before)
    builder.add_node("safe_file_write", safe_file_write_gate)
    builder.add_edge(START, "before")
    builder.add_edge("before", "safe_file_write")
    builder.add_edge("safe_file_write", END)
    done = builder.compile().invoke({"log": ["start"]})
    assert done["log"] == ["start", "before"]
    assert scene.read("a.py") == "x\n"


# --- the interrupt ----------------------------------------------------------------------------


def waiting(scene: Scene, state: State = State.WAITING) -> list[str]:
    found = open_workspace(str(scene.root)).gate.find(states=(state,))
    return [one.path for one in found]


def interrupted(scene: Scene, *writes: tuple[str, str]) -> tuple[Any, dict[str, Any]]:
    graph = build_graph(checkpointer=InMemorySaver())
    return graph, asked(graph.invoke(pending(*writes), THREAD))


def test_one_interrupt_asks_about_all_writes_before_any_is_made(scene: Scene) -> None:
    scene.write("one.py", STATE)
    scene.write("two.py", STATE)
    graph, question = interrupted(
        scene, ("new.py", "x\n"), ("one.py", REPLACEMENT), ("two.py", REPLACEMENT)
    )
    assert not (scene.root / "new.py").exists()
    first = question["action_requests"][0]
    assert first["name"] == "safe_file_write"
    assert first["args"] == {"target_path": "one.py", "new_content": REPLACEMENT}
    assert first["existing_lines"] == 270
    assert "DELETED" in first["description"]
    assert "-class WorkflowState:" in first["description"]
    assert [one["action_name"] for one in question["review_configs"]] == ["safe_file_write"] * 2
    assert waiting(scene) == ["one.py", "two.py"]
    assert json.loads(json.dumps(question)) == question
    done = graph.invoke(resume(YES, {"type": "reject", "message": "keep it"}), THREAD)
    assert (scene.read("one.py"), scene.read("two.py")) == (REPLACEMENT, STATE)
    assert scene.read("new.py") == "x\n"
    assert [one["outcome"] for one in done["approved_writes"]] == ["auto-allowed", "approved"]
    assert done["approved_writes"][1]["proof"] == "graph"
    assert done["rejected_writes"][0]["reason"] == "keep it"
    assert waiting(scene) == []


@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ({"type": "approve"}, REPLACEMENT),
        ({"type": "approve", "strategy": "append"}, f"{STATE}\n{REPLACEMENT}"),
        (
            {"type": "approve", "strategy": "insert", "insertion_point": 0},
            REPLACEMENT + STATE,
        ),
        (
            {
                "type": "edit",
                "edited_action": {
                    "name": "safe_file_write",
                    "args": {"target_path": "a.py", "new_content": "mine = 1\n"},
                },
            },
            "mine = 1\n",
        ),
        ({"type": "reject"}, STATE),
        ({"type": "respond", "message": "I did it by hand"}, STATE),
    ],
    ids=["approve", "append", "insert", "edit", "reject", "respond"],
)
def test_each_decision_does_what_it_says(scene: Scene, decision: Any, left: str) -> None:
    scene.write("a.py", STATE)
    graph, _ = interrupted(scene, ("a.py", REPLACEMENT))
    done = graph.invoke(resume(decision), THREAD)
    assert scene.read("a.py") == left
    assert len(done["approved_writes"]) == (left != STATE)
    assert len(done["rejected_writes"]) == (left == STATE)
    assert waiting(scene) == []
    if decision["type"] == "respond":
        assert done["rejected_writes"][0]["reason"] == "I did it by hand"


def test_comments_on_lines_are_in_the_rejected_write_and_in_the_queue(scene: Scene) -> None:
    scene.write("a.py", STATE)
    graph, _ = interrupted(scene, ("a.py", REPLACEMENT))
    said = ["1: keep the check", "b.py:3: and this"]
    done = graph.invoke(resume({"type": "reject", "message": "no", "comments": said}), THREAD)
    (entry,) = done["rejected_writes"]
    assert entry["reason"] == "no; line 1: keep the check; b.py line 3: and this"
    assert [(one["path"], one["start"]) for one in entry["comments"]] == [("a.py", 1), ("b.py", 3)]
    assert json.loads(json.dumps(entry)) == entry
    (one,) = open_workspace(str(scene.root)).gate.find()
    assert one.answer is not None
    assert one.answer.reason == "no; b.py line 3: and this", "no file of this change"
    assert [comment.words for comment in one.answer.comments] == ["line 1: keep the check"]


def test_comments_from_the_queue_are_in_the_rejected_write(scene: Scene) -> None:
    scene.write("a.py", STATE)
    graph, _ = interrupted(scene, ("a.py", REPLACEMENT))
    gate = open_workspace(str(scene.root)).gate
    (one,) = gate.find()
    comment = LineComment(path="a.py", start=2, end=4, text="keep\u202e it", removed=True)
    gate.answer(one.id, approve=False, proof=Proof(by="me"), reason="no", comments=[comment])
    (entry,) = graph.invoke(resume(YES), THREAD)["rejected_writes"]
    assert entry["reason"] == "no; removed lines 2 to 4: keep⟦U+202E RLO⟧ it"
    (said,) = entry["comments"]
    assert (said["start"], said["end"], said["removed"]) == (2, 4, True)
    assert "\u202e" not in said["text"]


def test_the_second_write_to_a_file_is_shown_against_the_first(scene: Scene) -> None:
    scene.write("a.py", STATE)
    second = REPLACEMENT + "LAST = 1\n"
    graph, question = interrupted(scene, ("a.py", REPLACEMENT), ("a.py", second))
    # Small beside the first, and large beside what the file held when the run began.
    one, two = question["action_requests"]
    assert two["existing_lines"] == 56
    assert two["lines_deleted"] == 0
    assert "with the earlier changes of this run" in two["because"]
    done = graph.invoke(resume(YES, YES), THREAD)
    assert scene.read("a.py") == second
    first, last = done["approved_writes"]
    assert last["before"] == first["after"]
    assert one["before"] == first["before"]


def test_a_second_write_that_was_shown_against_a_rejected_one_waits(scene: Scene) -> None:
    scene.write("a.py", STATE)
    graph, _ = interrupted(scene, ("a.py", REPLACEMENT), ("a.py", REPLACEMENT + "LAST = 1\n"))
    done = graph.invoke(resume({"type": "reject"}, YES), THREAD)
    assert scene.read("a.py") == STATE
    first, second = done["rejected_writes"]
    assert first["outcome"] == "rejected"
    assert second["reason"].startswith(NOT_REVIEWED)
    assert waiting(scene) == ["a.py"]


def test_a_file_that_changed_while_the_question_was_open_is_left_alone(scene: Scene) -> None:
    """X6: the answer was about the bytes that were shown."""
    scene.write("a.py", STATE)
    graph, _ = interrupted(scene, ("a.py", REPLACEMENT))
    scene.write("a.py", "saved meanwhile\n")
    done = graph.invoke(resume(YES), THREAD)
    assert scene.read("a.py") == "saved meanwhile\n"
    assert "has changed since this proposal was created" in done["rejected_writes"][0]["reason"]


def test_a_question_that_waited_longer_than_its_proposal_can_still_be_answered(
    scene: Scene,
) -> None:
    scene.write("penstock.toml", 'version = 1\npreset = "guard"\n[approval]\nttl_seconds = 1\n')
    scene.write("a.py", STATE)
    scene.write("b.py", STATE)
    graph, _ = interrupted(scene, ("a.py", REPLACEMENT), ("b.py", REPLACEMENT))
    scene.write("b.py", "saved meanwhile\n" * 200)
    here = open_workspace(str(scene.root)).gate
    deadline = here.now()
    while here.now().since(deadline) < 1.1:
        pass
    scene.write("penstock.toml", 'version = 1\npreset = "guard"\n')
    done = graph.invoke(resume(YES, YES), THREAD)
    assert scene.read("a.py") == REPLACEMENT
    assert done["rejected_writes"][0]["reason"].startswith(NOT_REVIEWED)
    assert waiting(scene) == ["b.py"]


def test_an_answer_at_the_terminal_counts_however_long_it_took(scene: Scene) -> None:
    """X6: the time to live is for questions that lie in the queue."""
    scene.write("penstock.toml", 'version = 1\npreset = "guard"\n[approval]\nttl_seconds = 1\n')
    scene.write("a.py", STATE)
    clock = open_workspace(str(scene.root)).gate

    def slowly(question: str) -> str:
        begun = clock.now()
        while clock.now().since(begun) < 1.1:
            pass
        return "replace"

    done = safe_file_write_gate(pending(("new.py", "x\n"), ("a.py", REPLACEMENT)), ask=slowly)
    assert (scene.read("a.py"), scene.read("new.py")) == (REPLACEMENT, "x\n")
    assert done["rejected_writes"] == []


def test_in_auto_mode_nothing_is_ever_asked(scene: Scene, typed: Typing) -> None:
    """S0-038."""
    typed()
    scene.write("a.py", STATE)
    for saver in (None, InMemorySaver()):
        graph = build_graph(checkpointer=saver)
        done = graph.invoke(pending(("a.py", REPLACEMENT), auto_mode=True), THREAD)
        assert "__interrupt__" not in done
        assert done["rejected_writes"][0]["outcome"] == "blocked"
    assert waiting(scene) == []


def test_the_workflow_can_be_part_of_another_graph(scene: Scene) -> None:
    scene.write("a.py", STATE)
    builder = StateGraph(TestingWorkflowState)
    builder.add_node("inner", build_graph())
    builder.add_edge(START, "inner")
    builder.add_edge("inner", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    assert asked(graph.invoke(pending(("a.py", REPLACEMENT)), THREAD))
    done = graph.invoke(resume(YES), THREAD)
    assert scene.read("a.py") == REPLACEMENT
    assert len(done["approved_writes"]) == 1


def test_a_graph_that_runs_long_keeps_nothing_open(scene: Scene) -> None:
    import gc
    import os

    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    scene.gate(("a.py", "x = 0\n"))
    gc.collect()
    gc.disable()
    try:
        before = opened()
        for number in range(5):
            scene.gate(("a.py", f"x = {number}\n"))
        assert opened() <= before + 1
    finally:
        gc.enable()


def test_what_was_approved_in_the_queue_needs_no_second_proof(scene: Scene) -> None:
    scene.write("a.py", STATE)
    graph, question = interrupted(scene, ("a.py", REPLACEMENT))
    gate = open_workspace(str(scene.root)).gate
    known = question["action_requests"][0]["proposal_id"]
    gate.answer(known, approve=True, proof=Proof(by="ada", kind="terminal"))
    gate.apply(known)
    done = graph.invoke(resume(YES), THREAD)
    assert scene.read("a.py") == REPLACEMENT
    assert done["approved_writes"][0]["by"] == "ada"


def test_two_who_answer_at_once_write_once_and_both_are_told_so(scene: Scene) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    names = [f"f{number}.py" for number in range(8)]
    for name in names:
        scene.write(name, STATE)
    graph, question = interrupted(scene, *((name, REPLACEMENT) for name in names))
    together = Barrier(2)

    def answer(_: int) -> Any:
        together.wait(timeout=60)
        return graph.invoke(resume(*(YES for _ in names)), THREAD)

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(answer, range(2)))
    assert [len(one["approved_writes"]) for one in results] == [8, 8]
    assert {scene.read(name) for name in names} == {REPLACEMENT}
    events = open_workspace(str(scene.root)).record.events()
    applied = [str(one["proposal"]) for one in events if one["op"] == "applied"]
    assert sorted(applied) == sorted(one["proposal_id"] for one in question["action_requests"])


def test_what_a_person_changed_in_the_queue_is_what_is_written(scene: Scene) -> None:
    """Another version took the place of the one that was shown; whoever made it has seen it."""
    scene.write("a.py", STATE)
    graph, question = interrupted(scene, ("a.py", REPLACEMENT))
    gate = open_workspace(str(scene.root)).gate
    known = question["action_requests"][0]["proposal_id"]
    second = gate.with_strategy(known, Strategy.APPEND)
    third = gate.revise(second.id, b"edited = 1\n")
    done = graph.invoke(resume(YES), THREAD)
    assert scene.read("a.py") == "edited = 1\n"
    assert done["approved_writes"][0]["proposal_id"] == third.id


def test_a_rejection_in_the_queue_stands_whatever_the_graph_is_told(scene: Scene) -> None:
    scene.write("a.py", STATE)
    graph, question = interrupted(scene, ("a.py", REPLACEMENT))
    gate = open_workspace(str(scene.root)).gate
    known = question["action_requests"][0]["proposal_id"]
    gate.answer(known, approve=False, proof=Proof(by="ada", kind="terminal"), reason="never")
    done = graph.invoke(resume(YES), THREAD)
    assert scene.read("a.py") == STATE
    assert "never" in done["rejected_writes"][0]["reason"]


def test_a_graph_that_an_agent_runs_cannot_approve_its_own_writes(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, typed: Typing
) -> None:
    scene.write("a.py", STATE)
    graph, _ = interrupted(scene, ("a.py", REPLACEMENT))
    monkeypatch.setenv("CLAUDECODE", "1")
    done = graph.invoke(resume(YES), THREAD)
    assert done["rejected_writes"][0]["reason"].startswith(
        "a graph run by an agent can't approve its own writes: "
    )
    assert scene.read("a.py") == STATE
    assert waiting(scene) == ["a.py"]
    typed("yes", "replace")
    again = scene.gate(("a.py", REPLACEMENT))
    assert again["rejected_writes"][0]["reason"].startswith(
        "a graph run by an agent can't approve its own writes: "
    )
    events = open_workspace(str(scene.root)).record.events()
    assert [one["command"] for one in events if one["op"] == "approval_refused"] == [
        "langgraph resume",
        "langgraph prompt",
    ]


def test_with_a_key_an_answer_alone_approves_nothing(scene: Scene) -> None:
    """The question is asked again and says what else it takes; nothing is lost meanwhile."""
    scene.write("a.py", STATE)
    scene.write("penstock.toml", 'version = 1\npreset = "guard"\n[approval]\nrequire_key = true\n')
    graph, question = interrupted(scene, ("a.py", REPLACEMENT))
    known = question["action_requests"][0]["proposal_id"]
    for _ in range(3):
        again = asked(graph.invoke(resume({**YES, "strategy": "append"}), THREAD))
        assert f"penstock approve {short(known)} " in again["action_requests"][0]["description"]
        assert scene.read("a.py") == STATE
        assert waiting(scene) == ["a.py"]
    done = graph.invoke(resume({"type": "reject", "message": "no key at hand"}), THREAD)
    assert done["rejected_writes"][0]["reason"] == "no key at hand"
    assert waiting(scene) == []


def test_with_a_key_what_was_signed_in_the_queue_is_written(scene: Scene) -> None:
    scene.write("a.py", STATE)
    here = open_workspace(str(scene.root))
    here.keys.init("correct horse battery staple")
    graph, question = interrupted(scene, ("a.py", REPLACEMENT))
    asked(graph.invoke(resume(YES), THREAD))
    sign = here.keys.unseal("correct horse battery staple")
    known = question["action_requests"][0]["proposal_id"]
    here.gate.answer(known, approve=True, proof=Proof(by="ada", kind="key", sign=sign))
    done = graph.invoke(resume(YES), THREAD)
    assert scene.read("a.py") == REPLACEMENT
    assert done["approved_writes"][0]["proof"] == "key"


def test_the_last_answer_counts_even_over_a_signature(scene: Scene) -> None:
    for name in ("a.py", "b.py"):
        scene.write(name, STATE)
    here = open_workspace(str(scene.root))
    here.keys.init("correct horse battery staple")
    graph, question = interrupted(scene, ("a.py", REPLACEMENT), ("b.py", REPLACEMENT))
    asked(graph.invoke(resume(YES, YES), THREAD))
    sign = here.keys.unseal("correct horse battery staple")
    for action in question["action_requests"]:
        proof = Proof(by="ada", kind="key", sign=sign)
        here.gate.answer(action["proposal_id"], approve=True, proof=proof)
    done = graph.invoke(resume(YES, {"type": "reject", "message": "on second thought"}), THREAD)
    assert (scene.read("a.py"), scene.read("b.py")) == (REPLACEMENT, STATE)
    assert done["rejected_writes"][0]["reason"] == "on second thought"


def test_without_checkpointer_and_terminal_nothing_is_written_and_nothing_lost(
    scene: Scene,
) -> None:
    scene.write("a.py", STATE)
    done = build_graph().invoke(pending(("a.py", REPLACEMENT)))
    assert scene.read("a.py") == STATE
    assert "no answer" in done["rejected_writes"][0]["reason"]
    assert waiting(scene) == ["a.py"]


def test_the_person_can_be_asked_at_a_place_of_the_programs_choice(
    scene: Scene, typed: Typing
) -> None:
    typed()
    scene.write("a.py", STATE)
    said = iter(["yes", "append"])
    graph = build_graph(checkpointer=InMemorySaver(), ask=lambda question: next(said))
    graph.invoke(pending(("a.py", REPLACEMENT)), THREAD)
    assert scene.read("a.py") == f"{STATE}\n{REPLACEMENT}"


def test_the_end_of_input_at_that_place_closes_the_proposal_as_rejected(
    scene: Scene, typed: Typing
) -> None:
    """A24: a cancel is a rejection, in the state and in the queue."""
    typed()
    scene.write("a.py", STATE)

    def ended(question: str) -> str:
        raise EOFError

    done = safe_file_write_gate(pending(("a.py", REPLACEMENT)), ask=ended)
    assert "the input ended" in done["rejected_writes"][0]["reason"]
    assert scene.read("a.py") == STATE
    assert waiting(scene) == []
    assert waiting(scene, State.REJECTED) == ["a.py"]


def test_interrupts_that_nobody_could_answer_do_not_become_prompts(
    scene: Scene, typed: Typing
) -> None:
    typed()
    scene.write("a.py", STATE)
    done = build_graph(ask_by="interrupt").invoke(pending(("a.py", REPLACEMENT)))
    assert "no answer" in done["rejected_writes"][0]["reason"]
    assert waiting(scene) == ["a.py"]
    wrong: Any = "mail"
    with pytest.raises(InputError, match="no way to ask"):
        safe_file_write_gate(pending(), ask_by=wrong)


def test_the_node_works_inside_a_running_loop(scene: Scene, typed: Typing) -> None:
    """A14."""
    scene.write("a.py", STATE)

    async def inside() -> Any:
        typed("yes", "append")
        scene.gate(("a.py", REPLACEMENT))
        typed("yes", "replace")
        return await build_graph().ainvoke(pending(("a.py", REPLACEMENT)))

    done = asyncio.run(inside())
    assert scene.read("a.py") == REPLACEMENT
    assert len(done["approved_writes"]) == 1


def test_a_question_is_asked_and_answered_in_a_running_loop(scene: Scene) -> None:
    scene.write("a.py", STATE)

    async def both() -> Any:
        graph = build_graph(checkpointer=InMemorySaver())
        question = asked(await graph.ainvoke(pending(("a.py", REPLACEMENT)), THREAD))
        assert len(question["action_requests"]) == 1
        return await graph.ainvoke(resume(YES), THREAD)

    done = asyncio.run(both())
    assert scene.read("a.py") == REPLACEMENT
    assert done["approved_writes"][0]["proof"] == "graph"


# --- many small changes -----------------------------------------------------------------------


def slices(text: str, count: int) -> list[str]:
    """Return the text with more and more of its lines replaced."""
    lines = text.splitlines(keepends=True)
    step = len(lines) // count
    return ["".join(["# gone\n" * (step * at), *lines[step * at :]]) for at in range(1, count + 1)]


def test_many_small_changes_are_judged_together(scene: Scene) -> None:
    """Each loses a tenth; half of the file is gone with the fifth."""
    scene.write("a.py", STATE)
    done = scene.gate(*(("a.py", text) for text in slices(STATE, 10)), auto_mode=True)
    assert len(done["approved_writes"]) == 4
    assert len(done["rejected_writes"]) == 6
    assert "with the earlier changes of this run" in done["rejected_writes"][0]["reason"]


def test_small_changes_of_several_rounds_are_judged_together(scene: Scene) -> None:
    scene.write("a.py", STATE)
    texts = iter(slices(STATE, 10))
    graph = build_graph(lambda state: write("a.py", next(texts)), checkpointer=InMemorySaver())
    results = [graph.invoke({"auto_mode": True}, THREAD) for _ in range(6)]
    assert [len(one["rejected_writes"]) for one in results] == [0, 0, 0, 0, 1, 2]
    assert scene.read("a.py") == slices(STATE, 10)[3]


def test_after_a_persons_yes_changes_are_counted_anew(scene: Scene, typed: Typing) -> None:
    scene.write("a.py", STATE)
    typed("yes", "replace")
    first = scene.gate(("a.py", REPLACEMENT + MODIFIED))
    typed()
    state: Any = {**first, "pending_writes": [write("a.py", REPLACEMENT + MODIFIED + "\nX = 1\n")]}
    assert safe_file_write_gate(state)["rejected_writes"] == []


def test_what_was_not_written_has_no_start(scene: Scene, typed: Typing) -> None:
    """What people change by hand meanwhile is not counted as the graph's."""
    scene.write("a.py", STATE)
    typed("no")
    first = scene.gate(("a.py", REPLACEMENT))
    assert first["files_at_start"] == {}
    scene.write("a.py", "by hand\n" * 200)
    typed()
    state: Any = {**first, "pending_writes": [write("a.py", "by hand\n" * 199)]}
    assert len(safe_file_write_gate(state)["approved_writes"]) == 1


# --- config ------------------------------------------------------------------------------------


def test_the_projects_own_thresholds_count_where_the_program_gives_none(scene: Scene) -> None:
    """S0-065: tuned without touching code; other rules of the project hold as well."""
    scene.write("penstock.toml", "version = 1\n[gate]\nline_threshold = 300\n")
    scene.write("a.py", STATE)
    scene.gate(("a.py", REPLACEMENT), auto_mode=True)
    assert scene.read("a.py") == REPLACEMENT
    scene.write("a.py", STATE)
    strict = build_graph(gate_config=GateConfig())
    assert (
        len(strict.invoke(pending(("a.py", REPLACEMENT), auto_mode=True))["rejected_writes"]) == 1
    )


@pytest.mark.parametrize(
    "path", [".env", "sub/.env.local", ".git/config", "penstock.toml", "yarn.lock"]
)
def test_protected_names_are_denied_whatever_the_size(scene: Scene, path: str) -> None:
    done = scene.gate((path, "x\n"))
    assert done["approved_writes"] == []
    assert path in done["rejected_writes"][0]["reason"]
    assert not (scene.root / path).exists()


def test_rules_of_the_project_above_hold_in_its_directories(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.write(
        "penstock.toml",
        'version = 1\n[[deny]]\nid = "kept"\npaths = ["sub/kept/**"]\nreason = "{path} is kept"\n',
    )
    (scene.root / "sub").mkdir()
    monkeypatch.chdir(scene.root / "sub")
    done = scene.gate(("kept/a.py", "x\n"), ("b.py", "x\n"), ("../c.py", "x\n"))
    assert [one["request"]["target_path"] for one in done["approved_writes"]] == ["b.py"]
    kept, above = done["rejected_writes"]
    assert "sub/kept/a.py is kept" in kept["reason"]
    assert "outside the project" in above["reason"]


def test_state_is_plain_json_and_classification_compares_as_the_enum(scene: Scene) -> None:
    done = build_graph().invoke(pending(("a.py", "x\n")))
    kind = done["approved_writes"][0]["request"]["classification"]
    assert type(kind) is str
    assert kind == WriteClassification.NEW
