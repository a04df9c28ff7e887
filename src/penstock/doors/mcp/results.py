"""Our answers and errors in the protocol's own types.

Always true: an error carries its code in the text and in the data, and data always fits the
schema of its tool.
"""

from __future__ import annotations

import mcp_types as types

from penstock.core.errors import PenstockError, RefusedError
from penstock.doors.mcp.asked import Answer, Json
from penstock.doors.mcp.tools import Tool


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


def result(answer: Answer) -> types.CallToolResult:
    """Return an answer as the result of a call."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text) for text in answer.texts],
        structured_content=answer.data,
    )


def refusal(problem: PenstockError) -> types.CallToolResult:
    """Return an error as a result that the model reads."""
    error: Json = dict(problem.as_json()["error"])
    data: Json = {"status": status_of(problem), "error": error}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=problem.render())],
        structured_content=data,
        is_error=True,
    )


def status_of(problem: PenstockError) -> str:
    """Return the word for what kept a call from being done: somebody's no, or an inability."""
    return "denied" if isinstance(problem, RefusedError) else "error"
