"""`POST /hook/{agent}`: the agent's own JSON in the body, that agent's own answer as the body.

The engine judges and records; here its answer becomes a status and JSON. What it answers
quickly is answered at once; the rest in threads, so that nobody waits for another's large file,
command or advisor. The endpoint is an ASGI application by itself.
Always true: an answer that a command would give by its exit code is given as JSON, because a
client takes any 2xx without a decision for a yes; a fault of ours is a no.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote_to_bytes

from penstock.doors.http.routes import as_json, body_of
from penstock.doors.http.talk import say

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send

THREADS = 4
SECONDS = 3.0  # for a judgement, and as much again for one without measuring
MOST_WAITING = 64  # calls in threads or waiting for one
LARGEST_QUICK = 256 * 1024
BLOCKED = 2  # the exit code by which a command says no
SILENT = b"{}"
FAULT = "Penstock could not judge this call; retry, or ask the user to run `penstock doctor`"

# What a client may tell about itself by a header, as the variable that a command would find.
TOLD: Mapping[bytes, str] = {
    b"x-penstock-project": "CLAUDE_PROJECT_DIR",
    b"x-penstock-entrypoint": "CLAUDE_CODE_ENTRYPOINT",
    b"x-penstock-settings": "CLAUDE_CONFIG_DIR",
}


class HookOutput(Protocol):
    """What a command hook would print and how it would exit."""

    stdout: str
    stderr: str
    code: int
    claims: tuple[str, ...]


class Judge(Protocol):
    """The engine kept warm."""

    def quick(self, agent: str, data: bytes, environ: Mapping[str, str]) -> HookOutput | None:
        """Return an answer that is there in no time and on the record, or None."""

    def reply(self, agent: str, data: bytes, environ: Mapping[str, str]) -> HookOutput:
        """Return the answer, whatever it takes."""

    def late(self, agent: str, data: bytes, environ: Mapping[str, str]) -> HookOutput:
        """Return an answer that needs no measuring, for when that took too long."""


Way = Callable[[str, bytes, Mapping[str, str]], HookOutput]


class Desk:
    """What the endpoints of all agents share: the judge, its threads, who waits."""

    def __init__(
        self,
        judge: Judge,
        environ: Mapping[str, str],
        *,
        tell: Callable[[str], None] = say,
        seconds: float = SECONDS,
    ) -> None:
        self.judge = judge
        self.environ = environ
        self.tell = tell
        self._seconds = seconds
        self._in_threads = 0
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="judging")
        self._late = ThreadPoolExecutor(THREADS, thread_name_prefix="late")

    async def long(self, hook: Hook, body: bytes, environ: Mapping[str, str]) -> Response:
        """Have a call answered in a thread, in time: a client that gives up goes on without us."""
        if self._in_threads >= MOST_WAITING:
            return _error(503, "busy", "too many calls at once")
        for pool, way in ((self._pool, self.judge.reply), (self._late, self.judge.late)):
            try:
                return await self._in_time(pool, hook.answer, way, body, environ)
            except TimeoutError:
                self.tell(f"a call of {hook.agent} took more than {self._seconds:g} seconds")
        return _blocked(FAULT)

    async def _in_time(
        self, pool: ThreadPoolExecutor, answer: Callable[..., Response], *given: object
    ) -> Response:
        """Wait for a thread, but not for long; one that is late stays counted until it ends."""
        self._in_threads += 1
        work = asyncio.get_running_loop().run_in_executor(pool, answer, *given)
        work.add_done_callback(self._done)
        return await asyncio.wait_for(asyncio.shield(work), self._seconds)

    def _done(self, _work: object) -> None:
        self._in_threads -= 1


class Hook:
    """The endpoint of one agent."""

    def __init__(self, agent: str, desk: Desk) -> None:
        self.agent = agent
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one call."""
        response = await self._judged(dict(scope["headers"]), await body_of(receive))
        await response(scope, receive, send)

    async def _judged(self, headers: Mapping[bytes, bytes], body: bytes) -> Response:
        environ = self._environ(headers)
        if len(body) <= LARGEST_QUICK:
            try:
                spoken = self._desk.judge.quick(self.agent, body, environ)
            except Exception as fault:  # noqa: BLE001 - whatever it was, the call was not judged
                return self._failed(fault)
            if spoken is not None:
                return as_response(spoken)
        return await self._desk.long(self, body, environ)

    def _environ(self, headers: Mapping[bytes, bytes]) -> Mapping[str, str]:
        """Return the variables that a command would find."""
        told = {name: _value(headers.get(header, b"")) for header, name in TOLD.items()}
        return {**self._desk.environ, **{name: value for name, value in told.items() if value}}

    def answer(self, way: Way, body: bytes, environ: Mapping[str, str]) -> Response:
        """Answer one call in one of the judge's ways."""
        if not _is_object(body):
            return _error(400, "bad-json", "the body is not a JSON object")
        try:
            return as_response(way(self.agent, body, environ))
        except Exception as fault:  # noqa: BLE001 - whatever it was, the call was not judged
            return self._failed(fault)

    def _failed(self, fault: Exception) -> Response:
        self._desk.tell(f"a call of {self.agent} could not be judged: {type(fault).__name__}")
        return _blocked(FAULT)


def _value(told: bytes) -> str:
    """Return what a header says. A client that cannot fill in a variable sends its name."""
    text = told.strip()
    return "" if text.startswith(b"$") else os.fsdecode(unquote_to_bytes(text))


def as_response(spoken: HookOutput) -> Response:
    """Return what a command would have said as a response; what it tells is settled once sent."""
    response = _response(spoken)
    if spoken.claims:
        from starlette.background import BackgroundTask

        from penstock.app.tickets import settle

        response.background = BackgroundTask(settle, spoken.claims)
    return response


def _response(spoken: HookOutput) -> Response:
    if spoken.code == BLOCKED:
        return _blocked(spoken.stderr.strip() or FAULT)
    if spoken.code:
        return _error(500, "hook-failed", spoken.stderr.strip()[:1000])
    said = spoken.stdout.strip()
    # A lone surrogate stands as its JSON escape.
    return as_json(said.encode("utf-8", "backslashreplace") if said else SILENT)


def _blocked(reason: str) -> Response:
    return as_json(json.dumps({"decision": "block", "reason": reason}).encode())


def _error(status: int, code: str, message: str) -> Response:
    return as_json(json.dumps({"error": {"code": code, "message": message}}).encode(), status)


def _is_object(body: bytes) -> bool:
    """Say whether a body is a JSON object; nesting without end is none."""
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False
