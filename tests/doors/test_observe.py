"""While a project observes: an agent's own tools pass, Penstock's own go by the rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.broker import Broker
from penstock.doors.langgraph.deepagents.backend import PenstockBackend
from tests.cli.pending import gate_of
from tests.doors.broker.brokers import status
from tests.doors.hook.hooks import Hook
from tests.doors.http.test_serve import serving
from tests.doors.langgraph.conftest import own
from tests.doors.langgraph.guarded_agent import Guarded
from tests.doors.langgraph.scripted_model import said
from tests.doors.mcp.client import call, talk
from tests.project import Project

__all__ = ["own"]
SECRET = "TOKEN=keep\n"
LONG = "".join(f"line {n}\n" for n in range(270))


@pytest.fixture
def observing(own: Project) -> Project:
    own.write("penstock.toml", 'version = 1\npreset = "guard"\nobserve = true\n')
    own.write(".env", SECRET)
    own.write("big.py", LONG)
    return own


def entries(project: Project) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project.run("audit", "log", "--json").json["events"]
    return found


# --- an agent's own tools ------------------------------------------------------------------------


def test_a_hook_over_http_lets_pass_and_records(observing: Project) -> None:
    hook = Hook(observing)
    given = {"file_path": hook.at(".env"), "content": "x\n"}
    with serving(observing) as server:
        code, answer = server.send(hook.document("PreToolUse", "Write", given, "toolu_1"))
    assert (code, "deny" in json.dumps(answer)) == (200, False)
    assert [(one["status"], one["would"]) for one in entries(observing)] == [("allowed", "denied")]


@pytest.mark.parametrize(("path", "would"), [(".env", "denied"), ("big.py", "hitl_required")])
def test_the_tools_of_a_graph_run_and_are_recorded(
    observing: Project, path: str, would: str
) -> None:
    scene = Guarded(observing, [("write_file", {"file_path": path, "content": "x\n"})])
    (answer,) = said(scene.start())
    assert (answer.status, scene.ran) == ("success", [f"write_file {path}"])
    assert (observing.root / path).read_text() == "x\n"
    judged = [one for one in entries(observing) if one["op"] == "tool_call"]
    assert [(one["status"], one["would"]) for one in judged] == [("allowed", would)]


def test_the_tools_of_a_graph_do_not_remove_the_gate(observing: Project) -> None:
    rules = (observing.root / "penstock.toml").read_text()
    scene = Guarded(observing, [("write_file", {"file_path": "penstock.toml", "content": "x"})])
    assert said(scene.start())[0].status == "error"
    assert (observing.root / "penstock.toml").read_text() == rules


# --- what goes through Penstock itself ------------------------------------------------------------


def test_the_mcp_server_goes_by_the_rules(observing: Project) -> None:
    assert call(observing, "read_file", path=".env").error
    assert call(observing, "write_file", path=".env", content="x").error
    waits = call(observing, "write_file", path="big.py", content="x\n")
    assert waits.data["status"] == "hitl_required"
    asked = {"tool": "Write", "input": {"file_path": ".env", "content": "x"}}
    explained = talk(observing, lambda to: to.call("explain_decision", **asked))
    assert explained.data["verdict"] == "deny"
    assert (observing.root / ".env").read_text() == SECRET
    assert (observing.root / "big.py").read_text() == LONG


def test_the_broker_goes_by_the_rules(observing: Project) -> None:
    broker = Broker(observing.root)
    for tool, path, said_to_it in (
        ("write_file", ".env", "denied"),
        ("read_file", ".env", "denied"),
        ("write_file", "big.py", "hitl_required"),
    ):
        request = {"tool_name": tool, "path": path, "content": "x\n"}
        assert status(broker.execute_tool(request)) == said_to_it


def test_the_file_backend_of_deep_agents_goes_by_the_rules(observing: Project) -> None:
    backend = PenstockBackend(observing.root)
    assert "keep" not in str(backend.read("/.env"))
    assert backend.write("/.env", "x\n").error
    assert (observing.root / ".env").read_text() == SECRET


def test_a_program_that_proposes_goes_by_the_rules(observing: Project) -> None:
    from penstock import Item

    with gate_of(observing) as gate:
        made = gate.propose([Item(path=".env", content=b"x"), Item(path="big.py", content=b"x")])
    assert [str(one.state) for one in made] == ["denied", "waiting"]


def test_status_and_init_say_which_is_which(observing: Project) -> None:
    told = observing.run("status").out
    assert told.startswith("OBSERVE MODE: agents' calls are only logged, not blocked")
    assert "MCP server, broker, LangGraph write gate) still enforce the rules" in told
    made = observing.run("init", "--agent", "claude", "--json").json["left"]
    assert any("still enforce the rules" in line for line in made)
