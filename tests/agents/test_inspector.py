"""`penstock mcp` under the MCP inspector's command line: it finds the tools, and no fault."""

from __future__ import annotations

import os

import pytest

from tests.agents import inspector, install
from tests.agents.inspector import inspect
from tests.doors.mcp.client import PENSTOCK, over_http
from tests.project import Project

RULES = 'version = 1\npreset = "guard"\n'
TOOL_FAILED = 5  # what the inspector ends with when a tool says that it failed


@pytest.fixture
def shop(project: Project) -> Project:
    try:
        inspector.command()
    except install.NotHereError as missing:
        text = f"REAL AGENTS NOT RUN: inspector, because {missing}"
        if os.environ.get("PENSTOCK_AGENTS") == "required":
            pytest.fail(text)
        pytest.skip(text)
    project.write("penstock.toml", RULES)
    project.write("src/app.py", "print('one')\n")
    project.write(".env", "TOKEN=1\n")
    return project


def test_the_inspector_lists_the_tools_and_finds_no_fault_in_their_schemas(shop: Project) -> None:
    code, listed, err = inspect(shop, PENSTOCK, "--method", "tools/list", "--strict")
    assert code == 0, err
    assert err == ""
    assert [tool["name"] for tool in listed["tools"]][:2] == ["read_file", "write_file"]
    assert all(tool["outputSchema"] and tool["annotations"] for tool in listed["tools"])


def called(shop: Project, tool: str, *arguments: str) -> tuple[int, dict[str, object]]:
    argv = ("--method", "tools/call", "--tool-name", tool, "--tool-arg", *arguments)
    code, told, err = inspect(shop, PENSTOCK, *argv)
    assert told is not None, err
    return code, told


def test_the_inspector_reads_writes_and_is_refused(shop: Project) -> None:
    code, read = called(shop, "read_file", "path=src/app.py", "start_line=1")
    assert (code, read["structuredContent"]["content"]) == (0, "print('one')\n")  # type: ignore[index]
    code, written = called(shop, "write_file", "path=docs/a.md", "content=hello")
    assert (code, written["structuredContent"]["status"]) == (0, "applied")  # type: ignore[index]
    assert (shop.root / "docs/a.md").read_text() == "hello"
    code, denied = called(shop, "write_file", "path=.env", "content=x")
    assert (code, denied["isError"]) == (TOOL_FAILED, True)
    assert (shop.root / ".env").read_text() == "TOKEN=1\n"


def test_the_inspector_reads_a_resource_over_http(shop: Project) -> None:
    with over_http(shop) as url:
        argv = ("--method", "resources/read", "--uri", "penstock://policy")
        code, told, err = inspect(shop, (url,), *argv)
    assert code == 0, err
    assert "env-files" in told["contents"][0]["text"]
