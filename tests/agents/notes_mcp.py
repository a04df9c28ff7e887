"""An MCP server on stdio with one tool that writes a file: `write_note(path, content)`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TEXT = {"type": "string"}
TOOL = {
    "name": "write_note",
    "description": "Write a note to a file",
    "inputSchema": {
        "type": "object",
        "properties": {"path": TEXT, "content": TEXT},
        "required": ["path", "content"],
    },
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of one request, or None for a method that is not known."""
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        about = {"name": "notes", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        note = params["arguments"]
        Path(note["path"]).write_text(note["content"])
        return {"content": [{"type": "text", "text": f"note written to {note['path']}"}]}
    return {} if method == "ping" else None


def main() -> None:
    """Answer until the client goes."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        unknown = {"error": {"code": -32601, "message": "not known here"}}
        reply = unknown if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
