"""Passkeys in a real browser, with its own virtual authenticator; and unlocking, and no script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from penstock.core.proposals.model import State
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import WORDS, Served, serving


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


class Device:
    """The browser's virtual authenticator: a security key that somebody touches at once."""

    def __init__(self, window: Window, **options: Any) -> None:
        self.cdp: CDPSession = window.page.context.new_cdp_session(window.page)
        self.cdp.send("WebAuthn.enable")
        wanted = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
            **options,
        }
        made = self.cdp.send("WebAuthn.addVirtualAuthenticator", {"options": wanted})
        self.id = made["authenticatorId"]

    def verify(self, verified: bool) -> None:
        """Have the next finger be the owner's, or somebody else's."""
        self.cdp.send(
            "WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": verified}
        )

    @property
    def credentials(self) -> list[Any]:
        found = self.cdp.send("WebAuthn.getCredentials", {"authenticatorId": self.id})
        return list(found["credentials"])


@pytest.fixture
def at(browser: Browser, served: Served) -> Iterator[Window]:
    with window(browser, served) as one:
        yield one


@pytest.fixture
def device(at: Window) -> Device:
    """A device whose passkey was registered on the page."""
    made = Device(at)
    register(at)
    expect(at.page.locator("#passkeys li")).to_have_count(1)
    return made


def register(at: Window, words: str = WORDS) -> None:
    at.go("/passkeys")
    at.page.fill("#label", "laptop")
    at.page.fill("#passphrase", words)
    at.page.click("#add-passkey button")


def sound(served: Served) -> list[str]:
    report = served.here.verify()
    return [problem.message for problem in (*report.problems, *report.warnings)]


# --- registering ---------------------------------------------------------------------------------


def test_a_passkey_is_registered_listed_and_removed(
    served: Served, at: Window, device: Device
) -> None:
    expect(at.page.locator("#passkeys li")).to_contain_text("laptop")
    expect(at.page.locator("#passkeys li")).to_contain_text(served.origin)
    (known,) = served.here.keys.own_passkeys()
    assert len(device.credentials) == 1
    at.page.fill(f"#remove-{known.id}", WORDS)
    at.page.click("#passkeys button")
    at.see("No passkey is registered.")
    assert served.here.keys.own_passkeys() == ()
    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    expect(at.page.locator("[data-touch]")).to_have_count(0)
    assert sound(served) == []


def test_a_wrong_passphrase_registers_nothing(served: Served, at: Window) -> None:
    Device(at)
    register(at, "guess")
    at.see("Wrong passphrase")
    assert served.here.keys.passkeys.added() == ()


def test_a_device_that_does_not_verify_its_owner_is_not_registered(
    served: Served, at: Window
) -> None:
    Device(at, hasUserVerification=False, isUserVerified=False)
    register(at)
    expect(at.page.locator("#add-passkey [data-said]")).to_contain_text("Cancelled")
    assert served.here.keys.passkeys.added() == ()


def test_the_same_device_is_not_registered_twice(
    served: Served, at: Window, device: Device
) -> None:
    register(at)
    expect(at.page.locator("#add-passkey [data-said]")).to_contain_text("already")
    assert len(served.here.keys.own_passkeys()) == 1


def test_under_the_number_there_are_no_passkeys_and_the_passphrase_works(
    browser: Browser, served: Served
) -> None:
    served.world.origin = f"http://127.0.0.1:{served.port}"
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.world.link())
    one = served.propose("a.txt", "x\n")
    page.goto(f"http://127.0.0.1:{served.port}/proposals/{one.id}")
    page.fill("#passphrase", WORDS)
    page.press("#passphrase", "Enter")
    page.get_by_text("Written and logged").first.wait_for()
    page.goto(f"http://127.0.0.1:{served.port}/passkeys")
    expect(page.locator("#add-passkey button")).to_be_hidden()
    expect(page.locator("#add-passkey [data-said]")).to_contain_text("http://localhost")
    context.close()


# --- approving -----------------------------------------------------------------------------------


def test_one_touch_approves_one_change(served: Served, at: Window, device: Device) -> None:
    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    at.page.click("[data-touch]")
    at.see("Written and logged")
    assert (served.root / "a.txt").read_text() == "x\n"
    (event,) = served.events("approved")
    assert event["proof"] == "passkey"
    assert sound(served) == []


