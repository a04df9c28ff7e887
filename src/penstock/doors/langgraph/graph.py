"""The workflow that writes code until its tests pass, with the gate before every write.

generate code -> `safe_file_write` -> run tests -> back, until they pass or no attempt is left.
How code is made and how it is tested is the program's; here is only their order.
Always true: the one way from generated code to a file leads through `safe_file_write`; what
`generate` returns can ask for writes and can change nothing that steers the gate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.base import coerce_to_runnable
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from penstock.core.errors import InputError
from penstock.doors.langgraph.config import GateConfig, config_of
from penstock.doors.langgraph.node import AskBy, safe_file_write_gate
from penstock.doors.langgraph.prompts import Ask
from penstock.doors.langgraph.state import FileWriteRequest, TestingWorkflowState

GENERATE, GATE, TESTS = "generate_code", "safe_file_write", "run_tests"
ATTEMPTS = 3
LONGEST_OUTPUT = 100_000

State: TypeAlias = TestingWorkflowState
Step: TypeAlias = Runnable[Any, Any] | Callable[..., Any]
Update: TypeAlias = dict[str, Any]


def build_graph(
    generate: Step | None = None,
    run_tests: Step | None = None,
    *,
    checkpointer: BaseCheckpointSaver[Any] | bool | None = None,
    gate_config: GateConfig | None = None,
    ask: Ask | None = None,
    ask_by: AskBy | None = None,
) -> CompiledStateGraph[State, None, State, State]:
    """Return the workflow, ready to be invoked.

    `generate` takes the state and returns writes: one, a list, or `{"pending_writes": [...]}`.
    `run_tests` takes it and returns whether they pass, or that with their output. Both are any
    callable or runnable. Without `generate` the `pending_writes` of the input are written;
    without `run_tests` there is one round.
    """
    gate = partial(safe_file_write_gate, gate_config=config_of(gate_config), ask=ask, ask_by=ask_by)
    builder: StateGraph[State, None, State, State] = StateGraph(TestingWorkflowState)
    builder.add_node(GENERATE, _node(generate, _generated))
    builder.add_node(GATE, RunnableLambda(gate, name=GATE), input_schema=TestingWorkflowState)
    builder.add_node(TESTS, _node(run_tests, _tested))
    builder.add_edge(START, GENERATE)
    builder.add_edge(GENERATE, GATE)
    builder.add_edge(GATE, TESTS)
    loops = generate is not None and run_tests is not None
    builder.add_conditional_edges(
        TESTS, partial(_next, loops=loops), {"again": GENERATE, "done": END}
    )
    return builder.compile(checkpointer=checkpointer, name="tdd_workflow")


def _node(step: Step | None, read: Callable[[State, Any], Update]) -> Runnable[Any, Any]:
    """Return a node that runs a program's own step and reads what it returns."""
    inner: Runnable[Any, Any] | None = None if step is None else coerce_to_runnable(step)

    def run(state: State, config: RunnableConfig) -> Update:
        return read(state, None if inner is None else inner.invoke(state, config))

    async def arun(state: State, config: RunnableConfig) -> Update:
        return read(state, None if inner is None else await inner.ainvoke(state, config))

    return RunnableLambda(run, afunc=arun)


def _next(state: State, *, loops: bool) -> str:
    return "again" if loops and not _is_over(state) else "done"


def _is_over(state: State) -> bool:
    """Say whether a round of attempts has ended: then the next one counts from the start."""
    return bool(state.get("tests_passed")) or _count(state, "attempts", 0) >= _most(state)


def _most(state: State) -> int:
    return max(_count(state, "max_attempts", ATTEMPTS), 1)


def _count(state: State, name: str, default: int) -> int:
    value = state.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


# --- what the program's own steps return ------------------------------------------------


def _generated(state: State, made: Any) -> Update:
    given = state.get("pending_writes")
    waiting = list(given) if isinstance(given, list | tuple) else []
    writes = _writes(made)
    update: Update = {
        "pending_writes": [*(one for one in waiting if one not in writes), *writes],
        "attempts": 1 if _is_over(state) else _count(state, "attempts", 0) + 1,
        "tests_passed": False,
    }
    return _with_scratch(update, made)


def _writes(made: Any) -> list[Any]:
    """Return the writes that were generated, as plain values."""
    plain = made.model_dump(mode="json") if hasattr(made, "model_dump") else made
    if plain is None:
        return []
    if isinstance(plain, Mapping) and "target_path" in plain:
        return [_write(plain)]
    found = plain.get("pending_writes", []) if isinstance(plain, Mapping) else plain
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        raise InputError(
            "bad-generation",
            f"`generate` returned {type(made).__name__}, which holds no writes",
            hint='return {"pending_writes": [{"target_path": ..., "new_content": ...}]}',
        )
    return [_write(one) for one in found]


def _write(one: Any) -> FileWriteRequest | Any:
    """Keep what a write needs; what it says of itself beyond that is not believed anyway."""
    plain = one.model_dump(mode="json") if hasattr(one, "model_dump") else one
    if not isinstance(plain, Mapping):
        return repr(plain)[:200]
    return {name: plain[name] for name in ("target_path", "new_content") if name in plain}


def _tested(_: State, result: Any) -> Update:
    if result is None:
        return {"tests_passed": False, "test_output": ""}
    passed, output = _passed(result)
    return _with_scratch({"tests_passed": passed, "test_output": output[-LONGEST_OUTPUT:]}, result)


def _passed(result: Any) -> tuple[bool, str]:
    """Return whether tests passed, and what they said."""
    if isinstance(result, bool):
        return result, ""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], bool):
        return result[0], str(result[1])
    if isinstance(result, Mapping) and isinstance(result.get("tests_passed"), bool):
        return result["tests_passed"], str(result.get("test_output", ""))
    if isinstance(getattr(result, "returncode", None), int):  # a process that has ended
        return result.returncode == 0, f"{result.stdout or ''}{result.stderr or ''}"
    raise InputError(
        "bad-test-result",
        f"`run_tests` returned {type(result).__name__}, which says nothing about tests",
        hint='return True or False, (passed, output), or {"tests_passed": ...}',
    )


def _with_scratch(update: Update, said: Any) -> Update:
    scratch = said.get("scratch") if isinstance(said, Mapping) else None
    return {**update, "scratch": dict(scratch)} if isinstance(scratch, Mapping) else update
