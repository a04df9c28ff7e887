"""`penstock demo`: a scripted agent against a temporary project, with real files.

It goes through the hook, the broker and MCP. At a terminal it ends at the approval page, with
changes that wait to be clicked; without one it ends by itself.
Nothing of the person's own is touched: the project and its state live in a directory that is
removed at the end.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from penstock.cli import OK
from penstock.cli.output import console
from penstock.core.distribution import pip_install
from penstock.core.model import Actor
from penstock.gate import Item, Proof

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.doors.broker.service import Broker

MCP_VERSION = "2025-06-18"
SECONDS = 60
AGENT = Actor(agent="demo-agent", tool_call_id="call-1")
YOU = Proof(by="you", kind="front-end")
STUB = b"".join(b"def step_%d(): ...\n" % at for at in range(56))
LINE = "def step_{at}(): return {at}\n"
RULES = """\
version = 1
preset = "guard"

[[ask]]
id = "people-look"
paths = ["config/**", "src/admins.py"]
reason = "a person looks at settings and at who is an administrator"
"""
LIMITS = "".join(f"limit_{at} = {at * 100}\n" for at in range(1, 41))
# A key that is thrown away with the project; its passphrase is no secret.
PASSPHRASE = "let the water through"  # noqa: S105
REQUEST = {
    "type": "tool_request",
    "tool_name": "write_file",
    "tool_call_id": "call-1",
    "path": "src/app.py",
    "content": STUB.decode(),
}
PATCH = """\
*** Begin Patch
*** Update File: config/limits.toml
@@
-limit_3 = 300
+limit_3 = 350
@@
-limit_30 = 3000
+limit_30 = 9000
*** Update File: src/app.py
@@
-def step_7(): return 7
+def step_7(): return 7 * 2
*** End Patch
"""
HIDDEN = "ADMINS = ['ann', 'bob\u202e']  # see the warning: this line holds a hidden character\n"


@click.command()
def command() -> int:
    """Show a denied, a waiting, an approved and an undone write; then the approval page."""
    from penstock.cli.ask import at_terminal

    out = console()
    with project() as broker:
        root = broker.here.root
        out.print("a project with a file of 270 lines, guarded by the preset `guard`")
        out.print(f"and by a rule of its own\n{root}\n", markup=False)
        denied(out, root)
        shell(out, root)
        rewrite(out, root)
        waiting(out, broker)
        by_mcp(out, root)
        if at_terminal() and out.file.isatty():
            your_turn(out, broker.here)
    out.print("\nNext: penstock init, docs/tutorial.md", markup=False)
    return OK


@contextmanager
def project() -> Iterator[Broker]:
    """Make a project with a substantial file, and its state beside it, for every door alike."""
    from penstock.doors.broker.service import Broker

    with tempfile.TemporaryDirectory(prefix="penstock-demo-") as home, _at_home(home):
        root = os.path.join(home, "project")
        os.makedirs(os.path.join(root, "src"))
        os.makedirs(os.path.join(root, "config"))
        _write(root, "penstock.toml", RULES)
        _write(root, "config/limits.toml", LIMITS)
        _write(root, "src/app.py", "".join(LINE.format(at=at) for at in range(270)))
        yield Broker(root)


def _write(root: str, path: str, text: str) -> None:
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def _at_home(home: str) -> Iterator[None]:
    """Let state and settings be looked for below one directory, as the hook's process does."""
    places = {
        "XDG_STATE_HOME": os.path.join(home, ".local", "state"),
        "XDG_CONFIG_HOME": os.path.join(home, ".config"),
    }
    before = {name: os.environ.get(name) for name in places}
    os.environ.update(places)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def denied(out: Console, root: str) -> None:
    """1. The agent writes a secret."""
    _step(out, "1. the agent writes .env, and its hook asks Penstock")
    _tell(out, root, "Write", {"file_path": f"{root}/.env", "content": "KEY=1"})


def shell(out: Console, root: str) -> None:
    """2. It tries the same through the shell."""
    command = "printf 'KEY=1' | tee -a .env > /dev/null"
    _step(out, f"2. then it tries the shell: {command}")
    _tell(out, root, "Bash", {"command": command})


def rewrite(out: Console, root: str) -> None:
    """3. It replaces a file that is too large to lose, with nobody there to ask."""
    _step(out, "3. it rewrites src/app.py, 270 lines, as 56, with nobody there to ask")
    _tell(out, root, "Write", {"file_path": f"{root}/src/app.py", "content": STUB.decode()})


