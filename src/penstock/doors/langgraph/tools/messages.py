"""LangChain's messages in our words, and our answers in theirs.

Always true: an answer that says no is an error, so that the model sees that nothing was done.
"""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.types import Command

from penstock.core.proposals.intent import LONGEST_WHY
from penstock.core.text.display import harmless
from penstock.doors.langgraph.thread import thread_here
from penstock.doors.langgraph.tools.answers import ToolReply
from penstock.doors.langgraph.tools.calls import CallEntry, GraphCall
from penstock.gate import Judgement

ASKED = "penstock_asked"  # the middleware's key in the graph's state
Answer = ToolMessage | Command[Any]


def pending(state: Any) -> list[GraphCall]:
    """Return the calls of the last message of the model that have no answer yet."""
    messages: list[AnyMessage] = state.get("messages") or []
    spoken = [at for at, one in enumerate(messages) if isinstance(one, AIMessage)]
    if not spoken:
        return []
    answered = {one.tool_call_id for one in messages[spoken[-1] :] if isinstance(one, ToolMessage)}
    last = messages[spoken[-1]]
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    said = _text_of(last)
    return [wanted_of(call, said) for call in calls if call["id"] not in answered]


def wanted_of(call: Any, said: str = "") -> GraphCall:
    """Return a call of a message in our words, with the step that runs now."""
    args = call["args"] if isinstance(call["args"], dict) else {}
    return GraphCall(
        name=call["name"], args=args, id=call["id"] or "", thread=thread_here(), said=said
    )


def _text_of(message: AnyMessage) -> str:
    """Return what a model wrote beside its calls, as far as a person is shown it."""
    content = message.content
    parts = [content] if isinstance(content, str) else content
    texts = (part if isinstance(part, str) else part.get("text", "") for part in parts)
    return "\n".join(text for text in texts if text and isinstance(text, str))[: 2 * LONGEST_WHY]


def asked_of(request: ToolCallRequest, wanted: GraphCall) -> CallEntry | None:
    """Return what was decided about exactly this call, None when nobody was asked."""
    state = request.state if isinstance(request.state, dict) else {}
    asked: CallEntry | None = (state.get(ASKED) or {}).get(wanted.id)
    return asked if asked is not None and wanted.is_what(asked) else None


def message_of(wanted: GraphCall, said: ToolReply) -> ToolMessage:
    """Return what is answered in a tool's place."""
    return ToolMessage(
        content=harmless(said.text),
        name=wanted.name,
        tool_call_id=wanted.id,
        status="success" if said.ok else "error",
        artifact={"penstock": dict(said.facts)},
    )


def with_notes(answer: Answer, judged: Judgement) -> Answer:
    """Tell the agent what the rules say beside an allowance: a warning is a note."""
    notes = judged.decision.notes
    if not notes or not isinstance(answer, ToolMessage) or not isinstance(answer.content, str):
        return answer
    told_ = "\n".join(f"Note: {harmless(note)}" for note in notes)
    return answer.model_copy(update={"content": f"{answer.content}\n\n{told_}"})
