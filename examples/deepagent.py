"""A deep agent whose files are behind the gate: one line, `PenstockBackend`.

    python examples/deepagent.py                       a scripted model, in a project of its own
    python examples/deepagent.py --model openai:gpt-5 --project .           a real one, right here

The main agent hands the work to a subagent, and the subagent's writes pass the same gate. While
the question is open, somebody saves the file: approving it then writes nothing, and says why.
Leave that out with `--quiet`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from deepagents import create_deep_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from penstock.langgraph import PenstockBackend

THREAD: Any = {"configurable": {"thread_id": "example"}}
TASK = "Let the writer shorten /app.py."


class Scripted(BaseChatModel):
    """Stands in for a language model, so that this runs without one: it makes one call."""

    call: tuple[str, dict[str, str]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Scripted:
        """Accept any tools; the script knows them."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        heard = [one for one in messages if isinstance(one, ToolMessage)]
        name, given = self.call
        message = AIMessage("", tool_calls=[{"name": name, "args": given, "id": f"call-{name}"}])
        if heard:
            message = AIMessage(f"I was told: {heard[-1].content}")
        return ChatResult(generations=[ChatGeneration(message=message)])


def agent_in(project: Path, model: str) -> Any:
    """Return a deep agent with one subagent, working in a project."""
    short = "".join(f"print({number})\n" for number in range(56))
    handed = {"description": "shorten /app.py", "subagent_type": "writer"}
    writer: Any = {
        "name": "writer",
        "description": "Writes files.",
        "system_prompt": "You write files.",
        "model": model or Scripted(call=("write_file", {"file_path": "/app.py", "content": short})),
    }
    return create_deep_agent(
        model or Scripted(call=("task", handed)),
        subagents=[writer],
        backend=PenstockBackend(project),  # the one line
        checkpointer=InMemorySaver(),
    )


def run(project: Path, *, model: str = "", quiet: bool = False) -> str:
    """Let the agent work, approve what it asks, and return what it says at the end."""
    agent = agent_in(project, model)
    result = agent.invoke({"messages": [("user", TASK)]}, THREAD)
    while result.get("__interrupt__"):
        asked = result["__interrupt__"][0].value["action_requests"]
        for action in asked:
            print(action["description"].splitlines()[0])
        if not quiet:
            (project / "app.py").write_text("# saved by you while the question was open\n")
            print("-> app.py is saved by somebody else; now approve")
        answer = {"decisions": [{"type": "approve"} for _ in asked]}
        result = agent.invoke(Command(resume=answer), THREAD)
    return str(result["messages"][-1].content)


def main() -> None:
    """Read the arguments and run."""
    import tempfile

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", default="", help="a model as LangChain names it")
    parser.add_argument("--project", type=Path, help="a directory (default: a new one)")
    parser.add_argument("--quiet", action="store_true", help="nobody saves the file meanwhile")
    given = parser.parse_args()
    project = given.project or Path(tempfile.mkdtemp(prefix="penstock-example-"))
    if given.project is None:
        (project / ".git").mkdir()
        (project / "app.py").write_text("".join(f"line_{n} = {n}\n" for n in range(270)))
    print(run(project.resolve(), model=given.model, quiet=given.quiet))
    print(f"app.py begins with: {(project / 'app.py').read_text().splitlines()[0]}")


if __name__ == "__main__":
    main()
