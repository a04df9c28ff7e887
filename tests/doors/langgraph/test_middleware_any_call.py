"""Whatever a model calls, with whatever arguments: it is judged, and nothing breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.app import open_workspace
from penstock.core.model import Verdict
from penstock.doors.langgraph.thread import Thread
from penstock.doors.langgraph.tools.calls import GraphCall
from penstock.doors.langgraph.tools.writes import ToolGate

PLAIN = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=12)
LISTS = st.lists(PLAIN, max_size=3)
JSON = PLAIN | LISTS | st.dictionaries(st.text(max_size=5), PLAIN | LISTS, max_size=3)
PATHS = st.sampled_from(
    [".env", "app.py", "/app.py", "../x", "link", "a/../.env", "", "/", ".git/config", "\x00", "~"]
)
KEYS = st.sampled_from(
    ["file_path", "path", "content", "command", "old_string", "new_string", "patch", "text", "x"]
)
NAMES = st.sampled_from(
    [
        *("write_file", "edit_file", "delete", "shell", "execute", "read_file", "apply_patch"),
        *("save_document", "mcp__s__write", "str_replace_based_edit_tool", "weather", ""),
    ]
)
COMMANDS = st.sampled_from(["echo x > .env", "rm app.py", "ls", "cd ..", "eval $X", "("])
ARGS = st.dictionaries(KEYS, JSON | PATHS | COMMANDS, max_size=5)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolGate]:
    root = tmp_path_factory.mktemp("any") / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".env").write_text("TOKEN=1\n")
    (root / "app.py").write_text("".join(f"line {number}\n" for number in range(270)))
    (root / "link").symlink_to(".env")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(root.parent / "config"))
        here = open_workspace(str(root), state=str(root.parent / "state"))
        yield ToolGate(here=here, agent="langchain", virtual=True)


@given(name=NAMES | st.text(max_size=10), args=ARGS, step=st.uuids())
@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_looking_at_any_call_ends_with_plain_json_and_writes_nothing(
    tools: ToolGate, name: str, args: dict[str, object], step: object
) -> None:
    wanted = GraphCall(name=name, args=args, id="call", thread=Thread(id="t", step=str(step)))
    found = tools.look([wanted])
    assert json.loads(json.dumps(found)) == found
    again = tools.look([wanted])
    assert [one["proposals"] for one in again.values()] == [
        one["proposals"] for one in found.values()
    ], "looking again finds the same proposals"
    root = Path(tools.here.root)
    assert (root / ".env").read_text() == "TOKEN=1\n"
    assert len((root / "app.py").read_text().splitlines()) == 270
    asked = found.get("call")
    if asked is not None:
        assert wanted.is_what(asked)
        assert "refused" in asked or tools.judge(wanted).decision.verdict is Verdict.ASK


@given(one=ARGS, other=ARGS)
@settings(max_examples=200, deadline=None)
def test_an_entry_fits_no_other_call(one: dict[str, object], other: dict[str, object]) -> None:
    first, second = GraphCall(name="write_file", args=one), GraphCall(name="write_file", args=other)
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (first.fingerprint == second.fingerprint) is same
    assert first.fingerprint != GraphCall(name="edit_file", args=one).fingerprint
