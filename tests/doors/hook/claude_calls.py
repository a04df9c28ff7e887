"""Calls as Claude Code sends them."""

from __future__ import annotations

import json
from pathlib import Path


def before(root: Path, tool: str, path: str, **given: str) -> bytes:
    full = path if path.startswith("/") else f"{root}/{path}"
    return json.dumps(
        {
            "session_id": "s1",
            "cwd": str(root),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": {"file_path": full, **given},
            "tool_use_id": f"toolu-{path}",
        }
    ).encode()
