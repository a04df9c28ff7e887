"""The official client against our server: in this process, over stdio, and over HTTP.

The protocol, the gate, the record and the disk are the real ones each time; a server in this
process only starts sooner.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import Client, StdioServerParameters, stdio_client

from penstock import app
from penstock.doors.mcp.server import made
from tests.cli.pending import gate_of, surroundings_of
from tests.project import Project

MODERN, HANDSHAKE = "auto", "legacy"
ERAS = [MODERN, HANDSHAKE]
PENSTOCK = (sys.executable, "-m", "penstock.cli", "mcp")
Scenario = Callable[["Talk"], Awaitable[Any]]

RULES = 'version = 1\npreset = "guard"\n'
SECRET = "TOKEN=keep-me\n"
APP = "print('one')\nprint('two')\n"
BIG = "".join(f"value_{n} = {n}\n" for n in range(270))
SMALL = "".join(f"value_{n} = {n}\n" for n in range(56))


@dataclass(frozen=True)
class Told:
    """What a tool answered."""

    error: bool
    text: str
    data: dict[str, Any]

    @property
    def code(self) -> str:
        return str(self.data["error"]["code"]) if self.error else ""

    @property
    def status(self) -> str:
        return str(self.data["status"])


@dataclass
class Talk:
    """A connected client."""

    client: Client

    async def call(self, tool: str, /, **arguments: Any) -> Told:
        got = await self.client.call_tool(tool, arguments)
        assert isinstance(got, types.CallToolResult)
        texts = [part.text for part in got.content if isinstance(part, types.TextContent)]
        return Told(bool(got.is_error), "\n".join(texts), got.structured_content)


def talk(
    project: Project, scenario: Scenario, *, era: str = MODERN, page: str = "", **more: Any
) -> Any:
    """Connect within this process, play a scenario, and return what it returns."""
    with surroundings_of(project):
        server = made(app.open_workspace(str(project.root)), page=page)
        return _play(server, scenario, era, more)


def talk_over_stdio(
    project: Project,
    scenario: Scenario,
    *,
    era: str = MODERN,
    args: Sequence[str] = (),
    **more: Any,
) -> Any:
    """The same with `penstock mcp` in a process of its own."""
    command, *rest = (*PENSTOCK, *args)
    server = StdioServerParameters(
        command=command, args=rest, cwd=str(project.root), env=project.environ
    )
    return _play(stdio_client(server), scenario, era, more)


def talk_to(url: str, scenario: Scenario, *, era: str = MODERN, **more: Any) -> Any:
    """The same over HTTP."""
    return _play(url, scenario, era, more)


def _play(server: Any, scenario: Scenario, era: str, more: dict[str, Any]) -> Any:
    async def play() -> Any:
        async with Client(server, mode=era, read_timeout_seconds=60, **more) as client:
            return await scenario(Talk(client))

    return asyncio.run(play())


def call(project: Project, tool: str, *, era: str = MODERN, **arguments: Any) -> Told:
    """Make one call in a session of its own."""
    told = talk(project, lambda t: t.call(tool, **arguments), era=era)
    assert isinstance(told, Told)
    return told


@contextmanager
def over_http(project: Project, *args: str) -> Iterator[str]:
    """Serve over HTTP inside the block; nothing may have been printed on stdout."""
    process = subprocess.Popen(
        [*PENSTOCK, "--http", "127.0.0.1:0", *args],
        cwd=project.root,
        env=project.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        found = re.search(r"http://\S+", first)
        assert found, first + process.stderr.read()
        yield found[0]
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=30)
        assert (process.returncode, out) == (0, "")


def furnished(project: Project) -> Project:
    """Put rules, a secret, code and a large file there."""
    project.write("penstock.toml", RULES)
    project.write(".env", SECRET)
    project.write("src/app.py", APP)
    project.write("big.py", BIG)
    return project


def stored(project: Project) -> list[str]:
    with gate_of(project) as gate:
        return [one.id for one in gate.find()]


def proven(project: Project) -> bool:
    """Say whether the record holds."""
    with surroundings_of(project):
        return app.open_workspace(str(project.root)).verify().ok
