"""Call the real MCP server for a demonstration: a process, the protocol's lines, a tool's words.

Always true: what is missing is told as a sentence; nothing here raises for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

VERSION = "2025-06-18"
SECONDS = 60


def asked(root: str, tool: str, arguments: dict[str, str]) -> str:
    """Return what a tool answers, for a person to read."""
    if find_spec("mcp") is None:
        return "(left out: it needs the extra `mcp`)"
    client = {"name": "demo", "version": "1"}
    first = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}
    lines: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": first},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "penstock.cli", "mcp", "--workspace", root],
        input=text.encode(),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    found: Any = next((one["result"] for one in answers if one.get("id") == 2), {})
    content = found.get("content") or [{"text": "(no answer)"}]
    return str(content[0]["text"]).splitlines()[0]
