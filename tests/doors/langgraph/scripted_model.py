"""A model that says what a test has written down, and tools that really write."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from pydantic import PrivateAttr

Call = tuple[str, dict[str, Any]]


class Scripted(BaseChatModel):
    """Stands in for a language model: each turn makes the next calls; after the last it is done.

    What it says depends only on the conversation, so that it can be asked again after a crash.
    """

    turns: list[list[Call]]
    numbered: bool = True
    same_id: bool = False
    _seen: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Scripted:
        del tools, kwargs
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        del args, kwargs
        self._seen.append(messages)
        turn = sum(isinstance(one, AIMessage) for one in messages)
        calls = self.turns[turn] if turn < len(self.turns) else []
        named = [
            {"name": name, "args": given, "id": self._id(turn, at)}
            for at, (name, given) in enumerate(calls)
        ]
        message = AIMessage("" if calls else "done", tool_calls=named)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _id(self, turn: int, at: int) -> str:
        if self.same_id:
            return "call"
        return f"call-{turn}-{at}" if self.numbered else f"call-{at}"


def said(result: dict[str, Any]) -> list[ToolMessage]:
    """Return what the tools answered."""
    return [one for one in result["messages"] if isinstance(one, ToolMessage)]


def tools_of(root: Path, ran: list[str]) -> list[BaseTool]:
    """Return tools that write without asking anybody, and note that they ran."""

    @tool
    def write_file(file_path: str, content: str) -> str:
        """Write a file."""
        ran.append(f"write_file {file_path}")
        target = root / file_path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        return "written"

    @tool
    def edit_file(file_path: str, old_string: str, new_string: str) -> str:
        """Replace a text in a file."""
        ran.append(f"edit_file {file_path}")
        target = root / file_path
        target.write_text(target.read_text().replace(old_string, new_string))
        return "edited"

    @tool
    def read_file(file_path: str) -> str:
        """Read a file."""
        ran.append(f"read_file {file_path}")
        return (root / file_path).read_text()

    @tool
    def shell(command: str) -> str:
        """Run a command."""
        ran.append(f"shell {command}")
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=root,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return done.stdout + done.stderr

    @tool
    def mcp__files__write_file(path: str, content: str) -> str:
        """Write a file, as a server's tool."""
        ran.append(f"mcp {path}")
        (root / path).write_text(content)
        return "written"

    @tool
    def save_document(filename: str, text: str) -> str:
        """Save a document: a tool that nobody has heard of."""
        ran.append(f"save_document {filename}")
        (root / filename).write_text(text)
        return "saved"

    @tool
    def weather(city: str) -> str:
        """Tell the weather."""
        ran.append(f"weather {city}")
        return "fair"

    return [
        write_file,
        edit_file,
        read_file,
        shell,
        mcp__files__write_file,
        save_document,
        weather,
    ]
