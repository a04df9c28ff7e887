"""The page of the four specifications: what they name is on it, and what it names is here."""

from __future__ import annotations

import ast
import re
from functools import cache

import click
import pytest

from penstock.cli import penstock
from penstock.reviewer import main
from tests import REPOSITORY

PAGE = (REPOSITORY / "docs/reference/specifications.md").read_text(encoding="utf-8")
THEIRS = r"(?!src/bin/|tests/unit/workflows/)"
OURS = r"(?:src|tests|hooks|examples|skills)/[\w./-]+|config\.example\.yaml"
HERE = re.compile(rf"`{THEIRS}({OURS})(?:::(\w+))?`")
ROW = re.compile(r"^\| (?!the document|---)(.+?) \| (.+) \|$", re.MULTILINE)
COMMAND = re.compile(r"`penstock ([a-z-]+)(?: ([a-z]+))?[ A-Z]*`")

# Every file, type, function, test and command that a document names.
NAMES = re.findall(
    r"\S+",
    """
agentos/workflows/testing/nodes/safe_file_write.py agentos/workflows/testing/graph.py
agentos/workflows/testing/state.py agentos/workflows/testing/config.py
tests/unit/workflows/testing/test_safe_file_write.py tests/fixtures/safe_write/
tests/unit/workflows/testing/test_graph_integration.py
WriteClassification FileWriteRequest WriteApproval SafeWriteState TestingWorkflowState
classify_write requires_approval generate_diff_preview show_deletion_summary prompt_for_approval
safe_file_write_gate apply_merge_strategy get_insertion_point InvalidInsertionPointError
InsertionCancelledError --auto
T010 T020 T030 T040 T050 T060 T070 T080 T090 T095 T100 T110 T120 T130 T140 T150 T160
backend.py cli/app.py cli/approval.py config.yaml config.example.yaml .agentzero_audit.jsonl
read_file write_file apply_patch apply_proposal execute_tool
_mvp_init_filebroker _get_param _sha256_text _sha256_file_stream _new_hitl_id _hitl_cleanup
_is_denied_path _is_create_allowed _generate_unified_diff _audit_append _deny_result _error_result
_handle_read_file _handle_write_file _handle_apply_proposal
plugins/iflow-dev/hooks/write-control.sh plugins/iflow-dev/hooks/config/write-policies.json
plugins/iflow-dev/hooks/hooks.json agent_sandbox/ .gitignore pre-commit-guard.sh
src/bin/decision_reviewer.rs DECISION_REVIEWER_ALLOW_WRITES claude-code-permissions-hook.toml
llm-fallback-config.toml toml_edit fs2 git2 chrono decision-reviewer-audit.log CLAUDE.md
apply query test profile analyze-rule
""",
)


@cache
def defined(path: str) -> frozenset[str]:
    """Return what a module defines: functions, classes, methods, constants."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return frozenset(found)


@pytest.mark.parametrize(("path", "name"), sorted(set(HERE.findall(PAGE))))
def test_every_place_that_the_page_names_exists(path: str, name: str) -> None:
    assert (REPOSITORY / path).exists()
    assert not name or name in defined(path)


def test_every_name_of_the_specifications_is_on_the_page() -> None:
    first = "\n".join(row[1] for row in ROW.finditer(PAGE))
    assert [name for name in NAMES if not re.search(rf"(?<![\w/]){re.escape(name)}", first)] == []


def test_every_function_of_the_gate_is_where_graphs_import_it_from() -> None:
    import penstock.langgraph as door

    rows = [row for row in ROW.finditer(PAGE) if "doors/langgraph/" in row[2]]
    named = {row[1].strip("`") for row in rows if re.fullmatch(r"`\w+`", row[1])}
    assert len(named) > 12
    assert {name for name in named if not hasattr(door, name)} == set()


def test_every_command_of_the_page_is_one() -> None:
    asked = set(COMMAND.findall(PAGE))
    assert len(asked) > 4
    with click.Context(penstock) as above:
        for name, sub in asked:
            command = penstock.get_command(above, name)
            assert command is not None, name
            if sub and isinstance(command, click.Group):
                assert command.get_command(above, sub) is not None, sub


@pytest.mark.parametrize("name", ["apply", "query", "test", "profile", "analyze-rule"])
def test_the_reviewers_commands_are_there(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["decision_reviewer", name, "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "Usage: " in capsys.readouterr().out


def test_every_deviation_has_its_reason() -> None:
    rows = re.findall(r"^\| (?!the document)([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) > 40
    assert [row for row in rows if min(map(len, row)) < 3] == []
    assert [row for row in rows if len(row[2]) < 15] == []


@pytest.mark.parametrize(
    "title",
    [
        "Safe File Write Gate - Require Approval Before Overwriting Files",
        "File Broker MVP - Human-in-the-Loop (HITL) Specification",
        "Specification: Agent Write Control",
        "Decision Reviewer: Write Operations Design",
    ],
)
def test_each_specification_is_named_by_its_title(title: str) -> None:
    assert title in PAGE
