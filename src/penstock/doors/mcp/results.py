"""Our answers and errors in the protocol's own types.

Always true: an error carries its code in the text and in the data, and data always fits the
schema of its tool.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types

from penstock.core.audit.judgement import STATUS
from penstock.core.errors import PenstockError, RefusedError
from penstock.core.text.display import harmless
from penstock.doors.mcp.tool_call import Json, ToolAnswer
from penstock.doors.mcp.tool_table import Tool


def shown(tool: Tool) -> types.Tool:
    """Return a tool as clients are told of it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=not tool.reads,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def result(answer: ToolAnswer) -> types.CallToolResult:
    """Return an answer as the result of a call."""
    content = () if answer.content is None else (answer.content,)
    texts = (*content, *map(harmless, answer.texts))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=sendable(text)) for text in texts],
        structured_content=sendable(answer.data),
    )


def refusal(problem: PenstockError) -> types.CallToolResult:
    """Return an error as a result that the model reads."""
    said = problem.as_json()["error"]
    error: Json = {name: harmless(text) for name, text in said.items()}
    data: Json = {"status": status_of(problem), "error": error}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=harmless(problem.render()))],
        structured_content=sendable(data),
        is_error=True,
    )


def sendable(value: Any) -> Any:
    """Return a value without halves of characters, which no UTF-8 has a place for."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [sendable(one) for one in value]
    if isinstance(value, dict):
        return {sendable(name): sendable(one) for name, one in value.items()}
    return value


def status_of(problem: PenstockError) -> str:
    """Return the word for what kept a call from being done: somebody's no, or an inability."""
    return STATUS["deny"] if isinstance(problem, RefusedError) else "error"
