"""Pages are told what changed: at once, all of them, and also those that were away."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock.doors.http import server
from penstock.doors.web import live_events
from tests.doors.web.page_server import WORDS, Browser, Served, serving

VIEWERS = 50
WITHIN = 20.0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


@dataclass
class Told:
    id: str = ""
    name: str = ""
    data: Any = None


@dataclass
class Viewer:
    """A page that listens."""

    response: http.client.HTTPResponse

    def next(self) -> Told:
        """Wait for an event; comments and the wish to come back are passed over."""
        told, end = Told(), time.monotonic() + WITHIN
        while line := self.response.readline():
            assert time.monotonic() < end, "only heartbeats came"
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                told.id = value
            elif name == "event":
                told.name = value
            elif name == "data":
                told.data = json.loads(value)
            elif not name and told.name:
                return told
        return told


@contextmanager
def listening(served: Served, browser: Browser, last: str = "") -> Iterator[Viewer]:
    client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WITHIN)
    headers = {"Cookie": browser.cookie, **({"Last-Event-ID": last} if last else {})}
    client.request("GET", "/events", headers=headers)
    response = client.getresponse()
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("text/event-stream")
    assert response.readline() == b"retry: 2000\n"
    assert response.readline() == b"\n"
    try:
        yield Viewer(response)
    finally:
        response.close()
        client.close()


def eventually(holds: Any) -> bool:
    end = time.monotonic() + WITHIN
    while time.monotonic() < end:
        if holds():
            return True
        threading.Event().wait(0.02)
    return False


def test_only_a_session_may_listen(served: Served) -> None:
    assert served.stranger().get("/events").status == 401
    headers = {"Authorization": "Bearer " + "a" * 64}
    assert served.stranger().get("/events", headers).status == 401


def test_a_page_is_told_what_comes_and_what_goes(served: Served) -> None:
    with listening(served, served.browser()) as viewer:
        one = served.propose("a.txt", "x\n")
        told = viewer.next()
        assert (told.name, told.data["waiting"], told.data["changed"]) == ("queue", 1, [one.id])
        assert told.data["workspace"] == "project-1"
        body = {"content_digest": one.content, "passphrase": WORDS, **served.seen(one.id)}
        served.call("POST", f"/proposals/{one.id}/approve", body)
        while told.data["waiting"]:
            told = viewer.next()
        assert told.name == "queue"


def test_what_another_process_does_is_told(served: Served) -> None:
    from penstock.app import open_workspace
    from penstock.gate import Item

    with listening(served, served.browser()) as viewer:
        other = open_workspace(served.here.root, state=served.here.state)
        other.gate.propose([Item(path="b.txt", content=b"b\n")])
        assert viewer.next().data["waiting"] == 1
        other.close()


def test_an_event_holds_no_path_and_no_content(served: Served) -> None:
    with listening(served, served.browser()) as viewer:
        served.propose("secret-name.txt", "secret content\n")
        assert "secret" not in json.dumps(viewer.next().data)


def test_fifty_pages_are_told_by_one_thread(served: Served) -> None:
    browser = served.browser()
    with ThreadPoolExecutor(VIEWERS) as pool:
        ready = threading.Barrier(VIEWERS + 1)

        def look() -> Told:
            with listening(served, browser) as viewer:
                ready.wait(WITHIN)
                return viewer.next()

        found = [pool.submit(look) for _ in range(VIEWERS)]
        ready.wait(WITHIN)
        there = served.world.hub.viewers, served.world.hub.threads
        one = served.propose("a.txt", "x\n")
        told = [each.result(WITHIN) for each in found]
    assert there == (VIEWERS, 1)
    assert [each.data["changed"] for each in told] == [[one.id]] * VIEWERS
    assert len({each.id for each in told}) == 1
    assert eventually(lambda: served.world.hub.viewers == 0), "who has left is forgotten"


def test_a_page_that_was_away_gets_what_it_missed(served: Served) -> None:
    browser = served.browser()
    with listening(served, browser) as viewer, listening(served, browser) as other:
        served.propose("a.txt", "x\n")
        seen = viewer.next()
        assert other.next().id == seen.id
        missed = served.propose("b.txt", "x\n")
        assert other.next().data["changed"] == [missed.id]
        with listening(served, browser, last=seen.id) as again:
            told = again.next()
            assert (told.name, told.data["changed"]) == ("queue", [missed.id])


@pytest.mark.parametrize("last", ["x", "00000000-1", "-", "1-99999", "a-" + "9" * 40])
def test_a_page_that_was_away_too_long_is_told_to_load_again(served: Served, last: str) -> None:
    with listening(served, served.browser(), last=last) as viewer:
        assert viewer.next().name == "reload"


def test_a_page_that_left_is_forgotten_and_the_thread_ends(served: Served) -> None:
    with listening(served, served.browser()):
        assert served.world.hub.viewers == 1
    assert eventually(lambda: served.world.hub.viewers == 0)
    assert eventually(lambda: served.world.hub.threads == 0)


def test_a_page_of_a_session_that_was_closed_is_told_nothing_more(served: Served) -> None:
    browser = served.browser()
    with listening(served, browser) as viewer:
        assert browser.post("/close").status == 303
        served.propose("a.txt", "x\n")
        assert viewer.next() == Told(), "the stream ends"


def test_a_page_that_does_not_read_holds_up_nobody(served: Served) -> None:
    browser = served.browser()
    with socket.create_connection(("127.0.0.1", served.port), timeout=WITHIN) as deaf:
        head = f"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {browser.cookie}\r\n\r\n"
        deaf.sendall(head.encode())
        assert eventually(lambda: served.world.hub.viewers == 1)
        with listening(served, browser) as viewer:
            for number in range(5):
                served.propose(f"{number}.txt", "x\n")
                assert viewer.next().name == "queue"


def test_there_is_an_end_to_how_many_may_listen(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_events, "MOST_VIEWERS", 1)
    browser = served.browser()
    with listening(served, browser):
        assert browser.get("/events").status == 503


def test_stopping_ends_every_stream_in_good_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STOP_WITHIN", 600)  # a stop that waited for it would not end here
    with serving(tmp_path) as served:
        client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WITHIN)
        client.request("GET", "/events", headers={"Cookie": served.browser().cookie})
        response = client.getresponse()
        assert response.readline() == b"retry: 2000\n"
    assert response.read() == b"\n", "the last chunk was sent, so this is no broken stream"
    client.close()
