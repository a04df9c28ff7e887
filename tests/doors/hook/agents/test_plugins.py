"""The plugins for OpenCode and Amp, loaded by a real JavaScript engine as those agents do.

The command behind them is a stand-in here that answers as the hook does; the hook itself is
behind them in the last test.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock.doors.hook.agents import agent_module
from penstock.doors.setup.scopes import hook_command
from tests.project import Project

pytestmark = pytest.mark.skipif(
    not shutil.which("node"), reason="node is not installed; try: tools/node"
)

# Loads a plugin, makes one call, and prints what the agent would do.
OPENCODE = """\
const { Penstock } = await import(process.argv[2]);
const asked = JSON.parse(process.argv[3]);
const hooks = await Penstock({ directory: asked.cwd, worktree: asked.cwd });
const input = { tool: asked.tool, sessionID: "s-1", callID: "c-1" };
const result = { output: "done", title: "", metadata: {} };
try {
  await hooks["tool.execute.before"](input, { args: asked.args });
  await hooks["tool.execute.after"]({ ...input, args: asked.args }, result);
  console.log(JSON.stringify({ ran: true, output: result.output }));
} catch (problem) {
  console.log(JSON.stringify({ ran: false, output: problem.message }));
}
"""
AMP = """\
const plugin = (await import(process.argv[2])).default;
const asked = JSON.parse(process.argv[3]);
const heard = {};
plugin({ on: (name, then) => { heard[name] = then; } });
const event = { tool: asked.tool, input: asked.args, toolUseID: "c-1", thread: { id: "t-1" } };
const answer = await heard["tool.call"](event, {});
await heard["tool.result"](event, {});
const ran = answer.action === "allow";
console.log(JSON.stringify({ ran, output: ran ? "done" : answer.message, answer }));
"""
DRIVERS = {"opencode": OPENCODE, "amp": AMP}

STAND_IN = """\
import json, sys
call = json.load(sys.stdin)
with open(sys.argv[1], "a") as log:
    log.write(json.dumps(call) + "\\n")
path = call["input"].get("filePath") or call["input"].get("path") or ""
if ".env" in path and call["event"] == "before":
    sys.stderr.write("Protected path: .env cannot be modified\\n")
    sys.exit(2)
if "noted" in path and call["event"] == "before":
    print("production code")
if "broken" in path:
    sys.exit(1)
"""


def run(
    agent: str, command: str, cwd: Path, tool: str, *, strict: bool = False, **args: Any
) -> Any:
    (entry,) = agent_module(agent).registration(command, strict=strict)
    plugin, driver = cwd / "plugin.mjs", cwd / "driver.mjs"
    plugin.write_text(entry["text"])
    driver.write_text(DRIVERS[agent])
    asked = json.dumps({"tool": tool, "args": args, "cwd": str(cwd)})
    done = subprocess.run(
        ["node", str(driver), str(plugin), asked],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def stand_in(tmp_path: Path) -> str:
    """A command that answers as the hook does; with a blank in its path, to be taken whole."""
    script = tmp_path / "a dir" / "hook.py"
    script.parent.mkdir()
    script.write_text(STAND_IN)
    return shlex.join([sys.executable, str(script), str(tmp_path / "log")])


@pytest.mark.parametrize("agent", DRIVERS)
def test_a_denied_call_is_refused_with_its_reason(
    agent: str, stand_in: str, tmp_path: Path
) -> None:
    said = run(agent, stand_in, tmp_path, "write", filePath=".env", content="x")
    assert said["ran"] is False
    assert said["output"] == "Protected path: .env cannot be modified"


@pytest.mark.parametrize("agent", DRIVERS)
def test_an_allowed_call_runs_and_is_told_before_and_after(
    agent: str, stand_in: str, tmp_path: Path
) -> None:
    said = run(agent, stand_in, tmp_path, "write", filePath="a.txt", content="é\n")
    assert said["ran"] is True
    before, after = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert (before["event"], after["event"]) == ("before", "after")
    read = agent_module(agent).read
    calls = [read(document, {}) for document in (before, after)]
    assert calls[0].tool_input == {"filePath": "a.txt", "content": "é\n"}
    assert calls[0].cwd == str(tmp_path)
    assert calls[0].call_id == calls[1].call_id == "c-1"


def test_what_is_noted_comes_with_the_tools_result(stand_in: str, tmp_path: Path) -> None:
    said = run("opencode", stand_in, tmp_path, "write", filePath="noted.txt", content="x")
    assert said == {"ran": True, "output": "done\nproduction code"}


@pytest.mark.parametrize("agent", DRIVERS)
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("how", ["ends with 1", "is not there"])
def test_a_hook_that_fails_blocks_where_the_rules_are_strict(
    agent: str, strict: bool, how: str, stand_in: str, tmp_path: Path
) -> None:
    command = stand_in if how == "ends with 1" else "/nowhere/python hook.py"
    said = run(agent, command, tmp_path, "write", strict=strict, filePath="broken", content="")
    assert said["ran"] is not strict
    if strict:
        assert "Penstock hook failed" in said["output"]


@pytest.mark.parametrize("agent", DRIVERS)
def test_large_content_reaches_the_hook_whole(agent: str, stand_in: str, tmp_path: Path) -> None:
    said = run(agent, stand_in, tmp_path, "write", filePath="a.txt", content="y" * 60_000)
    assert said["ran"] is True
    call = json.loads((tmp_path / "log").read_text().splitlines()[0])
    assert len(call["input"]["content"]) == 60_000


@pytest.mark.parametrize("agent", DRIVERS)
def test_the_real_hook_stands_behind_the_plugin(
    agent: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PENSTOCK_RESIDENT", "off")
    command = hook_command(agent)
    denied = run(agent, command, project.root, "write", filePath=".env", content="x")
    assert denied["ran"] is False
    assert ".env" in denied["output"]
    allowed = run(agent, command, project.root, "write", filePath="a.txt", content="x")
    assert allowed["ran"] is True
