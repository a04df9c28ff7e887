"""Every line of the gate spec and the test that shows it through this door, and the last few."""

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
from tests.doors.langgraph import (
    test_docs,
    test_durable,
    test_example,
    test_gate_input,
    test_graph_integration,
    test_preview,
    test_safe_file_write,
    test_terminal,
)
from tests.doors.langgraph.conftest import Typing
from tests.doors.langgraph.scene import REPLACEMENT, STATE, Scene, numbered, pending
from tests.requirements.table import numbered as ids

# What else is in this package and writes files is another way in, with tests of its own.
GATE = ("approver", "ask", "classify", "config", "decisions", "errors", "graph", "node",
        "outcomes", "preview", "project", "prompts", "proposals", "records", "interrupt", "settle",
        "state", "strategies", "thread", "large_diff", "pending_writes")  # fmt: skip

SHOWN_BY = {
    "S0-001 S0-005 S0-006 S0-007 S0-008 S0-010": "test_types_have_the_keys_of_the_spec",
    "S0-002 S0-023 S0-101": "test_classify_new_file",
    "S0-003 S0-043 S0-102": "test_classify_modify_small_change",
    "S0-004 S0-024 S0-044 S0-045 S0-103": "test_classify_replace_large_change",
    "S0-009": "test_a_state_without_the_fields_works",
    "S0-011 S0-012 S0-013 S0-014 S0-015": "test_signatures_are_those_of_the_spec",
    "S0-016 S0-017 S0-018": "test_signatures_are_those_of_the_spec",
    "S0-019 S0-063 S0-060 S0-062": "test_a_line_number_is_asked_for_three_times_at_most",
    "S0-020 S0-126": "test_every_name_is_there_and_documented",
    "S0-021 S0-022 S0-033": "test_one_interrupt_asks_about_all_writes_before_any_is_made",
    "S0-025 S0-042 S0-104": "test_requires_approval_small_file",
    "S0-026 S0-027 S0-106": "test_auto_mode_blocks_replace",
    "S0-028 S0-058 S0-070": "test_the_prompt_shows_what_goes_and_offers_all_strategies",
    "S0-029 S0-120 S0-127": "test_at_a_terminal_the_person_is_asked_there_even_with_a_checkpointer",
    "S0-030 S0-093 S0-094 S0-111": "test_audit_trail_records_decisions",
    "S0-031 S0-081": "test_a_rejected_write_leaves_the_file_as_it_was",
    "S0-032": "test_everything_but_a_clear_yes_is_a_no",
    "S0-034 S0-035": "test_two_writes_to_one_file_are_made_in_their_order",
    "S0-036": "test_only_the_gate_writes",
    "S0-037": "test_a_graph_with_a_state_of_its_own_takes_the_node",
    "S0-038": "test_in_auto_mode_nothing_is_ever_asked",
    "S0-039 S0-040 S0-041 S0-128": "test_approval_is_required_in_doubt",
    "S0-046 S0-105": "test_requires_approval_large_file_major_change",
    "S0-047": "test_an_empty_file_needs_no_approval",
    "S0-048 S0-112": "test_merge_strategy_replace",
    "S0-049 S0-108": "test_merge_strategy_append",
    "S0-050 S0-114": "test_merge_strategy_insert_invalid_line",
    "S0-051 S0-113": "test_merge_strategy_insert",
    "S0-052": "test_lines_are_not_glued_together_by_insert",
    "S0-053 S0-054 S0-057 S0-109": "test_merge_strategy_extend",
    "S0-055 S0-056 S0-083 S0-110": "test_merge_strategy_extend_syntax_error",
    "S0-059": "test_an_unknown_strategy_is_an_error",
    "S0-061 S0-115": "test_merge_strategy_insert_cancelled",
    "S0-064": "test_approving_with_insert_puts_the_content_after_the_line",
    "S0-065": "test_the_projects_own_thresholds_count_where_the_program_gives_none",
    "S0-066 S0-067 S0-068": "test_wrong_thresholds_are_the_defaults_and_a_warning_says_so",
    "S0-069": "test_repeated_lines_are_counted_exactly",
    "S0-071": "test_line_ends_alone_are_no_change",
    "S0-072 S0-073 S0-085 S0-117": "test_large_file_streaming_diff",
    "S0-074": "test_progress_is_told_for_large_files_only",
    "S0-075 S0-080 S0-130": "test_a_path_that_leads_to_no_file_of_the_project_is_refused",
    "S0-076": "test_content_passes_through_unchanged",
    "S0-077": "test_the_state_that_came_in_is_not_changed",
    "S0-078 S0-087 S0-089": "test_the_record_holds_no_contents_and_about_a_kilobyte_a_decision",
    "S0-079": "test_a_kill_at_any_step_of_the_answer_loses_nothing_and_writes_nothing_twice",
    "S0-082": "test_only_large_losses_are_asked_about",
    "S0-084": "test_looking_at_a_file_is_quick",
    "S0-086": "test_what_was_read_once_is_not_read_again_for_the_prompt",
    "S0-088": "test_the_record_is_rotated_at_ten_megabytes",
    "S0-090": "test_nothing_here_talks_to_the_network",
    "S0-091": "test_many_writes_are_judged_in_one_step",
    "S0-092": "test_licences_of_what_the_door_needs_are_permissive",
    "S0-095 S0-116": "test_graph_includes_safe_write_gate",
    "S0-096": "test_the_workflow_goes_round_until_the_tests_pass",
    "S0-107": "test_diff_preview_shows_deletions",
    "S0-118": "test_approving_with_append_keeps_both_contents",
    "S0-119": "test_the_samples_are_what_their_names_say",
    "S0-121 S0-122 S0-123 S0-124": "test_the_named_files_and_markers_are_there",
    "S0-129": "test_extend_that_cannot_be_done_is_recorded_as_what_it_became",
}  # fmt: skip


def test_every_line_of_the_spec_is_shown_by_a_test_that_exists() -> None:
    import sys

    places = (
        sys.modules[__name__],
        *(test_docs, test_durable, test_example, test_gate_input, test_graph_integration),
        *(test_preview, test_safe_file_write, test_terminal),
    )
    known = {name for place in places for name in vars(place) if name.startswith("test_")}
    assert {test for test in SHOWN_BY.values() if test not in known} == set()
    shown = {one for line in SHOWN_BY for one in line.split()}
    # The list has no 97 to 100, and no 125.
    wanted = [*ids("S0-", range(1, 97), 3), *ids("S0-", range(101, 125), 3)]
    wanted += ids("S0-", range(126, 131), 3)
    assert [one for one in wanted if one not in shown] == []


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
