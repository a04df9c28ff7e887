"""Scripted models on loopback, in the wire formats that the clients speak.

A script is a list of steps; step N is the answer to a request whose history holds N turns of
ours, so retries and side requests cannot put the model out of step. After the last step it says
that it is done. The three dialects only translate: a step into a stream of events, and a request
into what the model was told.
Always true: every request is kept, whatever it holds.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

Json = Any  # what json.loads returns


@dataclass(frozen=True)
class Use:
    """The model calls a tool."""

    tool: str
    input: Mapping[str, Json] | str


@dataclass(frozen=True)
class Say:
    """The model says something and ends its turn."""

    text: str = "done"


Step = Use | Say


@dataclass(frozen=True, kw_only=True)
class Script:
    """What the model answers; `parts` are for conversations that open with a certain word."""

    steps: Sequence[Step]
    parts: Mapping[str, Sequence[Step]] = field(default_factory=dict)

    def step(self, opening: str, turn: int) -> Step:
        steps = next((s for word, s in self.parts.items() if word in opening), self.steps)
        return steps[turn] if turn < len(steps) else Say()

    def to_json(self) -> Json:
        return {
            "steps": [asdict(step) for step in self.steps],
            "parts": {word: [asdict(step) for step in steps] for word, steps in self.parts.items()},
        }

    @staticmethod
    def from_json(value: Json) -> Script:
        return Script(
            steps=[_step(step) for step in value["steps"]],
            parts={word: [_step(step) for step in s] for word, s in value["parts"].items()},
        )


def _step(value: Json) -> Step:
    return Use(value["tool"], value["input"]) if "tool" in value else Say(value["text"])


@dataclass(frozen=True, kw_only=True)
class Result:
    """What the model was told after one tool call; `also` is what came beside the result."""

    call: str
    text: str
    error: bool
    also: str


@dataclass(frozen=True)
class Answer:
    """One answer of the server."""

    body: str
    status: int = 200
    kind: str = "application/json"


NOT_FOUND = Answer('{"error": {"type": "not_found_error", "message": "not here"}}', status=404)
STREAM = "text/event-stream"


class Dialect:
    """One wire format."""

    base: ClassVar[str] = ""  # what the client's base address ends with

    def answer(self, path: str, body: Json, script: Script) -> Answer:
        """Return what the model's server says to a request."""
        raise NotImplementedError

    def results(self, bodies: Sequence[Json]) -> tuple[Result, ...]:
        """Return what the model was told about its tool calls, in order, each once."""
        found: dict[str, Result] = {}
        for body in bodies:
            for each in self._results(body):
                found.setdefault(each.call, each)
        return tuple(found.values())

    def _results(self, body: Json) -> Iterator[Result]:
        raise NotImplementedError


class AnthropicMessages(Dialect):
    """Messages, streamed."""

    def answer(self, path: str, body: Json, script: Script) -> Answer:
        if path.endswith("/count_tokens"):
            return Answer('{"input_tokens": 100}')
        if not path.endswith("/v1/messages"):
            return NOT_FOUND
        turns = [one for one in body["messages"] if one["role"] in ("user", "assistant")]
        count = sum(
            one["role"] == "assistant" and (at == 0 or turns[at - 1]["role"] != "assistant")
            for at, one in enumerate(turns)
        )
        # Titles, summaries and classifiers are asked for without tools.
        step = script.step(_text(turns[0]["content"]), count) if body.get("tools") else Say("ok")
        message = self._message(step, body, count)
        if not body.get("stream"):
            return Answer(json.dumps(message))
        return Answer(_events(self._stream(message)), kind=STREAM)

    def _message(self, step: Step, body: Json, turn: int) -> Json:
        block: Json = (
            {"type": "text", "text": step.text}
            if isinstance(step, Say)
            else {
                "type": "tool_use",
                "id": _call_id(body, turn),
                "name": step.tool,
                "input": step.input,
            }
        )
        return {
            "id": f"msg_{turn:04}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [block],
            "stop_reason": "end_turn" if isinstance(step, Say) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 10},
        }

    def _stream(self, message: Json) -> Iterator[tuple[str, Json]]:
        (block,) = message["content"]
        if block["type"] == "text":
            opened, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            opened = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
        yield "content_block_start", {"index": 0, "content_block": opened}
        yield "content_block_delta", {"index": 0, "delta": delta}
        yield "content_block_stop", {"index": 0}
        ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield "message_delta", {"delta": ended, "usage": {"output_tokens": 10}}
        yield "message_stop", {}

    def _results(self, body: Json) -> Iterator[Result]:
        messages = body.get("messages", []) if body.get("tools") else []
        for at, message in enumerate(messages):
            content = message["content"] if isinstance(message["content"], list) else []
            for block in content:
                if block["type"] == "tool_result":
                    beside = [_text([b for b in content if b["type"] == "text"])]
                    beside += _until_assistant(messages[at + 1 :])
                    yield Result(
                        call=block["tool_use_id"],
                        text=_text(block.get("content", "")),
                        error=bool(block.get("is_error")),
                        also="\n".join(beside),
                    )


def _call_id(body: Json, turn: int) -> str:
    """Return an id that differs between the conversations of one run."""
    opening = _text(body["messages"][0]["content"])
    return f"toolu_{zlib.crc32(opening.encode('utf-8', 'replace')):08x}_{turn:04}"


