"""`POST /hook/{agent}`: the agent's own JSON in the body, that agent's own answer as the body.

The engine judges and records; here its answer becomes a status and JSON. What it answers
quickly is answered at once; the rest in threads, so that nobody waits for another's large file,
command or advisor.
Always true: an answer that a command would give by its exit code is given as JSON, because a
client takes any 2xx without a decision for a yes; a fault of ours is a no.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from penstock.doors.http.wire import Head, Response

THREADS = 4
MOST_WAITING = 64  # calls in threads or waiting for one
LARGEST_QUICK = 256 * 1024
BLOCKED = 2  # the exit code by which a command says no
SILENT = b"{}"
FAULT = "Penstock could not judge this call; try again, or ask for a review"

# What a client may tell about itself by a header, as the variable that a command would find.
TOLD: Mapping[str, str] = {
    "x-penstock-project": "CLAUDE_PROJECT_DIR",
    "x-penstock-entrypoint": "CLAUDE_CODE_ENTRYPOINT",
}


class Spoken(Protocol):
    """What a command hook would print and how it would exit."""

    stdout: str
    stderr: str
    code: int


class Judge(Protocol):
    """The engine kept warm."""

    def quick(
        self, agent: str, data: bytes, environ: Mapping[str, str], *, again: bool = False
    ) -> Spoken | None:
        """Return an answer that is there in no time, or None.

        `again`: this call and the one before arrived together.
        """

    def reply(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Spoken:
        """Return the answer, whatever it takes."""


class Desk:
    """What the endpoints of all agents share: the judge, its threads, who waits."""

    def __init__(self, judge: Judge, environ: Mapping[str, str]) -> None:
        self.judge = judge
        self.environ = environ
        self.waiting = 0
        self.together = False  # true until the calls that arrived together are answered
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="judging")

    def quick(self, agent: str, body: bytes, environ: Mapping[str, str]) -> Spoken | None:
        """Ask for a quick answer."""
        again = self.together
        if not again:
            self.together = True
            asyncio.get_running_loop().call_soon(self._apart)
        return self.judge.quick(agent, body, environ, again=again)

    def _apart(self) -> None:
        self.together = False

    async def later(self, answer: Callable[[], Response]) -> Response:
        """Have a call answered in a thread."""
        if self.waiting >= MOST_WAITING:
            return _error(503, "busy", "too many calls are being judged")
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, answer)
        finally:
            self.waiting -= 1


class Hook:
    """The endpoint of one agent."""

    def __init__(self, agent: str, desk: Desk) -> None:
        self._agent = agent
        self._desk = desk

    def __call__(self, head: Head, body: bytes) -> Response | Awaitable[Response]:
        """Answer one call, at once or later."""
        environ = self._environ(head.headers)
        if len(body) <= LARGEST_QUICK:
            try:
                found = self._desk.quick(self._agent, body, environ)
            except Exception:  # noqa: BLE001 - whatever it was, the call was not judged
                return _blocked(FAULT)
            if found is not None:
                return as_response(found)
        return self._desk.later(lambda: self._answer(body, environ))

    def _environ(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        told = {name: headers[header] for header, name in TOLD.items() if headers.get(header)}
        return {**self._desk.environ, **told} if told else self._desk.environ

    def _answer(self, body: bytes, environ: Mapping[str, str]) -> Response:
        if not _is_object(body):
            return _error(400, "bad-json", "the body is not a JSON object")
        try:
            return as_response(self._desk.judge.reply(self._agent, body, environ))
        except Exception:  # noqa: BLE001 - whatever it was, the call was not judged
            return _blocked(FAULT)


def as_response(spoken: Spoken) -> Response:
    """Return what a command would have said as a response."""
    if spoken.code == BLOCKED:
        return _blocked(spoken.stderr.strip() or FAULT)
    if spoken.code:
        return _error(500, "hook-failed", spoken.stderr.strip()[:1000])
    said = spoken.stdout.strip()
    # A lone surrogate stands as its JSON escape.
    return Response(200, said.encode("utf-8", "backslashreplace") if said else SILENT)


def _blocked(reason: str) -> Response:
    return Response(200, json.dumps({"decision": "block", "reason": reason}).encode())


def _error(status: int, code: str, message: str) -> Response:
    return Response(status, json.dumps({"error": {"code": code, "message": message}}).encode())


def _is_object(body: bytes) -> bool:
    """Say whether a body is a JSON object; nesting without end is none."""
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False
