"""The background server over HTTP: one kept connection, 32 clients, and ten thousand rules.

Beside a bare server of the same kind in the same run: the same connections and routes, but
nothing is judged, recorded or kept. The clients are a process of their own.
"""

from __future__ import annotations

import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.row import Row

ROUNDS = 5
CALLS = 20_000  # of a turn, each with an id of its own as agents give them
SECONDS = 1.0  # of one turn
CLIENTS = 32
BUSY = 4
FEW, MANY = 30, 10_000
PROMISED = 1_500  # decisions a second
LENGTH = re.compile(rb"content-length: (\d+)")
LISTENING = re.compile(r"http://127\.0\.0\.1:(\d+)")


def rows() -> Iterator[Row]:
    """Measure three servers turn by turn."""
    with ExitStack() as stack:
        few = stack.enter_context(_server(FEW))
        many = stack.enter_context(_server(MANY))
        bare = stack.enter_context(_bare())
        latest = {name: float("inf") for name in ("few", "many", "bare")}
        rate = dict.fromkeys(("few", "bare"), 0.0)
        for _ in range(ROUNDS):
            for name, one in (("few", few), ("many", many), ("bare", bare)):
                latest[name] = min(latest[name], one.ask(clients=1)["p50"])
            for name, one in (("few", few), ("bare", bare)):
                rate[name] = max(rate[name], one.ask(clients=CLIENTS)["rate"])
        with _busy():
            slowest = few.ask(clients=1)["slowest"]
    area = "hook_http"
    note = f"{rate['few']:.0f} a second; bare server {rate['bare']:.0f}"
    yield Row(
        area=area,
        name="a decision on one kept connection, p50",
        subject=latest["few"],
        baseline=0.002,
        beside="two milliseconds",
        limit=1,
    )
    yield Row(
        area=area,
        name="the same",
        subject=latest["few"],
        baseline=latest["bare"],
        beside="a server that judges nothing",
    )
    yield Row(
        area=area,
        name=f"a decision with {CLIENTS} clients",
        subject=1 / rate["few"],
        baseline=1 / PROMISED,
        beside=f"{PROMISED} a second",
        limit=1,
        note=note,
    )
    yield Row(
        area=area,
        name=f"a decision by {MANY} rules",
        subject=latest["many"],
        baseline=latest["few"],
        beside=f"by {FEW} rules",
        limit=1.2,
    )

    yield Row(
        area=area,
        name=f"the slowest decision beside {BUSY} busy processes",
        subject=slowest,
        baseline=1.0,
        beside="one second",
        limit=1,
    )


@contextmanager
def _busy() -> Iterator[None]:
    """Keep the machine busy."""
    argv = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(argv) for _ in range(BUSY)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


class Asked:
    """A running server and how to ask it."""

    def __init__(self, port: int, token: str, root: str) -> None:
        self._argv = [str(port), token, root]

    def ask(self, *, clients: int) -> Mapping[str, float]:
        """Ask for a moment; return the rate and the median."""
        argv = [sys.executable, "-m", "bench.hook_http", *self._argv, str(clients)]
        found: Mapping[str, float] = json.loads(subprocess.check_output(argv))
        return found


