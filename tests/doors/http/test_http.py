"""HTTP as a real process on loopback speaks it, to real clients and to clients that misbehave."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.app.listen import has_ipv6, listening
from penstock.core.errors import InputError, StoreError
from penstock.doors.http.server import bound, for_pages
from tests.doors.http.running_server import Started, everything, started
from tests.doors.mcp.stand_in import LARGEST, TOKEN

AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
BOUNDS = {"head": 0.6, "body": 0.6, "idle": 30, "connections": 48, "goodbye": 0.5}


class Served(Started):
    """The stand-in, and clients that ask it."""

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def post(
        self, body: object, path: str = "/hook/claude", headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        client = self.connect()
        try:
            client.request("POST", path, data, AUTHORIZED if headers is None else headers)
            return answer(client)
        finally:
            client.close()

    def raw(self, data: bytes, *, more: bytes = b"") -> bytes:
        """Send bytes as they are and return everything that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as client:
            client.sendall(data)
            if more:
                client.sendall(more)
            return everything(client)

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def answer(client: http.client.HTTPConnection) -> tuple[int, Any]:
    response = client.getresponse()
    return response.status, json.loads(response.read())


@contextmanager
def serving(**bounds: float) -> Iterator[Served]:
    argv = [sys.executable, "-m", "tests.doors.mcp.stand_in", json.dumps({**BOUNDS, **bounds})]
    with started(argv) as one:
        yield Served(one.process, one.port, one.lines)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


