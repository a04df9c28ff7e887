"""`POST /hook/{agent}`: the agent's own JSON in the body, that agent's own answer as the body.

The engine judges and records; here its answer becomes a status and JSON. Calls that may take
long are answered in threads, so that a large file never holds up another client.
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
QUICK = 32 * 1024  # bodies up to here are answered at once
BLOCKED = 2  # the exit code by which a command says no
PROJECT = "x-penstock-project"
SILENT = b"{}"
FAULT = "Penstock could not judge this call; try again, or ask for a review"


class Spoken(Protocol):
    """What a command hook would print and how it would exit."""

    stdout: str
    stderr: str
    code: int


Judge = Callable[[str, bytes, Mapping[str, str]], Spoken]


class Hook:
    """The endpoint of one agent."""

    def __init__(
        self, agent: str, judge: Judge, pool: ThreadPoolExecutor, environ: Mapping[str, str]
    ) -> None:
        self._agent = agent
        self._judge = judge
        self._pool = pool
        self._environ = environ
        self._waiting = 0

    def __call__(self, head: Head, body: bytes) -> Response | Awaitable[Response]:
        """Answer one call, at once or later."""
        environ = self._environ
        if PROJECT in head.headers:
            environ = {**environ, "CLAUDE_PROJECT_DIR": head.headers[PROJECT]}
        if len(body) <= QUICK:
            return self._answer(body, environ)
        if self._waiting >= MOST_WAITING:
            return _error(503, "busy", "too many calls are being judged")
        return self._later(body, environ)

    async def _later(self, body: bytes, environ: Mapping[str, str]) -> Response:
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, self._answer, body, environ)
        finally:
            self._waiting -= 1

    def _answer(self, body: bytes, environ: Mapping[str, str]) -> Response:
        if not _is_object(body):
            return _error(400, "bad-json", "the body is not a JSON object")
        try:
            return as_response(self._judge(self._agent, body, environ))
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
