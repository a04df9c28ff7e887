"""Lines of the gate spec that no other test of this door shows: names, signatures, bounds."""

from __future__ import annotations

import ast
import inspect
import typing
from importlib import metadata
from pathlib import Path

import pytest

import penstock.doors.langgraph as door
from penstock.app import open_workspace
from penstock.core.policy.model import AuditSettings
from penstock.langgraph import (
    FileWriteRequest,
    SafeWriteState,
    TestingWorkflowState,
    WriteApproval,
    WriteClassification,
    apply_merge_strategy,
    classify_write,
    generate_diff_preview,
    get_insertion_point,
    prompt_for_approval,
    requires_approval,
    safe_file_write_gate,
    show_deletion_summary,
)
from tests import REPOSITORY
from tests.doors.langgraph.conftest import Typing
from tests.doors.langgraph.scene import REPLACEMENT, STATE, Scene, numbered, pending

# What else is in this package and writes files is another way in, with tests of its own.
GATE = ("approver", "ask", "classify", "config", "decisions", "errors", "graph", "node",
        "outcomes", "preview", "project", "prompts", "proposals", "records", "interrupt", "settle",
        "state", "strategies", "thread", "large_diff", "pending_writes")  # fmt: skip


def test_types_have_the_keys_of_the_spec() -> None:
    assert {one.name: one.value for one in WriteClassification} == {
        "NEW": "new",
        "MODIFY": "modify",
        "REPLACE": "replace",
    }
    assert {
        "target_path", "new_content", "classification", "existing_lines", "lines_deleted",
        "lines_added", "change_ratio",
    } <= set(FileWriteRequest.__annotations__)  # fmt: skip
    assert {"request", "approved", "strategy", "timestamp"} <= WriteApproval.__required_keys__
    fields = {"pending_writes", "approved_writes", "rejected_writes", "auto_mode"}
    assert fields <= set(SafeWriteState.__annotations__)
    assert fields <= set(typing.get_type_hints(TestingWorkflowState))
    assert isinstance(WriteClassification.NEW, str)


def positional(function: object) -> list[tuple[str, object]]:
    assert callable(function)
    every = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in every if one.kind is one.POSITIONAL_OR_KEYWORD]


def test_signatures_are_those_of_the_spec() -> None:
    needed = inspect.Parameter.empty
    assert positional(classify_write) == [("target_path", needed), ("new_content", needed)]
    assert positional(requires_approval) == [
        ("request", needed), ("line_threshold", 100), ("change_threshold", 0.5),
    ]  # fmt: skip
    assert positional(generate_diff_preview) == [
        ("target_path", needed), ("new_content", needed), ("context_lines", 3),
    ]  # fmt: skip
    assert positional(show_deletion_summary) == [("request", needed)]
    assert positional(prompt_for_approval) == [("request", needed), ("diff_preview", needed)]
    assert inspect.iscoroutinefunction(prompt_for_approval)
    assert positional(safe_file_write_gate) == [("state", needed)]
    assert positional(apply_merge_strategy) == [
        ("target_path", needed), ("new_content", needed), ("strategy", needed),
        ("existing_content", needed), ("insertion_point", None),
    ]  # fmt: skip
    assert positional(get_insertion_point) == [("existing_content", needed), ("max_line", needed)]


def sources() -> list[tuple[str, ast.Module]]:
    folder = Path(inspect.getfile(door)).parent
    return [(name, ast.parse((folder / f"{name}.py").read_text())) for name in GATE]


def test_only_the_gate_writes() -> None:
    """No module of the gate opens, renames or removes a file by itself."""
    calls = {"open", "rename", "replace_all", "remove", "unlink", "write_text", "write_bytes"}
    for name, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                assert called not in calls, f"{name}.py:{node.lineno} calls {called}"


def test_nothing_here_talks_to_the_network() -> None:
    banned = {"socket", "http", "urllib", "httpx", "requests", "aiohttp", "ssl"}
    for name, tree in sources():
        for node in ast.walk(tree):
            found = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            found += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {one.partition(".")[0] for one in found} & banned, name


def test_only_large_losses_are_asked_about(scene: Scene, typed: Typing) -> None:
    questions = typed("no")
    for number in range(20):
        scene.write(f"f{number}.py", numbered(90))
    scene.write("large.py", STATE)
    small = [(f"f{number}.py", "x\n") for number in range(20)]
    scene.gate(*small, ("large.py", STATE + "X = 1\n"), ("new.py", STATE), ("large.py", "x\n"))
    assert len(questions) == 1


def test_looking_at_a_file_is_quick(scene: Scene) -> None:
    """Counted, not timed: no more than a few passes over a file of 500 lines."""
    scene.write("a.py", numbered(500))
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    import sys

    classify_write("a.py", numbered(400, "other"))
    sys.setprofile(count)
    try:
        classify_write("a.py", numbered(400, "other"))
    finally:
        sys.setprofile(None)
    assert calls < 5000


def test_what_was_read_once_is_not_read_again_for_the_prompt(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """The person sees the bytes that were measured, whatever the file holds by then."""
    file = scene.write("a.py", STATE)

    def ask(question: str) -> str:
        file.unlink(missing_ok=True)
        return "insert" if "Approve" in question else "0"

    done = safe_file_write_gate(pending(("a.py", REPLACEMENT)), ask=ask)
    assert "     9  class WorkflowState:" in capsys.readouterr().out
    assert len(done["rejected_writes"]) == 1


def test_the_record_is_rotated_at_ten_megabytes(scene: Scene) -> None:
    scene.gate(("a.py", "x\n"))
    assert open_workspace(str(scene.root)).policy().audit.rotate_bytes == 10 * 1024 * 1024
    assert AuditSettings().rotate_bytes == 10 * 1024 * 1024


def test_many_writes_are_judged_in_one_step(scene: Scene) -> None:
    """A hundred here, a thousand in `make bench`."""
    for number in range(100):
        scene.write(f"f{number}.py", numbered(120))
    done = scene.gate(*((f"f{number}.py", "x\n") for number in range(100)), auto_mode=True)
    assert len(done["rejected_writes"]) == 100


LICENCE = ("License-Expression", "License", "Classifier")


def test_licences_of_what_the_door_needs_are_permissive() -> None:
    for name in ("langgraph", "langchain", "langchain-core", "langgraph-checkpoint", "pydantic"):
        about = metadata.metadata(name)
        texts = [text for key in LICENCE for text in about.get_all(key) or []]
        assert "MIT" in " ".join(texts), name


def test_the_named_files_and_markers_are_there() -> None:
    here = Path(__file__).parent
    assert (here / "test_safe_file_write.py").exists()
    assert (here / "test_graph_integration.py").exists()
    assert '"live:' in (REPOSITORY / "pyproject.toml").read_text()