@contextmanager
def _server(rules: int) -> Iterator[Asked]:
    """Start `penstock serve` for a project with so many rules."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        root = Path(folder, "project")
        (root / "src").mkdir(parents=True)
        (root / "src/app.py").write_text("".join(f"line {n}\n" for n in range(200)))
        (root / "penstock.toml").write_text(_rules(rules))
        places = {"XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config"}
        environ = {**os.environ, **places, "PENSTOCK_RESIDENT": "off"}
        argv = ["-m", "penstock.cli", "serve", "--port", "0"]
        with _started(argv, environ) as port:
            token = Path(folder, "state/penstock/hook.token").read_text().strip()
            asked = Asked(port, token, str(root))
            asked.ask(clients=1)  # the policy is compiled at the first call
            yield asked


@contextmanager
def _bare() -> Iterator[Asked]:
    with _started(["-m", "bench.hook_http", "bare"], os.environ) as port:
        yield Asked(port, "t", "/nowhere")


@contextmanager
def _started(argv: list[str], environ: Mapping[str, str]) -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, *argv], env=environ, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        found = LISTENING.search(process.stderr.readline())
        assert found, process.stderr.read()
        yield int(found[1])
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def _rules(count: int) -> str:
    """Return rules of the usual kinds: by directory, by extension, by name."""
    shapes = ('"team{n}/**"', '"*.x{n}"', '"**/secret{n}.txt"', '"a{n}/b/*.py"')
    lines = [
        f'[[deny]]\nid = "r{n}"\npaths = [{shapes[n % len(shapes)].format(n=n)}]\n'
        for n in range(count)
    ]
    return "\n".join(lines)


# --- the clients, in a process of their own ------------------------------------------------------


def _requests(port: int, token: str, root: str) -> list[bytes]:
    """Return calls as Claude Code sends them: new files, a rewrite in place, an edit."""
    line = "line 7\n"
    written = "".join(f"line {n}\n" for n in range(200)).replace(line, "seven\n")
    calls = [("Write", {"file_path": f"{root}/src/new{n}.py", "content": "x\n"}) for n in range(6)]
    calls.append(("Write", {"file_path": f"{root}/src/app.py", "content": written}))
    edit = {"file_path": f"{root}/src/app.py", "old_string": line, "new_string": "seven\n"}
    calls.append(("Edit", edit))
    return [
        _request(port, token, root, *calls[n % len(calls)], f"toolu_{os.getpid()}_{n}")
        for n in range(CALLS)
    ]


def _request(
    port: int, token: str, root: str, tool: str, tool_input: Mapping[str, str], call: str
) -> bytes:
    body = json.dumps(
        {
            "session_id": "0972e5c0-dbb3-408b-b3f8-43164b455e51",
            "transcript_path": f"{root}/.claude/projects/x.jsonl",
            "cwd": root,
            "permission_mode": "acceptEdits",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": tool_input,
            "tool_use_id": call,
        }
    ).encode()
    head = (
        "POST /hook/claude HTTP/1.1\r\nAccept: application/json, text/plain, */*\r\n"
        f"Content-Type: application/json\r\nAuthorization: Bearer {token}\r\n"
        f"User-Agent: axios/1.15.2\r\nContent-Length: {len(body)}\r\n"
        f"Host: 127.0.0.1:{port}\r\nConnection: keep-alive\r\n\r\n"
    )
    return head.encode() + body


def _load(port: int, token: str, root: str, clients: int) -> Mapping[str, float]:
    """Keep every client asking for a while."""
    requests = _requests(port, token, root)
    poll = select.epoll()
    lines: dict[int, socket.socket] = {}
    sent: dict[int, float] = {}
    got: dict[int, bytes] = {}
    for _ in range(clients):
        line = socket.create_connection(("127.0.0.1", port))
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines[line.fileno()] = line
        poll.register(line.fileno(), select.EPOLLIN)
    took: list[float] = []
    start = time.perf_counter()
    for number, (at, line) in enumerate(lines.items()):
        sent[at] = time.perf_counter()
        line.sendall(requests[number % len(requests)])
    while time.perf_counter() - start < SECONDS:
        for at, _ in poll.poll():
            got[at] = answer = got.get(at, b"") + lines[at].recv(65536)
            if not _is_whole(answer):
                continue
            now = time.perf_counter()
            del got[at]
            took.append(now - sent[at])
            sent[at] = now
            lines[at].sendall(requests[len(took) % len(requests)])
    rate = len(took) / (time.perf_counter() - start)
    return {"rate": rate, "p50": sorted(took)[len(took) // 2], "slowest": max(took)}


def _is_whole(answer: bytes) -> bool:
    """Say whether a whole answer is here: head and body may come apart."""
    head, end, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), answer
    length = LENGTH.search(head)
    return bool(end and length and len(body) == int(length[1]))


# --- the bare server -----------------------------------------------------------------------------


def _serve_bare() -> None:
    from penstock.doors.http.hook_endpoint import Desk, Hook
    from penstock.doors.http.routes import Route, Routes
    from penstock.doors.http.server import Server, bound, run

    app, on = Hook("claude", Desk(_Silent(), {})), bound(0)
    routes = Routes([Route(method="POST", path="/hook/claude", app=app, token="t")])
    print(f"http://127.0.0.1:{on.getsockname()[1]}", file=sys.stderr, flush=True)
    run(Server(routes, admit=routes.admit), on)


class _Silent:
    """Says nothing to everything."""

    stdout, stderr, code = "", "", 0
    claims: tuple[str, ...] = ()

    def reply(self, agent: str, data: bytes, environ: Mapping[str, str]) -> _Silent:
        return self

    quick = late = reply


if __name__ == "__main__":
    if sys.argv[1] == "bare":
        _serve_bare()
    else:
        print(json.dumps(_load(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))))