def test_one_key_and_one_touch_are_enough(served: Served, at: Window, device: Device) -> None:
    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    at.page.keyboard.press("a")
    at.see("Written and logged")
    assert (served.root / "a.txt").exists()


def test_one_touch_approves_a_list(served: Served, at: Window, device: Device) -> None:
    some = served.propose_set({f"{n}.txt": "x\n" for n in range(4)})
    at.go(f"/proposals/{some[0].set_id}")
    before = device.credentials[0]["signCount"]
    at.page.click("[data-touch]")
    at.see("Written and logged")
    assert len(list(served.root.glob("*.txt"))) == 4
    assert device.credentials[0]["signCount"] == before + 1
    assert sound(served) == []


def test_a_touch_takes_what_is_ticked(served: Served, at: Window, device: Device) -> None:
    some = served.propose_set({"a.txt": "1\n", "b.txt": "2\n"})
    at.go(f"/proposals/{some[0].set_id}")
    at.page.uncheck(f'input[name=keep][value="{some[1].id}"]')
    at.page.click("[data-touch]")
    at.see("Written and logged")
    assert (served.root / "a.txt").exists()
    assert not (served.root / "b.txt").exists()
    assert sound(served) == []


def test_a_touch_undoes(served: Served, at: Window, device: Device) -> None:
    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    at.page.click("[data-touch]")
    at.see("Written and logged")
    at.page.click("text=Undo with passkey")
    at.see("Reverted and logged")
    assert not (served.root / "a.txt").exists()
    assert sound(served) == []


def test_somebody_elses_finger_approves_nothing(served: Served, at: Window, device: Device) -> None:
    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    device.verify(False)
    at.page.click("[data-touch]")
    expect(at.page.locator("[data-proof] [data-said]")).to_contain_text("Cancelled")
    assert served.stored(one).state is State.WAITING
    device.verify(True)
    at.page.click("[data-touch]")
    at.see("Written and logged")


def test_what_stands_against_an_approval_is_told_as_always(
    served: Served, at: Window, device: Device
) -> None:
    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    served.write("a.txt", "mine\n")
    at.page.click("[data-touch]")
    at.see("has changed since this proposal was created")
    assert (served.root / "a.txt").read_text() == "mine\n"


def test_another_page_of_localhost_gets_a_touch_that_is_worth_nothing(
    browser: Browser, served: Served, at: Window, device: Device
) -> None:
    """What an agent's own server on this machine can ask for: the passkey signs, we refuse."""
    from tests.doors.web.test_browser_shown import another_server

    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    fields = at.page.evaluate(
        "fetch(document.querySelector('#approve').action.replace('approve', 'challenge'),"
        " {method: 'POST', body: new URLSearchParams(new FormData(document.querySelector("
        "'#approve')))}).then((answer) => answer.json())"
    )
    with another_server("<p>a page of an agent's</p>") as address:
        at.page.goto(address)
        touch = at.page.evaluate(SIGN, fields)
    at.faults.clear()  # it went elsewhere, as it should
    at.go(f"/proposals/{one.id}")
    at.page.evaluate("(touch) => { document.querySelector('[name=touch]').value = touch; }", touch)
    at.page.evaluate("document.querySelector('#approve').submit()")
    at.see("It was made on another page")
    assert served.stored(one).state is State.WAITING


SIGN = """async (asked) => {
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const made = await navigator.credentials.get({ publicKey: {
    challenge: bytes(asked.challenge), rpId: "localhost", userVerification: "required",
    allowCredentials: asked.credentials.map((id) => ({ type: "public-key", id: bytes(id) })) } });
  return JSON.stringify({ id: text(made.rawId), client: text(made.response.clientDataJSON),
    authenticator: text(made.response.authenticatorData), signature: text(made.response.signature) });
}"""  # noqa: E501


# --- unlocking -----------------------------------------------------------------------------------


