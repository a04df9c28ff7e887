"""A LangChain agent whose every tool call passes the gate: one line, `PenstockMiddleware`.

    python examples/langchain_agent.py                   a scripted model, in a project of its own
    python examples/langchain_agent.py --model openai:gpt-5 --project .     a real one, right here

The scripted model tries three writes: a new file (the rules allow it), `.env` (they deny it) and
a file of 270 lines replaced by 56 (they ask you). You are asked at the terminal; without one,
`--answer approve` or `--answer reject` answers for you.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from penstock.langgraph import PenstockMiddleware

TASK = "Write down what you plan, set the token, and shorten app.py."
THREAD: Any = {"configurable": {"thread_id": "example"}}


class Scripted(BaseChatModel):
    """Stands in for a language model, so that this runs without one."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Scripted:
        """Accept any tools; the script knows them."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        if any(isinstance(one, AIMessage) for one in messages):
            return _spoken(AIMessage("I am done."))
        short = "".join(f"print({number})\n" for number in range(56))
        calls = [("plan.md", "# Plan\n"), (".env", "TOKEN=mine\n"), ("app.py", short)]
        return _spoken(
            AIMessage(
                "I will write three files.",
                tool_calls=[
                    {
                        "name": "write_file",
                        "args": {"file_path": path, "content": content},
                        "id": f"call-{path}",
                    }
                    for path, content in calls
                ],
            )
        )


def _spoken(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def tools_of(project: Path) -> list[BaseTool]:
    """Return ordinary tools: they know nothing of the gate."""

    @tool
    def write_file(file_path: str, content: str) -> str:
        """Write a file of the project."""
        (project / file_path).write_text(content)
        return f"wrote {file_path}"

    @tool
    def read_file(file_path: str) -> str:
        """Read a file of the project."""
        return (project / file_path).read_text()

    return [write_file, read_file]


def agent_in(project: Path, model: str) -> Any:
    """Return an agent that works in a project."""
    return create_agent(
        model or Scripted(),
        tools_of(project),
        middleware=[PenstockMiddleware(project)],  # the one line
        checkpointer=InMemorySaver(),  # without one nobody can be asked, and changes wait
    )


def decide(action: dict[str, Any], answer: str) -> dict[str, Any]:
    """Show what would be written and ask for it."""
    print(action["description"])
    if not answer:
        said = input("write this? [yes/no] ") if sys.stdin.isatty() else "no"
        answer = "approve" if said.strip().lower() in ("y", "yes") else "reject"
    print(f"-> {answer}")
    return {"type": answer}


def run(project: Path, *, model: str = "", answer: str = "") -> list[ToolMessage]:
    """Let the agent work, answer what it asks, and return what its tools were told."""
    agent = agent_in(project, model)
    result = agent.invoke({"messages": [("user", TASK)]}, THREAD)
    while result.get("__interrupt__"):
        asked = result["__interrupt__"][0].value["action_requests"]
        decisions = [decide(action, answer) for action in asked]
        result = agent.invoke(Command(resume={"decisions": decisions}), THREAD)
    return [one for one in result["messages"] if isinstance(one, ToolMessage)]


def new_project() -> Path:
    """Make a small project to play in."""
    project = Path(tempfile.mkdtemp(prefix="penstock-example-"))
    (project / ".git").mkdir()
    (project / "app.py").write_text("".join(f"line_{number} = {number}\n" for number in range(270)))
    return project


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", default="", help="a model as LangChain names it")
    parser.add_argument("--project", type=Path, help="a directory (default: a new one)")
    parser.add_argument("--answer", choices=["approve", "reject"], default="")
    given = parser.parse_args()
    project = (given.project or new_project()).resolve()
    for message in run(project, model=given.model, answer=given.answer):
        print(f"{message.status:8} {message.content}")
    print(f"project  {project}")


if __name__ == "__main__":
    main()
