"""The steps that need an extra: the MCP server, the LangGraph gate, the review page.

Always true: what is not installed is named with the command that installs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING

from penstock.cli.demo import agents
from penstock.cli.demo.project import PASSPHRASE, DemoProject
from penstock.core.distribution import pip_install
from penstock.core.loopback import page_origin

if TYPE_CHECKING:
    from penstock.cli.demo.stage import Stage

PATCH = """\
*** Begin Patch
*** Update File: config/shop.toml
@@
-min_total = 5
+min_total = 0
*** Update File: src/client/api.py
@@
-    return get('/v2/orders')
+    return get('/v3/orders')
*** End Patch
"""
HIDDEN = "ADMINS = ['ann', 'bob\u202e']  # one character of this line is hidden\n"


def mcp(stage: Stage, here: DemoProject) -> None:
    """Have a patch of two files held, over MCP."""
    stage.step(
        "MCP clients are covered", "An MCP client sends one patch for two files to `penstock mcp`."
    )
    answer = agents.mcp(here.root, "apply_patch", {"patch": PATCH})
    paths = " and ".join(sorted({one.path for one in here.gate.of_set(answer["proposal_id"])}))
    stage.outcome("PENDING", f"change set of 2 files, applied together or not at all: {paths}")


def langgraph(stage: Stage, here: DemoProject) -> None:
    """Have a graph's writes gated."""
    from penstock.cli.demo.tour import SHORTENED
    from penstock.doors.langgraph.node import safe_file_write_gate

    stage.step(
        "LangGraph workflows are covered",
        "A graph's node writes a new test and rewrites src/tax.py, with nobody to ask.",
    )
    writes = [
        {"target_path": "tests/test_tax.py", "new_content": "def test_tax(): ...\n"},
        {"target_path": "src/tax.py", "new_content": SHORTENED},
    ]
    state = {"pending_writes": writes, "auto_mode": True, "project_root": here.root}
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # what it prints, we show
        done = safe_file_write_gate(state)  # type: ignore[arg-type]
    stage.outcome("ALLOWED", f"{done['approved_writes'][0]['request']['target_path']} is written")
    stage.outcome("DENIED", str(done["rejected_writes"][0]["reason"]))


# For each step: its extra, a module of it, what a reader calls it.
EXTRAS: Mapping[str, tuple[str, str]] = {
    "mcp": ("mcp", "the MCP server"),
    "langgraph": ("langgraph", "the LangGraph gate"),
    "web": ("starlette", "the review page"),
}
STEPS: Mapping[str, Callable[[Stage, DemoProject], None]] = {"mcp": mcp, "langgraph": langgraph}


def has(extra: str) -> bool:
    """Say whether an extra is installed."""
    return find_spec(EXTRAS[extra][0]) is not None


def installed() -> list[Callable[[Stage, DemoProject], None]]:
    """Return the steps whose extra is installed."""
    return [step for extra, step in STEPS.items() if has(extra)]


def name_missing(stage: Stage) -> None:
    """Name what was left out, and how to get it."""
    missing = [extra for extra in EXTRAS if not has(extra)]
    if missing:
        names = ", ".join(EXTRAS[extra][1] for extra in missing)
        stage.out.print()
        stage.say(f"Not shown, because they are optional: {names}. To install:")
        stage.types(pip_install(",".join(missing)))


def page(stage: Stage, here: DemoProject) -> None:
    """Open the review page, until somebody stops it."""
    if not has("web"):
        return
    stage.step(
        "Your turn: the review page",
        f"It lists the pending changes. To approve one, type the passphrase of this "
        f"demo's key: {PASSPHRASE}",
    )
    here.broker.execute_tool(
        {
            "type": "tool_request",
            "tool_name": "write_file",
            "tool_call_id": "call-4",
            "path": "src/admins.py",
            "content": HIDDEN,
        }
    )
    _serve(stage, here)


def _serve(stage: Stage, here: DemoProject) -> None:
    from penstock.app.workspace import token_of
    from penstock.doors.http import server
    from penstock.doors.http.routes import Routes
    from penstock.doors.http.talk import Log
    from penstock.doors.web.app import make_app
    from penstock.doors.web.context import World

    listening = server.for_pages(0)
    workspace = here.workspace
    world = World([workspace], token=token_of(os.path.dirname(workspace.state), "admin.token"))
    world.origin = page_origin(listening[0].getsockname()[1])
    log = Log(_silent)
    routes = Routes([], rest=make_app(world), known=world.knows, log=log)

    def invite() -> None:
        stage.out.print(f"\n{world.link()}\n", markup=False, style="bold cyan")
        stage.say("Open this link (it works once, for two minutes). Ctrl-C ends the demo.")

    made = server.Server(routes, admit=routes.admit, log=log, ready=invite)
    server.run(made, *listening)


def _silent(_line: str, **_facts: object) -> None:
    """Keep the server's log out of the tour."""
