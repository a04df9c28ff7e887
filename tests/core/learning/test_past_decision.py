"""A past decision is read from whatever line tells it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.learning.past_decision import DECISIONS, Past, Person, past_of
from penstock.core.model import Action
from tests.doors.reviewer import logs


def past(event: dict[str, Any]) -> Past:
    found = past_of(event)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "decision", "source"),
    [
        (logs.audit(1, "allow"), "allow", "rule"),
        (logs.audit(1, "deny"), "deny", "rule"),
        (logs.audit(1, "passthrough"), "passthrough", "passthrough"),
        (logs.old(1), "passthrough", "passthrough"),
        (logs.operational(1, "deny", "rule"), "deny", "rule"),
        (logs.operational(1, "allow", "llm"), "allow", "llm"),
        (logs.review(1, "deny", rule="x"), "deny", "rule"),
        # Asked and unsure is told as a passthrough; it is the model's answer all the same (D26).
        (logs.review(1, "passthrough", "passthrough", assessment="QUERY"), "passthrough", "llm"),
        (logs.review(1, "passthrough", "passthrough", assessment="TIMEOUT"), "passthrough", "llm"),
        (logs.audit(1, "weird"), "", "passthrough"),
        (logs.own(1, status="denied", rules=["r"]), "deny", "rule"),
        (logs.own(1, status="hitl_required", rules=["default.run"]), "ask", "rule"),
        (logs.own(1, status="allowed", rules=["r"]), "allow", "rule"),
        (logs.own(1, status="allowed"), "passthrough", "passthrough"),
        (logs.own(1, status="allowed", rules=["default.unclear"]), "passthrough", "passthrough"),
        (logs.own(1, "proposed", status="waiting"), "ask", "rule"),
        (logs.own(1, "write_file_propose", status="hitl_required"), "ask", "rule"),
        (logs.own(1, "rejected", status="rejected"), "deny", "person"),
        (logs.own(1, "approved", status="approved"), "allow", "person"),
        (logs.own(1, "write_file_reject", status="rejected"), "deny", "person"),
        (logs.own(1, "observed", status="observed"), "", "person"),  # a write, and no decision
    ],
    ids=lambda one: str(one)[:60],
)
def test_every_kind_of_line_tells_its_decision(
    line: dict[str, Any], decision: str, source: str
) -> None:
    found = past(line)
    assert (found.decision, str(found.source)) == (decision, source)


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"tool_name": 7},
        {"tool_name": ""},
        logs.own(1, "session_started", status="observed"),
        logs.own(1, "tool_call", status="error"),
        logs.own(1, "write_file_apply", status="denied"),
        logs.own(1, "proposed", status="approved", origin="rules"),
        logs.own(1, "approved", status="approved", origin="rules"),
        logs.own(1, "proposed", status="waiting", origin="undo"),
        {"op": ["x"]},
    ],
    ids=str,
)
def test_a_line_that_is_no_decision_gives_none(line: dict[str, Any]) -> None:
    assert past_of(line) is None


def test_what_a_line_tells_of_the_call_is_kept() -> None:
    found = past(logs.review(7, "deny", rule="deny-rm", needs_review=True))
    assert found.rules == ("deny-rm",)
    assert found.reasoning == "Bash, command: rm -rf x"
    assert (found.session, found.cwd, found.needs_review) == ("s3", "/p", True)
    assert (found.command, found.subject) == ("rm -rf x", "rm -rf x")
    read = past({"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "/p/a.ipynb"}})
    assert (read.command, read.subject) == ("", "/p/a.ipynb")
    own = past(logs.own(1, path="src/a.py", action="create", tool="Write", tool_call_id="t1"))
    assert (own.subject, own.action, own.key) == ("src/a.py", Action.CREATE, "t1")
    assert past(logs.own(1, "read_file", path="a")).action is Action.READ
    assert past(logs.own(1, "rejected", path="a")).person is Person.REJECTED


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        (logs.audit(1, "allow", "x" * 256 + "…"), False),
        (logs.audit(1, "allow", "x" * 256 + "..."), False),
        (logs.audit(1, "allow", "echo ..."), True),
        (logs.own(1, command="npm install[+1 lines]"), False),
        (logs.own(1, command="npm install --token [redacted]"), False),
        (logs.own(1, command="npm install"), True),
    ],
    ids=lambda one: str(one)[-50:],
)
def test_what_was_cut_or_redacted_is_not_whole(line: dict[str, Any], whole: bool) -> None:
    assert past(line).whole is whole


def test_who_spoke_is_told_apart_from_what_holds_where_nobody_does() -> None:
    assert Past(rules=("default.run",)).by_default
    assert not Past(rules=("default.run", "x")).by_default
    assert not Past().by_default


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["tool_name", "tool_input", "decision", "op", "status", "rules", "path", "command",
     "rule_metadata", "llm_metadata", "review_flags", "timestamp", "session_id", "action"]
)  # fmt: skip


@given(event=st.dictionaries(NAMES, JSON | st.sampled_from(["tool_call", "rejected", "denied"])))
@settings(deadline=None)
def test_no_line_whatever_it_holds_makes_reading_fail(event: dict[str, Any]) -> None:
    found = past_of(event)
    if found is not None:
        assert found.decision in ("", *DECISIONS)
        assert isinstance(found.subject, str)