def request(
    method: str = "POST",
    path: str = "/hook/claude",
    *,
    body: bytes = b'{"n":1}',
    length: bool = True,
    host: str = "127.0.0.1",
    more: str = "",
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {TOKEN}"]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    text = "\r\n".join(lines) + "\r\n" + more + "\r\n"
    return text.encode("latin-1") + body


def status(response: bytes) -> int:
    return int(response.split(b" ", 2)[1]) if response else 0


CLOSE = "Connection: close\r\n"


# --- what is answered ----------------------------------------------------------------------------


def test_the_answer_is_what_the_command_would_print(server: Served) -> None:
    assert server.post({"n": 7}) == (200, {"agent": "claude", "n": 7, "project": ""})
    assert server.post({"n": 7}, "/hook/codex")[1]["agent"] == "codex"


def test_a_silent_allow_is_an_empty_object(server: Served) -> None:
    assert server.post({"silent": 1}) == (200, {})


def test_a_no_by_exit_code_is_a_no_in_json(server: Served) -> None:
    blocked = {"decision": "block", "reason": "because"}
    assert server.post({"exit": 2, "stderr": "because\n"}) == (200, blocked)
    status, said = server.post({"exit": 2})
    assert (status, said["decision"]) == (200, "block")
    assert said["reason"], "clients let a no without a reason through"


def test_a_hook_that_failed_is_no_success(server: Served) -> None:
    assert server.post({"exit": 1, "stderr": "oh"})[0] == 500


def test_a_fault_while_judging_is_a_no_and_says_nothing_of_its_inside(server: Served) -> None:
    status, said = server.post({"raise": "inside"})
    assert (status, said["decision"]) == (200, "block")
    assert "inside" not in said["reason"]


def test_a_fault_outside_of_judging_is_an_answer_too(server: Served) -> None:
    assert status(server.raw(request("GET", "/broken", body=b"", more=CLOSE))) == 500
    assert server.post({"n": 1})[0] == 200


def test_what_cannot_be_recorded_is_answered_by_the_engine_instead(server: Served) -> None:
    assert server.post({"unrecorded": 1})[1]["n"] == "judging"  # the name of its thread


def test_the_project_can_be_named_by_a_header(server: Served) -> None:
    for sent, project in (
        ("/some/where", "/some/where"),
        ("/gr%C3%BC%C3%9Fe/100%25/%24HOME", "/grüße/100%/$HOME"),
        ("$CLAUDE_PROJECT_DIR", ""),
        ("", ""),
    ):
        headers = {**AUTHORIZED, "X-Penstock-Project": sent}
        assert server.post({}, headers=headers)[1]["project"] == project


def test_a_large_body_arrives_whole_and_is_judged_apart(server: Served) -> None:
    assert server.post({"n": 3, "content": "x" * (LARGEST - 100)})[1]["n"] == 3


def test_one_connection_serves_many_calls(server: Served) -> None:
    client = server.connect()
    for n in range(50):
        client.request("POST", "/hook/claude", json.dumps({"n": n}), AUTHORIZED)
        assert answer(client)[1]["n"] == n
    assert client.sock is not None
    client.close()


def test_32_clients_each_get_their_own_answers(server: Served) -> None:
    def talk(who: int) -> list[int]:
        client = server.connect()
        got = []
        for n in range(20):
            body = {"n": who * 1000 + n, "content": "x" * (40_000 if n % 5 == 0 else 10)}
            client.request("POST", "/hook/claude", json.dumps(body), AUTHORIZED)
            got.append(answer(client)[1]["n"] - who * 1000)
        client.close()
        return got

    with ThreadPoolExecutor(32) as pool:
        assert list(pool.map(talk, range(32))) == [list(range(20))] * 32


def test_a_slow_judgement_holds_up_nobody_else(server: Served) -> None:
    slow = server.connect()
    body = json.dumps({"sleep": 1.5, "n": 1, "content": "x" * 40_000})
    slow.request("POST", "/hook/claude", body, AUTHORIZED)
    assert server.post({"n": 2})[1]["n"] == 2
    slow.sock.setblocking(False)
    with pytest.raises(BlockingIOError):  # the other answer is not there yet
        slow.sock.recv(1)
    slow.sock.setblocking(True)
    assert answer(slow)[1]["n"] == 1
    slow.close()


def test_what_takes_too_long_is_judged_without_measuring_and_then_refused(server: Served) -> None:
    large = {"sleep": 4, "content": "x" * 40_000}
    with ThreadPoolExecutor(2) as pool:
        soon, never = pool.map(server.post, ({**large}, {**large, "sleep late": 4}))
    assert soon == (200, {"n": "late"})
    assert never[1]["decision"] == "block"


def test_pipelined_calls_are_answered_in_order(server: Served) -> None:
    large = json.dumps({"n": 1, "content": "x" * 40_000}).encode()
    calls = [request(body=large), request(body=b'{"n":2}'), request(body=b'{"n":3}', more=CLOSE)]
    got = server.raw(b"".join(calls))
    assert re.findall(rb'"n": (\d)', got) == [b"1", b"2", b"3"]


def test_a_refusal_waits_for_the_answer_before_it_and_ends_the_connection(server: Served) -> None:
    large = json.dumps({"n": 1, "content": "x" * 40_000}).encode()
    got = server.raw(request(body=large), more=request(host="evil.example") + request())
    first, *rest = re.findall(rb"HTTP/1\.1 (\d+) ", got)
    assert first == b"200"
    assert b"200" not in rest, "the request behind the refused one is not heard"
    assert b'"n": 1' in got


@pytest.mark.parametrize("wish", ["websocket", "h2c"])
def test_a_body_behind_a_wish_for_another_protocol_is_no_request(server: Served, wish: str) -> None:
    """The parser would hand it out as the next request on the connection."""
    more = f"Upgrade: {wish}\r\nConnection: upgrade\r\n"
    got = server.raw(request(more=more, body=request(more=CLOSE)))
    assert re.findall(rb"HTTP/1\.1 (\d+) ", got) == [b"400"]
    got = server.raw(request("GET", body=b"", length=False, more=more))
    assert status(got) == 405, "without a body it is not heard"


def test_a_client_that_waits_for_a_word_gets_it(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        head, body = request(more=f"Expect: 100-continue\r\n{CLOSE}").split(b"\r\n\r\n")
        client.sendall(head + b"\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(body)
        assert status(everything(client)) == 200


def test_a_client_that_stops_sending_still_gets_its_answer(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(request(body=json.dumps({"n": 4, "c": "x" * 40_000}).encode()))
        client.shutdown(socket.SHUT_WR)
        assert b'"n": 4' in everything(client)


def test_an_old_client_is_answered_and_let_go(server: Served) -> None:
    got = server.raw(request().replace(b"HTTP/1.1", b"HTTP/1.0"))
    assert status(got) == 200
    assert b"connection: close" in got.lower()


# --- who is refused ------------------------------------------------------------------------------

REFUSED = [
    (request("GET", body=b""), 405, "a hook is posted to"),
    (request("OPTIONS", more="Origin: http://evil.example\r\n"), 403, "no cross-origin leave"),
    (request(path="/hook/nobody"), 404, "an agent that we do not know"),
    (request(path="/hook/"), 404, "no agent"),
    (request(path="/"), 404, "nothing there"),
    (request(path="/hook/claude/../codex"), 404, "paths are names, not places"),
    (request(path="/hook/cl%61ude"), 404, "and have one spelling"),
    (request(host="evil.example"), 403, "DNS rebinding"),
    (request(host="127.0.0.1.evil.example:80"), 403, "a name that begins like ours"),
    (request(host="169.254.1.1"), 403, "another address"),
    (request(host=""), 403, "no name"),
    (request(more="Host: 127.0.0.1\r\n"), 400, "two names"),
    (request().replace(b"Host: 127.0.0.1\r\n", b""), 400, "no Host at all"),
    (request(more="Origin: http://127.0.0.1:7717\r\n"), 403, "any page, even one of ours"),
    (request(more="Origin: null\r\n"), 403, "a page without an origin"),
    (request().replace(b"Bearer right", b"Bearer wrong"), 401, "a wrong token"),
    (request().replace(b"Bearer right", b"Bearer "), 401, "an empty token"),
    (request().replace(b"Bearer right", b"Basic right"), 401, "another scheme"),
    (request(more="Authorization: Bearer wrong\r\n"), 400, "two tokens"),
    (request(more="Content-Length: 7\r\n"), 400, "two lengths, even equal ones"),
    (request(length=False, more="Content-Length: 7, 7\r\n"), 400, "two lengths in one"),
    (request(length=False, more="Content-Length: +7\r\n"), 400, "a signed length"),
    (request(length=False, more="Content-Length: -1\r\n"), 400, "a negative length"),
    (request(length=False, more="Content-Length: 0x7\r\n"), 400, "another notation"),
    (request(length=False, more="Content-Length: 7\xb2\r\n"), 400, "digits that are none"),
    (request(length=False, more="Content-Length: 9999999999999\r\n"), 413, "beyond belief"),
    (request(length=False, more=f"Content-Length: {LARGEST + 1}\r\n"), 413, "a huge body"),
    (
        request(length=False, more="Transfer-Encoding: chunked\r\n", body=b"0\r\n\r\n"),
        411,
        "chunks",
    ),
    (request(more="Transfer-Encoding: chunked\r\n"), 400, "chunks and a length: smuggling"),
    (request(more="Transfer-Encoding : x\r\n"), 400, "a space before the colon"),
    (request(more=" folded: x\r\n"), 400, "a folded line"),
    (request(more="no colon\r\n"), 400, "no header"),
    (request(more=": x\r\n"), 400, "no name"),
    (request(more="X: a\x00b\r\n"), 400, "a NUL"),
    (request(more="X: a\nTransfer-Encoding: chunked\r\n"), 400, "a bare line feed"),
    (request(more="X: \xe9\r\n"), 400, "not plain text"),
    (request(more="X: 1\r\n" * 100), 431, "too many headers"),
    (request(more=f"X: {'a' * 20_000}\r\n"), 431, "a huge header"),
    (b"A" * 20_000, 400, "no line at all"),
    (request().replace(b"HTTP/1.1", b"HTTP/2.0"), 505, "a version to come"),
    (request().replace(b"HTTP/1.1", b"HTTP/1.1 x"), 400, "four words"),
    (request(path="http://127.0.0.1/hook/claude"), 400, "what only proxies are asked"),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "HTTP/2"),
    (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400, "TLS"),
    (b"CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n", 400, "a tunnel"),
    (b"GET /health\r\n\r\n", 505, "no version"),
]


@pytest.mark.parametrize(("sent", "expected", "why"), REFUSED, ids=[why for _, _, why in REFUSED])
def test_it_is_refused(server: Served, sent: bytes, expected: int, why: str) -> None:
    got = server.raw(sent)
    assert status(got) == expected, why
    assert len(re.findall(rb"HTTP/1\.1 \d{3} ", got)) == 1, "nothing after a refusal is answered"
    head, _, body = got.partition(b"\r\n\r\n")
    assert json.loads(body)["error"]["code"]
    assert b"Access-Control" not in head


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"{}{}",
        b"\xff{}",
        b"[" * 200_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    ],
    ids=["empty", "cut", "a list", "null", "a text", "two", "no UTF-8", "deep", "deep objects"],
)
def test_what_is_no_json_object_is_a_bad_request(server: Served, body: bytes) -> None:
    assert server.post(body)[0] == 400
    assert server.post({"n": 1})[0] == 200


def test_a_refused_body_is_not_read_but_the_answer_arrives(server: Served) -> None:
    """Without a goodbye the kernel would reset the connection, and the answer with it."""
    sent = request(body=b"x" * 1_000_000).replace(b"Bearer right", b"Bearer wrong")
    assert status(server.raw(sent)) == 401


def test_other_loopback_names_are_ours_too(server: Served) -> None:
    for host in ("localhost", "LOCALHOST:7717", "[::1]", "[::1]:80", "127.0.0.1:1"):
        assert status(server.raw(request(host=host, more=CLOSE))) == 200


def test_the_token_may_stand_in_its_own_header(server: Served) -> None:
    assert server.post({}, headers={"X-Penstock-Token": TOKEN})[0] == 200
    assert server.post({}, headers={"X-Penstock-Token": "wrong"})[0] == 401


# --- who dawdles ---------------------------------------------------------------------------------


def test_a_head_that_never_ends_is_cut_off(server: Served) -> None:
    assert status(server.raw(b"POST /hook/claude HTTP/1.1\r\nX: ")) == 408


def test_a_head_in_drops_wins_no_time(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.settimeout(0.05)
        client.sendall(b"POST /hook/claude HTTP/1.1\r\nX: ")
        got = b""
        for _ in range(400):  # 20 seconds; the bound is less than one
            try:
                client.sendall(b"X")
                got = client.recv(1000)
            except TimeoutError:
                continue
            except OSError:
                break
            break
        assert status(got) == 408


def test_a_body_that_never_ends_is_cut_off(server: Served) -> None:
    whole = request(body=b"{" + b" " * 1000)
    assert status(server.raw(whole[:-1])) == 408


def test_a_silent_connection_is_closed(server: Served) -> None:
    assert server.raw(b"") == b""


def test_a_kept_connection_that_nobody_uses_is_closed() -> None:
    with serving(idle=0.5) as served:
        client = served.connect()
        client.request("POST", "/hook/claude", "{}", AUTHORIZED)
        assert answer(client)[0] == 200
        assert client.sock.recv(1) == b""
        client.close()


def test_a_head_up_to_its_bound_is_read(server: Served) -> None:
    for size, expected in ((15_000, 200), (17_000, 431)):
        assert status(server.raw(request(more=f"X: {'a' * size}\r\n{CLOSE}"))) == expected


def test_a_head_that_only_grows_is_cut_off_by_its_size(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(b"POST /hook/claude HTTP/1.1\r\n")
        with suppress(OSError):
            for _ in range(100):
                client.sendall(b"X: " + b"a" * 10_000 + b"\r\n")
        assert status(everything(client)) == 431


def send_for_ever(client: socket.socket) -> None:
    for _ in range(10_000):
        client.sendall(request() * 100)


def test_a_client_that_runs_ahead_without_reading_is_cut_off(server: Served) -> None:
    gone = pytest.raises((ConnectionResetError, BrokenPipeError))
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client, gone:
        send_for_ever(client)
    assert server.post({"n": 1})[0] == 200


def test_too_many_connections_are_told_and_the_others_go_on() -> None:
    with serving(connections=8, head=20) as served:
        kept = served.connect()
        kept.request("POST", "/hook/claude", "{}", AUTHORIZED)
        assert answer(kept)[0] == 200
        crowd = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(7)]
        assert status(served.raw(request())) == 503
        kept.request("POST", "/hook/claude", "{}", AUTHORIZED)
        assert answer(kept)[0] == 200
        kept.close()
        for one in crowd:
            one.close()


# --- starting and stopping -----------------------------------------------------------------------


def test_a_stop_lets_what_is_being_answered_go_out() -> None:
    with serving() as served:
        idle, busy = served.connect(), served.connect()
        idle.request("POST", "/hook/claude", "{}", AUTHORIZED)
        assert answer(idle)[0] == 200
        body = json.dumps({"sleep": 1, "n": 5, "content": "x" * 40_000})
        busy.request("POST", "/hook/claude", body, AUTHORIZED)
        assert served.post({"n": 1})[0] == 200  # the one above is under way by now
        served.process.send_signal(signal.SIGTERM)
        assert answer(busy)[1]["n"] == 5
        assert served.process.wait(20) == 0
        for one in (idle, busy):
            one.close()
    assert served.lines[-1].strip() == "penstock serve: stopped"


def test_a_stop_waits_for_nobody_who_dawdles() -> None:
    with serving(head=60, body=60) as served:
        slow = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(3)]
        for one, sent in zip(slow, (b"", b"POST /hook", request()[:-1]), strict=True):
            one.sendall(sent)
        assert served.post({"n": 1})[0] == 200
        assert served.end() == 0
        for one in slow:
            one.close()


def test_control_c_is_a_stop_too() -> None:
    with serving() as served:
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(20) == 0


def test_the_log_names_errors_and_never_bodies_or_tokens() -> None:
    with serving() as served:
        served.post(b"not json, but a secret")
        served.raw(request(host="evil.example", body=b'{"a":"secret"}'))
        served.post({"secret": 1}, headers={"Authorization": "Bearer secret"})
        served.post({"secret": 1})
        assert served.end() == 0
    log = "".join(served.lines)
    for told in ("400 POST /hook/claude", "403 POST /hook/claude (wrong-host)", "(no-token)"):
        assert told in log
    assert "secret" not in log


def test_a_taken_port_is_told() -> None:
    with bound(0) as taken, pytest.raises(StoreError, match="is not available"):
        bound(taken.getsockname()[1])


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@needs_ipv6
@pytest.mark.parametrize("port", [0, None])
def test_the_page_has_both_addresses_of_its_name(port: int | None) -> None:
    with bound(0) as free:
        wanted = free.getsockname()[1] if port is None else port
    both = for_pages(wanted)
    try:
        first, second = (one.getsockname()[:2] for one in both)
        assert (first[0], second) == ("127.0.0.1", ("::1", first[1]))
        assert port == 0 or first[1] == wanted
    finally:
        for one in both:
            one.close()


@needs_ipv6
def test_where_somebody_else_would_be_taken_for_the_page_nothing_is_served() -> None:
    with listening("::1", 0, backlog=1, hint="") as theirs:
        port = theirs.getsockname()[1]
        with pytest.raises(StoreError, match=f"port {port} of ::1 is not available"):
            for_pages(port)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "", "example.org"])
def test_nothing_but_loopback_is_listened_on(host: str) -> None:
    with pytest.raises(InputError, match="on this machine only"):
        listening(host, 0, backlog=1, hint="")


# --- any bytes -----------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [b"POST ", b"/hook/claude", b" HTTP/1.1", b"\r\n", b"Content-Length: ", b"Host: ", b":", b"\n"]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES | st.binary(max_size=12), max_size=30).map(b"".join))
def test_any_bytes_are_refused_or_no_request_at_all(server: Served, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        got = everything(client)
    assert not got or 400 <= status(got) < 600, "there was no token"