def _until_assistant(messages: Iterable[Json]) -> Iterator[str]:
    for message in messages:
        if message["role"] == "assistant":
            return
        yield _text(message["content"])


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if block.get("type") == "text")


class OpenAIResponses(Dialect):
    """Responses, streamed. An input that is text makes a call of a free-form tool."""

    base = "/v1"

    def answer(self, path: str, body: Json, script: Script) -> Answer:
        if not path.endswith("/responses"):
            return NOT_FOUND
        turn = sum(_is_ours(item) for item in body["input"])
        item = self._item(script.step("", turn), turn)
        return Answer(_events(self._stream(item, turn)), kind=STREAM)

    def _item(self, step: Step, turn: int) -> Json:
        if isinstance(step, Say):
            said = {"type": "output_text", "text": step.text, "annotations": []}
            return {"type": "message", "id": f"m{turn}", "role": "assistant", "content": [said]}
        space, _, name = step.tool.rpartition("/")
        call: Json = {"id": f"c{turn}", "call_id": f"call_{turn:04}", "name": name}
        if isinstance(step.input, str):
            return {**call, "type": "custom_tool_call", "input": step.input}
        call |= {"namespace": space} if space else {}
        return {**call, "type": "function_call", "arguments": json.dumps(step.input)}

    def _stream(self, item: Json, turn: int) -> Iterator[tuple[str, Json]]:
        response = {"id": f"resp_{turn}", "object": "response", "output": []}
        usage = {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 15,
        }
        yield "response.created", {"response": {**response, "status": "in_progress"}}
        yield "response.output_item.added", {"output_index": 0, "item": item}
        yield "response.output_item.done", {"output_index": 0, "item": item}
        done = {**response, "status": "completed", "output": [item], "usage": usage}
        yield "response.completed", {"response": done}

    def _results(self, body: Json) -> Iterator[Result]:
        items = body.get("input", [])
        for at, item in enumerate(items):
            if item.get("type") in ("function_call_output", "custom_tool_call_output"):
                output = item["output"]
                yield Result(
                    call=item["call_id"],
                    text=output if isinstance(output, str) else json.dumps(output),
                    error=False,  # the wire has no word for it
                    also="\n".join(_until_ours(items[at + 1 :])),
                )


def _is_ours(item: Json) -> bool:
    calls = ("function_call", "custom_tool_call")
    return item.get("type") in calls or item.get("role") == "assistant"


def _until_ours(items: Iterable[Json]) -> Iterator[str]:
    for item in items:
        if _is_ours(item):
            return
        if item.get("type") == "message":
            yield " ".join(part.get("text", "") for part in item["content"])


class GeminiContents(Dialect):
    """generateContent, streamed."""

    def answer(self, path: str, body: Json, script: Script) -> Answer:
        if path.endswith(":countTokens"):
            return Answer('{"totalTokens": 10}')
        if not path.endswith(("GenerateContent", ":generateContent")):
            return NOT_FOUND
        turn = sum(one.get("role") == "model" for one in body.get("contents", []))
        step = script.step("", turn) if _declares(body) else Say("{}")
        part: Json = (
            {"text": step.text}
            if isinstance(step, Say)
            else {"functionCall": {"id": f"call_{turn}", "name": step.tool, "args": step.input}}
        )
        content = {"role": "model", "parts": [part]}
        counts = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        chunk = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": counts,
            "modelVersion": body.get("model", "scripted"),
        }
        if path.endswith(":streamGenerateContent"):
            return Answer(f"data: {json.dumps(chunk)}\r\n\r\n", kind=STREAM)
        return Answer(json.dumps(chunk))

    def _results(self, body: Json) -> Iterator[Result]:
        for content in body.get("contents", []) if _declares(body) else []:
            for part in content.get("parts", []):
                if "functionResponse" in part:
                    said = part["functionResponse"]
                    yield Result(
                        call=said["id"],
                        text=json.dumps(said["response"], ensure_ascii=False),
                        error="error" in said["response"],
                        also="\n".join(p["text"] for p in content["parts"] if "text" in p),
                    )


def _declares(body: Json) -> bool:
    return any(tool.get("functionDeclarations") for tool in body.get("tools", []))


def _events(events: Iterable[tuple[str, Json]]) -> str:
    return "".join(
        f"event: {name}\ndata: {json.dumps({**value, 'type': name})}\n\n" for name, value in events
    )


DIALECTS: Mapping[str, Dialect] = {
    "anthropic": AnthropicMessages(),
    "openai": OpenAIResponses(),
    "gemini": GeminiContents(),
}


class ModelServer(ThreadingHTTPServer):
    """A model on a free port of loopback; `bodies` are the requests so far."""

    daemon_threads = True

    def __init__(self, dialect: Dialect, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.dialect, self.script = dialect, script
        self.bodies: list[Json] = []
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{self.dialect.base}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, *_: object) -> None:
        """Say nothing: the requests are kept."""

    def do_HEAD(self) -> None:
        self._send(Answer(""))

    def do_GET(self) -> None:
        self._send(NOT_FOUND)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        self.server.bodies.append(body)
        self._send(self.server.dialect.answer(self.path.split("?")[0], body, self.server.script))

    def _send(self, answer: Answer) -> None:
        data = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("content-type", answer.kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:  # the client has what it wanted
            self.close_connection = True