def unlock(served: Served, at: Window) -> None:
    one = served.propose("first.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    at.page.check("[name=keep-unlocked]")
    at.approve()
    at.see("Written and logged")


def test_an_unlock_spares_the_passphrase_counts_down_and_locks(served: Served, at: Window) -> None:
    unlock(served, at)
    shown = at.page.locator("#lock time")
    first = shown.inner_text()
    assert first.startswith(("9:", "10:")), first
    expect(shown).not_to_have_text(first)
    one = served.propose("a.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    expect(at.page.locator("#passphrase")).to_be_hidden()
    at.page.keyboard.press("a")
    at.page.keyboard.press("Enter")
    at.see("Written and logged")
    at.page.click("#lock button")
    expect(at.page.locator("#lock")).to_have_count(0)
    other = served.propose("b.txt", "x\n")
    at.go(f"/proposals/{other.id}")
    expect(at.page.locator("#passphrase")).to_be_visible()
    assert at.page.evaluate("localStorage.length") == 0
    assert [event["op"] for event in (*served.events("unlocked"), *served.events("locked"))] == [
        "unlocked",
        "locked",
    ]
    assert sound(served) == []


def test_what_is_dangerous_asks_again(served: Served, at: Window) -> None:
    unlock(served, at)
    one = served.propose("a.py", "x = 'a\u202eb'\n")
    at.go(f"/proposals/{one.id}")
    at.see("Needs a fresh proof")
    expect(at.page.locator("#passphrase")).to_be_visible()
    at.approve()
    at.see("Written and logged")
    assert served.events("approved")[-1]["proof"] == "key"


def test_a_touch_unlocks(served: Served, at: Window, device: Device) -> None:
    one, other = served.propose("a.txt", "x\n"), served.propose("b.txt", "x\n")
    at.go(f"/proposals/{one.id}")
    at.page.check("[name=keep-unlocked]")
    at.page.click("[data-touch]")
    at.see("Approved a.txt")
    expect(at.page.locator("h1")).to_have_text(other.path)
    expect(at.page.locator("[data-touch]")).to_be_hidden()
    at.page.click("#approve button.go:not([data-touch])")
    at.see("Written and logged")
    assert [event["proof"] for event in served.events("approved")] == ["passkey", "unlock"]
    assert sound(served) == []


def test_the_other_tabs_lock_with_it(served: Served, at: Window) -> None:
    unlock(served, at)
    one = served.propose("a.txt", "x\n")
    tab = at.page.context.new_page()
    tab.goto(f"{served.origin}/proposals/{one.id}")
    expect(tab.locator("#passphrase")).to_be_hidden()
    at.page.click("#lock button")
    expect(tab.locator("#passphrase")).to_be_visible()
    tab.close()


def test_another_server_of_this_machine_is_sent_the_cookie_and_cannot_approve(
    served: Served, at: Window
) -> None:
    """Cookies know no ports: what an agent's server gets with them is not enough."""
    from penstock.doors.web.sessions import cookies_of
    from tests.doors.web.page_server import Browser as Client

    unlock(served, at)
    one = served.propose("a.txt", "x\n")
    with receiving() as (address, headers):
        tab = at.page.context.new_page()
        tab.goto(address)
        assert tab.evaluate("Object.keys(localStorage).length") == 0
        tab.close()
    (stolen,) = cookies_of({"cookie": headers[0]}, served.world.cookie)
    thief = Client(served.port, cookie=f"{served.world.cookie}={stolen}")
    page = thief.get(f"/proposals/{one.id}").text
    thief.csrf = page.partition('name="csrf" value="')[2].partition('"')[0]
    for guess in ({}, {"unlocked": "x" * 43}):
        fields = {"digest": one.content, **guess}
        assert thief.post(f"/proposals/{one.id}/approve", fields).status == 403
    assert served.stored(one).state is State.WAITING


@contextmanager
def receiving() -> Iterator[tuple[str, list[str]]]:
    """Run a server of an agent's that keeps the cookies which it is sent."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread

    got: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>hello</p>")

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://localhost:{server.server_port}/", got
        server.shutdown()
        thread.join()


# --- without script ------------------------------------------------------------------------------


def test_without_script_the_passphrase_approves(
    browser: Browser, served: Served, at: Window, device: Device
) -> None:
    one = served.propose("a.txt", "x\n")
    with window(browser, served, java_script_enabled=False) as plain:
        plain.go(f"/proposals/{one.id}")
        expect(plain.page.locator("[data-touch]")).to_be_hidden()
        expect(plain.page.locator("[data-unlock]")).to_be_hidden()
        plain.approve()
        plain.see("Written and logged")
        plain.go("/passkeys")
        plain.see("Registering a passkey needs JavaScript")
    assert (served.root / "a.txt").exists()
