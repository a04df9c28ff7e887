"""Who gets in, from where, how often, and what a response lets a browser do."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from penstock.core.errors import RefusedError
from penstock.core.proposals.model import State
from penstock.doors.web.rate_limits import FEW, LOCKED, MANY, Attempts, Bucket
from penstock.doors.web.sessions import IDLE_SECONDS, LINK_SECONDS, SESSION_SECONDS, Sessions
from tests.doors.web.page_server import WORDS, Browser, Served, serving

PAGES = ("/", "/history", "/decisions", "/rules", "/audit", "/events", "/proposals/x", "/nowhere")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("web")) as one:
        yield one


@pytest.fixture(scope="module")
def browser(served: Served) -> Browser:
    return served.browser()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


# --- links and sessions --------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_a_page_without_a_session_says_only_how_to_open_one(served: Served, path: str) -> None:
    answer = served.stranger().get(path)
    assert answer.status == 401
    assert "penstock open" in answer.text


@pytest.mark.parametrize("cookie", ["{name}=", "{name}=x", "{name}", "x", "=;=", "{name}=a;" * 99])
def test_a_cookie_that_is_none_of_ours_opens_nothing(served: Served, cookie: str) -> None:
    text = cookie.format(name=served.world.cookie)
    assert served.stranger().get("/", {"Cookie": text}).status == 401


def test_what_other_servers_of_this_machine_set_is_not_in_the_way(served: Served) -> None:
    own = served.browser().cookie
    others = 'a={"b": [1; 2]}; =; "; penstock_session_1=x; ' + own.partition("=")[0] + "=theirs"
    assert served.stranger().get("/", {"Cookie": f"{others}; {own}; c=d"}).status == 200
    elsewhere = own.replace(f"_{served.port}=", "_1=")
    assert served.stranger().get("/", {"Cookie": elsewhere}).status == 401


def test_a_link_opens_one_session_and_never_a_second(served: Served) -> None:
    link = served.world.link().removeprefix(served.origin)
    first, second = served.stranger().get(link), served.stranger().get(link)
    assert first.status == 303
    cookie = first.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/" in cookie
    assert (second.status, second.headers["Set-Cookie"]) == (401, None)


def test_a_link_is_not_used_up_by_looking_ahead(served: Served) -> None:
    link = served.world.link().removeprefix(served.origin)
    assert served.stranger().get(link, {"Sec-Purpose": "prefetch"}).status == 401
    assert served.stranger().ask("HEAD", link).status == 401
    assert served.stranger().get(link).status == 303


@pytest.mark.parametrize(
    ("to", "where"),
    [
        ("", "/"),
        ("/proposals/hitl-1", "/proposals/hitl-1"),
        ("//evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/a?b=<script>", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_a_link_leads_to_a_page_of_ours_and_nowhere_else(
    served: Served, to: str, where: str
) -> None:
    link = served.world.link(to=to).removeprefix(served.origin)
    assert served.stranger().get(link).headers["Location"] == where


def test_whoever_comes_from_another_page_is_led_on_with_the_new_cookie(served: Served) -> None:
    link = served.world.link().removeprefix(served.origin)
    coming = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    answer = served.stranger().get(link, coming)
    assert answer.status == 200
    assert "url=/" in answer.text
    assert answer.headers["Set-Cookie"]


def test_a_session_ends_when_it_is_closed(fresh: Served) -> None:
    browser = fresh.browser()
    assert browser.get("/").status == 200
    assert browser.post("/close").status == 303
    assert browser.get("/").status == 401


def test_links_and_sessions_end_by_themselves() -> None:
    now = [0.0]
    sessions = Sessions(now=lambda: now[0])
    late = sessions.new_link()
    now[0] += LINK_SECONDS
    assert sessions.open(late) is None
    opened = [sessions.open(sessions.new_link()) for _ in range(2)]
    cookies = [made[0] for made in opened if made]
    now[0] += IDLE_SECONDS - 1
    assert sessions.find(cookies[0]) is not None
    now[0] += 1
    assert sessions.find(cookies[1]) is None, "nobody used it"
    while now[0] < SESSION_SECONDS + LINK_SECONDS - 1:
        assert sessions.find(cookies[0]) is not None
        now[0] += IDLE_SECONDS / 2
    assert sessions.find(cookies[0]) is None, "used or not, it has an end"


def test_links_and_sessions_do_not_pile_up() -> None:
    sessions = Sessions()
    first = sessions.new_link()
    made = [sessions.new_link() for _ in range(100)]
    assert sessions.open(first) is None
    assert sessions.open(made[-1]) is not None


# --- names and origins ---------------------------------------------------------------------------

HOSTS = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "127.0.0.2",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "",
]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", ["/", "/open", "/static/page.css", "/api/v1/openapi.json"])
def test_only_loopback_names_are_answered_to(
    served: Served, browser: Browser, host: str, path: str
) -> None:
    answer = browser.get(path, {"Host": host})
    assert answer.status in (400, 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_every_loopback_name_works(served: Served, browser: Browser, host: str) -> None:
    assert browser.get("/", {"Host": f"{host}:{served.port}"}).status == 200


ORIGINS = {
    "another site": "http://evil.example",
    "another port": "http://127.0.0.1:1",
    "another name for us": "http://localhost:{port}",
    "another scheme": "https://127.0.0.1:{port}",
    "no port": "http://127.0.0.1",
    "null": "null",
    "nothing": "",
    "with a path": "http://127.0.0.1:{port}/",
    "with a user": "http://x@127.0.0.1:{port}",
}


@pytest.mark.parametrize("origin", ORIGINS.values(), ids=ORIGINS.keys())
def test_a_form_from_another_origin_is_refused(fresh: Served, origin: str) -> None:
    one = fresh.propose("a.txt", "x\n")
    browser = fresh.browser()
    fields = {"digest": one.content, "reason": "no", "passphrase": WORDS}
    told = {"Origin": origin.format(port=fresh.port)}
    for action in ("reject", "approve"):
        assert browser.post(f"/proposals/{one.id}/{action}", fields, told).status == 403
    assert fresh.stored(one).state is State.WAITING
    assert browser.get("/", {"Origin": told["Origin"]}).status == 403


FETCHES: dict[str, Mapping[str, str | None]] = {
    "no origin, from another page": {
        "Origin": None,
        "Sec-Fetch-Site": None,
        "Referer": "http://evil.example/",
    },
    "no origin, said to be ours": {"Origin": None},
    "another site by its own word": {"Sec-Fetch-Site": "cross-site"},
    "another port by its own word": {"Sec-Fetch-Site": "same-site"},
    "a word that nobody knows": {"Sec-Fetch-Site": "same-planet"},
}


@pytest.mark.parametrize("headers", FETCHES.values(), ids=FETCHES.keys())
def test_a_form_must_say_that_it_comes_from_us(
    served: Served, browser: Browser, headers: Mapping[str, str | None]
) -> None:
    assert browser.post("/audit/verify", {}, headers).status == 403


def test_what_is_no_browser_still_needs_the_session_and_its_token(fresh: Served) -> None:
    plain = {"Origin": None, "Sec-Fetch-Site": None}
    browser = fresh.browser()
    assert fresh.stranger().post("/close", {}, plain).status == 401
    assert Browser(fresh.port, cookie=browser.cookie).post("/close", {}, plain).status == 403
    assert browser.post("/close", {}, plain).status == 303


@pytest.mark.parametrize(
    ("mode", "dest", "status"),
    [
        ("navigate", "document", 200),
        ("navigate", "iframe", 403),
        ("no-cors", "image", 403),
        ("no-cors", "script", 403),
        ("cors", "empty", 403),
        ("websocket", "websocket", 403),
    ],
)
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_may_send_a_person_here_and_load_nothing(
    served: Served, browser: Browser, site: str, mode: str, dest: str, status: int
) -> None:
    told = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    assert browser.get("/", told).status == status
    assert browser.get("/events", told).status == status if status == 403 else True


def test_the_api_is_not_for_other_origins_either(served: Served) -> None:
    told = {"Authorization": "Bearer " + "a" * 64, "Origin": "http://evil.example"}
    assert served.stranger().ask("POST", "/api/v1/links", b"", told).code == "wrong-origin"
    told = {"Authorization": "Bearer " + "a" * 64, "Sec-Fetch-Site": "cross-site"}
    assert served.stranger().ask("POST", "/api/v1/links", b"", told).code == "wrong-origin"


# --- forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "x", "a" * 43])
def test_a_form_without_the_sessions_own_token_is_refused(fresh: Served, token: str) -> None:
    one = fresh.propose("a.txt", "x\n")
    browser = fresh.browser()
    browser.csrf = token
    answer = browser.post(f"/proposals/{one.id}/reject", {"digest": one.content, "reason": "no"})
    assert answer.status == 403
    assert fresh.stored(one).state is State.WAITING


def test_the_token_of_another_session_is_not_this_ones(served: Served) -> None:
    one, other = served.browser(), served.browser()
    one.csrf = other.csrf
    assert one.post("/close").status == 403


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data", ""])
def test_only_forms_are_taken(served: Served, browser: Browser, kind: str) -> None:
    assert browser.post("/audit/verify", {}, {"Content-Type": kind}).status == 415


@pytest.mark.parametrize("body", [b"csrf=%FF", b"a=1&" * 30_000, "csrf=ä".encode()])
def test_a_form_that_cannot_be_read_is_refused(
    served: Served, browser: Browser, body: bytes
) -> None:
    told = {
        "Cookie": browser.cookie,
        "Origin": browser.origin,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    assert browser.ask("POST", "/audit/verify", body, told).status in (400, 413)


# --- what a response tells the browser -----------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/nowhere", "/open", "/static/page.css", "/api/v1/status", "/api/v1/openapi.json"]
)
@pytest.mark.parametrize("known", [True, False])
def test_every_response_keeps_others_out(
    served: Served, browser: Browser, path: str, known: bool
) -> None:
    headers = (browser if known else served.stranger()).get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "base-uri 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store" or path.startswith("/static/")
    assert headers["Access-Control-Allow-Origin"] is None
    assert headers["Server"] is None


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/"])
def test_nothing_beside_the_static_files_is_served(served: Served, path: str) -> None:
    assert served.stranger().get(path).status in (401, 404)


# --- how often -----------------------------------------------------------------------------------


def test_a_flood_of_strangers_is_slowed_down_and_a_person_is_not(fresh: Served) -> None:
    browser = fresh.browser()
    client = http.client.HTTPConnection("127.0.0.1", fresh.port, timeout=30)
    found = set()
    for _ in range(3000):
        client.request("GET", "/api/v1/status")
        response = client.getresponse()
        response.read()
        found.add(response.status)
        if response.status == 429:
            break
    client.close()
    assert found == {401, 429}
    assert browser.get("/").status == 200


def test_turns_come_back_at_their_rate() -> None:
    now = [0.0]
    bucket = Bucket(rate=2, burst=3, now=lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] += 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    now[0] += 100
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


# --- the person's proof --------------------------------------------------------------------------


def approve(served: Served, browser: Browser, words: str, code: str = "") -> int:
    waiting = served.gate.find(states=(State.WAITING,))
    browser.get(f"/proposals/{waiting[0].id}")
    fields = {"digest": waiting[0].content, "passphrase": words, "code": code}
    return browser.post(f"/proposals/{waiting[0].id}/approve", fields).status


def test_wrong_passphrases_wait_longer_and_longer_and_are_on_the_record(fresh: Served) -> None:
    fresh.propose("a.txt", "x\n")
    browser = fresh.browser()
    for _ in range(FEW - 1):
        assert approve(fresh, browser, "not it") == 403
    assert fresh.waits == sorted(fresh.waits)
    assert fresh.waits[0] > 0
    refused = fresh.events("approval_refused")
    assert [event["code"] for event in refused] == ["wrong-passphrase"] * (FEW - 1)
    assert refused[0]["command"] == "page approve"
    assert approve(fresh, browser, WORDS) == 303, "a person who mistyped gets through"


def test_too_many_wrong_passphrases_lock_even_the_right_one_out(fresh: Served) -> None:
    one = fresh.propose("a.txt", "x\n")
    browser = fresh.browser()
    statuses = [approve(fresh, browser, "not it") for _ in range(FEW)]
    assert statuses[-1] == 429
    assert approve(fresh, browser, WORDS) == 429
    assert fresh.stored(one).state is State.WAITING
    codes = [event["code"] for event in fresh.events("approval_refused")]
    assert codes.count("too-many-attempts") == 1, "being locked out is told once"
    assert fresh.events("approval_refused")[-1]["proposal"] == one.id
    assert approve(fresh, fresh.browser(), WORDS) == 303, "another session is not locked"


def test_many_sessions_together_are_locked_out_too() -> None:
    now = [0.0]
    attempts = Attempts(now=lambda: now[0])
    for number in range(MANY - 1):
        attempts.failed(f"session {number}")
    with pytest.raises(RefusedError, match="too many"):
        attempts.failed("one more")
    with pytest.raises(RefusedError, match="too many"):
        attempts.check("somebody else")
    now[0] += LOCKED
    attempts.check("somebody else")


def test_without_a_key_everything_can_be_seen_and_sent_back_and_nothing_approved(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, key=False) as served:
        one = served.propose("a.txt", "x\n")
        browser = served.browser()
        page = browser.get(f"/proposals/{one.id}")
        assert page.status == 200
        assert "penstock approver init" in page.text
        fields = {"digest": one.content, "passphrase": "anything", "reason": "no"}
        refused = browser.post(f"/proposals/{one.id}/approve", fields)
        assert refused.status == 403
        assert "penstock approver init" in refused.text
        assert served.stored(one).state is State.WAITING
        assert browser.post(f"/proposals/{one.id}/reject", fields).status == 303
        assert served.stored(one).state is State.REJECTED


def test_a_key_that_wants_a_code_is_not_opened_by_the_passphrase_alone(fresh: Served) -> None:
    from base64 import b32decode
    from time import time
    from urllib.parse import parse_qs, urlsplit

    from penstock.core.proposals.signature import code_at, step_of

    told = parse_qs(urlsplit(fresh.here.keys.add_totp(WORDS)).query)["secret"][0]
    secret = b32decode(told + "=" * (-len(told) % 8))
    fresh.propose("a.txt", "x\n")
    browser = fresh.browser()
    assert approve(fresh, browser, WORDS) == 403
    assert approve(fresh, browser, WORDS, "000000") == 403
    assert not (fresh.root / "a.txt").exists()
    assert approve(fresh, browser, WORDS, code_at(secret, step_of(time()))) == 303
    assert (fresh.root / "a.txt").read_text() == "x\n"


def test_a_server_that_an_agent_started_approves_nothing(fresh: Served) -> None:
    one = fresh.propose("a.txt", "x\n")
    fresh.here.__dict__["inside_agent"] = lambda: "the variable CLAUDECODE is set"
    assert approve(fresh, fresh.browser(), WORDS) == 403
    assert fresh.stored(one).state is State.WAITING
    assert fresh.events("approval_refused")[-1]["code"] == "inside-agent"
