"""A model on loopback that asks its agent for a few writes and then is done.

It speaks as much of four wire formats as the agents that can be run need to believe it.
Which step comes next is read from the request, so a client that tries again changes nothing.
Always true: it listens on 127.0.0.1 only, and only while the context is open.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LARGEST = 64 * 1024 * 1024
TEXT = "probe\n"
Json = dict[str, Any]
Reply = tuple[str, str]  # the content type and the body
USAGE = {"input_tokens": 10, "output_tokens": 5}


@contextmanager
def model(agent: str, paths: Sequence[str]) -> Iterator[tuple[str, set[str]]]:
    """Give the address of a model that has an agent write to some paths, and what it asked for."""
    asked: set[str] = set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._send(200, ("application/json", ""))

        def do_GET(self) -> None:
            self._send(404, ("application/json", "{}"))

        def do_POST(self) -> None:
            size = min(int(self.headers.get("content-length") or 0), LARGEST)
            try:
                body = json.loads(self.rfile.read(size) or b"{}")
                reply = ANSWERS[agent](self.path.partition("?")[0], body, paths)
                asked.update(path for path in paths if path in reply[1])
                self._send(200, reply)
            except (ValueError, KeyError, TypeError, AttributeError):
                self._send(404, ("application/json", "{}"))

        def _send(self, status: int, reply: Reply) -> None:
            data = reply[1].encode()
            self.send_response(status)
            self.send_header("content-type", reply[0])
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    class ModelServer(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that left has what it wanted."""

    server = ModelServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()


def _stream(events: Sequence[tuple[str, Json]]) -> Reply:
    lines = [
        f"event: {name}\ndata: {json.dumps({**value, 'type': name})}\n\n" for name, value in events
    ]
    return "text/event-stream", "".join(lines)


# Anthropic's messages


def _messages(path: str, body: Json, paths: Sequence[str]) -> Reply:
    if path.endswith("/count_tokens"):
        return "application/json", '{"input_tokens": 10}'
    turn = sum(message["role"] == "assistant" for message in body["messages"])
    block: Json = {"type": "text", "text": "done"}
    if body.get("tools") and turn < len(paths):
        given = {"file_path": paths[turn], "content": TEXT}
        block = {"type": "tool_use", "id": f"toolu_{turn:04}", "name": "Write", "input": given}
    stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
    message = {
        **{"id": f"msg_{turn}", "type": "message", "role": "assistant"},
        **{"model": body.get("model", ""), "content": [block], "stop_reason": stop},
        **{"stop_sequence": None, "usage": USAGE},
    }
    if not body.get("stream"):
        return "application/json", json.dumps(message)
    return _stream(_message_events(message, block, stop))


def _message_events(message: Json, block: Json, stop: str) -> list[tuple[str, Json]]:
    opened, delta = {**block, "text": ""}, {"type": "text_delta", "text": block.get("text", "")}
    if stop == "tool_use":
        opened = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        ("message_start", {"message": {**message, "content": [], "stop_reason": None}}),
        ("content_block_start", {"index": 0, "content_block": opened}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}}),
        ("message_stop", {}),
    ]


# OpenAI's responses


def _responses(path: str, body: Json, paths: Sequence[str]) -> Reply:
    if not path.endswith("/responses"):
        raise ValueError(path)
    turn = sum(item.get("type") == "custom_tool_call" for item in body["input"])
    said = {"type": "output_text", "text": "done", "annotations": []}
    item: Json = {"type": "message", "id": f"m{turn}", "role": "assistant", "content": [said]}
    if turn < len(paths):
        patch = f"*** Begin Patch\n*** Add File: {paths[turn]}\n+probe\n*** End Patch"
        call = {"type": "custom_tool_call", "id": f"c{turn}", "call_id": f"call_{turn:04}"}
        item = {**call, "name": "apply_patch", "input": patch}
    response = {"id": f"resp_{turn}", "object": "response", "output": []}
    usage = {**USAGE, "total_tokens": 15, "input_tokens_details": {"cached_tokens": 0}}
    usage["output_tokens_details"] = {"reasoning_tokens": 0}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    return _stream(
        [
            ("response.created", {"response": {**response, "status": "in_progress"}}),
            ("response.output_item.added", {"output_index": 0, "item": item}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": done}),
        ]
    )


# Gemini's contents


def _contents(path: str, body: Json, paths: Sequence[str]) -> Reply:
    if path.endswith(":countTokens"):
        return "application/json", '{"totalTokens": 10}'
    if not path.endswith("enerateContent"):
        raise ValueError(path)
    turn = sum(one.get("role") == "model" for one in body.get("contents", []))
    offers = any(tool.get("functionDeclarations") for tool in body.get("tools", []))
    part: Json = {"text": "done" if offers else "{}"}
    if offers and turn < len(paths):
        given = {"file_path": paths[turn], "content": TEXT}
        part = {"functionCall": {"id": f"call_{turn}", "name": "write_file", "args": given}}
    content = {"role": "model", "parts": [part]}
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    candidates = [{"content": content, "finishReason": "STOP", "index": 0}]
    chunk = json.dumps({"candidates": candidates, "usageMetadata": counts})
    if path.endswith(":streamGenerateContent"):
        return "text/event-stream", f"data: {chunk}\r\n\r\n"
    return "application/json", chunk


# Chat completions, which the others speak


def _chat(tool: str, keys: tuple[str, str]) -> Callable[[str, Json, Sequence[str]], Reply]:
    """Return a model that calls a tool by its name, with a path and a content under its keys."""

    def answer(path: str, body: Json, paths: Sequence[str]) -> Reply:
        if not path.endswith("/chat/completions"):
            raise ValueError(path)
        turn = sum(bool(message.get("tool_calls")) for message in body["messages"])
        said: Json = {"role": "assistant", "content": "done"}
        end = "stop"
        if body.get("tools") and turn < len(paths):
            arguments = json.dumps(dict(zip(keys, (paths[turn], TEXT), strict=True)))
            call = {"id": f"call_{turn}", "type": "function"}
            function = {"name": tool, "arguments": arguments}
            said = {**said, "content": None, "tool_calls": [{**call, "function": function}]}
            end = "tool_calls"
        return _completion(body, said, end)

    return answer


def _completion(body: Json, said: Json, end: str) -> Reply:
    base = {"id": "c", "created": 1, "model": body.get("model", "")}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    if not body.get("stream"):
        choice = {"index": 0, "message": said, "finish_reason": end}
        whole = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        return "application/json", json.dumps(whole)
    delta = {**said, "tool_calls": [{"index": 0, **one} for one in said.get("tool_calls", [])]}
    chunks: list[Json] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        {"choices": [], "usage": usage},
    ]
    kind = {"object": "chat.completion.chunk"}
    lines: list[Json] = [{**base, **kind, **chunk} for chunk in chunks]
    events = "".join(f"data: {json.dumps(line)}\n\n" for line in lines)
    return "text/event-stream", events + "data: [DONE]\n\n"


ANSWERS: Mapping[str, Callable[[str, Json, Sequence[str]], Reply]] = {
    "claude": _messages,
    "codex": _responses,
    "gemini": _contents,
    "qwen": _chat("write_file", ("file_path", "content")),
    "copilot": _chat("create", ("path", "file_text")),
    "opencode": _chat("write", ("filePath", "content")),
}
