"""What comes in on stdin and what leaves on stdout: one message a line, whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.doors.mcp.framing import LineFault, LineReader, parsed, too_long
from tests.doors.mcp.client import PENSTOCK
from tests.project import Project

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
MEGABYTE = 2**20


def fed(data: bytes, size: int) -> Callable[[int], bytes]:
    """Return a function that gives some bytes out in pieces."""
    left = [data[at : at + size] for at in range(0, len(data), size)]
    return lambda most: left.pop(0) if left else b""


@settings(deadline=None, max_examples=200)
@given(st.lists(st.binary(max_size=30).filter(lambda b: b"\n" not in b)), st.integers(1, 50))
def test_lines_come_out_the_same_however_they_arrive(lines: list[bytes], size: int) -> None:
    found = list(LineReader(fed(b"".join(line + b"\n" for line in lines), size), longest=20))
    assert len(found) == len(lines)
    for got, line in zip(found, lines, strict=True):
        assert isinstance(got, LineFault) if len(line) > 20 else got == line


def test_a_last_line_without_its_end_is_read() -> None:
    assert list(LineReader(fed(b"a\nb", 1))) == [b"a", b"b"]


@pytest.mark.parametrize(
    ("head", "tail", "known"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{', b"}}", 7),
        (b'{"method":"tools/call", "id": "a-1", "params":{', b"}}", "a-1"),
        (b'{"method":"x","params":{"id":5,', b'},"jsonrpc":"2.0","id":8}', 8),
        (b'{"params":{', b'}, "id": "b" , "jsonrpc":"2.0"}\r', "b"),
        (b'{"params":{"id":5,', b'"id":6}}', None),  # an id of something inside
        (b"xxx", b"xxx", None),
    ],
)
def test_the_request_behind_a_line_that_is_too_long_is_told_where_it_can_be(
    head: bytes, tail: bytes, known: object
) -> None:
    assert too_long(head, tail, 10).request_id == known


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", -32700),
        (b"\xff\xfe", -32700),
        (b'{"a":1,"a":2}', -32700),
        (b'{"a":{"b":1,"b":1}}', -32700),
        (b'{"a":NaN}', -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
    ],
)
def test_what_is_no_message_is_told(line: bytes, code: int) -> None:
    found = parsed(line)
    assert isinstance(found, LineFault)
    assert found.code == code


# The real process


def served(project: Project, data: bytes, **environ: str) -> tuple[list[Any], str]:
    """Send bytes to `penstock mcp`; return each line of stdout as JSON, and stderr."""
    process = subprocess.Popen(
        PENSTOCK,
        cwd=project.root,
        env={**project.environ, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate(data, timeout=120)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()], err.decode()


def message(**fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode() + b"\n"


def write(number: int, path: str, content: str) -> bytes:
    arguments = {"path": path, "content": content}
    params = {"name": "write_file", "arguments": arguments}
    return message(id=number, method="tools/call", params=params)


def test_garbage_and_a_line_of_100_megabytes_are_answered_and_the_next_line_is_read(
    project: Project,
) -> None:
    huge = write(9, "huge.txt", "x" * (100 * MEGABYTE))
    hello = json.dumps(HELLO).encode() + b"\n"
    garbage = b'not json\n{"id":1,"id":2}\n[]\n\n{"jsonrpc":"2.0","id":"z","method":5}\n'
    data = garbage + hello + huge + message(id=3, method="ping") + write(4, "ok.txt", "ok\n")
    told, _ = served(project, data)
    errors = [(one["id"], one["error"]["code"]) for one in told if "error" in one]
    assert errors == [(None, -32700), (None, -32700), (None, -32600), ("z", -32600), (9, -32600)]
    (long,) = [one["error"]["message"] for one in told if one["id"] == 9]
    assert "too-large" in long
    assert {one["id"] for one in told if "result" in one} == {1, 3, 4}
    assert not (project.root / "huge.txt").exists()
    assert (project.root / "ok.txt").read_text() == "ok\n"


def test_half_a_character_anywhere_is_answered_and_never_breaks_the_line(
    project: Project,
) -> None:
    half = "\ud800"
    calls: list[tuple[str, dict[str, object]]] = [
        ("read_file", {"path": half}),
        ("write_file", {"path": "a.md", "content": half}),
        ("write_file", {half: "x"}),
        ("search_files", {"query": half}),
        ("search_files", {"pattern": half}),
        ("proposal_status", {"proposal_id": half}),
        ("explain_decision", {"tool": half, "input": {"path": half, half: half}}),
        ("explain_decision", {"tool": "Bash", "input": {"command": f"echo > {half}"}}),
        (half, {}),
    ]
    data = json.dumps(HELLO).encode() + b"\n"
    for number, (tool, arguments) in enumerate(calls, 2):
        params = {"name": tool, "arguments": arguments}
        data += message(id=number, method="tools/call", params=params)
    data += message(id=99, method="resources/read", params={"uri": f"penstock://history/{half}"})
    told, err = served(project, data)
    assert {one["id"] for one in told} == {1, 99, *range(2, 2 + len(calls))}
    assert "Traceback" not in err


NOISE = """
import builtins, os, sys, warnings
real = builtins.__import__
def noisy(name, *rest, **more):
    if name.split(".")[0] in ("mcp", "mcp_types", "pydantic", "anyio") and not seen:
        seen.append(name)
        print("a library prints")
        os.system("echo a child prints")
        os.write(1, b"a library writes to the descriptor\\n")
        sys.__stdout__.write("even this\\n")
        warnings.warn("a library warns")
    return real(name, *rest, **more)
seen = []
builtins.__import__ = noisy
"""


def test_nothing_but_protocol_is_on_stdout_though_libraries_print_and_warn(
    project: Project,
) -> None:
    noise = project.home / "noise"
    noise.mkdir()
    (noise / "sitecustomize.py").write_text(NOISE)
    told, err = served(
        project,
        json.dumps(HELLO).encode() + b"\n" + message(id=2, method="tools/list"),
        PYTHONPATH=str(noise),
        PYTHONWARNINGS="always",
    )
    assert [one["id"] for one in told] == [1, 2]
    for said in ("a library prints", "a child prints", "the descriptor", "even this", "warns"):
        assert said in err


def test_children_of_the_server_cannot_eat_what_the_client_sends(project: Project) -> None:
    script = (
        "import os, subprocess, sys\n"
        "from penstock.doors.mcp.framing import taken\n"
        "wire = taken()\n"
        "eaten = subprocess.run(['cat'], capture_output=True).stdout\n"
        "wire.send(eaten + wire.more(100))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=b"for the server\n",
        capture_output=True,
        env=project.environ,
        check=True,
        timeout=60,
    )
    assert done.stdout == b"for the server\n"


def test_a_client_that_goes_away_ends_the_server(project: Project) -> None:
    read, write_end = os.pipe()
    process = subprocess.Popen(
        PENSTOCK,
        cwd=project.root,
        env=project.environ,
        stdin=subprocess.PIPE,
        stdout=write_end,
        stderr=subprocess.PIPE,
    )
    os.close(write_end)
    os.close(read)  # nobody reads the answers any more
    _, err = process.communicate(json.dumps(HELLO).encode() + b"\n", timeout=60)
    assert process.returncode == 0, err
    assert b"Traceback" not in err
