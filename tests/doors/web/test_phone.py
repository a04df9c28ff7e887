"""The address for other devices: TLS, passkeys and pages only; an agent approves nothing there."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from penstock.app.push import subscribers
from penstock.core.proposals.model import State
from penstock.core.proposals.passkey import from_text
from tests.authenticator import Authenticator
from tests.doors.web.page_server import TOKEN, WORDS
from tests.doors.web.phone_server import NAME, PhoneBrowser, PhoneServed, serving_phone
from tests.push_service import push_service


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture
def phone(tmp_path: Path, tls: Path) -> Iterator[PhoneServed]:
    with serving_phone(tmp_path, tls=tls) as one:
        yield one


def raw(phone: PhoneServed, sent: bytes) -> bytes:
    """Send bytes without TLS and return what comes back."""
    with socket.create_connection(("127.0.0.1", phone.port), timeout=10) as client:
        client.sendall(sent)
        try:
            return client.recv(4096)
        except ConnectionResetError:
            return b""


# --- TLS -----------------------------------------------------------------------------------------


def test_plain_http_gets_no_answer_of_ours(phone: PhoneServed) -> None:
    said = raw(phone, f"GET /sign-in HTTP/1.1\r\nHost: {NAME}:{phone.port}\r\n\r\n".encode())
    assert b"HTTP/" not in said


def test_only_tls_of_today_is_offered(phone: PhoneServed) -> None:
    assert phone.opened.context.minimum_version is ssl.TLSVersion.TLSv1_2


def test_the_certificate_can_be_fetched_and_is_for_this_name_alone(phone: PhoneServed) -> None:
    got = phone.stranger().get("/certificate")
    assert got.status == 200
    assert got.body == phone.opened.certificate.authority
    context = ssl.create_default_context(cadata=got.text)
    with (
        socket.create_connection(("127.0.0.1", phone.port), timeout=10) as client,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        context.wrap_socket(client, server_hostname="bank.example")


def test_too_many_clients_are_turned_away_and_this_machine_is_still_served(
    phone: PhoneServed,
) -> None:
    from penstock.doors.http.tls_listener import MOST_OF_ONE

    idle = [socket.create_connection(("127.0.0.1", phone.port)) for _ in range(MOST_OF_ONE)]
    with socket.create_connection(("127.0.0.1", phone.port), timeout=10) as one_more:
        assert one_more.recv(1) == b""
    assert phone.served.browser().get("/").status == 200
    for one in idle:
        one.close()
    # Whoever has left makes room again; a few tries, because leaving is noticed by the server.
    assert any(is_taken_in(phone) for _ in range(50))


def is_taken_in(phone: PhoneServed) -> bool:
    try:
        return phone.stranger().get("/sign-in").status == 401
    except OSError:
        return False


# --- who may ask ---------------------------------------------------------------------------------

WRONG_HOSTS = ("localhost", "127.0.0.1", "evil.example", f"{NAME}", f"{NAME}:1", f"x{NAME}")


@pytest.mark.parametrize("host", WRONG_HOSTS)
def test_only_the_exact_name_and_port_are_answered(phone: PhoneServed, host: str) -> None:
    got = phone.browser().get("/", {"Host": host})
    assert (got.status, got.code) == (403, "wrong-host")


def test_the_name_is_not_answered_on_loopback(phone: PhoneServed) -> None:
    got = phone.served.browser().get("/", {"Host": f"{NAME}:{phone.port}"})
    assert (got.status, got.code) == (403, "wrong-host")


@pytest.mark.parametrize("origin", ["http://{at}", "https://evil.example", "null", "https://{at}0"])
def test_a_form_of_another_origin_is_refused(phone: PhoneServed, origin: str) -> None:
    browser = phone.browser()
    one = phone.served.propose("a.txt", "x\n")
    wrong = origin.format(at=f"{NAME}:{phone.port}")
    got = browser.post(f"/proposals/{one.id}/reject", {"reason": "no"}, {"Origin": wrong})
    assert got.status == 403
    assert phone.served.stored(one).state is State.WAITING


@pytest.mark.parametrize("path", ["/api/v1/status", "/api/v1/links", "/api/v1/openapi.json"])
def test_tokens_open_nothing_there(phone: PhoneServed, path: str) -> None:
    for token in (TOKEN, "", "b" * 64):
        headers = {"Authorization": f"Bearer {token}"}
        assert phone.stranger().ask("GET", path, headers=headers).status == 404
        assert phone.stranger().ask("POST", path, headers=headers).status == 404


@pytest.mark.parametrize("path", ["/hook/claude", "/health", "/readyz"])
def test_hooks_and_health_are_not_there(phone: PhoneServed, path: str) -> None:
    assert phone.stranger().ask("POST", path, "{}").status == 404


def test_sessions_of_one_address_do_not_open_the_other(phone: PhoneServed) -> None:
    here, there = phone.served.browser(), phone.browser()
    value = here.cookie.partition("=")[2]
    thief = phone.stranger()
    for name in (phone.world.cookie, phone.served.world.cookie):
        thief.cookie = f"{name}={value}"
        assert thief.get("/").status == 303
    back = phone.served.stranger()
    back.cookie = f"{phone.served.world.cookie}={there.cookie.partition('=')[2]}"
    assert back.get("/").status == 401


def test_the_cookie_is_bound_to_the_name_and_to_tls(phone: PhoneServed) -> None:
    link = urlsplit(phone.world.link())
    got = phone.stranger().get(f"{link.path}?{link.query}").headers["Set-Cookie"]
    assert got.startswith("__Host-")
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(got.split("; "))


# --- signing in ----------------------------------------------------------------------------------


def test_a_stranger_learns_nothing_and_is_led_on_after_signing_in(phone: PhoneServed) -> None:
    one = phone.served.propose("secret-plan.txt", "x\n")
    stranger = phone.stranger()
    got = stranger.get(f"/proposals/{one.id}")
    assert (got.status, got.headers["Location"]) == (303, "/sign-in")
    wanted = got.headers["Set-Cookie"].partition(";")[0]
    shown = stranger.get("/sign-in")
    assert "secret-plan" not in shown.text
    assert str(phone.served.root.name) not in shown.text
    link = urlsplit(phone.world.link())
    opened = stranger.get(f"{link.path}?{link.query}", {"Cookie": wanted})
    assert opened.headers["Location"] == f"/proposals/{one.id}"


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil", "/a?b", "%2F"])
def test_a_page_to_go_on_to_is_ours_whatever_the_cookie_says(phone: PhoneServed, to: str) -> None:
    link = urlsplit(phone.world.link())
    cookie = {"Cookie": f"{phone.world.cookie_name('penstock_to')}={to}"}
    got = phone.stranger().get(f"{link.path}?{link.query}", cookie)
    assert got.headers["Location"] == "/"


def registered(phone: PhoneServed, device: Authenticator) -> PhoneBrowser:
    """Make a passkey on the phone and confirm it on the computer."""
    browser = phone.browser()
    code = paired(phone, browser, device)
    done = phone.served.browser().post("/passkeys/confirm", {"pairing": code, "passphrase": WORDS})
    assert done.status == 303, done.text
    return browser


def paired(phone: PhoneServed, browser: PhoneBrowser, device: Authenticator) -> str:
    asked = browser.post("/passkeys/options").json
    assert asked["rp"]["id"] == NAME
    made = device.create(from_text(asked["challenge"]), origin=browser.origin, rp=NAME)
    got = browser.post("/passkeys/add", {"credential": json.dumps(made), "label": "phone"})
    assert got.status == 303, got.text
    shown = browser.get(got.headers["Location"]).text
    return shown.partition('<p class="code">')[2].partition("<")[0].replace(" ", "")


def touch(phone: PhoneServed, browser: PhoneBrowser, device: Authenticator, path: str) -> Any:
    asked = browser.post(path).json
    made = device.answer(from_text(asked["challenge"]), origin=browser.origin, rp=NAME)
    return json.dumps(made)


def test_a_touch_signs_in_once_and_goes_on_to_what_was_wanted(phone: PhoneServed) -> None:
    device = Authenticator()
    registered(phone, device)
    one = phone.served.propose("a.txt", "x\n")
    stranger = phone.stranger()
    stranger.cookie = stranger.get(f"/proposals/{one.id}").headers["Set-Cookie"].partition(";")[0]
    made = touch(phone, stranger, device, "/sign-in/options")
    done = stranger.post("/sign-in/done", {"touch": made})
    assert (done.status, done.headers["Location"]) == (303, f"/proposals/{one.id}")
    assert "__Host-penstock_session" in done.headers["Set-Cookie"]
    again = stranger.post("/sign-in/done", {"touch": made})
    assert again.status == 403
    assert "used before" in again.text


def test_a_passkey_that_nobody_confirmed_signs_nobody_in_and_approves_nothing(
    phone: PhoneServed,
) -> None:
    device = Authenticator()
    browser = phone.browser()
    paired(phone, browser, device)
    made = touch(phone, phone.stranger(), device, "/sign-in/options")
    assert phone.stranger().post("/sign-in/done", {"touch": made}).status == 403
    one = phone.served.propose("a.txt", "x\n")
    browser.get(f"/proposals/{one.id}")
    got = browser.post(f"/proposals/{one.id}/challenge", {"digest": one.content})
    assert got.status == 403
    assert "no-passkey" in got.text


def test_an_approvals_touch_signs_nobody_in(phone: PhoneServed) -> None:
    device = Authenticator()
    browser = registered(phone, device)
    one = phone.served.propose("a.txt", "x\n")
    browser.get(f"/proposals/{one.id}")
    asked = browser.post(f"/proposals/{one.id}/challenge", {"digest": one.content}).json
    made = device.answer(from_text(asked["challenge"]), origin=browser.origin, rp=NAME)
    got = phone.stranger().post("/sign-in/done", {"touch": json.dumps(made)})
    assert got.status == 403
    assert "did not ask for it" in got.text


# --- approving -----------------------------------------------------------------------------------


def test_a_touch_of_the_phone_approves_and_the_log_verifies(phone: PhoneServed) -> None:
    device = Authenticator()
    browser = registered(phone, device)
    one = phone.served.propose("a.txt", "x\n")
    browser.get(f"/proposals/{one.id}")
    asked = browser.post(f"/proposals/{one.id}/challenge", {"digest": one.content}).json
    made = device.answer(from_text(asked["challenge"]), origin=browser.origin, rp=NAME)
    done = browser.post(
        f"/proposals/{one.id}/approve", {"digest": one.content, "touch": json.dumps(made)}
    )
    assert done.status == 303, done.text
    assert (phone.served.root / "a.txt").read_text() == "x\n"
    assert phone.served.events("approved")[0]["proof"] == "passkey"
    report = phone.served.here.verify()
    assert [*report.problems, *report.warnings] == []


def test_the_passphrase_is_refused_there_whatever_it_is_for(phone: PhoneServed) -> None:
    browser = phone.browser()
    one = phone.served.propose("a.txt", "x\n")
    page = browser.get(f"/proposals/{one.id}")
    assert 'type="password"' not in page.text
    assert 'type="password"' not in browser.get("/passkeys").text
    fields = {"digest": one.content, "passphrase": WORDS}
    got = browser.post(f"/proposals/{one.id}/approve", fields)
    assert got.status == 403
    assert "touch-only" in got.text
    for path in ("/passkeys/confirm", "/passkeys/remove"):
        got = browser.post(path, {"passphrase": WORDS, "pairing": "00000000", "id": "x"})
        assert "touch-only" in got.text
    for got in (browser.get("/rules/new"), browser.post("/rules/new", {"passphrase": WORDS})):
        assert got.status == 403
        assert "touch-only" in got.text
    for path in (f"/proposals/{one.id}", "/rules", "/rules?suggest=1"):
        assert "/rules/new" not in browser.get(path).text, "no link leads there"
    assert "/rules/new" in phone.served.browser().get(f"/proposals/{one.id}").text
    assert phone.served.stored(one).state is State.WAITING


def test_an_agent_of_the_same_user_approves_nothing(phone: PhoneServed) -> None:
    """It reads the token, so it gets a link, a session, and a passkey of its own that waits."""
    url = phone.served.call("POST", "/links?device=phone").json["url"]
    assert url.startswith(f"https://{NAME}:{phone.port}/open?t=")
    agent = phone.browser()
    mine = Authenticator()
    code = paired(phone, agent, mine)
    one = phone.served.propose("a.txt", "x\n")
    agent.get(f"/proposals/{one.id}")
    # Without the passphrase its passkey is not confirmed, on either page.
    for page in (agent, phone.served.browser()):
        got = page.post("/passkeys/confirm", {"pairing": code, "passphrase": "guess"})
        assert got.status in (403, 429)
    # A challenge of its own, and a touch that it made itself, approve nothing.
    made = mine.answer(bytes(32), origin=agent.origin, rp=NAME)
    fields = {"digest": one.content, "touch": json.dumps(made)}
    assert agent.post(f"/proposals/{one.id}/approve", fields).status == 403
    assert phone.served.stored(one).state is State.WAITING


def test_a_code_confirms_one_passkey_once(phone: PhoneServed) -> None:
    browser, here = phone.browser(), phone.served.browser()
    code = paired(phone, browser, Authenticator())
    other = paired(phone, browser, Authenticator(credential=b"credential-2"))
    fields = {"pairing": f"{code[:4]} {code[4:]}", "passphrase": WORDS}
    assert here.post("/passkeys/confirm", fields).status == 303
    again = here.post("/passkeys/confirm", fields)
    assert "wrong-pairing" in again.text
    (known,) = phone.served.here.keys.own_passkeys()
    assert known.origin == browser.origin
    assert other != code


def test_a_passkey_of_the_computer_is_not_asked_for_on_the_phone(phone: PhoneServed) -> None:
    here = phone.served.browser()
    device = Authenticator()
    asked = here.post("/passkeys/options").json
    origin = phone.served.origin
    made = device.create(from_text(asked["challenge"]), origin=origin)
    fields = {"credential": json.dumps(made), "label": "laptop", "passphrase": WORDS}
    assert here.post("/passkeys/add", fields).status == 303
    one = phone.served.propose("a.txt", "x\n")
    there = phone.browser()
    there.get(f"/proposals/{one.id}")
    got = there.post(f"/proposals/{one.id}/challenge", {"digest": one.content})
    assert "no-passkey" in got.text


# --- web push ------------------------------------------------------------------------------------


def test_a_subscription_is_kept_only_for_a_known_push_service(
    phone: PhoneServed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.app.push.state_home", lambda: str(tmp_path / "state"))
    browser = phone.browser()
    with push_service() as service:
        document = service.document
    wrongs: list[Any] = [document, {}, [], {**document, "endpoint": "https://evil.example/x"}]
    for wrong in wrongs:
        got = browser.post("/push/add", {"subscription": json.dumps(wrong)})
        assert got.status == 400
        assert "bad-subscription" in got.text
    assert subscribers().all() == ()
    good = {**document, "endpoint": "https://fcm.googleapis.com/fcm/send/x"}
    assert browser.post("/push/add", {"subscription": json.dumps(good)}).status == 204
    assert phone.stranger().get("/push/key").status == 303
    assert phone.stranger().post("/push/add", {"subscription": json.dumps(good)}).status == 401
    assert phone.served.browser().get("/push/key").status == 404
    (one,) = subscribers().all()
    assert browser.post("/push/remove", {"endpoint": one.endpoint}).status == 204
    assert subscribers().all() == ()


def test_what_a_stranger_may_load_tells_nothing(phone: PhoneServed) -> None:
    for path in ("/worker.js", "/static/manifest.json", "/static/page.css"):
        assert phone.stranger().get(path).status == 200