def waiting(out: Console, broker: Broker) -> None:
    """4. Another agent proposes the same; a person looks, approves, and changes their mind."""
    path, gate = os.path.join(broker.here.root, "src", "app.py"), broker.gate
    _step(out, "4. another agent proposes the same through the broker, and waits")
    result = broker.execute_tool(REQUEST)
    _say(out, str(result["output"]))
    proposal = next(
        one for one in gate.find(path="src/app.py") if one.actor.tool_call_id == "call-1"
    )
    change = proposal.change
    lost = f"{change.lines_deleted} of {change.existing_lines} lines would be lost"
    _say(out, f"{lost}; on the disk: {_lines(path)} lines")
    _step(out, "5. you approve exactly that")
    gate.answer(proposal.id, approve=True, proof=YOU)
    (receipt,) = gate.apply(proposal.id)
    _say(out, f"applied, receipt {receipt.id}; on the disk: {_lines(path)} lines")
    _step(out, "6. you take it back")
    (back,) = gate.undo([receipt])
    gate.answer(back.id, approve=True, proof=YOU)
    gate.apply(back.id)
    _say(out, f"on the disk: {_lines(path)} lines")


def by_mcp(out: Console, root: str) -> None:
    """7. Another agent asks for a change of two files at once."""
    _step(out, "7. another agent sends a patch of two files over MCP")
    _say(out, _ask_mcp(root, "apply_patch", {"patch": PATCH}))


def your_turn(out: Console, here: Workspace) -> None:
    """8. The page, until somebody stops it."""
    _step(out, "8. now it is your turn: the approval page")
    gate = here.gate
    gate.propose([Item(path="src/app.py", content=STUB)], actor=AGENT)
    gate.propose([Item(path="src/admins.py", content=HIDDEN.encode())], actor=AGENT)
    if not here.keys.exists():
        here.keys.init(PASSPHRASE)
    _say(out, f"approving asks for the approver's passphrase; here it is: {PASSPHRASE}")
    try:
        _serve(out, here)
    except ImportError:
        _say(out, f"it needs the extra `web`: {pip_install('web')}")


def _serve(out: Console, here: Workspace) -> None:
    from penstock.app.workspace import token_of
    from penstock.doors.http import server
    from penstock.doors.http.routes import Routes
    from penstock.doors.http.talk import Log
    from penstock.doors.web.app import make_app
    from penstock.doors.web.context import World

    listening = server.bound(0)
    world = World([here], token=token_of(os.path.dirname(here.state), "admin.token"))
    world.origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
    log = Log(_silent)
    routes = Routes([], rest=make_app(world), known=world.knows, log=log)

    def invite() -> None:
        _say(out, f"open {world.link()}")
        _say(out, "(it works once, for two minutes; Ctrl-C ends the demo)")

    made = server.Server(routes, admit=routes.admit, log=log, ready=invite)
    server.run(made, listening)


def _silent(_line: str, **_facts: object) -> None:
    """Keep the log out of the story."""


def _step(out: Console, text: str) -> None:
    out.print(f"\n{text}", markup=False, style="bold")


def _say(out: Console, text: str) -> None:
    out.print(f"   {text}", markup=False)


def _tell(out: Console, root: str, tool: str, tool_input: dict[str, str]) -> None:
    """Call the hook as an agent does, and show what it says."""
    _say(out, _ask_hook(root, tool, tool_input))


def _ask_hook(root: str, tool: str, tool_input: dict[str, str]) -> str:
    """Return what the real hook, a process, says to one call; its state lies beside the project."""
    from penstock.doors.hook.daemon_client import SWITCH
    from penstock.doors.setup.scopes import hook_command

    document = {
        "session_id": "demo",
        "cwd": root,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_use_id": "call-1",
    }
    place = os.path.dirname(root)
    settings = {"HOME": place, "CLAUDE_PROJECT_DIR": root, SWITCH: "off"}
    output = _run(shlex.split(hook_command("claude")), json.dumps(document), env=settings)
    if not output:
        return "nothing is said against it"
    said = json.loads(output)["hookSpecificOutput"]
    return f"{said.get('permissionDecision', 'told')}: {said['permissionDecisionReason']}"


def _ask_mcp(root: str, tool: str, arguments: dict[str, str]) -> str:
    """Return what a tool of the real MCP server, a process, answers; or what is missing for it."""
    if find_spec("mcp") is None:
        return "(left out: it needs the extra `mcp`)"
    client = {"name": "demo", "version": "1"}
    first = {"protocolVersion": MCP_VERSION, "capabilities": {}, "clientInfo": client}
    lines: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": first},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    output = _run([sys.executable, "-m", "penstock.cli", "mcp", "--workspace", root], text)
    answers = [json.loads(line) for line in output.splitlines()]
    found: Any = next((one["result"] for one in answers if one.get("id") == 2), {})
    content = found.get("content") or [{"text": "(no answer)"}]
    return str(content[0]["text"]).splitlines()[0]


def _run(command: list[str], text: str, env: dict[str, str] | None = None) -> bytes:
    return subprocess.run(  # noqa: S603 - our own command
        command,
        input=text.encode(),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
    ).stdout


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return file.read().count(b"\n")
