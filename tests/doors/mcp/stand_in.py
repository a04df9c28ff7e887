"""The real server with a judge that does what the body says: `python -m tests.doors.mcp.stand_in`.

One argument: the bounds as JSON. The token is `right`, the agents are claude and codex.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from penstock.doors.http.connection import Bounds
from penstock.doors.http.hook_endpoint import Desk, Hook
from penstock.doors.http.routes import Route, Routes
from penstock.doors.http.server import Server, bound, run
from penstock.doors.http.talk import say

TOKEN = "right"
SMALL = 32 * 1024
LARGEST = 2 * 1024 * 1024


@dataclass
class Said:
    stdout: str = ""
    stderr: str = ""
    code: int = 0
    claims: tuple[str, ...] = ()


class Judge:
    """Small calls are answered at once, others and those that sleep in a thread."""

    def quick(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Said | None:
        try:
            small = len(data) < SMALL and isinstance(json.loads(data), dict)
            small = small and b"unrecorded" not in data
        except ValueError:
            return None
        return self.reply(agent, data, environ) if small else None

    def late(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Said:
        asked = json.loads(data)
        time.sleep(asked.get("sleep late", 0))
        return Said(json.dumps({"n": "late"}))

    def reply(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Said:
        asked = json.loads(data)
        time.sleep(asked.get("sleep", 0))
        if "raise" in asked:
            raise RuntimeError(asked["raise"])
        if "exit" in asked:
            return Said(stderr=asked.get("stderr", ""), code=asked["exit"])
        if "silent" in asked:
            return Said()
        if "unrecorded" in asked:
            asked["n"] = threading.current_thread().name.partition("_")[0]
        project = environ.get("CLAUDE_PROJECT_DIR", "")
        return Said(json.dumps({"agent": agent, "n": asked.get("n"), "project": project}) + "\n")


async def broken(scope: object, receive: object, send: object) -> None:
    raise RuntimeError("not even an answer")


def main() -> None:
    desk = Desk(Judge(), {"HOME": "/h"}, seconds=2.5)
    routes = [
        Route(
            method="POST",
            path=f"/hook/{agent}",
            token=TOKEN,
            largest=LARGEST,
            app=Hook(agent, desk),
        )
        for agent in ("claude", "codex")
    ]
    routes.append(Route(method="GET", path="/broken", app=broken))
    app, on, bounds = Routes(routes), bound(0), Bounds(**json.loads(sys.argv[1]))
    port = on.getsockname()[1]
    made = Server(
        app,
        admit=app.admit,
        bounds=bounds,
        ready=lambda: say(f"listening on http://127.0.0.1:{port} (pid {os.getpid()})"),
    )
    run(made, on)
    say("stopped")


if __name__ == "__main__":
    main()
