"""Tool calls made of any JSON: they become intents, and their edits fit or say why not."""

from __future__ import annotations

import json
from contextlib import suppress

from penstock.core.errors import PenstockError
from penstock.core.tools.intents import intents, resulting
from penstock.core.tools.table import TOOLS

NAMES = (*sorted(TOOLS), "mcp__x__save", "mcp_x_read", "MCP:x", "@x/y", "pre_mcp_tool_use")
KEYS = (
    *("file_path", "content", "old_string", "new_string", "edits", "command", "patch", "diff"),
    *("notebook_path", "cell_id", "new_source", "edit_mode", "paths", "source", "destination"),
)


def _given(data: bytes) -> object:
    """Return JSON if it is some, else the bytes cut into arguments."""
    text = data.decode("utf-8", "surrogateescape")
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    pieces = text.split("\x00")
    return {KEYS[at % len(KEYS)]: piece for at, piece in enumerate(pieces[:40])}


def one(data: bytes) -> None:
    """Read a call, and put its edits on some files."""
    if len(data) < 2:
        return
    tool = NAMES[data[0] % len(NAMES)]
    found = intents(tool, _given(data[1:]), cwd="/p")  # type: ignore[arg-type]
    for intent in found:
        for before in (None, b"a\r\nb\r\n", b'{"cells": [{"id": "c", "source": ""}]}'):
            with suppress(PenstockError):
                resulting(intent, before)
