"""Whatever a request says of itself, it comes in only as one of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.loopback import brought
from penstock.doors.web.middleware import Admission
from penstock.doors.web.sessions import cookies_of
from tests.doors.web.page_server import TOKEN, Served, serving

HOST = "127.0.0.1:7717"
OURS = f"http://{HOST}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("web")) as one:
        yield one


def reached(served: Served, method: str, path: str, headers: dict[str, str], body: bytes) -> bool:
    """Say whether a request gets through to what stands behind the door."""
    inside: list[str] = []

    async def behind(scope: MutableMapping[str, Any], _receive: Any, send: Any) -> None:
        inside.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    statuses: list[int] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    from penstock.doors.web.app import make_app

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "app": make_app(served.world),
    }
    asyncio.run(Admission(behind, served.world)(scope, receive, send))
    assert len(statuses) == 1
    assert statuses[0] < 500
    assert bool(inside) == (statuses[0] == 200)
    return bool(inside)


ORIGINS = st.one_of(
    st.none(),
    st.sampled_from([OURS, "null", "http://127.0.0.1:1", "https://" + HOST, "http://evil.example"]),
)
SITES = st.sampled_from([None, "same-origin", "none", "same-site", "cross-site", ""])
HOSTS = st.sampled_from([HOST, "evil.example", "127.0.0.1.evil.example", "localhost:7717"])


@given(
    host=HOSTS,
    origin=ORIGINS,
    site=SITES,
    referer=st.sampled_from([None, f"{OURS}/", "http://evil.example/", OURS]),
    cookie=st.booleans(),
    token=st.booleans(),
)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_form_gets_in_only_from_our_own_page(
    served: Served,
    host: str,
    origin: str | None,
    site: str | None,
    referer: str | None,
    cookie: bool,
    token: bool,
) -> None:
    made = served.world.sessions.open(served.world.sessions.new_link())
    assert made is not None
    told = {
        "Host": host,
        "Origin": origin,
        "Sec-Fetch-Site": site,
        "Referer": referer,
        "Cookie": f"{served.world.cookie}={made[0]}" if cookie else None,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    headers = {name: value for name, value in told.items() if value is not None}
    body = urlencode({"csrf": made[1].csrf if token else "x"}).encode()
    named = host in (HOST, "localhost:7717")
    from_us = origin == f"http://{host}" and site in (None, "same-origin", "none")
    no_browser = origin is None and site is None and referer in (None, f"http://{host}/")
    right = named and cookie and token and (from_us or no_browser)
    assert reached(served, "POST", "/audit/verify", headers, body) == right


@given(
    path=st.sampled_from(["/api/v1/links", "/api/v1/proposals", "/api/v2/x", "/api/"]),
    token=st.one_of(st.just(TOKEN), st.text(max_size=80)),
    scheme=st.sampled_from(["Bearer ", "bearer ", "Basic ", ""]),
)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_api_opens_for_its_token_alone(
    served: Served, path: str, token: str, scheme: str
) -> None:
    plain = "".join(c for c in token if c.isprintable() and c.isascii())
    headers = {"Host": HOST, "Authorization": scheme + plain}
    right = plain.strip() == TOKEN and scheme.lower() == "bearer "
    assert reached(served, "POST", path, headers, b"") == right


@given(st.text(max_size=300))
def test_any_cookie_can_be_read(text: str) -> None:
    assert len(cookies_of({"cookie": text}, "x")) <= 8
    assert isinstance(brought({"authorization": text}), str)
